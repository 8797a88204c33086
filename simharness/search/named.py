"""Strategies by the name a user writes."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from simharness.search.bounded import Bounded
from simharness.search.default import Default
from simharness.search.deviate import Deviate
from simharness.search.portfolio import portfolio
from simharness.search.sweep import Sweep
from simharness.search.uniform import Uniform

if TYPE_CHECKING:
    from simharness.search.strategy import Strategy

__all__ = ["NAMES", "UnknownStrategyError", "strategy"]

NAMES = ("portfolio", "default", "sweep", "bounded", "exhaustive", "deviate", "random")


class UnknownStrategyError(ValueError):
    """A name that no strategy has."""


def strategy(name: str = "portfolio", *, bound: int = 2, seed: int = 0) -> Strategy:
    """Make a fresh strategy. `bound` is for bounded and portfolio, `seed` for those that draw."""
    if name == "portfolio":
        return portfolio(bound=bound, seed=seed)
    if name == "default":
        return Default()
    if name == "sweep":
        return Sweep()
    if name in {"bounded", "exhaustive"}:
        return Bounded(bound if name == "bounded" else None)
    if name == "deviate":
        return Deviate(seed=seed)
    if name == "random":
        return Uniform(seed=seed)
    close = difflib.get_close_matches(name, NAMES, n=1)
    guess = f"; did you mean {close[0]!r}?" if close else ""
    raise UnknownStrategyError(
        f"no strategy is called {name!r}{guess} There are: {', '.join(NAMES)}"
    )
