"""The order of an AG-UI stream: runs, the brackets within them, and how a run ends.

Chunks are expanded first, so the brackets see starts, contents and ends only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Final

import attrs

from simharness.recorded.agui_brackets import Brackets
from simharness.recorded.agui_chunks import CHUNKS, Chunks
from simharness.recorded.agui_endings import Endings
from simharness.recorded.agui_rules import RULES
from simharness.recorded.agui_shapes import event_fault, known
from simharness.recorded.checker import Checker
from simharness.recorded.format import Format
from simharness.recorded.reading import Spot, quoted
from simharness.trace import Outcome

if TYPE_CHECKING:
    from simharness.recorded.rule import Tally
    from simharness.recorded.universal import Window

__all__ = ["AGUI"]

_CLOSING: Final = ("_END", "_FINISHED")
_RUN_KINDS: Final = frozenset({"RUN_STARTED", "RUN_FINISHED", "RUN_ERROR"})


@attrs.define
class _Run:
    """The run at hand; `thread` None: it was never properly started."""

    spot: Spot
    thread: str | None = None
    id: str | None = None
    cancelled: Spot | None = None
    since_cancel: int = 0  # events behind the cancel that do more than close something


class AguiChecker(Checker):
    """Judges one AG-UI stream, which may hold several runs one after the other."""

    def __init__(self, tally: Tally, window: Window, *, at_client: bool = False) -> None:
        super().__init__(tally, window, at_client=at_client)
        self._begun = False
        self._run: _Run | None = None
        self._over = ""  # the terminal of the run before, while no other is open
        self._chunks = Chunks(tally)
        self._brackets = Brackets(tally)
        self._endings = Endings(tally, self._brackets)

    def event(self, value: dict[str, Any], spot: Spot, name: str) -> None:  # noqa: ARG002
        """Take an event."""
        kind = value.get("type")
        if type(kind) is not str:
            self.tally.demand("agui-event-shape", False, 'An event needs a text "type".', spot)
            return
        if not known(kind):
            self.tally.note(f"Events of type {quoted(kind)} are unknown: passed over.", spot)
            return
        wrong = event_fault(value)
        self.tally.demand("agui-event-shape", not wrong, f"{kind} {wrong}.", spot)
        if not self._in_place(kind, spot):
            return
        if kind in CHUNKS:
            if not wrong and self._attributed(value, spot):
                for part in self._chunks.expanded(value, spot):
                    self._one(part, spot)
            return
        for part in self._chunks.closed_by(value):
            self._one(part, spot)
        if kind in _RUN_KINDS:
            self._of_run[kind](self, value, spot)
        elif not wrong and self._attributed(value, spot):
            self._one(value, spot)
        if self._run is not None and not kind.endswith(_CLOSING):
            self._run.since_cancel += self._run.cancelled is not None

    def cancelled(self, spot: Spot) -> None:
        """The user cancels the run that is open."""
        if self._run is None:
            self.tally.note("A cancel is marked where no run is open.", spot)
        elif self._run.cancelled is None:
            self._run.cancelled = spot
            if not self.at_client:
                self.window.cancelled(spot)

    def end(self, spot: Spot) -> None:
        """Judge whether the last run has ended."""
        if self._run is not None and self.left:
            self.tally.note("The reader left while a run was open.", spot)
        elif self._run is not None:
            text = "The trace ends while a run is open: no RUN_FINISHED, no RUN_ERROR."
            self.tally.broke("agui-run-ends", text, spot)
        self.window.close()

    # --- runs -----------------------------------------------------------------------------------

    def _in_place(self, kind: str, spot: Spot) -> bool:
        """Judge the place of an event among the runs; False if it belongs to none."""
        if not self._begun:
            self._begun = True
            first = kind in {"RUN_STARTED", "RUN_ERROR"}
            text = f"The first event is {kind}, not RUN_STARTED."
            if not self.tally.demand("agui-first-event", first, text, spot):
                self._run = _Run(spot)  # so that one mistake is not told again by every event
                self.window.begin(spot)
        elif self._run is None and kind != "RUN_STARTED":
            late_error = kind == "RUN_ERROR" and self._over == "RUN_FINISHED"
            text = f"{kind} came after {self._over}."
            if not self.tally.demand("agui-after-terminal", late_error, text, spot):
                if kind in _RUN_KINDS:
                    self.window.ended(spot, None)
                else:
                    self.window.message(spot, begins=True)
                return False
        elif kind == "RUN_STARTED":
            text = "RUN_STARTED came while a run was open."
            self.tally.demand("agui-one-run", self._run is None, text, spot)
        return True

    def _started(self, value: dict[str, Any], spot: Spot) -> None:
        self._brackets.reset(value)
        self.tally.saw("agui-run-ends")
        self._run = _Run(spot, value.get("threadId"), value.get("runId"))
        self.window.begin(spot)

    def _finished(self, value: dict[str, Any], spot: Spot) -> None:
        run, self._run, self._over = self._run, None, "RUN_FINISHED"
        if run is None:
            return
        if run.thread is not None:
            same = (value.get("threadId"), value.get("runId")) == (run.thread, run.id)
            text = (
                f"RUN_FINISHED names another run or thread than RUN_STARTED in line {run.spot[0]}."
            )
            self.tally.demand("agui-run-identity", same, text, spot)
        kind = self._endings.finished(value, spot)
        crossed = self.at_client and run.since_cancel == 0
        if run.cancelled is not None and crossed and kind != "cancelled":
            self.tally.note("This end may have crossed the cancel on its way.", spot)
        elif run.cancelled is not None:
            text = f"The run was cancelled in line {run.cancelled[0]} and ends as {quoted(kind)}."
            self.tally.demand("agui-cancelled-outcome", kind == "cancelled", text, spot)
        cancelled = kind == "cancelled"
        outcome = Outcome.CANCELLED if cancelled else Outcome.COMPLETED
        self.window.ended(spot, outcome if kind in {"success", "cancelled"} else None)

    def _failed(self, value: dict[str, Any], spot: Spot) -> None:
        run, self._run, self._over = self._run, None, "RUN_ERROR"
        self._endings.usage(value, spot)
        if run is None:
            return  # a late error corrects the end before it
        unclosed = bool(self._brackets.open_things())
        if run.cancelled is not None and not (self.at_client and run.since_cancel == 0):
            text = (
                f"The run was cancelled in line {run.cancelled[0]} and ends with RUN_ERROR, though "
                "nothing is open."
            )
            self.tally.demand("agui-cancelled-outcome", unclosed, text, spot)
        excused = run.cancelled is not None and unclosed
        self.window.ended(spot, None if excused else Outcome.FAILED, "raised")

    _of_run: ClassVar[dict[str, Callable[[AguiChecker, dict[str, Any], Spot], None]]] = {
        "RUN_STARTED": _started,
        "RUN_FINISHED": _finished,
        "RUN_ERROR": _failed,
    }

    # --- what lies within -------------------------------------------------------------------------

    def _one(self, value: dict[str, Any], spot: Spot) -> None:
        self._brackets.take(value, spot)

    def _attributed(self, value: dict[str, Any], spot: Spot) -> bool:
        """Judge that a named subagent is a text; null is not how an event says none."""
        if "subagentRunId" not in value or value["type"].startswith("SUBAGENT"):
            return True
        named = type(value["subagentRunId"]) is str
        text = f"{value['type']} has {quoted(value['subagentRunId'])} as subagentRunId."
        return self.tally.demand("agui-attribution", named, text, spot)


AGUI: Final = Format(
    name="agui",
    title="AG-UI events",
    rules=RULES,
    checker=AguiChecker,
    universal=("one-terminal", "terminal-kind", "no-event-after-terminal"),
    families=("agent", "message"),
    cannot_show=(
        "when the user cancelled: only a mark of the recorder says it",
        "requests to the model and their messages, so nothing about the history",
        "when a tool body runs: a call ends with its arguments, and a result may be the client's",
        "what a consumer made of the stream, or whether it counted a child run's usage twice",
    ),
)
