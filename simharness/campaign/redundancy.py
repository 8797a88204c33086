"""Cases that prove the same: alike in their records and in the rules that had something to judge.

Two default trials are alike if they differ in nothing but the wording of texts and the length of
waits, and show the same profile and fault of the loop. A suite in which many cases are alike is
longer than it is strong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.agent import NotApplicable
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.scenario.model import PromptAction
from simharness.trace import ChunkArrived, ChunkTaken, Message, TerminalTaken
from simharness.world.run import batch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simharness.agent import AgentFactory
    from simharness.scenario.model import Case
    from simharness.trace import Record
    from simharness.verdict import Verdict

__all__ = ["alike", "has_anywhere", "likeness"]

_WORDING = frozenset(
    {
        "action",
        "detail",
        "error",
        "message",
        "messages",
        "partial",
        "reason",
        "result",
        "session",
        "text",
        "tool_results",
        "tools",
        "usage",
        "what",
    }
)
_STAMPS = frozenset({"n", "time", "derived", "input", "output"})


def alike(cases: Iterable[Case], factory: AgentFactory) -> list[tuple[str, ...]]:
    """Groups of two or more case ids that prove the same, in the order of their first case.

    Cases with an `anywhere` action are left out: the default schedule does not place it.
    """
    groups: dict[object, list[str]] = {}
    with batch():
        for case in cases:
            if has_anywhere(case):
                continue
            try:
                verdict = Bench(case, factory).trial(ScheduleChooser())
            except NotApplicable:
                continue
            key = (case.profile, case.mutant, likeness(verdict))
            groups.setdefault(key, []).append(case.id)
    return [tuple(ids) for ids in groups.values() if len(ids) > 1]


def has_anywhere(case: Case) -> bool:
    """Whether the search places an action of `case`."""
    return any(not isinstance(action, PromptAction) and action.anywhere for action in case.actions)


def likeness(verdict: Verdict) -> object:
    """Equal for trials that are alike: same records in the same order, same rules to judge."""
    assert verdict.trace is not None, "the bench keeps traces"
    lines: list[object] = [verdict.occasions]
    now = 0.0
    for record in verdict.trace:
        lines.append((type(record).__name__, record.run, record.time > now, *_telling(record)))
        now = record.time
    return tuple(lines)


def _telling(record: Record) -> list[object]:
    """The fields of a record that are more than wording."""
    names = [field.name for field in attrs.fields(type(record))]
    told = [getattr(record, name) for name in names if name not in _WORDING | _STAMPS]
    message = getattr(record, "message", None)
    if isinstance(message, Message):
        told += [message.role, message.interrupted, *(type(block) for block in message.blocks)]
    if isinstance(record, ChunkArrived | ChunkTaken) and record.kind == "args":
        told.append(record.text)  # decides whether a tool runs
    if isinstance(record, TerminalTaken) and record.kind == "finish":
        told.append(record.detail)  # one of a few reasons
    return told
