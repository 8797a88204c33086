"""Campaigns: the same result by any executor, and what becomes of batches whose worker dies."""

from __future__ import annotations

import functools
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING

import attrs
import pytest

from simharness.agents import find
from simharness.batches import Batch, Campaign, Done, Inline, Means, done
from simharness.campaign.budget import Plan
from simharness.campaign.sweeper import sweep
from simharness.report import json as as_json
from simharness.verdict import CaseVerdict
from simharness.world.run import batch as trials
from tests.campaigns import (
    CASES,
    FORGETFUL,
    PLAN,
    Fragile,
    batched,
    inline,
    outlines,
    run_by_name,
    serial,
)
from tests.misbehaving import campaigns as misbehaving
from tests.misbehaving.agents import Dies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simharness.batches import Gain


@pytest.fixture
def one_batch() -> Iterator[None]:
    """Opening a batch of trials for each executor costs more than its trials."""
    with trials():
        yield


def spawned(agent: str, ahead: int = 4) -> Means:
    """The process pool of the standard library, as nobody would use it here but a test."""
    context = multiprocessing.get_context("spawn")
    return Means(
        lambda: ProcessPoolExecutor(2, mp_context=context),
        functools.partial(run_by_name, agent),
        ahead,
        lambda pool: pool.shutdown(wait=True, cancel_futures=True),
    )


@pytest.mark.usefixtures("one_batch")
@pytest.mark.parametrize("ahead", [1, 3, 50])
@pytest.mark.parametrize(
    "plan",
    [PLAN, Plan(), Plan(strategy="random", budget=51), Plan(bound=0), Plan(budget=1)],
    ids=str,
)
def test_a_campaign_reports_what_one_process_reports(plan: Plan, ahead: int) -> None:
    """However many batches are out: counts, coverage, findings and replay codes."""
    means = attrs.evolve(inline(), ahead=ahead)
    assert outlines(serial(plan=plan)) == outlines(batched(means, plan=plan))


@pytest.mark.usefixtures("one_batch")
@pytest.mark.parametrize("total", [1, 60, 150, 240, 1000])
def test_a_total_ends_a_campaign_where_it_ends_one_process(total: int) -> None:
    """Cases that were begun ahead do not count beyond it."""
    plan = attrs.evolve(PLAN, total=total)
    one, many = serial(plan=plan), batched(attrs.evolve(inline(), ahead=9), plan=plan)
    assert outlines(one) == outlines(many)
    assert one.skipped == many.skipped


def test_stopping_at_the_first_failure_drops_what_was_begun_ahead() -> None:
    """The second case is skipped, though its batches may be out."""
    many = batched(attrs.evolve(inline(), ahead=9), fail_fast=True)
    assert (1, 1) == (len(many.results), many.skipped)


@pytest.mark.usefixtures("one_batch")
def test_a_sweep_in_batches_finds_what_a_sweep_finds() -> None:
    """Its phases are one campaign, with cases of a few trials each."""
    plan = Plan(total=70)
    agent = find(FORGETFUL)
    with Campaign(attrs.evolve(inline(), ahead=3), agent=FORGETFUL) as campaign:
        many = sweep(agent, plan, agent=FORGETFUL, checker=campaign)
    assert outlines(sweep(agent, plan, agent=FORGETFUL)) == outlines(many)


def test_the_pool_of_the_standard_library_will_do() -> None:
    """A campaign knows of its executor only what every executor has."""
    assert outlines(serial()) == outlines(batched(spawned(FORGETFUL)))


def test_gains_are_told_as_results_come() -> None:
    """The sum is the result."""
    gains: list[Gain] = []
    with Campaign(inline(), agent=FORGETFUL, on_gain=gains.append) as campaign:
        result = serial(checker=campaign)
    assert result.total("trials") == sum(gain.trials for gain in gains)
    assert result.total("interleavings") == sum(gain.interleavings for gain in gains)
    assert len(gains) > len(CASES)


class TestDeaths:
    def test_a_batch_that_lost_its_worker_is_run_again(self) -> None:
        """Once is an accident: the result is that of a campaign without it, and a remark."""
        lost = {(CASES[0].id, 1)}

        def loses(batch: Batch) -> bool:
            key = (batch.case.id, batch.number)
            known = key in lost
            lost.discard(key)
            return known

        means = attrs.evolve(inline(), make=lambda: Fragile(loses), ahead=3)
        with Campaign(means, agent=FORGETFUL) as campaign:
            result = serial(checker=campaign)
        assert outlines(serial()) == outlines(result)
        assert (
            f"a worker died: a worker died; batch 1 of {CASES[0].id} was run again",
        ) == campaign.remarks

    def test_a_batch_that_ends_two_workers_is_an_error_of_its_case(self) -> None:
        """The other case does not notice."""
        first, second = CASES

        def loses(batch: Batch) -> bool:
            return batch.case is first and batch.number == 1

        means = attrs.evolve(inline(), make=lambda: Fragile(loses), ahead=3)
        with Campaign(means, agent=FORGETFUL) as campaign:
            bad, good = serial(checker=campaign).results
        assert CaseVerdict.ERROR is bad.verdict
        assert f"batch 1 of {first.id} ends its worker process: a worker died" == bad.reason
        assert outlines(serial([second])) == [as_json.case_object(good)]
        assert "was run again alone, and its worker died again" in campaign.remarks[-1]

    def test_somebody_else_may_judge_the_case(self) -> None:
        """What runs it in a process of its own can say how it ended."""
        judged = serial([CASES[0]]).results[0]
        means = attrs.evolve(inline(), make=lambda: Fragile(lambda batch: batch.number == 1))
        with Campaign(means, agent=FORGETFUL, on_death=lambda *_: judged) as campaign:
            result = serial([CASES[0]], checker=campaign)
        assert (judged,) == result.results

    def test_only_the_batch_that_kills_is_blamed_in_a_pool_that_breaks_as_a_whole(self) -> None:
        """The pool of the standard library loses all its batches with one worker."""
        cases = misbehaving.campaign(Dies)
        means = spawned(misbehaving.path(Dies))
        with Campaign(means, agent=misbehaving.path(Dies)) as campaign:
            result = serial(cases, Plan(budget=20), checker=campaign)
        verdicts = {one.case.id: one.verdict for one in result.results}
        assert {"before": "holds", "bad": "error", "after": "holds"} == verdicts

    def test_other_errors_of_an_executor_are_not_taken_for_deaths(self) -> None:
        """They end the campaign: nothing says that another try would help."""

        def fails(_: Batch) -> Done:
            raise OSError("no route to host")

        with (
            Campaign(Means(Inline, fails)) as campaign,
            pytest.raises(OSError, match="no route to host"),
        ):
            serial(checker=campaign)


def test_what_the_agent_raises_is_shown_with_its_case() -> None:
    """As in one process, but for the frames of the traceback."""
    agent = "tests.loops:broken"
    with Campaign(Means(Inline, functools.partial(done, find(agent)))) as campaign:
        result = serial([CASES[0]], checker=campaign)
    (case,) = result.results
    assert CaseVerdict.ERROR is case.verdict
    assert "Traceback" in case.reason
