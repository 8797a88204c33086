"""The table of mutants, for people and for machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from simharness.plural import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.campaign.proving import Kill

__all__ = ["as_object", "as_text"]


def as_text(kills: Sequence[Kill], *, quiet: bool = False, verbose: bool = False) -> str:
    """Who was killed where unless `quiet`, then who survived. `verbose`: what each one does."""
    rows = [
        (
            kill.mutant.id,
            kill.mutant.rule,
            "survives" if kill.finding is None else kill.finding.example.case.id,
            "" if kill.finding is None else len(kill.finding.example.schedule),
            kill.trials,
        )
        for kill in kills
    ]
    heads = ["mutant", "its rule", "killed by the case", "deviations", "trials"]
    table = tabulate(rows, heads, tablefmt="simple", intfmt=",")
    survivors = [kill for kill in kills if kill.survives]
    lines = [f"{kill.mutant.id}: {kill.mutant.about}" for kill in kills if verbose]
    lines += [
        f"SURVIVES {kill.mutant.id}: {kill.mutant.about} Expected {kill.mutant.rule}, "
        f"seen {', '.join(kill.broken) or 'nothing'}."
        for kill in survivors
    ]
    lines.append(
        f"{plural(len(kills), 'mutant')}: {len(kills) - len(survivors)} killed, "
        f"{len(survivors)} survive"
    )
    return "\n".join(lines) if quiet else table + "\n\n" + "\n".join(lines)


def as_object(kills: Sequence[Kill]) -> dict[str, object]:
    """The same as JSON; no clock is in it."""
    return {
        "mutants": [_object(kill) for kill in kills],
        "survivors": [kill.mutant.id for kill in kills if kill.survives],
    }


def _object(kill: Kill) -> dict[str, object]:
    finding = kill.finding
    return {
        "id": kill.mutant.id,
        "about": kill.mutant.about,
        "killed_by": [] if finding is None else list(kill.broken),
        "expected_rule": kill.mutant.rule,
        "case": None if finding is None else finding.example.case.id,
        "replay": None if finding is None else finding.replay,
    }
