"""The order of a stream of OpenAI chat completions; a trace may hold several, each with its
`[DONE]`."""

from __future__ import annotations

from typing import Any, Final

import attrs

from simharness.recorded.argtext import ArgText
from simharness.recorded.checker import Checker
from simharness.recorded.format import MODEL_SIDE, Format
from simharness.recorded.memory import Opened
from simharness.recorded.openai_chat_rules import RULES
from simharness.recorded.reading import Spot, quoted
from simharness.recorded.shape import fault, shape

__all__ = ["CHAT"]

_CHUNK: Final = shape("id?:text", "choices:list", "usage?:object")
_CHOICE: Final = shape("index:whole", "delta:object", "finish_reason?:text")
_CALL: Final = shape("index:whole", "id?:text", "function?:object")
_CUT: Final = frozenset({"length", "content_filter"})


@attrs.define
class _Choice:
    role: str | None = None
    calls: Opened[_Piece] = attrs.field(factory=Opened)
    reason: str | None = None


@attrs.define
class _Piece:
    """A call and its pieces so far."""

    id: str | None
    args: ArgText = attrs.field(factory=ArgText)


@attrs.define
class _Stream:
    id: str | None = None
    choices: Opened[_Choice] = attrs.field(factory=Opened)
    usage: bool = False
    failed: bool = False


class ChatChecker(Checker):
    """Judges streams of chunks."""

    _stream: _Stream | None = None

    def event(self, value: dict[str, Any], spot: Spot, name: str) -> None:  # noqa: ARG002
        """Take a chunk."""
        if self._stream is None:
            self._stream = _Stream()
            self.tally.saw("openai-chat-done-last")
        if value.get("error") is not None:
            self._stream.failed = True
            return
        wrong = fault(value, _CHUNK)
        self.tally.demand("openai-chat-chunk-shape", not wrong, f"A chunk {wrong}.", spot)
        if wrong:
            return
        self._identity(self._stream, value, spot)
        if value.get("usage") is not None:
            self._usage(self._stream, value, spot)
        for choice in value["choices"]:
            wrong = fault(choice, _CHOICE) if isinstance(choice, dict) else "is no object"
            self.tally.demand("openai-chat-chunk-shape", not wrong, f"A choice {wrong}.", spot)
            if not wrong:
                self._choice(self._stream, choice, spot)

    def done(self, spot: Spot) -> None:
        """The stream says that it is complete."""
        stream, self._stream = self._stream, None
        if stream is None:
            self.tally.demand("openai-chat-done-last", False, "[DONE] ends no stream.", spot)
        else:
            self._settle(stream, spot)

    def end(self, spot: Spot) -> None:
        """Judge whether the last stream was complete."""
        stream = self._stream
        if stream is None or self.left:
            return
        if not stream.failed:
            self.tally.broke("openai-chat-done-last", "The trace ends without [DONE].", spot)
        self._settle(stream, spot)

    def _settle(self, stream: _Stream, spot: Spot) -> None:
        if stream.failed:
            return
        for number, choice in zip(stream.choices, stream.choices.values(), strict=True):
            text = f"Choice {number} has no finish_reason."
            self.tally.demand("openai-chat-one-finish", choice.reason is not None, text, spot)
        if not len(stream.choices):
            text = "The stream ends without a choice."
            self.tally.demand("openai-chat-one-finish", False, text, spot)

    def _identity(self, stream: _Stream, value: dict[str, Any], spot: Spot) -> None:
        name = value.get("id")
        if name:  # some compatible servers leave it out
            text = f"A chunk has the id {quoted(name)}, the ones before {quoted(stream.id)}."
            same = stream.id in {None, name}
            self.tally.demand("openai-chat-one-id", same, text, spot)
            stream.id = stream.id or name

    def _usage(self, stream: _Stream, value: dict[str, Any], spot: Spot) -> None:
        if value["choices"]:
            return  # some compatible servers tell it with each chunk
        finished = all(choice.reason is not None for choice in stream.choices.values())
        text = "Usage came before the choices were finished."
        if finished:
            text = "Usage came twice."
        self.tally.demand("openai-chat-usage-last", finished and not stream.usage, text, spot)
        stream.usage = True

    def _choice(self, stream: _Stream, value: dict[str, Any], spot: Spot) -> None:
        number, delta = value["index"], value["delta"]
        choice = stream.choices.get(number)
        if choice is None:
            choice = _Choice()
            stream.choices.add(number, choice)
            text = f"The first delta of choice {number} has no role."
            self.tally.demand("openai-chat-role-first", bool(delta.get("role")), text, spot)
        role = delta.get("role")
        if role and choice.role and role != choice.role:
            text = f"The role of choice {number} changes to {quoted(role)}."
            self.tally.broke("openai-chat-role-first", text, spot)
        choice.role = choice.role or role
        if choice.reason is not None and (_holds(delta) or value.get("finish_reason") is not None):
            text = f"Choice {number} goes on after its finish_reason."
            self.tally.broke("openai-chat-one-finish", text, spot)
            return
        pieces = delta.get("tool_calls")
        for piece in pieces if isinstance(pieces, list) else ():
            self._piece(choice, piece, spot)
        if value.get("finish_reason") is not None:
            choice.reason = value["finish_reason"]
            self._finished(choice, number, spot)

    def _piece(self, choice: _Choice, piece: Any, spot: Spot) -> None:
        wrong = fault(piece, _CALL) if isinstance(piece, dict) else "is no object"
        self.tally.demand("openai-chat-chunk-shape", not wrong, f"A tool call {wrong}.", spot)
        if wrong:
            return
        number, function = piece["index"], piece.get("function") or {}
        call = choice.calls.get(number)
        if call is None:
            named = bool(piece.get("id")) and bool(function.get("name"))
            text = f"The first piece of call {number} has no id or no name."
            call = _Piece(piece.get("id"))
            choice.calls.add(number, call)
        else:
            named = not piece.get("id") or piece["id"] == call.id
            text = f"The id of call {number} changes to {quoted(piece.get('id'))}."
        self.tally.demand("openai-chat-tool-call-pieces", named, text, spot)
        if function.get("arguments") is not None:
            call.args.add(function["arguments"])

    def _finished(self, choice: _Choice, number: int, spot: Spot) -> None:
        calls, reason = len(choice.calls), choice.reason
        if reason in {"tool_calls", "stop"}:
            fits = bool(calls) == (reason == "tool_calls")
            text = f"Choice {number} finishes with {reason}, and has {calls or 'no'} tool calls."
            self.tally.demand("openai-chat-finish-matches", fits, text, spot)
        if reason not in _CUT:
            for place, call in zip(choice.calls, choice.calls.values(), strict=True):
                text = f"The arguments of call {place} are not JSON."
                sound = call.args.parses(empty=True)
                self.tally.demand("openai-chat-args-json", sound, text, spot)


def _holds(delta: dict[str, Any]) -> bool:
    """Whether a delta says anything."""
    return any(delta.get(key) for key in ("content", "tool_calls", "refusal", "reasoning_content"))


CHAT: Final = Format(
    name="openai-chat",
    title="OpenAI chat completions, streamed",
    rules=RULES,
    checker=ChatChecker,
    cannot_show=MODEL_SIDE,
)
