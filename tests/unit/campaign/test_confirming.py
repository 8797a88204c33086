"""What relaxed mode finds is searched for in strict mode, and said to be there or not."""

from __future__ import annotations

import asyncio
from typing import Any

from simharness.agent import AgentFactory
from simharness.agents.mutants import MUTANTS
from simharness.agents.reference.loop import ReferenceAgent
from simharness.campaign.budget import Plan
from simharness.campaign.confirming import RELAXED_ONLY, confirmed
from simharness.campaign.refine import refine
from simharness.campaign.reproduce import rerun
from simharness.campaign.results import Finding
from simharness.check import check_suite
from simharness.choices import Chooser
from simharness.replay.code import ReplayCode
from simharness.report import text
from simharness.scenario.load import load_text
from simharness.search import Uniform, explore
from simharness.verdict import Verdict
from tests.tiny import Kernel, Task, climbing, running

SHEET = """scenario: two-tools
about: Two tools, then the answer.
model:
  - stream: [{call: search}, {call: fetch}]
  - stream: ["Found it."]
tools:
  search: {returns: "3 hits", takes: 200ms}
  fetch: {returns: "a page", takes: 100ms}
run:
  - prompt: Look it up
  - cancel: {anywhere: true}
"""
CASE = load_text(SHEET).cases[0]


class Ordered(ReferenceAgent):
    """Two tasks at the start of a prompt; if they start in the wrong order, one never ends."""

    async def prompt(self, *args: Any, **kwargs: Any) -> Any:
        ready = asyncio.Event()
        began: list[str] = []

        async def first() -> None:
            began.append("first")

        async def second() -> None:
            if not began:
                await ready.wait()

        self.tasks = [asyncio.ensure_future(part()) for part in (first, second)]
        return await super().prompt(*args, **kwargs)


def found(factory: AgentFactory, rule: str, mode: str | None = "relaxed") -> Finding:
    """The refined finding of `rule`."""
    plan = Plan(mode=mode, budget=100)
    suite = refine(check_suite([CASE], factory, plan), factory, plan)
    return next(finding for finding in suite.results[0].findings if finding.rule == rule)


def test_a_failure_that_needs_another_task_order_is_called_relaxed_only() -> None:
    """The first task always starts first on a stock loop."""
    finding = found(Ordered, "no-leaked-tasks")
    assert RELAXED_ONLY == finding.strict
    assert "\nRelaxed only: no stock loop is known to do this" in text.failure(finding, "x", {})


def test_a_failure_that_strict_mode_shows_too_gets_a_strict_replay_code() -> None:
    """The code replays exactly, in strict mode."""
    wrong = next(one for one in MUTANTS if one.id == "cut-text-is-lost")
    finding = found(wrong.factory, wrong.rule)
    words, _, line = finding.strict.partition(": ")
    assert "also in strict" == words
    code = ReplayCode.decode(line.split()[1])
    assert ("strict", "exact") == (code.mode, rerun(code, CASE, wrong.factory).result)


def test_a_strict_failure_is_not_searched_for_again() -> None:
    """There is nothing to confirm."""
    wrong = next(one for one in MUTANTS if one.id == "cut-text-is-lost")
    assert "" == found(wrong.factory, wrong.rule, "strict").strict


def failing_in(order: str) -> Verdict:
    """A verdict of a program that fails if its tasks end in this order."""
    return next(v for v in explore(running(racing(order)), Uniform(), 1000) if v.violations)


def racing(order: str) -> Any:
    """Three tasks; the order in which they end is `order`."""

    def program(kernel: Kernel) -> Task:
        ended: list[str] = []

        def task(name: str) -> Task:
            yield None
            ended.append(name)
            if "".join(ended) == order:
                kernel.fail("in this order")

        for name in "abc":
            kernel.spawn(name, task(name))
        yield from ()

    return program


def test_it_looks_near_the_schedule_and_then_everywhere() -> None:
    """The program is the same, so the old schedule is enough; a program that holds gives None."""
    relaxed = failing_in("cba")
    trials: list[Chooser] = []

    def counted(chooser: Chooser) -> Verdict:
        trials.append(chooser)
        return running(racing("cba"))(chooser)

    strict = confirmed(counted, relaxed, "planted")
    assert strict is not None
    assert len(trials) < 10
    assert confirmed(climbing(((), ())), relaxed, "planted") is None
