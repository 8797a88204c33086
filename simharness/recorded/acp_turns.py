"""ACP turns: from a prompt to its answer (version 2: to idle), and what a cancel changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import attrs

from simharness.recorded.acp_calls import ENDED
from simharness.recorded.memory import Opened
from simharness.recorded.reading import quoted
from simharness.trace import Outcome

if TYPE_CHECKING:
    from simharness.recorded.acp_lines import Line
    from simharness.recorded.reading import Spot
    from simharness.recorded.rule import Tally
    from simharness.recorded.universal import Window

__all__ = ["Turn", "Turns"]

_OUTCOMES: Final[dict[str, Outcome | None]] = {
    "end_turn": Outcome.COMPLETED,
    "max_tokens": Outcome.LIMIT,
    "max_turn_requests": Outcome.LIMIT,
    "refusal": None,
    "cancelled": Outcome.CANCELLED,
}
_OF_A_TURN: Final = frozenset(
    {"agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan"}
)
_STATES: Final = frozenset({"running", "idle", "requires_action"})
_SESSIONS_MAX: Final = 200  # sessions whose latest turn is kept for what may come late


@attrs.define
class Turn:
    """A turn of one session. `since_cancel` counts what the agent sent behind the cancel,
    ends of calls aside."""

    session: str
    spot: Spot
    version: int
    window: Window
    cancelled: Spot | None = None
    since_cancel: int = 0
    running: bool = False  # version 2
    over: bool = False
    calls: set[str] = attrs.field(factory=set)  # that the universal rules know to be open


class Turns:
    """The latest turn of each session."""

    def __init__(self, tally: Tally, window: Window, *, at_client: bool) -> None:
        self._tally = tally
        self._window = window
        self._at_client = at_client
        self._latest: dict[str, Turn] = {}
        self._loading: Opened[bool] = Opened()

    def begin(self, session: str, spot: Spot, version: int) -> Turn:
        """A prompt opens a turn; the one before it is judged by the universal rules."""
        before = self._latest.pop(session, None)
        if before is not None:
            before.window.close()
        elif len(self._latest) >= _SESSIONS_MAX:
            self._latest.pop(next(iter(self._latest))).window.close()
        turn = Turn(session, spot, version, self._window.sibling())
        turn.window.begin(spot)
        self._latest[session] = turn
        return turn

    def loads(self, session: str) -> None:
        """An earlier conversation is replayed: its updates belong to no turn."""
        self._loading.add(session, True)

    def loaded(self, session: str) -> None:
        """The replay is over."""
        self._loading.pop(session)

    def cancel(self, session: str, spot: Spot) -> None:
        """The client cancels what the session does."""
        turn = self._latest.get(session)
        if turn is None or turn.over:
            self._tally.note("session/cancel came where no turn is open.", spot)
        elif turn.cancelled is None:
            turn.cancelled = spot
            if not self._at_client:
                turn.window.cancelled(spot)

    def answered(self, turn: Turn, line: Line, spot: Spot, version: int, *, stopped: bool) -> None:
        """A prompt is answered; `stopped`: $/cancel_request had named it."""
        result = line.result if isinstance(line.result, dict) else {}
        reason = result.get("stopReason")
        if version > 1:
            text = f"The prompt is answered with the stop reason {quoted(reason)}."
            self._tally.demand("acp-v2-prompt-accepted", reason is None, text, spot)
            if line.error is not None:
                self._finish(turn, spot, None, failed=True)
            return
        if line.error is None:
            known = isinstance(reason, str) and (reason in _OUTCOMES or reason.startswith("_"))
            text = f"The stop reason of a prompt is {quoted(reason)}."
            self._tally.demand("acp-prompt-answered", known, text, spot)
        self._after_cancel(turn, line, reason, spot, stopped=stopped)
        self._finish(turn, spot, reason, failed=line.error is not None and not stopped)

    def _after_cancel(
        self, turn: Turn, line: Line, reason: object, spot: Spot, *, stopped: bool
    ) -> None:
        if turn.cancelled is None:
            if reason == "cancelled" and not stopped:
                self._tally.note("A prompt that nobody cancelled is answered as cancelled.", spot)
            return
        if stopped:
            return
        crossed = self._at_client and not turn.since_cancel and reason != "cancelled"
        if crossed:
            self._tally.note("This answer may have crossed the cancel on its way.", spot)
            return
        text = (
            f"The prompt was cancelled in line {turn.cancelled[0]} and is answered with an error."
        )
        sound = self._tally.demand("acp-cancel-no-error", line.error is None, text, spot)
        if sound:
            text = f"The prompt of line {turn.spot[0]} was cancelled and ends as {quoted(reason)}."
            right = reason == "cancelled"
            self._tally.demand("acp-cancel-stop-reason", right, text, spot)

    def update(self, session: str, update: dict[str, Any], spot: Spot, version: int) -> None:
        """Take a session update."""
        kind, turn = update.get("sessionUpdate"), self._latest.get(session)
        if turn is None or session in self._loading or not isinstance(kind, str):
            return
        if kind == "state_update" and version > 1:
            self._state(turn, update, spot)
        elif kind in _OF_A_TURN:
            if turn.cancelled is not None:
                text = f"{kind} came after the turn had ended as cancelled."
                self._tally.demand("acp-cancel-updates-first", not turn.over, text, spot)
                closes = kind == "tool_call_update" and update.get("status") in tuple(ENDED)
                turn.since_cancel += not closes
            self._told(turn, kind, update, spot)

    def end(self, spot: Spot) -> None:
        """Judge turns of version 2 that were cancelled and never became idle."""
        for turn in self._latest.values():
            if turn.version > 1 and turn.running and turn.cancelled is not None and not turn.over:
                text = f"The turn was cancelled in line {turn.cancelled[0]} and never became idle."
                self._tally.demand("acp-v2-cancel-idle", False, text, spot)

    def close(self) -> None:
        """Judge what is left by the universal rules."""
        for turn in self._latest.values():
            turn.window.close()

    def _state(self, turn: Turn, update: dict[str, Any], spot: Spot) -> None:
        state, reason = update.get("state"), update.get("stopReason")
        known = isinstance(state, str) and state in _STATES
        problem = "" if known else f"The state {quoted(state)} is unknown."
        ends = state == "idle" and turn.running and not turn.over
        if ends and not isinstance(reason, str):
            problem = "The work ends in idle without a stop reason."
        elif ends and not (reason in _OUTCOMES or str(reason).startswith("_")):
            problem = f"The stop reason {quoted(reason)} is unknown, and has no underscore."
        self._tally.demand("acp-v2-states", not problem, problem, spot)
        if state == "running":
            turn.running = True
        if ends:
            crossed = self._at_client and not turn.since_cancel and reason != "cancelled"
            if turn.cancelled is not None and not crossed:
                text = (
                    f"The turn of line {turn.spot[0]} was cancelled and ends as {quoted(reason)}."
                )
                self._tally.demand("acp-v2-cancel-idle", reason == "cancelled", text, spot)
            self._finish(turn, spot, reason, failed=False)

    def _finish(self, turn: Turn, spot: Spot, reason: object, *, failed: bool) -> None:
        turn.over = True
        outcome = Outcome.FAILED if failed else None
        if not failed and isinstance(reason, str):
            outcome = _OUTCOMES.get(reason)
        how = "raised" if failed else "returned"
        turn.window.ended(spot, outcome, "cancelled" if outcome is Outcome.CANCELLED else how)

    def _told(self, turn: Turn, kind: str, update: dict[str, Any], spot: Spot) -> None:
        """Tell the universal rules what they understand of an update."""
        call, status = update.get("toolCallId"), update.get("status")
        if kind not in {"tool_call", "tool_call_update"}:
            turn.window.update(spot)
        elif isinstance(call, str):
            if kind == "tool_call" and call not in turn.calls and len(turn.calls) < 10_000:
                turn.calls.add(call)
                turn.window.tool(spot, call, begins=True)
            if isinstance(status, str) and status in ENDED and call in turn.calls:
                turn.calls.discard(call)
                turn.window.tool(spot, call, begins=False)
            elif turn.over:
                turn.window.update(spot)
