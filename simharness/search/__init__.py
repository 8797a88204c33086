"""The search: which schedules to try, and how to shrink and explain what was found.

Sees options and verdicts only. One strategy per file; `explore` drives them all.
"""

from simharness.search.bounded import Bounded
from simharness.search.default import Default
from simharness.search.delay import Delay
from simharness.search.deviate import Deviate
from simharness.search.explain import Part, explain
from simharness.search.explore import Exploration, RunOnce, explore
from simharness.search.opposite import Opposite
from simharness.search.pct import Pct
from simharness.search.portfolio import Portfolio, portfolio
from simharness.search.recall import Recall
from simharness.search.reduce import Reduced, find_again, shrink_value
from simharness.search.replay import Replay
from simharness.search.selective import Selective
from simharness.search.shrink import Shrunk, Why, shrink
from simharness.search.strategy import Strategy
from simharness.search.survey import Stop, Survey
from simharness.search.sweep import Sweep
from simharness.search.uniform import Uniform
from simharness.search.words import Words, WordsChooser, in_words

__all__ = [
    "Bounded",
    "Default",
    "Delay",
    "Deviate",
    "Exploration",
    "Opposite",
    "Part",
    "Pct",
    "Portfolio",
    "Recall",
    "Reduced",
    "Replay",
    "RunOnce",
    "Selective",
    "Shrunk",
    "Stop",
    "Strategy",
    "Survey",
    "Sweep",
    "Uniform",
    "Why",
    "Words",
    "WordsChooser",
    "explain",
    "explore",
    "find_again",
    "in_words",
    "portfolio",
    "shrink",
    "shrink_value",
]
