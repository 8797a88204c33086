"""From the steps of a script to deliveries: which chunks come together, and when.

A delivery is what one chunk or one end brings, with the marks and usage written before it. Numbers
count content chunks as written: text, reasoning, opaque and each piece of arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import attrs

from simharness.agent import (
    Aborted,
    BlockEnd,
    BlockStart,
    CallDelta,
    Chunk,
    Failed,
    Finish,
    KeepAlive,
    Malformed,
    OpaqueDelta,
    ProviderError,
    ReasoningDelta,
    Retrying,
    StreamStart,
    TextDelta,
    UsageReport,
)
from simharness.provider.whose import Place, places
from simharness.scenario.model import (
    ArgsStep,
    CallStep,
    EndKind,
    EndStep,
    ErrorSpec,
    Mark,
    MarkStep,
    OpaqueStep,
    ReasoningStep,
    Step,
    Stream,
    TextStep,
    UsageStep,
    WaitStep,
)
from simharness.scenario.vocabulary import EXCEPTIONS


@attrs.frozen
class Item:
    """One thing a read can return: a chunk, or an end that is not a chunk (`end` raise, close).

    `number` is the chunk's number, 0 for what does not count. `sign`: it came by itself, a while
    after what was before it.
    """

    chunk: Chunk | None = None
    number: int = 0
    kind: str = ""
    text: str = ""
    call_id: str = ""
    name: str = ""
    index: int = 0
    end: EndStep | None = None
    sign: bool = False


@attrs.frozen
class Delivery:
    """Items that arrive together, `delay_s` after the delivery before."""

    items: tuple[Item, ...]
    delay_s: float = 0.0

    @property
    def number(self) -> int:
        """The chunk number of this delivery, 0 if it brings no content."""
        return max((item.number for item in self.items), default=0)


def raised_error(spec: ErrorSpec | None, fallback: str) -> Exception:
    """What a read raises: the exception that the script names, or a provider's error."""
    if spec is not None and spec.raised_as:
        return EXCEPTIONS[spec.raised_as](spec.message)
    return provider_error(spec, fallback)


def provider_error(spec: ErrorSpec | None, fallback: str) -> ProviderError:
    """The exception for a scripted error."""
    if spec is None:
        return ProviderError(fallback)
    return ProviderError(
        spec.message,
        kind=spec.kind,
        retryable=spec.retryable,
        retry_after_s=spec.retry_after_s,
    )


def compile_stream(stream: Stream, fresh_id: Callable[[], str]) -> list[Delivery]:
    """All deliveries of `stream`, its written end included; `hang` ends in nothing."""
    compiler = _Compiler(stream, fresh_id)
    return compiler.all(stream.steps, starts=stream.starts)


def compile_steps(steps: Iterable[Step], fresh_id: Callable[[], str]) -> list[Delivery]:
    """The deliveries of late steps, without a start of their own."""
    return _Compiler(None, fresh_id).all(steps, starts=False)


_CONTENT: dict[type[Step], tuple[type[TextDelta | ReasoningDelta | OpaqueDelta], str]] = {
    TextStep: (TextDelta, "text"),
    ReasoningStep: (ReasoningDelta, "reasoning"),
    OpaqueStep: (OpaqueDelta, "opaque"),
}
_PLAIN: dict[Mark, Chunk] = {
    Mark.START: StreamStart(),
    Mark.RETRYING: Retrying(),
    Mark.KEEPALIVE: KeepAlive(),
    Mark.MALFORMED: Malformed("{"),
}


