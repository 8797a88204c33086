"""Seeds: the last one that drew something here, and one search of a case from several of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs

from simharness.campaign.results import CaseResult, SuiteResult, deepened
from simharness.report.atomic import write_text

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["FILE", "last", "remember", "together"]

FILE: Final = Path(".simharness/last-seed")
"""Holds the seed that `--seed last` means, seen from the working directory."""


def last() -> int | None:
    """The seed of the last search in this folder that drew something; None if there was none."""
    try:
        return int(FILE.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def remember(drawn: Sequence[tuple[int, SuiteResult]]) -> None:
    """Note the seed of the first search that failed, else of the last one."""
    failed = (seed for seed, suite in drawn if any(result.findings for result in suite.results))
    write_text(FILE, f"{next(failed, drawn[-1][0])}\n")


def together(suites: Sequence[SuiteResult]) -> SuiteResult:
    """One result of the same cases searched from several seeds: what any of them found."""
    first, *others = suites
    for other in others:
        results = (_both(a, b) for a, b in zip(first.results, other.results, strict=False))
        remarks = tuple(dict.fromkeys((*first.remarks, *other.remarks)))
        first = attrs.evolve(first, results=tuple(results), remarks=remarks)
    return first


def _both(first: CaseResult, second: CaseResult) -> CaseResult:
    """What was pinned or waived counts if one of both shows it: a search need not find all."""
    both = deepened(first, second)
    pinned, waived = first.expected or second.expected, first.waived or second.waived
    if both.findings or not pinned:
        return attrs.evolve(both, waived=waived)
    shown = first if first.expected else second
    return attrs.evolve(
        both, verdict=shown.verdict, reason=shown.reason, expected=pinned, waived=waived
    )
