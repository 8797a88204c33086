"""Searches in strict mode for what was found in relaxed mode.

Relaxed mode also permutes ready task steps, which no stock loop does. A failure found there is a
bug report only if strict mode shows it too: the same rule broken in the same words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from simharness.search import explore, find_again, portfolio

if TYPE_CHECKING:
    from simharness.search import RunOnce
    from simharness.verdict import Verdict

__all__ = ["RELAXED_ONLY", "confirmed"]

RELAXED_ONLY: Final = "relaxed only: no stock loop is known to do this"

_NEAR: Final = 60
_FAR: Final = 140


def confirmed(run_once: RunOnce, found: Verdict, rule: str) -> Verdict | None:
    """Return a trial of `run_once`, which is strict, that breaks `rule` as `found` does.

    First close to the relaxed schedule, without its permuted steps, then with the portfolio; 200
    trials in all. None proves nothing: it was not found.
    """
    near = find_again(run_once, found, rule, budget=_NEAR)
    if near is not None:
        return near
    search = explore(run_once, portfolio(), _FAR)
    return next((verdict for verdict in search if rule in verdict.broken()), None)
