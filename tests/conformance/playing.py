"""Playing cases on the reference loop on the default schedule, and what of a trial tells it apart.

Two trials are alike if they differ in nothing but the wording of texts and the length of waits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from simharness.agents import find
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.scenario.model import PromptAction
from simharness.trace import ChunkArrived, ChunkTaken, Message, Record, TerminalTaken
from simharness.world.run import batch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simharness.scenario.model import Case
    from simharness.verdict import Verdict

__all__ = ["Played", "has_anywhere", "likeness", "play"]

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


@attrs.frozen
class Played:
    """One case and its verdict on the default schedule."""

    case: Case
    verdict: Verdict

    @property
    def unplayed(self) -> frozenset[str]:
        """What the scenario promises and this trial did not play."""
        return self.case.promised() - self.verdict.played


def play(cases: Iterable[Case]) -> tuple[Played, ...]:
    """Run and judge each case once on the default schedule."""
    reference = find("reference")
    with batch():
        return tuple(
            Played(case, Bench(case, reference).trial(ScheduleChooser())) for case in cases
        )


def has_anywhere(case: Case) -> bool:
    """Whether the search places an action of `case`; the default schedule then leaves it out."""
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
