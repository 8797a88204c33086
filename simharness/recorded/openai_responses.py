"""The order of a stream of OpenAI responses; a trace may hold several, one after the other.

Texts are compared by length and a running hash, so that a long answer costs no memory.
"""

from __future__ import annotations

from typing import Any, Final
from zlib import crc32

import attrs

from simharness.recorded.argtext import ArgText
from simharness.recorded.checker import Checker
from simharness.recorded.format import MODEL_SIDE, Format
from simharness.recorded.memory import Opened, Seen
from simharness.recorded.openai_responses_rules import RULES
from simharness.recorded.reading import Spot, quoted
from simharness.recorded.shape import Shape, fault, shape

__all__ = ["RESPONSES"]

_RESPONSE: Final = shape("response:object")
_ITEM: Final = shape("output_index:whole", "item:object")
_PART: Final = shape("output_index:whole", "item_id?:text")
_DELTA: Final = shape("output_index:whole", "item_id?:text", "delta:text")

_TEXTS: Final = {
    "output_text": "text",
    "refusal": "refusal",
    "reasoning_text": "text",
    "reasoning_summary_text": "text",
    "function_call_arguments": "arguments",
    "custom_tool_call_input": "input",
    "mcp_call_arguments": "arguments",
    "code_interpreter_call_code": "code",
}
"""What comes in deltas, and the field of its done event that holds the whole."""

_SHAPES: Final[dict[str, Shape]] = {
    "error": (),
    "response.created": _RESPONSE,
    "response.queued": _RESPONSE,
    "response.in_progress": _RESPONSE,
    "response.completed": _RESPONSE,
    "response.failed": _RESPONSE,
    "response.incomplete": _RESPONSE,
    "response.output_item.added": _ITEM,
    "response.output_item.done": _ITEM,
    "response.content_part.added": _PART,
    "response.content_part.done": _PART,
    "response.reasoning_summary_part.added": _PART,
    "response.reasoning_summary_part.done": _PART,
    "response.output_text.annotation.added": _PART,
    **{f"response.{what}.delta": _DELTA for what in _TEXTS},
    **{
        f"response.{what}.done": shape("output_index:whole", "item_id?:text", f"{field}:text")
        for what, field in _TEXTS.items()
    },
}
_TERMINALS: Final = frozenset(
    {"response.completed", "response.failed", "response.incomplete", "error"}
)


@attrs.define
class _Sum:
    """A text that came in pieces: its length and checksum."""

    length: int = 0
    crc: int = 0

    def add(self, text: str) -> None:
        self.length += len(text)
        self.crc = crc32(text.encode("utf-8", "surrogatepass"), self.crc)


@attrs.define
class _Item:
    id: object
    type: object
    texts: dict[tuple[str, object], _Sum] = attrs.field(factory=dict)


@attrs.define
class _Stream:
    id: str | None = None
    open: Opened[_Item] = attrs.field(factory=Opened)
    added: Seen[bool] = attrs.field(factory=Seen)
    number: int | None = None
    calls: int = 0
    bad_args: Spot | None = None  # the latest that do not parse; a response that was cut may


