"""Delay: who is held back, how long, and at which points."""

from __future__ import annotations

import itertools

from simharness.choices import EMPTY, Kind, Option, Point
from simharness.search import Delay
from simharness.search.plan import Shape
from simharness.verdict import Verdict
from tests.tiny import verdict

OPTIONS = tuple(Option(name, Kind.SOURCE, name, "t") for name in "ab")


def trial(points: int) -> Verdict:
    """A default trial with so many points."""
    return verdict((Point(OPTIONS, 0),) * points, "a trial")


def delays(strategy: Delay, trials: int, points: int) -> list[list[int]]:
    """The points at which each trial holds the first of two sources that race at each point."""
    held = []
    for _ in range(trials):
        proposal = strategy.propose()
        assert proposal is not None
        chooser = proposal.chooser()
        held.append([point for point in range(points) if chooser.choose(OPTIONS)])
        strategy.take(proposal.read(trial(points)))
    return held


def order(*steps: str, points: int = 1, number: int = 0) -> str:
    """Who goes on in trial `number`, as in `abab`; each step names its source and its topic.

    The steps of a source come in order, and who waits longest is the first option.
    """
    strategy = Delay(seed=3, known={EMPTY: Shape.of(trial(points).course)})
    delays(strategy, number, points)
    proposal = strategy.propose()
    assert proposal is not None
    chooser = proposal.chooser()

    left = {
        name: [Option(s, Kind.SOURCE, name, s[1:]) for s in steps if s[0] == name] for name in "abc"
    }
    waiting = [of.pop(0) for of in left.values() if of]
    went = ""
    while waiting:
        chosen = waiting.pop(chooser.choose(waiting) if len(waiting) > 1 else 0)
        went += chosen.owner
        waiting += left[chosen.owner][:1]
        del left[chosen.owner][:1]
    return went


class TestHolding:
    """One point, so the very first source is held back: `a`."""

    def test_it_waits_for_a_step_of_the_same_topic(self) -> None:
        """Then the default goes on: it is the one that waits longest."""
        assert "bacba" == order("at", "at", "bt", "bt", "ct")
        assert "bcabc" == order("at", "bu", "bu", "ct", "cu")

    def test_without_a_topic_it_waits_until_no_other_can_go_on(self) -> None:
        """Nothing says what its step races with."""
        assert "bcbca" == order("a", "b", "b", "c", "c")

    def test_it_goes_on_last_if_the_step_never_comes(self) -> None:
        """Nothing else is left then."""
        assert "bcbcaa" == order("at", "at", "bu", "bu", "cv", "cv")

    def test_where_only_those_are_left_that_wait_the_longest_waiting_goes_on(self) -> None:
        """Two delays in ten points: some trial holds `c` and then `b`."""
        steps = ("at", "at", "at", "bu", "bu", "bu", "cv", "cv", "cv")
        orders = {order(*steps, points=10, number=number) for number in range(20)}
        assert "abaacccbb" in orders


class TestPlaces:
    def test_they_are_dealt_out_before_one_comes_again(self) -> None:
        """A fifth of ten points in each trial: five trials delay at each of them once."""
        for seed in range(5):
            known = {EMPTY: Shape.of(trial(10).course)}
            held = delays(Delay(seed=seed, known=known), 10, 10)
            assert [2] * 10 == [len(points) for points in held]
            assert list(range(10)) == sorted(itertools.chain(*held[:5]))
            assert list(range(10)) == sorted(itertools.chain(*held[5:]))
            assert held[:5] != held[5:]

    def test_another_seed_deals_in_another_order(self) -> None:
        """The same one in the same."""
        first, again, other = (delays(Delay(seed=seed), 16, 4) for seed in (1, 1, 2))
        assert first == again
        assert first != other

    def test_how_many_there_are_is_learned(self) -> None:
        """Where no default trial is known, the first one delays at its first point."""
        held = delays(Delay(seed=3), 8, 4)
        assert [0] == held[0]
        assert {0, 1, 2, 3} == {point for points in held[4:] for point in points}
