"""Kill and reload at every store write of shipped scenarios, each kill followed by another.

The scenarios get a store; their own expectations say nothing about a run that was killed, so the
rules judge alone: calls are paired, what was settled is there, loading never raises, and loading
twice is loading once.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import pytest

from simharness.agents import find
from simharness.campaign.shipped import suite_folder
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.scenario.load import load_file
from simharness.scenario.model import (
    Action,
    Anchor,
    AnchorKind,
    Case,
    Expect,
    OtherAction,
    PromptAction,
    Relation,
)
from simharness.scenario.stores import Store, StoreFault
from simharness.storing import Killed, SessionLoaded, StoreWrite
from simharness.verdict import Verdict
from simharness.world.run import batch

SCENARIOS = (
    "cancel/cancel-before-request-after-tools",
    "cancel/cancel-between-sequential-tools",
    "cancel/cancel-by-task-mid-text",
    "cancel/cancel-during-backoff",
    "cancel/cancel-during-tool",
    "cancel/cancel-every-prompt",
    "cancel/cancel-mid-arguments-keeps-text",
    "cancel/cancel-mid-text-of-second-turn",
    "failure/error-after-output",
    "failure/failures-in-a-row",
    "failure/silent-close",
    "history/broken-calls-can-be-sent-again",
    "history/conversation",
    "history/unicode-survives",
    "hooks/around-a-tool",
    "hooks/middleware-denies-one-of-two",
    "limits/many-calls",
    "queue/second-prompt-waits",
    "retry/retry-then-tools",
    "stops/one-of-two-parked-prompts-is-cancelled",
    "stops/quiesce-drains",
    "tools/results-in-the-order-of-calls",
)
STORE_RULES = {
    "crash-consistent",
    "history-loadable",
    "repair-idempotent",
    "session-equals-history",
    "tool-pairing",
    "user-input-durable",
}
WRITES_MAX = 60  # per prompt; many alike are killed at in steps


def stored(name: str) -> Case:
    """The first case of a shipped scenario, with a store and without expectations."""
    case = load_file(suite_folder() / f"{name}.sim.yaml").cases[0]
    return attrs.evolve(case, store=Store(), expect=Expect())


def trial(case: Case) -> Verdict:
    """One trial of the reference loop on the default schedule."""
    return Bench(case, find("reference")).trial(ScheduleChooser())


def segments(actions: tuple[Action, ...]) -> list[tuple[int, int]]:
    """For each prompt that waits for its turn, its place and that of the next one."""
    begins = [
        place
        for place, action in enumerate(actions)
        if isinstance(action, PromptAction) and not action.meanwhile and action.anchor is None
    ]
    return list(zip(begins, [*begins[1:], len(actions)], strict=True))


def killed(case: Case, end: int, write: int, *, torn: bool) -> Case:
    """The case with a kill during a write of the segment that ends there, and another behind it."""
    anchor = Anchor(AnchorKind.WAIT, Relation.DURING, "store write", write)
    kill = OtherAction("kill", anchor=anchor, label=f"kill during store write {write}")
    again = OtherAction("kill", label="kill")
    actions = (*case.actions[:end], kill, again, *case.actions[end:])
    store = Store(torn=StoreFault(1, always=True)) if torn else Store()
    return attrs.evolve(case, actions=actions, store=store)


def kills(case: Case) -> Iterator[Case]:
    """The case with a kill at each store write, in turn."""
    trace = trial(case).trace
    assert trace is not None
    run = 0
    for begin, end in segments(case.actions):
        inside = case.actions[begin:end]
        runs = range(run + 1, run + 1 + sum(isinstance(one, PromptAction) for one in inside))
        run = runs[-1]
        writes = sum(write.run in runs for write in trace.of(StoreWrite))
        for write in range(1, writes + 1, 1 + writes // WRITES_MAX):
            for torn in (False, True):
                yield killed(case, end, write, torn=torn)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_kill_at_any_store_write_leaves_a_whole_session(name: str) -> None:
    """No rule is broken, each kill happened, and each of its sessions was loaded twice."""
    wrong: list[str] = []
    seen: set[str] = set()
    count = 0
    with batch():
        for case in kills(stored(name)):
            verdict = trial(case)
            assert verdict.trace is not None
            count += 1
            wrong += [f"{case.actions}: {one.message}" for one in verdict.violations]
            assert 2 == len(verdict.trace.of(Killed))
            assert 3 == len(verdict.trace.of(SessionLoaded))
            seen |= verdict.occasions
    assert [] == wrong
    assert count > 0
    assert {"crash-consistent", "history-loadable", "repair-idempotent"} <= seen & STORE_RULES
