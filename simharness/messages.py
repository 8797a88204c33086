"""Messages: one history entry each, in the one form that all parts of the harness speak.

Plain frozen values; adapters convert a framework's messages into these as faithfully as they can.
"""

from __future__ import annotations

from typing import Literal

import attrs

Role = Literal["system", "user", "assistant", "tool"]


@attrs.frozen
class Text:
    """Visible text."""

    text: str


@attrs.frozen
class Reasoning:
    """Text the model thought aloud."""

    text: str


@attrs.frozen
class Opaque:
    """A block of a kind nobody knows."""

    text: str


@attrs.frozen
class Call:
    """A tool call; `args` is the JSON text exactly as it was sent."""

    id: str
    name: str
    args: str


Block = Text | Reasoning | Opaque | Call


@attrs.frozen(repr=False)
class Message:
    """One message of a history. `call_id` and `is_error` belong to role `tool`."""

    role: Role
    blocks: tuple[Block, ...] = ()
    call_id: str = ""
    is_error: bool = False
    interrupted: bool = False

    @property
    def text(self) -> str:
        """All visible text, joined."""
        return "".join(block.text for block in self.blocks if isinstance(block, Text))

    @property
    def reasoning(self) -> str:
        """All reasoning text, joined."""
        return "".join(block.text for block in self.blocks if isinstance(block, Reasoning))

    @property
    def calls(self) -> tuple[Call, ...]:
        """The tool calls, in the model's order."""
        return tuple(block for block in self.blocks if isinstance(block, Call))

    @property
    def empty(self) -> bool:
        """No call, no unknown block and nothing but blanks."""
        return not any(isinstance(b, Call | Opaque) or b.text.strip() for b in self.blocks)

    def __repr__(self) -> str:
        parts = [_block_words(block) for block in self.blocks]
        if self.call_id:
            parts.insert(0, f"for {self.call_id}")
        marks = ("!" if self.is_error else "") + ("~" if self.interrupted else "")
        return f"{self.role}{marks}({' '.join(parts)})"


def _block_words(block: Block) -> str:
    if isinstance(block, Text):
        return repr(block.text)
    if isinstance(block, Call):
        return f"call {block.id} {block.name}({block.args})"
    return f"{type(block).__name__.lower()} {block.text!r}"


def user(text: str) -> Message:
    """A user message."""
    return Message("user", (Text(text),))


def assistant(text: str = "", *calls: Call, interrupted: bool = False) -> Message:
    """An assistant message of one text block (if any) and calls."""
    blocks: tuple[Block, ...] = ((Text(text),) if text else ()) + calls
    return Message("assistant", blocks, interrupted=interrupted)


def tool_result(call_id: str, text: str, *, is_error: bool = False) -> Message:
    """The result of one tool call."""
    return Message("tool", (Text(text),), call_id=call_id, is_error=is_error)
