"""Block assembler: chunks of one model stream become the blocks of one message.

Providers leave out starts, ends or both, cut argument text anywhere, interleave calls and repeat
themselves; every such spelling of one message gives the same blocks. The assembler never decides
what is kept of a stream and never shows anything.
"""

from __future__ import annotations

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
    ReasoningDelta,
    StreamStart,
    TextDelta,
    UsageReport,
)
from simharness.trace import Block, Call, Message, Opaque, Reasoning, Text

__all__ = ["Assembler"]

_KINDS: dict[type, str] = {TextDelta: "text", ReasoningDelta: "reasoning", OpaqueDelta: "opaque"}
_BLOCKS: dict[str, type[Text | Reasoning | Opaque]] = {
    "text": Text,
    "reasoning": Reasoning,
    "opaque": Opaque,
}


@attrs.define
class _Building:
    """One block under construction. `id` and `name` belong to calls."""

    kind: str
    text: str = ""
    id: str = ""
    name: str = ""
    closed: bool = False

    def block(self) -> Block:
        """The block as it stands."""
        if self.kind == "call":
            return Call(self.id, self.name, self.text)
        return _BLOCKS[self.kind](self.text)


class Assembler:
    """Builds one message. `usage` is the latest report, `ignored` counts what said nothing new.

    A block is known by its kind and index. It stays where it was opened, so the blocks lie in
    stream order.
    """

    def __init__(self) -> None:
        self.usage: tuple[int, int] | None = None
        self.terminal: Finish | Aborted | Failed | None = None
        self.ignored = 0
        self._blocks: list[_Building] = []
        self._at: dict[tuple[str, int], _Building] = {}

    def add(self, chunk: Chunk) -> bool:
        """Take one chunk in. False: it was ignored, as everything but usage after the terminal."""
        over = self.terminal is not None and not isinstance(chunk, UsageReport)
        taken = not over and self._add(chunk)
        if not taken:
            self.ignored += 1
        return taken

    def blocks(self) -> tuple[Block, ...]:
        """Everything that was streamed, open blocks included; blocks without content left out."""
        return tuple(b.block() for b in self._blocks if b.kind == "call" or b.text)

    def interrupted_blocks(self) -> tuple[Block, ...]:
        """What a cut stream leaves: non-blank text and reasoning, closed or open.

        A call in a cut stream was not finished by the model, and of an unknown block nobody can
        say what half of it means; neither is ever kept.
        """
        return tuple(b for b in self.blocks() if isinstance(b, Text | Reasoning) and b.text.strip())

    def message(self) -> Message:
        """The assistant message streamed so far."""
        return Message("assistant", self.blocks())

    def _add(self, chunk: Chunk) -> bool:
        match chunk:
            case TextDelta() | ReasoningDelta() | OpaqueDelta():
                return self._grow(_KINDS[type(chunk)], chunk.index, chunk.text)
            case CallDelta():
                return self._grow_call(chunk)
            case BlockStart():
                return self._start(chunk.kind, chunk.index)
            case BlockEnd():
                return self._end(chunk.kind, chunk.index)
            case UsageReport():
                self.usage = (chunk.input, chunk.output)  # cumulative: the last one counts
            case Finish() | Aborted() | Failed():
                self.terminal = chunk
            case StreamStart() | KeepAlive() | Malformed():
                return False
        return True

    def _start(self, kind: str, index: int) -> bool:
        """Open a block; a second start of an open one says nothing new."""
        known = self._at.get((kind, index))
        if known is not None and not known.closed:
            return False
        self._open(kind, index)
        return True

    def _open(self, kind: str, index: int) -> _Building:
        block = self._at[kind, index] = _Building(kind)
        self._blocks.append(block)
        return block

    def _end(self, kind: str, index: int) -> bool:
        known = self._at.get((kind, index))
        if known is None or known.closed:
            return False
        known.closed = True
        return True

    def _grow(self, kind: str, index: int, text: str) -> bool:
        block = self._at.get((kind, index)) or self._open(kind, index)
        if block.closed:
            return False
        block.text += text
        return True

    def _grow_call(self, delta: CallDelta) -> bool:
        block = self._at.get(("call", delta.index))
        known = block is not None and bool(block.id or block.closed)
        if block is None or (known and delta.id and delta.id != block.id):
            block = self._open("call", delta.index)
        if block.closed:
            return False
        if delta.id and delta.id == block.id and delta.args.strip():
            block.text = ""  # an id again: not a piece but the whole call, after a preview
        block.id = delta.id or block.id
        block.name = delta.name or block.name
        block.text += delta.args
        return True
