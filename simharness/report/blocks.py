"""The `except` and `finally` blocks of an agent that no trial entered, for people and machines."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from tabulate import tabulate

from simharness.plural import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simharness.campaign.blocks import Block, Measured

__all__ = ["as_object", "as_text"]

_SHOWN = 40  # rows; nobody reads the forty-first before the first is dealt with


def as_text(found: Measured) -> str:
    """A summary line, then a row for each block that was not entered, or not in all its lines."""
    blocks = found.blocks
    where = ", ".join(found.modules)
    never = sum(not block.entered for block in blocks)
    partly = sum(block.entered and bool(block.missed) for block in blocks)
    head = f"Coverage of {where}: {plural(len(blocks), 'except or finally block')}"
    said = f"{head}, {never:,} never entered, {partly:,} in part"
    rows = [
        (f"{block.file}:{block.line}", block.words, _missed(block)) for block in _outermost(blocks)
    ]
    if not rows:
        return said
    heads = ["place", "block", "not reached"]
    table = tabulate(rows[:_SHOWN], heads, tablefmt="simple", maxcolwidths=[None, 48, 40])
    more = len(rows) - _SHOWN
    return "\n".join([said, "", table, *([f"... and {more} more"] if more > 0 else [])])


def as_object(found: Measured) -> dict[str, object]:
    """All blocks as JSON: what was missed is empty for those that were reached whole."""
    return {
        "modules": list(found.modules),
        "blocks": [
            {
                "file": block.file,
                "line": block.line,
                "block": block.words,
                "entered": block.entered,
                "missed": list(block.missed),
            }
            for block in found.blocks
        ],
    }


def _outermost(blocks: Sequence[Block]) -> Iterable[Block]:
    """The blocks that miss something, without those within one that was never entered."""
    hidden: tuple[str, int] = ("", 0)
    for block in blocks:
        inside = block.file == hidden[0] and block.line <= hidden[1]
        if block.missed and not inside:
            yield block
        if not block.entered and not inside:
            hidden = block.file, block.last


def _missed(block: Block) -> str:
    if not block.entered:
        return "never entered"
    return f"line{'s' * (len(block.missed) > 1)} {_ranges(block.missed)}"


def _ranges(numbers: Sequence[int]) -> str:
    """`3-5, 9` for 3, 4, 5, 9."""
    groups = groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0])
    runs = [[number for _, number in group] for _, group in groups]
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