class _Compiler:
    def __init__(self, stream: Stream | None, fresh_id: Callable[[], str]) -> None:
        self._fresh_id = fresh_id
        self._every_s = stream.every_s if stream else 0.0
        self._done: list[Delivery] = []
        self._pending: list[Item] = []
        self._delay_s = 0.0
        self._number = 0
        self._block = -1
        self._block_kind = ""
        self._places: list[Place] = []

    def all(self, steps: Iterable[Step], *, starts: bool) -> list[Delivery]:
        steps = tuple(steps)
        self._places = places(steps, self._fresh_id)
        if starts:
            self._pending.append(Item(StreamStart()))
        for step in steps:
            self._step(step)
        if self._pending:
            self._flush()
        return self._done

    def _step(self, step: Step) -> None:
        if isinstance(step, TextStep | ReasoningStep | OpaqueStep):
            self._content(step)
        elif isinstance(step, CallStep):
            self._call(step)
        elif isinstance(step, ArgsStep):
            place = self._places.pop(0)
            self._piece(place, CallDelta(place.index, args=step.text))
        elif isinstance(step, UsageStep):
            self._pending.append(Item(UsageReport(step.input, step.output)))
        elif isinstance(step, WaitStep):
            self._delay_s += step.seconds
        elif isinstance(step, MarkStep):
            self._mark(step)
        else:
            self._end(step)

    def _flush(self) -> None:
        self._done.append(Delivery(tuple(self._pending), self._delay_s + self._every_s))
        self._pending = []
        self._delay_s = 0.0

    def _add(self, chunk: Chunk, kind: str, text: str) -> None:
        self._number += 1
        self._pending.append(Item(chunk, self._number, kind, text))
        self._flush()

    def _open(self, kind: str) -> int:
        if self._block_kind != kind:
            self._block += 1
            self._block_kind = kind
        return self._block

    def _content(self, step: TextStep | ReasoningStep | OpaqueStep) -> None:
        delta, kind = _CONTENT[type(step)]
        index = self._open(kind) if step.index is None else step.index
        self._add(delta(step.text, index), kind, step.text)

    def _call(self, step: CallStep) -> None:
        place = self._places.pop(0)
        self._block_kind = ""
        first, *more = step.pieces or ("",)
        self._piece(place, CallDelta(place.index, place.id, place.name, first))
        for text in more:
            self._piece(place, CallDelta(place.index, args=text))

    def _piece(self, place: Place, delta: CallDelta) -> None:
        """One chunk, noted under the call that it belongs to."""
        self._number += 1
        self._pending.append(Item(delta, self._number, "args", delta.args, *place.whose))
        self._flush()

    def _mark(self, step: MarkStep) -> None:
        kind, _, place = step.mark.value.rpartition("_")
        if not kind:
            self._pending.append(Item(_PLAIN[step.mark]))
        elif place == "start":
            self._pending.append(Item(BlockStart(kind, self._started(kind, step.index))))
        else:
            self._pending.append(Item(BlockEnd(kind, self._ended(kind, step.index))))

    def _started(self, kind: str, index: int | None) -> int:
        """The block that a start is of. One with a number leaves alone what has none."""
        if index is not None:
            return index
        self._block_kind = ""
        return self._open(kind)

    def _ended(self, kind: str, index: int | None) -> int:
        """The block that an end is of: without a number the latest."""
        if kind == "call":
            return self._places.pop(0).index
        if index is not None:
            return index
        self._block_kind = ""
        return self._block

    def _end(self, end: EndStep) -> None:
        if end.kind is EndKind.HANG:
            if self._pending:
                late = bool(self._delay_s + self._every_s)
                self._pending[-1] = attrs.evolve(self._pending[-1], sign=late)
                self._flush()
            self._done.append(Delivery((Item(end=end),), 0.0))
            return
        self._pending.append(end_item(end))
        self._flush()


def end_item(end: EndStep) -> Item:
    """What a read returns or raises at this end."""
    if end.kind is EndKind.FINISH:
        return Item(Finish(end.reason or "stop"), end=end)
    if end.kind is EndKind.ABORT:
        return Item(Aborted(end.reason or "unknown"), end=end)
    if end.kind is EndKind.ERROR:
        return Item(Failed(provider_error(end.error, end.reason or "provider error")), end=end)
    return Item(end=end)
