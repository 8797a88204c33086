"""Each misbehaviour ends in its verdict, and the campaign goes on as if nothing had been."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator

import pytest

from simharness.campaign.results import CaseResult
from simharness.verdict import CaseVerdict
from tests.misbehaving import agents
from tests.misbehaving.agents import Behaves
from tests.misbehaving.campaigns import here, isolated, outline

HELD = ("", "")
HELPER = "RaisesBase.misbehave.<locals>.helper"
VERDICTS: dict[type[Behaves], tuple[str, str]] = {
    agents.Sleeps: HELD,
    agents.Locks: ("settles", "Run 1 does not settle: wall-limit."),
    agents.Spins: ("settles", "Run 1 does not settle: wall-limit."),
    agents.SpinsWithAwait: ("settles", "Run 1 does not settle: livelock."),
    agents.WaitsForEver: ("settles", "Run 1 does not settle: deadlock."),
    agents.SwallowsCancel: ("settles", "Run 1 does not settle: deadlock."),
    agents.LeaksTask: (
        "no-leaked-tasks",
        "Left behind after 30 s, leaked-task: Event.wait.",
    ),
    agents.LeaksGenerator: (
        "no-leaked-tasks",
        "Left behind after 30 s, leaked-generator: LeaksGenerator.misbehave.<locals>.items.",
    ),
    agents.StartsThread: (
        "no-leaked-tasks",
        "Left behind after 30 s, leaked-thread: worker.",
    ),
    agents.Exits: (
        "failure-surfaced",
        "The agent ended the process instead of the run: agent-exit.",
    ),
    agents.RaisesBase: (
        "failure-surfaced",
        f"Nobody looked at an error, unretrieved-exception: {HELPER}: Unheard.",
    ),
    agents.Recurses: HELD,
    agents.Prints: HELD,
    agents.CancelsItself: (
        "terminal-kind",
        "Run 1 ended on a finish, nobody cancelled, but reports cancelled.",
    ),
    agents.StopsLoop: (
        "failure-surfaced",
        "The agent ended the process instead of the run: agent-exit.",
    ),
}
"""What becomes of each in the very process of the campaign: rule and message."""

DEADLY: dict[type[Behaves], tuple[str, str]] = {
    agents.SpinsOn: ("settles", "Run 1 does not settle: wall-limit."),
    agents.SpinsInC: ("settles", "Run 1 does not settle: wall-limit."),
    agents.Allocates: ("settles", "Run 1 does not settle: memory-limit."),
    agents.Dies: ("settles", "Run 1 does not settle: process-death (exit code 5)."),
    agents.Crashes: ("settles", "Run 1 does not settle: process-death (SIGSEGV)."),
}
"""What only a campaign in worker processes survives."""


@pytest.fixture(autouse=True)
def _threads_end() -> Iterator[None]:
    """Threads that were left in this process would keep it from ending."""
    yield
    agents.StartsThread.end.set()
    agents.StartsThread.end = threading.Event()


@functools.cache
def undisturbed() -> tuple[object, object]:
    """What is reported about the other two cases when nobody misbehaves."""
    before, _, after = here(Behaves)
    return outline(before), outline(after)


@pytest.mark.parametrize("agent", VERDICTS, ids=lambda agent: agent.__name__)
def test_a_misbehaving_agent_gets_its_verdict_in_process(agent: type[Behaves]) -> None:
    """The rule and the limit are named; the other cases are reported as ever."""
    before, bad, after = here(agent)

    assert VERDICTS[agent] == found(bad)
    assert undisturbed() == (outline(before), outline(after))


@pytest.mark.parametrize("agent", DEADLY, ids=lambda agent: agent.__name__)
def test_a_deadly_agent_gets_its_verdict_in_a_worker(agent: type[Behaves]) -> None:
    """The worker is replaced, and what comes behind is reported as ever."""
    before, bad, after = isolated(agent)

    assert DEADLY[agent] == found(bad)
    assert [True] == [finding.replayed for finding in bad.findings]
    assert undisturbed() == (outline(before), outline(after))


@pytest.mark.parametrize(
    "agent", [agents.Spins, agents.StartsThread, agents.Writes], ids=lambda agent: agent.__name__
)
def test_isolation_changes_no_verdict(agent: type[Behaves]) -> None:
    """What can be survived in process is reported the same from a worker."""
    assert list(map(outline, here(agent))) == list(map(outline, isolated(agent, jobs=2)))


def found(result: CaseResult) -> tuple[str, str]:
    """Rule and message of the only finding; nothing for a case that holds."""
    findings = [(finding.rule, finding.message) for finding in result.findings]
    if not findings:
        assert CaseVerdict.HOLDS is result.verdict
        return HELD
    (only,) = findings
    return only
