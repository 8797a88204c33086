"""Bounded search: every schedule with few deviations, each once; exact counts of tiny programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st

from simharness.choices import EMPTY, Chooser, Kind, Option, Schedule
from simharness.search import Bounded, explore
from simharness.search.plan import Shape
from tests.tiny import Tree, climbing, family, leaves, running

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
