"""Cases, plans and executors for tests of campaigns in batches."""

from __future__ import annotations

import functools
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import TYPE_CHECKING, Any

from simharness.agents import find
from simharness.batches import Batch, Campaign, Done, Inline, Means, done
from simharness.campaign.budget import Plan
from simharness.check import check_suite
from simharness.report import json as as_json
from simharness.scenario.load import load_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from simharness.campaign.results import SuiteResult
    from simharness.scenario.model import Case

TEXT = """
scenario: two-tools
model: [[{call: a}, {call: b}], ["One. ", "Two."]]
tools: {a: {takes: $takes}, b: {takes: 2s}}
for_each: {takes: [1s, 2s]}
run: [{prompt: go}, {cancel: {anywhere: true, way: task}}]
"""
CASES: Sequence[Case] = load_text(TEXT).cases
FORGETFUL = "tests.loops:forgetful"
PLAN = Plan(budget=120, strategy="portfolio", bound=1, seed=5)


def outlines(suite: SuiteResult) -> list[object]:
    """Everything that is reported about each case."""
    return [as_json.case_object(result) for result in suite.results]


def serial(cases: Sequence[Case] = CASES, plan: Plan = PLAN, **options: Any) -> SuiteResult:
    """The campaign without batches."""
    return check_suite(cases, find(FORGETFUL), plan, agent=FORGETFUL, **options)


def batched(
    means: Means, cases: Sequence[Case] = CASES, plan: Plan = PLAN, **options: Any
) -> SuiteResult:
    """The campaign in batches; `options` are those of `check_suite`."""
    with Campaign(means, agent=FORGETFUL) as campaign:
        return serial(cases, plan, checker=campaign, **options)


def inline(agent: str = FORGETFUL) -> Means:
    """Batches run in this process."""
    return Means(Inline, functools.partial(done, find(agent)))


def run_by_name(agent: str, batch: Batch) -> Done:
    """Run a batch with the agent of that name: what a process that knows nothing else can do."""
    return done(find(agent), batch)


class Fragile(Executor):
    """Runs batches at once, but loses those that `loses` names, and all that come after it broke.

    `loses` is asked with each batch; a lost one breaks the executor as a dead worker breaks a pool.
    """

    def __init__(self, loses: Callable[[Batch], bool]) -> None:
        self._loses = loses
        self._broken = False
        self._inner = Inline()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run it or lose it."""
        if self._broken:
            raise BrokenExecutor("a worker died")
        if self._loses(args[0]):
            self._broken = True
            lost: Future[Any] = Future()
            lost.set_exception(BrokenExecutor("a worker died"))
            return lost
        return self._inner.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the one inside."""
        self._inner.shutdown()
