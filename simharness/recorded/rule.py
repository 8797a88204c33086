"""What a rule of a recorded format is, and what a check adds up: occasions, findings, notes.

A tally keeps the first few findings of each rule and counts the rest, so that it stays small
however broken a trace is.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import attrs

if TYPE_CHECKING:
    from simharness.recorded.reading import Spot

__all__ = ["KEPT_MAX", "Finding", "FormatRule", "Tally"]

KEPT_MAX: Final = 20
"""Findings of one rule, and notes, that are kept with their place; more are counted only."""


@attrs.frozen(kw_only=True)
class FormatRule:
    """One rule about a recorded format. `id` begins with the name of its format.

    `source` says who demands it: a specification, its SDKs, or simharness itself. `good` and `bad`
    are two whole little traces, which the tests check: the first keeps the rule and gives it an
    occasion, the second breaks it.
    """

    id: str
    sentence: str
    why: str
    source: str
    good: str
    bad: str


@attrs.frozen
class Finding:
    """A broken rule and where in the trace. `rule` is that of the format, or a universal one."""

    rule: str
    message: str
    spot: Spot


class Tally:
    """What a check has found so far."""

    def __init__(self) -> None:
        self.events = 0
        self.occasions: Counter[str] = Counter()
        self.broken: Counter[str] = Counter()
        self.findings: list[Finding] = []
        self.notes: list[tuple[str, Spot]] = []
        self.notes_left_out = 0

    def saw(self, rule: str, times: int = 1) -> None:
        """Count that `rule` had something to judge."""
        self.occasions[rule] += times

    def broke(self, rule: str, message: str, spot: Spot) -> None:
        """Note that what stands at `spot` breaks `rule`."""
        self.broken[rule] += 1
        if self.broken[rule] <= KEPT_MAX:
            self.findings.append(Finding(rule, message, spot))

    def demand(self, rule: str, holds: bool, message: str, spot: Spot) -> bool:
        """Count an occasion of `rule`, and a violation unless it `holds`. Returns `holds`."""
        self.occasions[rule] += 1
        if not holds:
            self.broke(rule, message, spot)
        return holds

    def note(self, message: str, spot: Spot) -> None:
        """Note something that breaks nothing."""
        if len(self.notes) < KEPT_MAX:
            self.notes.append((message, spot))
        else:
            self.notes_left_out += 1
