"""Samplers of the literature as competitors of ours, as their papers describe them.

They read more than the search ever sees of an agent: every step, and whether it reads or writes.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from simharness.search import Pct
from simharness.search.sampler import Sampler

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from simharness.choices import Chooser, Option
    from simharness.verdict import Verdict

__all__ = ["Pos", "Surw", "ThreePct"]


class ThreePct(Pct):
    """PCT for bugs of depth 3: always two change points (Burckhardt et al., ASPLOS 2010)."""

    def changes(self, random: Random) -> int:
        """One less than the depth."""
        return self.d - 1


class Pos(Sampler):
    """Partial order sampling (Yuan, Yang and Gu, CAV 2018).

    Each pending step has a random priority and the highest goes. Then the step behind it, and all
    pending ones that race with it, draw new priorities.
    """

    def __init__(self, *, seed: int = 0) -> None:
        super().__init__("pos", seed)

    def chooser(self, random: Random) -> Chooser:
        """Return a chooser with priorities of steps."""
        return _Prioritising(random)


class _Prioritising:
    def __init__(self, random: Random) -> None:
        self._random = random.random
        self._of: dict[str, tuple[str, float]] = {}  # owner -> label of its step, priority

    def choose(self, options: Sequence[Option]) -> int:
        """Return the option of the highest priority."""
        for option in options:
            if self._of.get(option.owner, ("",))[0] != option.label:
                self._of[option.owner] = option.label, self._random()
        chosen = max(range(len(options)), key=lambda n: self._of[options[n].owner][1])
        for option in options:
            if option is options[chosen] or _race(option, options[chosen]):
                del self._of[option.owner]
        return chosen


def _race(one: Option, other: Option) -> bool:
    both_read = one.label.startswith("read ") and other.label.startswith("read ")
    return one.topic != "" and one.topic == other.topic and not both_read


class Surw(Sampler):
    """Selectively uniform random walk (Zhao et al., ASPLOS 2025).

    The steps of one variable, drawn per trial, are interleaved uniformly: the next thread to make
    one is drawn by how many it has left, those of its unborn children included, as counted in one
    profiling run. Everything else is a random walk.
    """

    learns = True

    def __init__(self, *, seed: int = 0) -> None:
        super().__init__("surw", seed)
        self._counts: dict[str, Counter[str]] | None = None

    def chooser(self, random: Random) -> Chooser:
        """Return a plain walk first, to count; then draw a variable that is shared."""
        if self._counts is None:
            return _Weighing(random, "", Counter())
        shared = sorted(name for name, steps in self._counts.items() if len(steps) > 1)
        variable = random.choice(shared)
        return _Weighing(random, variable, Counter(self._counts[variable]))

    def read(self, verdict: Verdict) -> str:
        """Return all steps; the machine's trace lists them."""
        return verdict.trace_hash if self._counts is None else ""

    def learn(self, trace: str) -> None:
        """Count the steps of each thread on each variable."""
        if self._counts is not None:
            return
        self._counts = {}
        for line in trace.splitlines():
            owner, _, label = line.partition(": ")
            variable = label.partition(" ")[2]
            if variable:
                self._counts.setdefault(variable, Counter())[owner] += 1


class _Weighing:
    def __init__(self, random: Random, variable: str, left: Counter[str]) -> None:
        self._random = random.random
        self._variable = variable
        self._left = left
        self._born = {"main"}
        self._next = ""

    def choose(self, options: Sequence[Option]) -> int:
        """Walk at random, but only the next thread may touch the variable."""
        owners = [option.owner for option in options]
        for owner in owners:
            if owner not in self._born:
                self._born.add(owner)
                if self._next == "main":  # it stood for the child as well
                    self._next = self._draw(["main", owner])
        if self._next not in owners:
            self._next = self._draw(owners)
        free = [n for n, o in enumerate(options) if o.owner == self._next or not self._touches(o)]
        free = free or list(range(len(options)))
        chosen = free[int(self._random() * len(free))]
        if self._touches(options[chosen]):
            self._left[owners[chosen]] -= 1
            self._next = ""
        return chosen

    def _touches(self, option: Option) -> bool:
        return bool(self._variable) and option.topic == self._variable

    def _draw(self, owners: list[str]) -> str:
        weights = [max(0, self._weight(owner)) for owner in owners]
        drawn = self._random() * sum(weights)
        for owner, weight in zip(owners, weights, strict=True):
            drawn -= weight
            if drawn < 0:
                return owner
        return ""

    def _weight(self, owner: str) -> int:
        unborn = sum(n for o, n in self._left.items() if o not in self._born)
        return self._left[owner] + (unborn if owner == "main" else 0)
