"""What a dialect cannot say of a script: such a case is not applicable over that wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.provider.wire.transport import DIALECTS
from simharness.scenario.model import (
    ArgsStep,
    CallStep,
    EndKind,
    EndStep,
    MarkStep,
    OpaqueStep,
    ReasoningStep,
    Report,
    Stream,
    TextStep,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["unsayable"]

_IN_BLOCKS = (TextStep, ReasoningStep, OpaqueStep, MarkStep)


def unsayable(dialect: str, streams: Iterable[Stream]) -> str:
    """Why one of `streams` cannot be played in `dialect`; empty if all can.

    A cancel is a hang-up there: a provider that is told of one has no way left to react.
    """
    finishes = next(one.finishes for one in DIALECTS if one.name == dialect)
    for stream in streams:
        reaction = stream.reaction
        if reaction.written and reaction.report not in {Report.CLOSE, Report.RAISE}:
            return f"a provider cannot answer a cancel with {reaction.report!s} over a wire"
        for step in stream.steps:
            if isinstance(step, _IN_BLOCKS) and step.index is not None:
                return "blocks of text have no numbers over a wire"
            kind = step.kind if isinstance(step, EndStep) else None
            reason = step.reason if isinstance(step, EndStep) else ""
            if isinstance(step, EndStep) and step.error is not None and step.error.raised_as:
                return f"no provider can make its client raise {step.error.raised_as}"
            if kind is EndKind.ABORT:
                return "no provider says aborted over a wire"
            if kind is EndKind.FINISH and reason not in finishes:
                return f"{dialect} has no word for finish: {reason}"
        if dialect == "anthropic" and not stream.starts:
            return "anthropic has no answer without its start"
        if dialect == "anthropic" and _interleaved(stream):
            return "anthropic has no word for calls whose pieces are interleaved"
    return ""


def _interleaved(stream: Stream) -> bool:
    """Whether a piece of a call comes after another call or a text began."""
    last = -1
    for step in stream.steps:
        if isinstance(step, CallStep):
            last = last + 1 if step.index is None else step.index
        elif isinstance(step, ArgsStep) and step.index is not None and step.index != last:
            return True
    return False
