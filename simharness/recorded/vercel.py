"""The order of a Vercel AI SDK UI message stream; a trace may hold several, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import attrs

from simharness.recorded.checker import Checker
from simharness.recorded.format import Format
from simharness.recorded.memory import Opened, Seen
from simharness.recorded.reading import Spot, quoted
from simharness.recorded.shape import Shape, fault, shape
from simharness.recorded.vercel_rules import RULES
from simharness.trace import Outcome

if TYPE_CHECKING:
    from simharness.recorded.rule import Tally
    from simharness.recorded.universal import Window

__all__ = ["VERCEL"]

_ID: Final = shape("id:text")
_DELTA: Final = shape("id:text", "delta:text")
_CALL: Final = shape("toolCallId:text")
_NAMED: Final = shape("toolCallId:text", "toolName:text")
_SHAPES: Final[dict[str, Shape]] = {
    "start": shape("messageId?:text"),
    "start-step": (),
    "finish-step": (),
    "finish": shape("finishReason?:text"),
    "abort": (),
    "error": shape("errorText:text"),
    "text-start": _ID,
    "text-delta": _DELTA,
    "text-end": _ID,
    "reasoning-start": _ID,
    "reasoning-delta": _DELTA,
    "reasoning-end": _ID,
    "tool-input-start": _NAMED,
    "tool-input-delta": shape("toolCallId:text", "inputTextDelta:text"),
    "tool-input-available": shape("toolCallId:text", "toolName:text", "input:any"),
    "tool-input-error": shape("toolCallId:text", "toolName:text", "errorText:text"),
    "tool-approval-request": shape("approvalId:text", "toolCallId:text"),
    "tool-output-available": shape("toolCallId:text", "output:any"),
    "tool-output-error": shape("toolCallId:text", "errorText:text"),
    "tool-output-denied": _CALL,
    "source-url": shape("sourceId:text", "url:text"),
    "source-document": shape("sourceId:text", "mediaType:text", "title:text"),
    "file": shape("url:text", "mediaType:text"),
    "message-metadata": shape("messageMetadata:any"),
}
_MAKES_CALL: Final = frozenset({"tool-input-start", "tool-input-available", "tool-input-error"})
_OF_CALL: Final = frozenset(
    {
        "tool-approval-request",
        "tool-output-available",
        "tool-output-error",
        "tool-output-denied",
    }
)
_ENDS: Final = frozenset({"finish", "abort"})
_CLOSING: Final = frozenset({"text-end", "reasoning-end", "finish-step", "finish", "abort"})


@attrs.define
class _Stream:
    """The stream at hand."""

    open: dict[str, Opened[bool]] = attrs.field(
        factory=lambda: {"text": Opened(), "reasoning": Opened()}
    )
    stepped: dict[str, Seen[bool]] = attrs.field(
        factory=lambda: {"text": Seen(), "reasoning": Seen()}
    )  # parts that a finish-step has closed
    inputs: Opened[bool] = attrs.field(factory=Opened)
    content: bool = False  # something of a new answer has come
    error: bool = False
    cancelled: Spot | None = None
    since_cancel: int = 0  # parts behind the cancel that do more than close something


class VercelChecker(Checker):
    """Judges UI message streams."""

    def __init__(self, tally: Tally, window: Window, *, at_client: bool = False) -> None:
        super().__init__(tally, window, at_client=at_client)
        self._stream: _Stream | None = None
        self._over = ""
        self._calls: Seen[bool] = Seen()

    def event(self, value: dict[str, Any], spot: Spot, name: str) -> None:  # noqa: ARG002
        """Take a part."""
        kind = value.get("type")
        wanted = _SHAPES.get(kind) if isinstance(kind, str) else None
        if not isinstance(kind, str):
            self.tally.demand("vercel-part-shape", False, 'A part needs a text "type".', spot)
            return
        if wanted is None and not kind.startswith("data-"):
            self.tally.note(f"Parts of type {quoted(kind)} are unknown: passed over.", spot)
            return
        wrong = fault(value, wanted or ())
        self.tally.demand("vercel-part-shape", not wrong, f"{kind} {wrong}.", spot)
        if self._over and kind != "start":
            self.tally.broke("vercel-after-end", f"{kind} came after {self._over}.", spot)
            self._behind(kind, spot)
            return
        stream = self._within(kind, spot)
        if not wrong:
            self._part(stream, kind, value, spot)
        if stream.cancelled is not None and kind not in _CLOSING:
            stream.since_cancel += 1
        if kind in _ENDS:
            self._ended(stream, kind, spot)

    def cancelled(self, spot: Spot) -> None:
        """The user cancels the stream that is open."""
        if self._stream is None:
            self.tally.note("A cancel is marked where no stream is open.", spot)
        elif self._stream.cancelled is None:
            self._stream.cancelled = spot
            if not self.at_client:
                self.window.cancelled(spot)

    def done(self, spot: Spot) -> None:
        """The body is over."""
        if self._stream is not None:
            self._closed(self._stream, spot)
        self._stream, self._over = None, "[DONE]"

    def end(self, spot: Spot) -> None:
        """Judge whether the last stream has ended."""
        if self._stream is not None and not self.left:
            self._closed(self._stream, spot)
        self.window.close()

    # --- streams --------------------------------------------------------------------------------

    def _within(self, kind: str, spot: Spot) -> _Stream:
        stream = self._stream
        if stream is not None and kind == "start" and (stream.content or stream.error):
            self._closed(stream, spot)
            stream = None
        if stream is None:
            self._over = ""
            self.tally.saw("vercel-ends")
            stream = self._stream = _Stream()
            self.window.begin(spot)
        return stream

    def _behind(self, kind: str, spot: Spot) -> None:
        """Tell the universal rules of what came behind the end."""
        if kind in _ENDS:
            self.window.ended(spot, None)
        else:
            self.window.update(spot)

    def _ended(self, stream: _Stream, kind: str, spot: Spot) -> None:
        self.tally.saw("vercel-after-end")
        self._stream, self._over = None, kind
        self._judge_cancel(stream, kind, spot)
        outcome = Outcome.CANCELLED if kind == "abort" else Outcome.COMPLETED
        if kind == "finish" and stream.error:
            outcome = Outcome.FAILED
        self.window.ended(spot, outcome, "cancelled" if kind == "abort" else "returned")

    def _closed(self, stream: _Stream, spot: Spot) -> None:
        """The body ends without finish and abort: after an error that is an end."""
        text = "The stream ends without finish, abort or error."
        if not stream.error:
            self.tally.broke("vercel-ends", text, spot)
            return
        self._judge_cancel(stream, "error", spot)
        self.window.ended(spot, Outcome.FAILED, "raised")

    def _judge_cancel(self, stream: _Stream, kind: str, spot: Spot) -> None:
        if stream.cancelled is None:
            return
        if self.at_client and not stream.since_cancel and kind != "abort":
            self.tally.note("This end may have crossed the cancel on its way.", spot)
            return
        text = f"The stream was cancelled in line {stream.cancelled[0]} and ends with {kind}."
        self.tally.demand("vercel-cancel-aborts", kind == "abort", text, spot)

    # --- parts ----------------------------------------------------------------------------------

    def _part(self, stream: _Stream, kind: str, value: dict[str, Any], spot: Spot) -> None:
        noun, _, word = kind.partition("-")
        if noun in stream.open:
            stream.content = True
            self._bracket(stream, noun, word, value["id"], spot)
        elif kind in _MAKES_CALL:
            stream.content = True
            self._calls.add(value["toolCallId"], True)
            if kind == "tool-input-start":
                stream.inputs.add(value["toolCallId"], True)
            else:
                stream.inputs.pop(value["toolCallId"])
        elif kind == "tool-input-delta":
            call = value["toolCallId"]
            text = f"A tool-input-delta of the call {quoted(call)}, whose input is not open."
            self.tally.demand("vercel-tool-input", call in stream.inputs, text, spot)
        elif kind in _OF_CALL:
            self._of_call(stream, kind, value["toolCallId"], spot)
        elif kind == "finish-step":
            self._step(stream)
        elif kind == "start-step":
            stream.content = True
        elif kind == "error":
            stream.error = True

    def _of_call(self, stream: _Stream, kind: str, call: str, spot: Spot) -> None:
        unknown = self._calls.unknown(call)
        text = f"{kind} of the call {quoted(call)}, which was never made."
        if unknown and not stream.content:
            self.tally.note(f"{text[:-1]} in this trace.", spot)
        else:
            self.tally.demand("vercel-tool-output", not unknown, text, spot)

    def _step(self, stream: _Stream) -> None:
        for noun, opened in stream.open.items():
            for part in opened:
                stream.stepped[noun].add(part, True)
            opened.clear()

    def _bracket(self, stream: _Stream, noun: str, word: str, part: str, spot: Spot) -> None:
        opened, rule = stream.open[noun], f"vercel-{noun}"
        if word == "start":
            text = f"The {noun} part {quoted(part)} is open already."
            self.tally.demand(rule, part not in opened, text, spot)
            opened.add(part, True)
            self.window.update(spot)
            return
        if part not in opened and stream.stepped[noun].get(part):
            text = f"{noun}-{word} of {quoted(part)} came after its step was finished."
            self.tally.demand("vercel-step-closes-parts", False, text, spot)
            return
        self.tally.saw("vercel-step-closes-parts")
        text = f"{noun}-{word} of {quoted(part)}, which is not open."
        self.tally.demand(rule, part in opened, text, spot)
        if word == "end":
            opened.pop(part)


VERCEL: Final = Format(
    name="vercel",
    title="Vercel AI SDK UI message stream",
    rules=RULES,
    checker=VercelChecker,
    universal=("one-terminal", "terminal-kind", "no-event-after-terminal"),
    families=("agent", "message"),
    cannot_show=(
        "when the user cancelled: only a mark of the recorder says it",
        "requests to the model and their messages, so nothing about the history",
        "when a tool body runs: outputs may come from the client, or in a later stream",
    ),
)
