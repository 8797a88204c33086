"""Compares two JSON reports: which cases became green or red, which violations came and went.

Works on the documents that `report/json.py` writes, so that reports of other days, machines and
agents can be compared. A violation is the same if case, rule and message are; what then differs is
its timeline, the smallest interleaving that shows it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Literal

import attrs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simharness.project.baseline import Known

__all__ = ["Comparison", "Side", "Timeline", "Turn", "compare"]

_RED: Final = {"violated", "error"}
_GREEN: Final = {"holds", "expected-violation", "waived"}

Report = dict[str, Any]
How = Literal["added", "removed", "reordered", "changed"]


@attrs.frozen
class Side:
    """One of the two reports: what it is called, and whom it is about."""

    name: str
    agent: str
    cases: int


@attrs.frozen
class Turn:
    """A case whose verdict is another one now. None: there is no such case on that side."""

    case: str
    before: str | None
    after: str | None

    @property
    def to_red(self) -> bool:
        """It did not fail before, or was not there, and fails now."""
        return self.after in _RED and self.before not in _RED

    @property
    def to_green(self) -> bool:
        """It failed before and passes now; not to be run any more is no pass."""
        return self.before in _RED and self.after in _GREEN


@attrs.frozen
class Timeline:
    """A violation that came, went, or shows itself in another way."""

    case: str
    rule: str
    message: str
    how: How


@attrs.frozen
class Comparison:
    """Everything in which two reports differ, in the order of the cases."""

    before: Side
    after: Side
    turns: tuple[Turn, ...]
    timelines: tuple[Timeline, ...]

    @property
    def worse(self) -> bool:
        """Whether a case turned red, or a red one shows a violation that it did not show."""
        return any(turn.to_red for turn in self.turns) or any(
            timeline.how == "added" for timeline in self.timelines
        )


def compare(before: Report, after: Report, *, names: tuple[str, str]) -> Comparison:
    """Compare two reports; `names` is what they are called."""
    old = {case["id"]: case["verdict"] for case in before["cases"]}
    new = {case["id"]: case["verdict"] for case in after["cases"]}
    turns = tuple(
        Turn(case, old.get(case), new.get(case))
        for case in old | new
        if old.get(case) != new.get(case)
    )
    return Comparison(
        _side(before, names[0]),
        _side(after, names[1]),
        turns,
        tuple(_timelines(_violations(before), _violations(after))),
    )


def _side(report: Report, name: str) -> Side:
    agent = report.get("agent", {})
    words = f"{agent.get('name', '')} {agent.get('version', '')}".strip()
    return Side(name, words, len(report["cases"]))


def _violations(report: Report) -> dict[Known, list[str]]:
    return {
        (case["id"], found["rule"], found["message"]): [repr(row) for row in found["timeline"]]
        for case in report["cases"]
        for found in case["violations"]
    }


def _timelines(old: Mapping[Known, list[str]], new: Mapping[Known, list[str]]) -> list[Timeline]:
    changes = []
    for key in dict.fromkeys([*old, *new]):
        how = _how(old.get(key), new.get(key))
        if how is not None:
            changes.append(Timeline(*key, how))
    return changes


def _how(old: list[str] | None, new: list[str] | None) -> How | None:
    if old is None or new is None:
        return "added" if old is None else "removed"
    if old == new:
        return None
    return "reordered" if Counter(old) == Counter(new) else "changed"
