"""Samplers: what they draw is a function of seed and trial number, and how often they deviate."""

from __future__ import annotations

import pytest

from simharness.choices import Kind, Option, Schedule
from simharness.search import Deviate, Strategy, Uniform, explore
from tests.tiny import climbing, family, running, verdict

OPTIONS = tuple(Option(str(number), Kind.SOURCE, str(number)) for number in range(3))


def drawn(strategy: Strategy, trials: int, points: int = 20) -> list[list[int]]:
    """Draw choices for so many trials of so many points with three options each."""
    rows = []
    for _ in range(trials):
        proposal = strategy.propose()
        assert proposal is not None
        chooser = proposal.chooser()
        rows.append([chooser.choose(OPTIONS) for _ in range(points)])
        strategy.take(proposal.read(verdict((), "")))
    return rows


@pytest.mark.parametrize("make", [Deviate, Uniform])
class TestDraws:
    def test_the_same_seed_draws_the_same_trials(self, make: type[Deviate | Uniform]) -> None:
        """A seed is all that is needed to see them again."""
        assert drawn(make(seed=7), 10) == drawn(make(seed=7), 10)

    def test_another_seed_draws_other_trials(self, make: type[Deviate | Uniform]) -> None:
        """Two seeds never agree at all 100 points by chance.

        Uniform agrees at a point with probability 1/3. Deviate 10 % with 0.9 ** 2 + 2 * 0.05 ** 2 =
        0.815, so at 100 points with less than 2e-9.
        """
        assert drawn(make(seed=7), 5) != drawn(make(seed=8), 5)

    def test_a_trial_depends_on_its_number_not_on_those_before(
        self, make: type[Deviate | Uniform]
    ) -> None:
        """Longer trials before it do not change what trial 3 draws."""
        assert drawn(make(seed=7), 4, points=20)[3] == drawn_late(make(seed=7))

    def test_sampling_never_claims_to_be_complete(self, make: type[Deviate | Uniform]) -> None:
        """However many trials there were."""
        strategy = make(seed=3)
        list(explore(climbing(((), ())), strategy, 20))
        assert (False, None) == (strategy.exhausted(), strategy.exhausted_to())
        assert f"{strategy.name}: 20 drawn (seed 3)" == strategy.describe()


def drawn_late(strategy: Deviate | Uniform) -> list[int]:
    """Trial 3 of `strategy`, with three long trials before it."""
    drawn(strategy, 3, points=500)
    return drawn(strategy, 1, points=20)[0]


class TestDeviate:
    def test_it_deviates_with_its_probability_to_every_other_option(self) -> None:
        """Of 20,000 points 2,000 deviate on average, 1,000 to each option.

        The standard deviation is 42 (31 for one option), so 5 of them are missed with probability
        below 1e-6; and the seed is fixed, so the test cannot flicker.
        """
        counts = [0, 0, 0]
        for row in drawn(Deviate(0.1, seed=1), 200, points=100):
            for choice in row:
                counts[choice] += 1
        assert 20_000 == sum(counts)
        assert all(abs(count - 1000) < 155 for count in counts[1:]), counts

    def test_a_probability_of_1_never_takes_the_default(self) -> None:
        """The other end of the scale."""
        assert all(choice for row in drawn(Deviate(1.0), 20) for choice in row)

    def test_a_probability_of_0_is_refused(self) -> None:
        """It would be the default trial again and again."""
        with pytest.raises(AssertionError, match="p is a probability above 0"):
            Deviate(0)

    def test_it_finds_an_order_that_takes_two_deviations(self) -> None:
        """One child that must run whole between two steps of main, at a given moment.

        Two deviations at two of about 9 points: 0.1 ** 2 * 0.9 ** 7 = 0.0048 per trial, so 1,500
        trials miss it with probability 0.0007; the seed is fixed.
        """
        wanted = "main main main main child0 child0 child0 main main"
        exploration = explore(running(family(4, 2)), Deviate(0.1, seed=0), 1500)
        assert any(found.trace_hash == wanted for found in exploration)


class TestUniform:
    def test_every_option_is_drawn_alike(self) -> None:
        """Of 6,000 points each option gets 2,000 on average, with a standard deviation of 37.

        Off by 5 of these: probability below 1e-6 for each option, and the seed is fixed.
        """
        rows = drawn(Uniform(seed=1), 60, points=100)
        counts = [sum(row.count(option) for row in rows) for option in range(3)]
        assert all(abs(count - 2000) < 185 for count in counts), counts

    def test_it_covers_a_small_tree(self) -> None:
        """Six interleavings, the rarest with probability 1/32: missed by 400 trials with 3e-6."""
        exploration = explore(running(family(0, 4)), Uniform(seed=0), 400)
        found: set[Schedule] = {verdict.schedule for verdict in exploration}
        assert 6 == len(found)
