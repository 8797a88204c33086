"""Selective sampling: uniform over the steps of a topic, and what it learns and counts."""

from __future__ import annotations

import itertools
from collections import Counter
from random import Random

from simharness.choices import Kind, Option, Point
from simharness.search import Opposite, RunOnce, Selective, Uniform, explore
from simharness.search.priorities import SourcePriorities, StepPriorities
from simharness.search.steps import counted
from simharness.search.strategy import Strategy
from tests.tiny import family, running, verdict


def option(owner: str, label: str = "", topic: str = "") -> Option:
    """An option of a source."""
    return Option(label or owner, Kind.SOURCE, owner, topic)


def traces(run: RunOnce, strategy: Strategy, trials: int) -> Counter[str]:
    """How often each interleaving was drawn."""
    seen: Counter[str] = Counter()
    for _ in range(trials):
        proposal = strategy.propose()
        assert proposal is not None
        verdict = run(proposal.chooser())
        strategy.take(proposal.read(verdict))
        seen[verdict.trace_hash] += 1
    return seen


class TestUniformity:
    def test_every_interleaving_is_drawn_about_as_often(self) -> None:
        """252 of them: each some 20 times in 5,000 trials, where a walk draws one 165 times."""
        run = running(family(4, 4))
        ours = traces(run, Selective(seed=1), 5000)
        walk = traces(run, Uniform(seed=1), 5000)
        assert 252 == len(ours)
        assert max(ours.values()) < 60
        assert max(walk.values()) > 150

    def test_only_the_next_source_makes_a_step_of_the_topic(self) -> None:
        """Three sources with one step on `a` each: all six orders are as likely."""
        orders: Counter[tuple[str, ...]] = Counter()
        strategy = Selective(seed=2)
        for _ in range(600):
            proposal = strategy.propose()
            assert proposal is not None
            chooser, waiting, order, course = proposal.chooser(), ["x", "y", "z"], [], []
            while len(waiting) > 1:
                options = tuple(option(name, f"{name} writes a", "a") for name in waiting)
                chosen = chooser.choose(options)
                course.append(Point(options, chosen))
                order.append(waiting.pop(chosen))
            strategy.take(proposal.read(verdict(tuple(course), "")))
            orders[*order] += 1
        assert 6 == len(orders)
        assert min(orders.values()) > 70

    def test_a_source_that_comes_late_can_still_be_first(self) -> None:
        """The topic waits for it as long as something else can go on."""
        early, late = option("early", "write a", "a"), option("late", "write a", "a")
        other = option("other", "write b", "b")
        first = Counter[str]()
        strategy = Selective(seed=3)
        for _ in range(200):
            proposal = strategy.propose()
            assert proposal is not None
            chooser, course = proposal.chooser(), []
            options: tuple[Option, ...] = (early, other)
            while True:
                chosen = chooser.choose(options)
                course.append(Point(options, chosen))
                if options[chosen].topic == "a":
                    first[options[chosen].owner] += 1
                    break
                options = (early, late)  # `other` is done, and `late` is there
            strategy.take(proposal.read(verdict(tuple(course), "")))
        assert min(first["early"], first["late"]) > 60


class TestSteps:
    def test_a_step_that_was_no_choice_is_counted_all_the_same(self) -> None:
        """`a` offered one step, then another one: it made the first in between."""
        one, two = option("a", "one", "t"), option("a", "two", "t")
        b = option("b", "b", "t")
        course = (Point((one, b), 1), Point((two, option("b", "b again", "t")), 0))
        assert {"t": {"a": 2, "b": 2}} == counted(course)

    def test_topics_are_counted_apart(self) -> None:
        """What a source does to two things is two numbers."""
        course = (Point((option("a", "x", "x"), option("b", "y", "y")), 0),)
        assert {"x": {"a": 1}, "y": {"b": 1}} == counted(course)


class TestPriorities:
    def test_those_of_sources_stay(self) -> None:
        """The same source is in front until it is put last."""
        ranks = SourcePriorities(Random(1))
        options = [option(name) for name in "abc"]
        front = {ranks.first(options, range(3)) for _ in range(20)}
        assert 1 == len(front)
        ranks.put_last(options[front.pop()].owner)
        assert 1 == len({ranks.first(options, range(3)) for _ in range(20)})

    def test_those_of_steps_are_drawn_anew_behind_a_step_of_the_same_topic(self) -> None:
        """No source is favoured among those that may race."""
        ranks = StepPriorities(Random(1))
        options = [option(name, topic="t") for name in "abc"]
        front = Counter(ranks.first(options, range(3)) for _ in range(900))
        assert 3 == len(front)
        assert min(front.values()) > 200

    def test_a_step_that_races_with_nothing_keeps_its_priority(self) -> None:
        """Of two sources only the one in front draws anew, until the other one is."""
        ranks = StepPriorities(Random(1))
        options = [option("a"), option("b")]
        front = [ranks.first(options, range(2)) for _ in range(4000)]
        runs = [len(list(same)) for _, same in itertools.groupby(front)]
        assert max(runs) > 20


def test_the_opposite_takes_the_last_option_everywhere_and_once() -> None:
    """One trial; it proves nothing."""
    strategy = Opposite()
    assert "opposite: not run" == strategy.describe()
    (only,) = explore(running(family(2, 2)), strategy, 10)
    assert all(point.chosen == len(point.options) - 1 for point in only.course)
    assert (False, None) == (strategy.exhausted(), strategy.exhausted_to())
    assert "last option everywhere" == strategy.describe()
