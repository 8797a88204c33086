"""The ledger of a case: how it is cut, and that the order of results does not matter."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import attrs
import pytest

from simharness.agents import find
from simharness.batches.batch import SIZE, Batch, Done, done
from simharness.batches.ledger import Gain, Ledger
from simharness.campaign.inquiry import Inquiry
from simharness.check import check_case
from simharness.report import json as as_json
from simharness.scenario.load import load_text
from simharness.verdict import CaseVerdict
from simharness.world.run import batch as trials
from tests.campaigns import CASES, FORGETFUL, PLAN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simharness.campaign.results import CaseResult

CASE = CASES[0]


@pytest.fixture(autouse=True)
def one_batch() -> Iterator[None]:
    """Opening a batch of trials for each of ours costs more than running it."""
    with trials():
        yield


def searched(ahead: int, seed: int) -> tuple[CaseResult, list[str], Gain]:
    """A case with up to `ahead` batches out, which come back in a drawn order."""
    random = Random(seed)
    ledger = Ledger(0, Inquiry(CASE, PLAN, FORGETFUL))
    out: list[tuple[Batch, Done]] = []
    keys: list[str] = []
    gain = Gain()
    while ledger.result is None:
        batch = ledger.cut()
        if batch is not None:
            keys.append(batch.key)
            out.append((batch, done(find(FORGETFUL), batch)))
        if out and (batch is None or len(out) == ahead):
            back, result = out.pop(random.randrange(len(out)))
            gain += ledger.take(back.number, result)
    return ledger.result, keys, gain


@pytest.mark.parametrize(("ahead", "seed"), [(1, 0), (2, 1), (5, 2), (99, 3)])
def test_neither_order_nor_number_of_results_matters(ahead: int, seed: int) -> None:
    """The same batches, and what one process reports that knows no batches."""
    with_one = searched(1, 0)[1]
    result, keys, _ = searched(ahead, seed)
    serial = check_case(CASE, find(FORGETFUL), PLAN, agent=FORGETFUL)

    assert as_json.case_object(serial) == as_json.case_object(result)
    assert serial.ended == result.ended
    assert with_one == keys
    assert len(keys) == len(set(keys))


def test_gains_add_up_to_the_result() -> None:
    """Trials, interleavings and causes are counted once each."""
    result, _, gain = searched(3, 4)
    assert Gain(result.trials, result.interleavings, len(result.findings)) == gain
    assert result.findings


def test_batches_are_full_where_the_strategy_does_not_wait() -> None:
    """120 random trials are two full batches and a rest."""
    plan = attrs.evolve(PLAN, strategy="random")
    ledger = Ledger(0, Inquiry(CASE, plan, FORGETFUL))
    sizes = []
    while (batch := ledger.cut()) is not None:
        sizes.append(len(batch.proposals))
    assert [SIZE, SIZE, 20] == sizes


def test_an_unknown_word_of_the_scenario_ends_the_case_before_any_batch() -> None:
    """It is the user's mistake, and said as in one process."""
    (case,) = load_text(
        'scenario: odd\nmodel: ["Hi."]\nrun: [{prompt: go}]\nneeds: [no-such-rule]\n'
    ).cases
    ledger = Ledger(0, Inquiry(case, PLAN))
    assert ledger.cut() is None
    assert ledger.result is not None
    assert CaseVerdict.ERROR is ledger.result.verdict
    assert "unknown rule" in ledger.result.reason


def test_trouble_ends_the_case_when_its_turn_comes() -> None:
    """A later batch cannot end a case that an earlier one might have ended otherwise."""
    plan = attrs.evolve(PLAN, strategy="random", budget=2 * SIZE)
    ledger = Ledger(0, Inquiry(CASE, plan, FORGETFUL))
    first, second = ledger.cut(), ledger.cut()
    assert first is not None
    assert second is not None
    ledger.take(1, Done.dead(CASE, "its worker died"))
    assert ledger.result is None
    ledger.take(0, done(find(FORGETFUL), first))
    assert ledger.result is not None
    assert ("its worker died", True) == (ledger.result.reason, ledger.died)
