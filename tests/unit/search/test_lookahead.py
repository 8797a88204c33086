"""Strategies are asked for trials ahead: what they propose must not depend on how many are out."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import pytest

from simharness.search import (
    Bounded,
    Default,
    Deviate,
    Portfolio,
    Survey,
    Sweep,
    Uniform,
    portfolio,
)
from simharness.search.sampler import Sampler
from tests.tiny import family, running

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from simharness.choices import Chooser
    from simharness.search import Strategy
    from simharness.verdict import Verdict

WIDE = family(3, 3)
BUDGET = 150


class Learning(Sampler):
    """Deviates the more the longer the trials were, so that each trial tells what it knew."""

    learns = True

    def __init__(self, *, seed: int = 0) -> None:
        super().__init__("learning", seed)
        self._points = 0

    def chooser(self, random: Random) -> Chooser:
        """Return a chooser that depends on all that was learned."""
        return Deviate((1 + self._points % 9) / 10).chooser(random)

    def read(self, verdict: Verdict) -> int:
        """Return the length, and the deviations too."""
        return len(verdict.course) + len(verdict.schedule)

    def learn(self, points: int) -> None:
        """Add it up, in order."""
        self._points = 3 * self._points + points


STRATEGIES: dict[str, Callable[[], Strategy]] = {
    "default": Default,
    "sweep": Sweep,
    "bounded": lambda: Bounded(2),
    "random": Uniform,
    "learning": Learning,
    "portfolio": lambda: portfolio(bound=1),
    "two samplers": lambda: Portfolio((Default(),), (Learning(), Uniform(), Learning(seed=1))),
}


def ahead(strategy: Strategy, most: int) -> tuple[list[str], str]:
    """Search with up to `most` trials out; the trials in order, and what was covered."""
    run = running(WIDE)
    survey = Survey(strategy, BUDGET)
    out: deque[tuple[object, Verdict]] = deque()
    ran = []
    while survey.stop is None:
        proposal = survey.propose()
        if proposal is not None:
            found = run(proposal.chooser())
            ran.append(f"{proposal}: {found.trace_hash}")
            out.append((proposal.read(found), found))
        while out and (proposal is None or len(out) == most):
            answer, found = out.popleft()
            survey.count(answer, found.trace_hash, found.ending)
    return ran, survey.describe()


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("most", [2, 7, 1000])
def test_trials_do_not_depend_on_how_many_are_out(name: str, most: int) -> None:
    """The same trials in the same order, and the same is said about them."""
    assert ahead(STRATEGIES[name](), 1) == ahead(STRATEGIES[name](), most)


def test_a_sampler_that_learns_waits_for_what_it_draws_from() -> None:
    """Trials 4 to 7 are drawn from what trials 0 to 3 showed."""
    sampler = Learning()
    proposed = 0
    for _ in range(3):
        while (proposal := sampler.propose()) is not None:
            proposed += 1
            last = proposal
        for _ in range(proposed - int(sampler.describe().split()[1])):
            sampler.take(1)
    assert 4 == proposed
    assert "learning/0/3" == str(last)


def test_a_budget_is_not_overdrawn_by_trials_that_are_out() -> None:
    """What is out counts; what the strategy has beyond is not proposed."""
    survey = Survey(Uniform(), 3)
    assert 3 == sum(survey.propose() is not None for _ in range(10))
    assert survey.stop is None
    for _ in range(3):
        survey.count(None, "hash", "ending")
    assert survey.propose() is None
    assert "budget of 3 trials spent" in survey.describe()


def test_an_answer_to_no_proposal_is_a_fault_of_ours() -> None:
    """A plan could not say what it answers."""
    with pytest.raises(AssertionError, match="an answer to no proposal"):
        Bounded(1).take(None)


def test_a_proposal_can_be_pickled_small() -> None:
    """Fifty trials of a sampler travel with one copy of it."""
    import pickle

    sampler = Uniform(seed=3)
    batch = [sampler.propose() for _ in range(50)]
    again = pickle.loads(pickle.dumps(batch))
    assert [str(one) for one in batch] == [str(one) for one in again]
    assert len(pickle.dumps(batch)) < 50 * 40
