"""A captured provider stream as the steps of a scenario: what came, in the order it came.

The readers of the three formats say it in the words of `Take`. They are lenient: what a scenario
has no word for is left out, and `left_out` says so. Whether it was sound is for the checker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import attrs

from simharness.recorded.reading import TraceError
from simharness.scenario.model import Place

if TYPE_CHECKING:
    from simharness.recorded.reading import Spot

__all__ = ["STEPS_MAX", "Step", "Stream", "Take"]

STEPS_MAX: Final = 10_000
"""Steps of all streams; a longer capture is no scenario that anybody reads."""

_COUNT_MAX: Final = 10**15

Step = str | dict[str, Any]
"""A step as data: a bare word, or a mapping of one key. Text deltas are `{text: ...}`."""


@attrs.define
class Stream:
    """One answer. `ended`: the provider said how; `calls`: the tools it calls, and `numbers` their
    places among the calls, both by the provider's index."""

    steps: list[Step] = attrs.field(factory=list)
    ended: bool = False
    calls: dict[int, str] = attrs.field(factory=dict)
    numbers: dict[int, int] = attrs.field(factory=dict)
    usage: tuple[int, int] | None = None


class Take:
    """Collects the streams of one capture. `spot` is where the reader is."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.spot: Spot = (1, 1)
        self.streams: list[Stream] = []
        self.left_out: dict[str, int] = {}
        self._steps = 0

    def begin(self) -> None:
        """Another answer begins."""
        self.streams.append(Stream())

    @property
    def stream(self) -> Stream:
        """The answer at hand; one that has ended is followed by another."""
        if not self.streams or self.streams[-1].ended:
            self.begin()
        return self.streams[-1]

    def text(self, text: object) -> None:
        """A delta of visible text."""
        self._delta("text", text)

    def reasoning(self, text: object) -> None:
        """A delta of reasoning."""
        self._delta("reasoning", text)

    def opaque(self, what: str) -> None:
        """Something that a scenario only knows as a block of an unknown kind."""
        self._add({"opaque": _text(what)})

    def keepalive(self) -> None:
        """A ping."""
        self._add("keepalive")

    def call(self, index: int, call_id: object, name: object, piece: object = "") -> None:
        """A call begins, with the first piece of its arguments."""
        tool = _text(name) or "unnamed"
        number = self.stream.numbers.setdefault(index, len(self.stream.numbers))
        self.stream.calls[index] = tool
        said = {"name": tool, "id": _text(call_id), "index": number, "pieces": [_text(piece)]}
        self._add({"call": said})

    def args(self, index: int, piece: object) -> None:
        """More arguments: of the call before if nothing lies between, else a step of their own."""
        steps = self.stream.steps
        last = steps[-1] if steps else None
        number = self.stream.numbers.get(index)
        if number is None:
            self.skip("arguments without a call")
        elif isinstance(last, dict) and last.get("call", {}).get("index") == number:
            self._count()
            pieces = last["call"]["pieces"]
            if pieces == [""]:
                pieces.clear()  # the call came before its arguments did
            pieces.append(_text(piece))
        else:
            self._add({"args": {"text": _text(piece), "index": number}})

    def usage(self, read: object, written: object) -> None:
        """Cumulative token counts; the latest are what the scenario says."""
        before = self.stream.usage or (0, 0)
        self.stream.usage = (_count(read, before[0]), _count(written, before[1]))

    def late_usage(self, read: object, written: object) -> None:
        """Counts that come behind the end of an answer, in front of which a scenario says them."""
        stream = self.streams[-1] if self.streams else None
        if stream is None or not stream.ended:
            self.usage(read, written)
        elif _count(read) or _count(written):
            end = stream.steps.pop()
            stream.steps += [{"usage": [_count(read), _count(written)]}, end]

    def finish(self, reason: str) -> None:
        """The provider finished."""
        self._end({"finish": reason})

    def error(self, message: object, kind: str) -> None:
        """The provider reports an error inside the stream."""
        self._end({"error": {"message": _text(message) or "error", "kind": kind}})

    def skip(self, what: str) -> None:
        """Something was left out."""
        self.left_out[what] = self.left_out.get(what, 0) + 1

    def close(self) -> None:
        """The capture is over: an answer that did not end just closes."""
        if self.streams and not self.streams[-1].ended:
            self._end("close")

    def _delta(self, kind: str, text: object) -> None:
        if isinstance(text, str) and text:
            self._add({kind: _text(text)})

    def _end(self, step: Step) -> None:
        stream = self.stream
        if stream.usage is not None and stream.usage != (0, 0):
            self._add({"usage": list(stream.usage)})
        self._add(step)
        stream.ended = True

    def _add(self, step: Step) -> None:
        self._count()
        self.stream.steps.append(step)

    def _count(self) -> None:
        self._steps += 1
        if self._steps > STEPS_MAX:
            what = f"a scenario of more than {STEPS_MAX} steps; keep the part that matters"
            raise TraceError(Place(self.file, *self.spot), what)


def _count(value: object, otherwise: int = 0) -> int:
    """A token count that a scenario can hold."""
    return value if type(value) is int and 0 <= value < _COUNT_MAX else otherwise


def _text(value: object) -> str:
    """A text that a YAML file can hold: half a surrogate pair cannot be written."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
