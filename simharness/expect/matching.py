"""How messages and records are compared with the patterns of a scenario, and how both are shown.

Fields that a pattern does not name are neither compared nor shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.expect.alignment import Aligner
from simharness.scenario.model import MessagePattern, RecordPattern
from simharness.trace import Call, Message, Reported

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["WORDS", "joined", "message_aligner", "record_aligner"]

_GAP = "..."


def joined(words: Sequence[str]) -> str:
    """Words for a sentence; an empty one is shown as such."""
    return ", ".join(word or '""' for word in words) or "none"


def _message_fits(pattern: MessagePattern, message: Message) -> bool:
    called = tuple(call.name for call in message.calls)
    return (
        pattern.role == message.role
        and pattern.text in {None, message.text}
        and pattern.reasoning in {None, message.reasoning}
        and pattern.interrupted in {None, message.interrupted}
        and pattern.is_error in {None, message.is_error}
        and pattern.calls in {None, called}
        and _blocks_fit(pattern, message)
    )


def _blocks_fit(pattern: MessagePattern, message: Message) -> bool:
    if pattern.blocks is None:
        return True
    found = _blocks_of(message)
    return len(pattern.blocks) == len(found) and all(
        kind == wanted and text in {None, said}
        for (wanted, text), (kind, said) in zip(pattern.blocks, found, strict=True)
    )


def _blocks_of(message: Message) -> tuple[tuple[str, str], ...]:
    """Kind and text of each block; the text of a call is that of its arguments."""
    return tuple(
        (type(b).__name__.lower(), b.args if isinstance(b, Call) else b.text)
        for b in message.blocks
    )


def _show_pattern(pattern: MessagePattern) -> str:
    parts = [pattern.role]
    if pattern.text is not None:
        parts.append(f'"{pattern.text}"')
    if pattern.reasoning is not None:
        parts.append(f'reasoning "{pattern.reasoning}"')
    if pattern.calls is not None:
        parts.append(f"calls {joined(pattern.calls)}")
    if pattern.blocks is not None:
        blocks = [kind if text is None else f'{kind} "{text}"' for kind, text in pattern.blocks]
        parts.append(f"blocks {joined(blocks)}")
    for flag, word in ((pattern.interrupted, "interrupted"), (pattern.is_error, "error")):
        if flag is not None:
            parts.append(word if flag else f"not {word}")
    return " ".join(parts)


def _show_message(message: Message, *, blocks: bool = False) -> str:
    return _show_pattern(
        MessagePattern(
            message.role,
            text=message.text,
            reasoning=message.reasoning or None,
            interrupted=True if message.interrupted else None,
            is_error=True if message.is_error else None,
            calls=tuple(call.name for call in message.calls) or None,
            blocks=_blocks_of(message) if blocks else None,
        )
    )


def message_aligner(wanted: Sequence[MessagePattern]) -> Aligner[MessagePattern, Message]:
    """Compare a history; blocks are shown if some pattern looks at them."""
    blocks = any(pattern.blocks is not None for pattern in wanted)
    return Aligner(
        fits=_message_fits,
        alike=lambda pattern, message: pattern.role == message.role,
        is_gap=lambda pattern: pattern.role == _GAP,
        show_wanted=_show_pattern,
        show_found=lambda message: _show_message(message, blocks=blocks),
    )


WORDS: Aligner[RecordPattern, str] = Aligner(
    fits=lambda pattern, word: pattern.name == word,
    alike=lambda pattern, word: pattern.name.partition("{")[0] == word.partition("{")[0],
    is_gap=lambda pattern: pattern.name == _GAP,
    show_wanted=lambda pattern: pattern.name,
    show_found=str,
)
"""Compares a timeline in the words of a profile."""


def _record_fits(pattern: RecordPattern, record: Reported) -> bool:
    return type(record).__name__ == pattern.name and all(
        _value_fits(wanted, getattr(record, field)) for field, wanted in pattern.fields.items()
    )


def _value_fits(wanted: object, actual: object) -> bool:
    if isinstance(wanted, MessagePattern):
        return isinstance(actual, Message) and _message_fits(wanted, actual)
    if isinstance(wanted, list):
        if not isinstance(actual, tuple) or len(wanted) != len(actual):
            return False
        return all(_value_fits(one, other) for one, other in zip(wanted, actual, strict=True))
    return wanted == actual and isinstance(wanted, bool) == isinstance(actual, bool)


def record_aligner(wanted: Sequence[RecordPattern]) -> Aligner[RecordPattern, Reported]:
    """Compare records; of each are shown the fields that some pattern of its name looks at."""
    looked_at: dict[str, dict[str, None]] = {}
    for pattern in wanted:
        looked_at.setdefault(pattern.name, {}).update(dict.fromkeys(pattern.fields))

    def show(record: Reported) -> str:
        name = type(record).__name__
        fields = {field: getattr(record, field) for field in looked_at.get(name, ())}
        return _show_record(name, fields)

    return Aligner(
        fits=_record_fits,
        alike=lambda pattern, record: pattern.name == type(record).__name__,
        is_gap=lambda pattern: pattern.name == _GAP,
        show_wanted=lambda pattern: _show_record(pattern.name, pattern.fields),
        show_found=show,
    )


def _show_record(name: str, fields: Mapping[str, object]) -> str:
    """`AgentEnd outcome=cancelled`."""
    return " ".join([name, *(f"{field}={_show_value(value)}" for field, value in fields.items())])


def _show_value(value: object) -> str:
    if isinstance(value, MessagePattern):
        return f"({_show_pattern(value)})"
    if isinstance(value, Message):
        return f"({_show_message(value)})"
    return str(value) if isinstance(value, str) and value else repr(value)
