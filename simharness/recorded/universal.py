"""The universal rules over a recorded trace: one run at a time, as records that they can read.

A checker says what happened in the words below; when a run is over the window is judged by those
rules of `simharness.rules` that the format can show, and forgotten. A run too long to be kept is
left to the rules of its format, and a note says so.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Final

from simharness.contract import Contract
from simharness.rules import by_id
from simharness.trace import (
    AgentEnd,
    AgentStart,
    CancelCalled,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    Outcome,
    PromptCalled,
    Record,
    RunSettled,
    ToolExecutionEnd,
    ToolExecutionStart,
    Trace,
    assistant,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from simharness.recorded.reading import Spot
    from simharness.recorded.rule import Tally
    from simharness.verdict import Judgement

__all__ = ["RECORDS_MAX", "Window", "report"]

RECORDS_MAX: Final = 20_000
"""Records of one run that are kept for the universal rules."""


class Window:
    """The run at hand. `rules` are the universal rules that the format can show."""

    def __init__(
        self, tally: Tally, rules: Sequence[str] = (), families: Iterable[str] = ()
    ) -> None:
        self._tally = tally
        self._rules = tuple(rules)
        self._contract = Contract(reports=frozenset(families))
        self._trace: Trace | None = None
        self._spots: list[Spot] = []
        self._numbers = count(1)
        self._run = 0

    def sibling(self) -> Window:
        """A window for a run that goes on beside this one, with a number of its own."""
        made = Window(self._tally, self._rules, self._contract.reports)
        made._numbers = self._numbers
        return made

    def begin(self, spot: Spot, text: str = "") -> None:
        """A run begins; the one before it is judged."""
        self.close()
        if not self._rules:
            return
        self._run = next(self._numbers)
        self._trace, self._spots = Trace(), []
        self._add(PromptCalled(text), spot)
        self._add(AgentStart(), spot)

    def ended(self, spot: Spot, outcome: Outcome | None, how: str = "returned") -> None:
        """The agent says that the run is over; `how` as in `RunSettled`."""
        self._add(AgentEnd(outcome), spot)
        self._add(RunSettled(how), spot)

    def cancelled(self, spot: Spot) -> None:
        """The user cancels the run."""
        self._add(CancelCalled("API"), spot)

    def message(self, spot: Spot, *, begins: bool) -> None:
        """A message begins or ends."""
        said = assistant()
        self._add(MessageStart(said) if begins else MessageEnd(said), spot)

    def update(self, spot: Spot) -> None:
        """More of something was shown; many in a row are noted once."""
        if self._trace is not None and type(self._trace.records[-1]) is not MessageUpdate:
            self._add(MessageUpdate(""), spot)

    def tool(self, spot: Spot, call: str, *, begins: bool) -> None:
        """The agent says that it begins or is done with a call."""
        name = "a tool"
        if begins:
            self._add(ToolExecutionStart(call, name, ""), spot)
        else:
            self._add(ToolExecutionEnd(call, name, ""), spot)

    def close(self) -> None:
        """Judge the run at hand, if there is one, and forget it."""
        trace, self._trace = self._trace, None
        if trace is not None:
            judged = {
                rule.id: rule.check(trace, self._contract)
                for rule in map(by_id, self._rules)
                if rule.applicable(self._contract)
            }
            report(self._tally, judged, self._spots)

    def _add(self, record: Record, spot: Spot) -> None:
        if self._trace is None:
            return
        if len(self._spots) >= RECORDS_MAX:
            self._tally.note(
                f"Run {self._run} has more than {RECORDS_MAX} records: the universal rules do not "
                "judge it.",
                self._spots[0],
            )
            self._trace = None
            return
        self._trace.add(record, time=0.0, run=self._run)
        self._spots.append(spot)


def report(tally: Tally, judged: Mapping[str, Judgement], spots: Sequence[Spot]) -> None:
    """Tell `tally` what rules said about a trace whose record n stands at `spots[n]`."""
    for rule_id, judgement in judged.items():
        if judgement.occasions:
            tally.saw(rule_id, judgement.occasions)
        for violation in judgement.violations:
            place = violation.evidence[-1] if violation.evidence else len(spots) - 1
            tally.broke(rule_id, violation.message, spots[min(place, len(spots) - 1)])
