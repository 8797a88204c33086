"""The table of generated mutants, for people and for machines. It leaves out those that died."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tabulate import tabulate

from simharness.plural import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.campaign.measuring import Fate

__all__ = ["as_object", "as_text"]


def as_text(fates: Sequence[Fate], *, quiet: bool = False, verbose: bool = False) -> str:
    """How many of each module were killed unless `quiet`, then who survived, and why.

    `verbose`: by which case each of the others was killed, too.
    """
    made = Counter(fate.change.module for fate in fates)
    killed = Counter(fate.change.module for fate in fates if not fate.survives)
    rows = [(module, made[module], killed[module]) for module in sorted(made)]
    table = tabulate(rows, ["module", "mutants", "killed"], tablefmt="simple", intfmt=",")
    lines = [
        f"killed {fate.change.id}: {', '.join(fate.killed_by)} in {fate.case}"
        for fate in fates
        if verbose and not fate.survives
    ]
    lines += [
        f"SURVIVES {fate.change.file}:{fate.change.line} {fate.change.id}\n"
        f"    {fate.reason or 'no reason is known: the suite is too weak, or the code is dead'}"
        for fate in fates
        if fate.survives
    ]
    count = killed.total()
    share = f" ({count / len(fates):.1%})" if fates else ""
    unexplained = sum(fate.survives and not fate.reason for fate in fates)
    lines.append(
        f"{plural(len(fates), 'generated mutant')}: {count:,} killed{share}, "
        f"{len(fates) - count:,} survive, {unexplained:,} of them without a reason"
    )
    return "\n".join(lines) if quiet else table + "\n\n" + "\n".join(lines)


def as_object(fates: Sequence[Fate]) -> dict[str, object]:
    """The same as JSON, beside the lists of the written mutants; no clock is in it."""
    return {
        "mutants": [],
        "survivors": [],
        "generated": [
            {
                "id": fate.change.id,
                "file": fate.change.file,
                "line": fate.change.line,
                "killed_by": list(fate.killed_by),
                "case": fate.case,
                "reason": fate.reason,
            }
            for fate in fates
        ],
    }
