"""The order of a conversation in the Agent Client Protocol, both directions in one trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import attrs

from simharness.recorded.acp_calls import Calls
from simharness.recorded.acp_lines import Line, read_line
from simharness.recorded.acp_rules import RULES
from simharness.recorded.acp_turns import Turn, Turns
from simharness.recorded.checker import Checker
from simharness.recorded.format import Format
from simharness.recorded.memory import Opened
from simharness.recorded.reading import Spot, quoted

if TYPE_CHECKING:
    from simharness.recorded.rule import Tally
    from simharness.recorded.universal import Window

__all__ = ["ACP"]

_REQUEST_CANCELLED: Final = -32800
_LOADS: Final = frozenset({"session/load", "session/resume"})


@attrs.define
class _Request:
    """A request that waits for its answer."""

    line: Line
    spot: Spot
    stopped: bool = False  # by $/cancel_request
    cancelled: bool = False  # a permission that session/cancel has overtaken
    turn: Turn | None = None


class AcpChecker(Checker):
    """Judges a recorded connection, with any number of sessions."""

    def __init__(self, tally: Tally, window: Window, *, at_client: bool = False) -> None:
        super().__init__(tally, window, at_client=at_client)
        self._waiting: Opened[_Request] = Opened()
        self._turns = Turns(tally, window, at_client=at_client)
        self._calls = Calls(tally)
        self._version = 1

    def event(self, value: dict[str, Any], spot: Spot, name: str) -> None:  # noqa: ARG002
        """Take a message."""
        line = read_line(value)
        sound = not isinstance(line, str)
        self.tally.demand("acp-message-shape", sound, line if isinstance(line, str) else "", spot)
        if isinstance(line, str):
            return
        if line.kind == "request":
            self._request(line, spot)
        elif line.kind == "notice":
            self._notice(line, spot)
        else:
            self._answer(line, spot)

    def cancelled(self, spot: Spot) -> None:
        """A mark is not needed: the protocol has a message for it."""
        self.tally.note("ACP says session/cancel itself; the mark was passed over.", spot)

    def end(self, spot: Spot) -> None:
        """Judge what nobody has answered."""
        for request in () if self.left else self._waiting.values():
            method, line = request.line.method, request.spot[0]
            if method == "session/prompt":
                text = f"The prompt of line {line} was never answered."
                self.tally.broke("acp-prompt-answered", text, spot)
            if request.stopped:
                text = f"The request of line {line} was cancelled and never answered."
                self.tally.demand("acp-cancel-request", False, text, spot)
            if request.cancelled:
                text = f"The permission asked for in line {line} was not answered after the cancel."
                self.tally.demand("acp-cancel-permissions", False, text, spot)
        if not self.left:
            self._turns.end(spot)
        self._turns.close()

    # --- requests and notifications -------------------------------------------------------------

    def _request(self, line: Line, spot: Spot) -> None:
        key = (line.side, type(line.id), line.id)
        fresh = key not in self._waiting
        text = f"The id {quoted(line.id)} is that of a request that still waits."
        self.tally.demand("acp-answers", fresh, text, spot)
        if line.method == "session/cancel":
            text = "session/cancel has an id, as if it were a request."
            self.tally.demand("acp-cancel-notifies", False, text, spot)
            self._cancel(line.session, spot)
        request = _Request(line, spot)
        if line.method == "session/prompt":
            self.tally.saw("acp-prompt-answered")
            request.turn = self._turns.begin(line.session, spot, self._version)
        elif line.method in _LOADS:
            self._turns.loads(line.session)
        self._waiting.add(key, request)

    def _notice(self, line: Line, spot: Spot) -> None:
        if line.method == "session/cancel":
            self.tally.saw("acp-cancel-notifies")
            self._cancel(line.session, spot)
        elif line.method == "$/cancel_request":
            self._stop(line, spot)
        elif line.method == "session/update":
            update = line.params["update"]
            self._calls.update(line.session, update, spot, self._version)
            self._turns.update(line.session, update, spot, self._version)
        elif line.method == "session/prompt":
            text = "session/prompt without an id can never be answered."
            self.tally.demand("acp-prompt-answered", False, text, spot)

    def _cancel(self, session: str, spot: Spot) -> None:
        self._turns.cancel(session, spot)
        for request in self._waiting.values():
            if (request.line.method, request.line.session) == (
                "session/request_permission",
                session,
            ):
                request.cancelled = True

    def _stop(self, line: Line, spot: Spot) -> None:
        """A request is cancelled by its id, which may be that of either side."""
        name = line.params["requestId"]
        sides = ("client", "agent", None) if line.side is None else (line.side, None)
        for side in sides:
            request = self._waiting.get((side, type(name), name)) if _hashable(name) else None
            if request is not None:
                request.stopped = True
                return
        self.tally.note(f"$/cancel_request names {quoted(name)}, which no request waits for.", spot)

    # --- answers --------------------------------------------------------------------------------

    def _answer(self, line: Line, spot: Spot) -> None:
        request = self._asked(line)
        text = f"A response to {quoted(line.id)}, which no request waits for."
        if not self.tally.demand("acp-answers", request is not None, text, spot):
            return
        assert request is not None, "it has just been looked at"
        method = request.line.method
        if method == "initialize" and isinstance(line.result, dict):
            version = line.result.get("protocolVersion")
            self._version = version if type(version) is int else self._version
        if request.stopped:
            code = None if line.error is None else line.error["code"]
            text = f"A request that was cancelled fails with {code}, not {_REQUEST_CANCELLED}."
            sound = code in {None, _REQUEST_CANCELLED}
            self.tally.demand("acp-cancel-request", sound, text, spot)
        if request.cancelled:
            self._permission(line, spot)
        if request.turn is not None:
            self._turns.answered(request.turn, line, spot, self._version, stopped=request.stopped)
        elif method in _LOADS:
            self._turns.loaded(request.line.session)

    def _asked(self, line: Line) -> _Request | None:
        """The request that a response answers: one of the other side."""
        if line.side is not None:
            sides = ["agent" if line.side == "client" else "client", None]
        else:
            # A result with an outcome answers a permission; else the client's requests come first.
            asks = isinstance(line.result, dict) and "outcome" in line.result
            sides = ["agent", "client", None] if asks else ["client", "agent", None]
        for side in sides:
            found = self._waiting.pop((side, type(line.id), line.id))
            if found is not None:
                return found
        return None

    def _permission(self, line: Line, spot: Spot) -> None:
        outcome = line.result.get("outcome") if isinstance(line.result, dict) else None
        word = outcome.get("outcome") if isinstance(outcome, dict) else outcome
        text = f"A permission that the cancel overtook is answered {quoted(word)}, not cancelled."
        stopped = line.error is not None and line.error["code"] == _REQUEST_CANCELLED
        self.tally.demand("acp-cancel-permissions", word == "cancelled" or stopped, text, spot)


def _hashable(name: object) -> bool:
    return isinstance(name, str | int)


ACP: Final = Format(
    name="acp",
    title="Agent Client Protocol, JSON-RPC lines of both sides",
    rules=RULES,
    checker=AcpChecker,
    universal=("one-terminal", "terminal-kind", "start-end-paired", "no-event-after-terminal"),
    families=("agent", "message", "tool"),
    cannot_show=(
        "requests to the model and their messages, so nothing about the history",
        "whether a tool body ran after the cancel: only what the agent says of it",
        "whether the agent already knew of the cancel: nothing says when it was read",
    ),
)
