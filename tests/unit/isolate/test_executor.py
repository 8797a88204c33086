"""Worker processes as an executor: results, deaths, and an end that leaves nothing behind."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import pytest

from simharness.agent import NotApplicable
from simharness.agents import find
from simharness.batches import Campaign
from simharness.isolate import Fleet, Isolation, Setup, UnusableError
from simharness.isolate.executor import WorkerDiedError, Workers
from simharness.isolate.means import processes
from simharness.verdict import CaseVerdict, HarnessError
from tests.campaigns import FORGETFUL, batched, outlines, serial
from tests.misbehaving.agents import DiesOnCancel
from tests.misbehaving.campaigns import campaign as misbehaving, path, setup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simharness.isolate.duties import Desk


def add(_: Desk, left: int, right: int) -> int:
    """A duty."""
    return left + right


def pid(_: Desk) -> int:
    """Which process does this."""
    return os.getpid()


def refuse(_: Desk) -> None:
    """What this agent cannot do."""
    raise NotApplicable("not that")


def fail(_: Desk) -> None:
    """A fault of ours."""
    raise ZeroDivisionError


def die(_: Desk) -> None:
    """End the worker."""
    os._exit(7)


def sleep(_: Desk) -> None:
    """Take longer than anybody waits."""
    time.sleep(600)


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    """One worker for all tests that do not end it for good."""
    workers = Workers(Setup(find, FORGETFUL))
    yield workers
    workers.shutdown()


def test_a_duty_is_done_in_another_process(workers: Workers) -> None:
    """Its result comes back, and another one is done by the same worker."""
    assert 5 == workers.submit(add, 2, 3).result()
    assert os.getpid() != workers.submit(pid).result() == workers.submit(pid).result()


def test_what_a_duty_raises_is_raised_by_its_future(workers: Workers) -> None:
    """What an agent cannot do stays that; the rest comes with its traceback as text."""
    with pytest.raises(NotApplicable, match="not that"):
        workers.submit(refuse).result()
    with pytest.raises(HarnessError, match="ZeroDivisionError"):
        workers.submit(fail).result()


def test_a_dead_worker_costs_one_job(workers: Workers) -> None:
    """Those before and behind it are done."""
    futures = [workers.submit(add, 1, 1), workers.submit(die), workers.submit(add, 2, 2)]
    assert (2, 4) == (futures[0].result(), futures[2].result())
    with pytest.raises(WorkerDiedError, match=r"process-death \(exit code 7\)"):
        futures[1].result()


def test_a_cancelled_future_is_not_begun() -> None:
    """Only what waits can be cancelled."""
    with Workers(Setup(find, FORGETFUL)) as workers:
        running = workers.submit(add, 1, 1)
        waiting = workers.submit(die)
        cancelled = waiting.cancel()
        assert 2 == running.result()
    assert cancelled == waiting.cancelled()


def test_an_agent_that_does_not_load_fails_every_future() -> None:
    """Those that wait, and those that come later."""
    with Workers(Setup(find, "tests.loops:no_such_factory")) as workers:
        futures = [workers.submit(add, 1, 1), workers.submit(add, 1, 1)]
        for future in futures:
            with pytest.raises(UnusableError, match="no_such_factory"):
                future.result()
        with pytest.raises(UnusableError, match="no_such_factory"):
            workers.submit(add, 1, 1)


def test_shutting_down_in_a_hurry_kills_what_runs() -> None:
    """A stuck agent does not keep whoever pressed Ctrl-C."""
    workers = Workers(Setup(find, FORGETFUL))
    worker = workers.submit(pid).result()
    stuck, waiting = workers.submit(sleep), workers.submit(add, 1, 1)
    workers.shutdown(cancel_futures=True)
    assert stuck.done()
    assert waiting.done()
    with pytest.raises(ProcessLookupError):
        os.kill(worker, signal.SIGCONT)
    with pytest.raises(RuntimeError, match="after shutdown"):
        workers.submit(add, 1, 1)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_campaign_in_workers_reports_what_one_process_reports(jobs: int) -> None:
    """Whatever the number of workers."""
    means = processes(Setup(find, FORGETFUL, Isolation(jobs)))
    assert outlines(serial()) == outlines(batched(means))


def test_a_case_that_kills_its_worker_is_judged_as_by_a_fleet() -> None:
    """The death is a violation with a replay code, and the cases beside it are not touched."""
    cases = misbehaving(DiesOnCancel)
    where = setup(DiesOnCancel, jobs=2)
    with (
        Fleet(where) as fleet,
        Campaign(processes(where), agent=path(DiesOnCancel), on_death=fleet.check) as campaign,
    ):
        result = serial(cases, checker=campaign)
    verdicts = [one.verdict for one in result.results]
    assert [CaseVerdict.HOLDS, CaseVerdict.HOLDS, CaseVerdict.VIOLATED] == verdicts
    assert "process-death (exit code 6)" in result.results[2].findings[0].message
    assert any("was run again" in remark for remark in campaign.remarks)
