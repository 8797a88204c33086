"""The search: which schedules to try, and how to shrink what was found.

Sees options and verdicts only. One strategy per file; `explore` drives them all.
"""

from simharness.search.bounded import Bounded
from simharness.search.default import Default
from simharness.search.deviate import Deviate
from simharness.search.explore import Exploration, RunOnce, Stop, explore
from simharness.search.portfolio import Portfolio, portfolio
from simharness.search.replay import Replay
from simharness.search.strategy import Strategy
from simharness.search.sweep import Sweep
from simharness.search.uniform import Uniform

__all__ = [
    "Bounded",
    "Default",
    "Deviate",
    "Exploration",
    "Portfolio",
    "Replay",
    "RunOnce",
    "Stop",
    "Strategy",
    "Sweep",
    "Uniform",
    "explore",
    "portfolio",
]
