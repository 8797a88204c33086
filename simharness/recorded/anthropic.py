"""The order of a stream of Anthropic messages; a trace may hold several, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import attrs

from simharness.recorded.anthropic_rules import RULES
from simharness.recorded.argtext import ArgText
from simharness.recorded.checker import Checker
from simharness.recorded.format import MODEL_SIDE, Format
from simharness.recorded.memory import Opened
from simharness.recorded.reading import Spot, quoted
from simharness.recorded.shape import Shape, fault, shape

__all__ = ["ANTHROPIC"]

_SHAPES: Final[dict[str, Shape]] = {
    "message_start": shape("message:object"),
    "content_block_start": shape("index:whole", "content_block:object"),
    "content_block_delta": shape("index:whole", "delta:object"),
    "content_block_stop": shape("index:whole"),
    "message_delta": shape("delta:object", "usage?:object"),
    "message_stop": (),
    "ping": (),
    "error": shape("error:object"),
}
_DELTAS: Final = {
    "text_delta": {"text"},
    "citations_delta": {"text"},
    "thinking_delta": {"thinking"},
    "signature_delta": {"thinking"},
    "input_json_delta": {"tool_use", "server_tool_use", "mcp_tool_use"},
}
_CALLS_EXCUSED: Final = frozenset(
    {"max_tokens", "refusal", "pause_turn", "stop_sequence", "model_context_window_exceeded"}
)


@attrs.define
class _Block:
    kind: str
    args: ArgText | None = None


@attrs.define
class _Message:
    """The message at hand."""

    blocks: int = 0
    open: Opened[_Block] = attrs.field(factory=Opened)
    calls: bool = False
    reason: str | None = None
    output: int = 0
    told: bool = False  # a message_delta has come
    bad_args: Spot | None = None


class AnthropicChecker(Checker):
    """Judges streams of messages."""

    _message: _Message | None = None
    _over = ""  # what ended the latest stream

    def event(self, value: dict[str, Any], spot: Spot, name: str) -> None:
        """Take an event; its type stands in it, or in the field `event:`."""
        kind = value.get("type", name)
        wanted = _SHAPES.get(kind) if type(kind) is str else None
        if wanted is None:
            if type(kind) is not str or not kind:
                self.tally.demand("anthropic-event-shape", False, "An event has no type.", spot)
            else:
                self.tally.note(f"Events of type {quoted(kind)} are unknown: passed over.", spot)
            return
        wrong = fault(value, wanted)
        self.tally.demand("anthropic-event-shape", not wrong, f"{kind} {wrong}.", spot)
        if kind == "ping" or not self._in_place(kind, spot):
            return
        handler = _HANDLERS.get(kind)
        if handler is not None and not wrong:
            handler(self, value, spot)

    def end(self, spot: Spot) -> None:
        """Judge whether the last stream has ended."""
        if self._message is not None and not self.left:
            text = "The trace ends inside a stream: no message_stop, no error."
            self.tally.broke("anthropic-ends", text, spot)

    def _in_place(self, kind: str, spot: Spot) -> bool:
        if kind == "message_start":
            text = "message_start came inside a stream."
            self.tally.demand("anthropic-start-first", self._message is None, text, spot)
            self.tally.saw("anthropic-ends")
            return True
        if self._message is not None:
            return True
        if kind == "error":
            if self._over:
                self.tally.broke("anthropic-ends", f"{kind} came after {self._over}.", spot)
            return not self._over
        if self._over:
            self.tally.broke("anthropic-ends", f"{kind} came after {self._over}.", spot)
            return False
        self.tally.demand(
            "anthropic-start-first", False, f"{kind} came before message_start.", spot
        )
        self._message = _Message()
        return True

    def _started(self, value: dict[str, Any], spot: Spot) -> None:  # noqa: ARG002
        self._message, self._over = _Message(), ""
        usage = value["message"].get("usage")
        if isinstance(usage, dict) and type(usage.get("output_tokens")) is int:
            self._message.output = usage["output_tokens"]

    def _block_started(self, value: dict[str, Any], spot: Spot) -> None:
        message = self._now
        block, index = value["content_block"], value["index"]
        text = f"Block {index} starts; the next one is {message.blocks}."
        self.tally.demand("anthropic-blocks", index == message.blocks, text, spot)
        text = f"Block {index} starts after message_delta."
        self.tally.demand("anthropic-delta-after-blocks", not message.told, text, spot)
        kind = str(block.get("type"))
        message.blocks = max(message.blocks, index + 1) if index >= 0 else message.blocks
        message.open.add(index, _Block(kind, ArgText() if kind == "tool_use" else None))
        message.calls |= kind == "tool_use"

    def _block_delta(self, value: dict[str, Any], spot: Spot) -> None:
        block, index, delta = self._now.open.get(value["index"]), value["index"], value["delta"]
        text = f"A delta of block {index}, which is not open."
        if not self.tally.demand("anthropic-blocks", block is not None, text, spot):
            return
        assert block is not None, "it has just been looked at"
        kind = str(delta.get("type"))
        if kind not in _DELTAS:
            self.tally.note(f"Deltas of type {quoted(kind)} are unknown: passed over.", spot)
            return
        fits = block.kind in _DELTAS[kind] or block.kind not in {"text", "thinking", "tool_use"}
        text = f"{kind} goes to block {index}, which is {quoted(block.kind)}."
        self.tally.demand("anthropic-delta-kind", fits, text, spot)
        if block.args is not None and kind == "input_json_delta":
            block.args.add(delta.get("partial_json"))

    def _block_stopped(self, value: dict[str, Any], spot: Spot) -> None:
        block = self._now.open.pop(value["index"])
        text = f"Block {value['index']} stops, which is not open."
        self.tally.demand("anthropic-blocks", block is not None, text, spot)
        if block is not None and block.args is not None and not block.args.parses(empty=True):
            self._now.bad_args = spot

    def _delta(self, value: dict[str, Any], spot: Spot) -> None:
        message = self._now
        left = ", ".join(str(index) for index in list(message.open)[:3])
        text = f"message_delta came while block {left} was open."
        self.tally.demand("anthropic-delta-after-blocks", not len(message.open), text, spot)
        message.told = True
        reason = value["delta"].get("stop_reason")
        message.reason = message.reason if reason is None else str(reason)
        usage = value.get("usage")
        output = usage.get("output_tokens") if isinstance(usage, dict) else None
        if type(output) is int:
            text = f"The output tokens went from {message.output} to {output}."
            self.tally.demand("anthropic-usage-cumulative", output >= message.output, text, spot)
            message.output = output

    def _stopped(self, value: dict[str, Any], spot: Spot) -> None:  # noqa: ARG002
        message = self._now
        text = "message_stop came without a message_delta that has a stop reason."
        self.tally.demand("anthropic-ends", message.reason is not None, text, spot)
        self._judge_calls(message, spot)
        self._message, self._over = None, "message_stop"

    def _judge_calls(self, message: _Message, spot: Spot) -> None:
        reason = message.reason
        if reason == "tool_use":
            text = "The stop reason is tool_use, but there is no tool_use block."
            self.tally.demand("anthropic-stop-reason", message.calls, text, spot)
        elif reason is not None and reason not in _CALLS_EXCUSED:
            text = f"There is a tool_use block, but the stop reason is {quoted(reason)}."
            self.tally.demand("anthropic-stop-reason", not message.calls, text, spot)
        if message.calls and reason not in _CALLS_EXCUSED:
            bad = message.bad_args
            text = "The arguments of a tool call are not JSON."
            self.tally.demand("anthropic-args-json", bad is None, text, bad or spot)

    def _failed(self, value: dict[str, Any], spot: Spot) -> None:  # noqa: ARG002
        self._message, self._over = None, "an error"

    @property
    def _now(self) -> _Message:
        assert self._message is not None, "an event in its place has a message"
        return self._message


_HANDLERS: Final[dict[str, Callable[[AnthropicChecker, dict[str, Any], Spot], None]]] = {
    "message_start": AnthropicChecker._started,
    "content_block_start": AnthropicChecker._block_started,
    "content_block_delta": AnthropicChecker._block_delta,
    "content_block_stop": AnthropicChecker._block_stopped,
    "message_delta": AnthropicChecker._delta,
    "message_stop": AnthropicChecker._stopped,
    "error": AnthropicChecker._failed,
}

ANTHROPIC: Final = Format(
    name="anthropic",
    title="Anthropic messages, streamed",
    rules=RULES,
    checker=AnthropicChecker,
    cannot_show=MODEL_SIDE,
)
