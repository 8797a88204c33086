"""Streams as our own encoders write them: chunks in, the provider's bytes out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from simharness.agent import (
    CallDelta,
    Chunk,
    Finish,
    ReasoningDelta,
    StreamStart,
    TextDelta,
    UsageReport,
)
from simharness.provider.wire.transport import DIALECTS

if TYPE_CHECKING:
    from simharness.provider.wire.dialect import Dialect

__all__ = ["ANSWERS", "BY_NAME", "encoded"]

BY_NAME: dict[str, Dialect] = {dialect.name: dialect for dialect in DIALECTS}

ANSWERS: dict[str, tuple[Chunk, ...]] = {
    "text": (StreamStart(), TextDelta("Hel"), TextDelta("lo — \u2028"), Finish("stop")),
    "thought": (StreamStart(), ReasoningDelta("hm"), TextDelta("so"), Finish("stop")),
    "call": (
        StreamStart(),
        TextDelta("Let me"),
        CallDelta(0, "c1", "search", '{"q":'),
        CallDelta(0, args="1}"),
        UsageReport(7, 3),
        Finish("tool_calls"),
    ),
    "two calls": (
        StreamStart(),
        CallDelta(0, "c1", "search", "{}"),
        CallDelta(1, "c2", "read", "{}"),
        Finish("tool_calls"),
    ),
    "cut": (StreamStart(), TextDelta("Once"), UsageReport(1, 1), Finish("length")),
}


def encoded(dialect: str, chunks: Iterable[Chunk], *, finished: bool = True) -> bytes:
    """The body of one answer; chat completions tell usage behind the reason, as OpenAI does."""
    if dialect == "openai-chat":
        chunks = sorted(chunks, key=lambda chunk: isinstance(chunk, UsageReport))
    encoder = BY_NAME[dialect].encoder({"stream_options": {"include_usage": True}})
    body = b"".join(encoder.chunk(chunk) for chunk in chunks)
    return body + encoder.end(finished=finished)
