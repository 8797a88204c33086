"""Bounded search: every schedule with few deviations, each once; exact counts of tiny programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from simharness.choices import EMPTY, Chooser, Kind, Option, Point, Schedule
from simharness.search import Bounded, explore
from simharness.search.plan import Shape
from tests.tiny import Tree, climbing, family, leaves, running, verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.search.plan import Known
    from simharness.verdict import Verdict

trees = st.recursive(
    st.just(()), lambda children: st.lists(children, max_size=4).map(tuple), max_leaves=25
)


def schedules(tree: Tree, bound: int | None) -> list[Schedule]:
    """Enumerate `tree` within `bound` and return the schedules in the order they ran."""
    ran = []

    def run_once(chooser: Chooser) -> Verdict:
        found = climbing(tree)(chooser)
        ran.append(found.schedule)
        return found

    list(explore(run_once, Bounded(bound), 10_000))
    return ran


class TestEnumeration:
    @given(trees)
    def test_without_a_limit_it_is_brute_force(self, tree: Tree) -> None:
        """Each leaf of a random tree is reached once, none twice, none is missed."""
        ran = [found.trace_hash for found in explore(climbing(tree), Bounded(None), 10_000)]
        assert sorted(leaves(tree)) == sorted(ran)
        assert len(ran) == len(schedules(tree, None))

    @given(trees, st.integers(0, 3))
    def test_a_bound_keeps_exactly_the_schedules_within_it(self, tree: Tree, bound: int) -> None:
        """What bound c runs is what the unlimited search runs with at most c deviations."""
        within = [schedule for schedule in schedules(tree, None) if len(schedule) <= bound]
        assert sorted(within) == sorted(schedules(tree, bound))

    @given(trees)
    def test_fewer_deviations_come_first(self, tree: Tree) -> None:
        """The first failure that is found has the fewest deviations."""
        counts = [len(schedule) for schedule in schedules(tree, None)]
        assert sorted(counts) == counts

    @given(trees, st.integers(0, 3))
    def test_the_number_of_schedules_left_out_is_exact(self, tree: Tree, bound: int) -> None:
        """The statement counts the next level without running it."""
        search = Bounded(bound)
        list(explore(climbing(tree), search, 10_000))
        beyond = sum(len(schedule) == bound + 1 for schedule in schedules(tree, None))
        assert search.exhausted() == (beyond == 0)
        if beyond:
            assert f"; {beyond:,} schedule" in search.describe()

    def test_known_courses_are_not_run_again(self) -> None:
        """A portfolio hands on what its earlier stages ran."""
        run = climbing((((), ()), ((), (), ())))
        known: Known = {EMPTY: Shape.of(run(_Fixed()).course)}
        ran = [found.trace_hash for found in explore(run, Bounded(None, known), 100)]
        assert ["0.1", "1.0", "1.1", "1.2"] == sorted(ran)


class TestCounts:
    @pytest.mark.parametrize(
        ("main", "children", "count"),
        [
            (4, (4,), 252),  # C(10, 5): five steps each once the child is spawned
            (0, (4,), 6),  # C(6, 1): main has only its end left
            (
                1,
                (1, 1),
                126,
            ),  # 90 + 30 + 6, by how far the first child is when main spawns the second
        ],
    )
    def test_every_interleaving_is_counted_once(
        self, main: int, children: tuple[int, ...], count: int
    ) -> None:
        """The search agrees with the formula, and says that it is exhausted."""
        search = Bounded(None)
        exploration = explore(running(family(main, *children)), search, 100_000)
        assert count == len(list(exploration)) == exploration.trials
        assert f"exhausted: all {count:,} schedules" == search.describe()


class TestSame:
    """What the world knows to be the same trial is left out, on the last level only."""

    def test_the_last_level_leaves_out_what_is_known(self) -> None:
        """And the sentence counts it."""
        search = Bounded(1)
        exploration = explore(_one_is_known, search, 100)
        assert [EMPTY, ((0, 1),), ((1, 2),)] == [found.schedule for found in exploration]
        done = "exhaustive up to 1 (3 schedules, 1 more is the same)"
        assert f"{done}; at least 2 schedules with 2 deviations not run" == search.describe()
        assert not search.exhausted()

    def test_an_earlier_level_runs_it(self) -> None:
        """Behind it there may be schedules that lead elsewhere."""
        search = Bounded(2)
        list(explore(_one_is_known, search, 100))
        assert "exhaustive up to 2 (5 schedules, 1 more is the same)" in search.describe()

    def test_without_a_limit_all_are_run(self) -> None:
        """An enumeration counts every schedule there is."""
        search = Bounded(None)
        list(explore(_one_is_known, search, 100))
        assert "exhausted: all 6 schedules" == search.describe()

    def test_a_level_in_progress_counts_what_is_to_be_run(self) -> None:
        """Of those that were to be run, not of all."""
        search = Bounded(1)
        list(explore(_one_is_known, search, 2))
        assert (
            "exhaustive up to 0 (1 schedule); 1 of 2 schedules with 1 deviation run, not the rest"
            == search.describe()
        )


def _one_is_known(chooser: Chooser) -> Verdict:
    """Two points of two and three options; of the second point, option 1 is the same trial."""
    points = []
    for labels, same in ((("a", "b"), 0), (("c", "d", "e"), 1)):
        options = tuple(Option(label, Kind.SOURCE, label) for label in labels)
        points.append(Point(options, chooser.choose(options), same=same))
    return verdict(tuple(points), " ".join(p.options[p.chosen].label for p in points))


class TestStatement:
    def test_before_the_first_trial_nothing_is_claimed(self) -> None:
        """No bound is complete yet."""
        search = Bounded(2)
        assert (False, None, "bounded 2: not run") == (
            search.exhausted(),
            search.exhausted_to(),
            search.describe(),
        )

    def test_a_complete_bound_names_what_lies_beyond(self) -> None:
        """The next level is counted in the sentence."""
        search = Bounded(0)
        list(explore(running(family(4, 4)), search, 100))
        assert 0 == search.exhausted_to()
        assert (
            "exhaustive up to 0 (1 schedule); 5 schedules with 1 deviation not run"
            == search.describe()
        )

    def test_a_level_that_was_begun_says_how_far_it_came(self) -> None:
        """What the budget cut off is not claimed."""
        search = Bounded(2)
        list(explore(running(family(4, 4)), search, 4))
        assert 0 == search.exhausted_to()
        assert (
            "exhaustive up to 0 (1 schedule); 3 of 5 schedules with 1 deviation run, not the rest"
            == search.describe()
        )

    def test_trials_that_do_not_follow_their_schedule_prove_nothing(self) -> None:
        """A program that changes between trials is never called exhausted."""
        calls = iter(range(100))

        def run_once(chooser: Chooser) -> Verdict:
            tree: Tree = ((), (), ()) if next(calls) == 0 else ((), ())
            return climbing(tree)(chooser)

        search = Bounded(None)
        list(explore(run_once, search, 100))
        assert (False, 0) == (search.exhausted(), search.exhausted_to())
        assert "exhaustive: 1 trial did not follow its schedule, nothing is proved" == (
            search.describe()
        )


class _Fixed:
    def choose(self, options: Sequence[Option]) -> int:
        assert all(option.kind is Kind.SOURCE for option in options)
        return 0