class ResponsesChecker(Checker):
    """Judges streams of response events."""

    _stream: _Stream | None = None
    _over = ""

    def event(self, value: dict[str, Any], spot: Spot, name: str) -> None:
        """Take an event; its type stands in it, or in the field `event:`."""
        kind = value.get("type", name)
        if type(kind) is not str or not kind:
            self.tally.demand("openai-responses-event-shape", False, "An event has no type.", spot)
            return
        wanted = _SHAPES.get(kind)
        if wanted is None and not kind.startswith("response."):
            self.tally.note(f"Events of type {quoted(kind)} are unknown: passed over.", spot)
            return
        if not self._in_place(kind, spot):
            return
        self._numbered(value, spot)
        if wanted is None:
            return  # one of dozens about server-side tools: only its number matters
        wrong = fault(value, wanted)
        self.tally.demand("openai-responses-event-shape", not wrong, f"{kind} {wrong}.", spot)
        if not wrong:
            self._sound(kind, value, spot)
        if kind in _TERMINALS:
            self._stream, self._over = None, kind

    def end(self, spot: Spot) -> None:
        """Judge whether the last stream has ended."""
        if self._stream is not None and not self.left:
            text = "The trace ends inside a stream: no completed, failed, incomplete or error."
            self.tally.broke("openai-responses-ends", text, spot)

    def done(self, spot: Spot) -> None:
        """Compatible servers may say [DONE] as well."""
        if self._stream is not None:
            self.tally.note("[DONE] came inside a stream; responses end by an event.", spot)

    def _in_place(self, kind: str, spot: Spot) -> bool:
        rule = "openai-responses-created-first"
        if kind == "response.created":
            text = "response.created came inside a stream."
            self.tally.demand(rule, self._stream is None, text, spot)
            self.tally.saw("openai-responses-ends")
            self._stream, self._over = _Stream(), ""
        elif self._stream is None and self._over:
            self.tally.broke("openai-responses-ends", f"{kind} came after {self._over}.", spot)
            return False
        elif self._stream is None:
            if kind != "error":
                self.tally.demand(rule, False, f"{kind} came before response.created.", spot)
            self._stream = _Stream()
        return True

    def _numbered(self, value: dict[str, Any], spot: Spot) -> None:
        number, stream = value.get("sequence_number"), self._now
        if type(number) is int:
            text = f"sequence_number {number} came after {stream.number}."
            rises = stream.number is None or number > stream.number
            self.tally.demand("openai-responses-sequence", rises, text, spot)
            stream.number = number

    def _sound(self, kind: str, value: dict[str, Any], spot: Spot) -> None:
        if "response" in value:
            self._response(kind, value["response"], spot)
        elif kind == "response.output_item.added":
            self._added(value, spot)
        elif kind == "response.output_item.done":
            self._item_done(value, spot)
        elif kind != "error":
            self._within(kind, value, spot)

    def _response(self, kind: str, response: dict[str, Any], spot: Spot) -> None:
        stream, name = self._now, response.get("id")
        if type(name) is str:
            text = f"The response is called {quoted(name)}, before it was {quoted(stream.id)}."
            self.tally.demand("openai-responses-one-id", stream.id in {None, name}, text, spot)
            stream.id = stream.id or name
        if kind == "response.completed":
            left = ", ".join(str(index) for index in list(stream.open)[:3])
            text = f"The response is completed while item {left} is not done."
            none = not len(stream.open)
            self.tally.demand("openai-responses-items-done", none, text, spot)
            if stream.calls:
                bad, text = stream.bad_args, "The arguments of a function call are not JSON."
                self.tally.demand("openai-responses-args-json", bad is None, text, bad or spot)

    def _added(self, value: dict[str, Any], spot: Spot) -> None:
        stream, index, item = self._now, value["output_index"], value["item"]
        fresh = stream.added.get(index) is None
        self.tally.demand("openai-responses-items", fresh, f"Item {index} is added twice.", spot)
        stream.added.add(index, True)
        stream.open.add(index, _Item(item.get("id"), item.get("type")))

    def _item_done(self, value: dict[str, Any], spot: Spot) -> None:
        index, done = value["output_index"], value["item"]
        item = self._now.open.pop(index)
        text = f"Item {index} is done, but was not added, or done before."
        if self.tally.demand("openai-responses-items", item is not None, text, spot):
            assert item is not None, "it has just been looked at"
            same = (item.id, item.type) == (done.get("id"), done.get("type"))
            text = f"Item {index} has another id or type than when it was added."
            self.tally.demand("openai-responses-item-identity", same, text, spot)

    def _within(self, kind: str, value: dict[str, Any], spot: Spot) -> None:
        index = value["output_index"]
        item = self._now.open.get(index)
        text = f"{kind} belongs to item {index}, which is not open."
        if not self.tally.demand("openai-responses-items", item is not None, text, spot):
            return
        assert item is not None, "it has just been looked at"
        if value.get("item_id") is not None and item.id is not None:
            text = f"{kind} names the item {quoted(value['item_id'])}; it is {quoted(item.id)}."
            same = value["item_id"] == item.id
            self.tally.demand("openai-responses-item-identity", same, text, spot)
        what, _, word = kind.removeprefix("response.").rpartition(".")
        if what in _TEXTS:
            self._text(what, word, item, value, spot)

    def _text(self, what: str, word: str, item: _Item, value: dict[str, Any], spot: Spot) -> None:
        key = (what, str(value.get("content_index", value.get("summary_index"))))
        if word == "delta":
            if key in item.texts or len(item.texts) < 1000:
                item.texts.setdefault(key, _Sum()).add(value["delta"])
            return
        came, whole = item.texts.pop(key, None), _Sum()
        whole.add(value[_TEXTS[what]])
        if came is not None:  # some items come whole
            text = f"What is done is not what came in deltas: {what}."
            self.tally.demand("openai-responses-text-conserved", came == whole, text, spot)
        if what == "function_call_arguments":
            args = ArgText()
            args.add(value["arguments"])
            self._now.calls += 1
            if not args.parses(empty=True):
                self._now.bad_args = spot

    @property
    def _now(self) -> _Stream:
        assert self._stream is not None, "an event in its place has a stream"
        return self._stream


RESPONSES: Final = Format(
    name="openai-responses",
    title="OpenAI responses, streamed",
    rules=RULES,
    checker=ResponsesChecker,
    cannot_show=MODEL_SIDE,
)
