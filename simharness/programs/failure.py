"""A failed trial of a program as text for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.programs.trial import Trial

__all__ = ["text"]


def text(trial: Trial, lines: Sequence[str], replay: str) -> str:
    """What broke, what came in before it, what `lines` say about the search, how to replay."""
    blocks = ["\n".join(v.message for v in trial.verdict.violations)]
    if trial.log:
        came = [f"  {time:8.3f} s  {what}" for time, what in trial.log]
        blocks.append("\n".join(["In this order:", *came]))
    blocks.append("\n".join(lines))
    blocks.append(f"To run only this trial again, set {replay}")
    if trial.traceback:
        blocks.append(trial.traceback.rstrip())
    return "\n\n".join(blocks)
