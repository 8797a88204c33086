"""Shrinking schedules, values, and explaining what is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, strategies as st

from simharness.choices import EMPTY, Chooser, Kind, Option, Point, ScheduleChooser
from simharness.search import (
    Bounded,
    Deviate,
    Reduced,
    RunOnce,
    Uniform,
    Why,
    explain,
    explore,
    find_again,
    shrink,
    shrink_value,
)
from simharness.search.edits import WantedChooser, lower
from simharness.verdict import Verdict, Violation
from tests.tiny import Tree, climbing, running, two_windows, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator


def failing(run_once: RunOnce, seed: int = 0) -> Verdict:
    """The first failing trial of a random walk: it has many needless deviations."""
    return next(v for v in explore(run_once, Uniform(seed=seed), 5000) if v.violations)


def planted(tree: Tree, bad: frozenset[str]) -> RunOnce:
    """A climb of `tree` that fails at the leaves named in `bad`."""
    climb = climbing(tree)

    def run_once(chooser: Chooser) -> Verdict:
        found = climb(chooser)
        broken = [Violation("planted", "here")] if found.trace_hash in bad else []
        return verdict(found.course, found.trace_hash, broken)

    return run_once


trees = st.recursive(
    st.just(()), lambda children: st.lists(children, max_size=4).map(tuple), max_leaves=20
)


class TestShrink:
    @pytest.mark.parametrize("seed", range(4))
    def test_a_planted_bug_of_three_deviations_shrinks_to_three(self, seed: int) -> None:
        """A walk finds it with 7 to 13; every start comes down to 3, and it is proved."""
        run = running(two_windows())
        found = failing(run, seed)
        assert len(found.schedule) > 3
        shrunk = shrink(run, found, "planted", budget=1000)
        assert (3, Why.LEAST) == (len(shrunk.schedule), shrunk.why)
        assert (
            "least (proved): 3 deviations; all 100 schedules with fewer hold" == shrunk.describe()
        )

    @given(trees, st.data())
    def test_the_result_breaks_the_rule_with_the_least_count(
        self, tree: Tree, data: st.DataObject
    ) -> None:
        """On random trees with random bad leaves: no schedule with fewer deviations fails."""
        everything = list(explore(climbing(tree), Bounded(None), 1000))
        names = [found.trace_hash for found in everything]
        bad = frozenset(data.draw(st.sets(st.sampled_from(names), min_size=1)))
        run = planted(tree, bad)
        start = run(ScheduleChooser(data.draw(st.sampled_from(everything)).schedule))
        assume(start.violations)
        shrunk = shrink(run, start, "planted", budget=2000)
        assert "planted" in run(ScheduleChooser(shrunk.schedule)).broken()
        least = min(len(found.schedule) for found in everything if found.trace_hash in bad)
        assert (least, Why.LEAST) == (len(shrunk.schedule), shrunk.why)

    @given(st.integers(0, 200), st.integers(0, 60))
    def test_any_budget_leaves_a_failing_schedule(self, budget: int, seed: int) -> None:
        """Cut off anywhere, the result still breaks the rule and is no larger than the start."""
        run = running(two_windows())
        start = failing(run, seed % 4)
        shrunk = shrink(run, start, "planted", budget=budget)
        assert shrunk.trials <= budget
        assert "planted" in run(ScheduleChooser(shrunk.schedule)).broken()
        assert len(shrunk.schedule) <= len(start.schedule)

    def test_a_spent_budget_says_so(self) -> None:
        """Nothing is claimed about fewer deviations."""
        run = running(two_windows())
        shrunk = shrink(run, failing(run), "planted", budget=20)
        assert Why.BUDGET is shrunk.why
        assert shrunk.describe().endswith(
            "deviations after 20 trials; the budget is spent, fewer may do"
        )

    def test_a_failure_of_the_default_schedule_is_least_at_once(self) -> None:
        """Fewer than none cannot be."""
        run = planted(((), ((), ())), frozenset({"0", "1.0", "1.1"}))
        shrunk = shrink(run, run(ScheduleChooser(((0, 1), (1, 1)))), "planted")
        assert (EMPTY, "least (proved): broken on the default schedule") == (
            shrunk.schedule,
            shrunk.describe(),
        )

    def test_the_same_choice_at_an_earlier_point_is_preferred(self) -> None:
        """Of equal counts the earliest point, then the lowest option."""
        options = tuple(Option(label, Kind.SOURCE, label) for label in ("go", "wait", "cancel"))

        def run_once(chooser: Chooser) -> Verdict:
            points = []
            for _ in range(12):
                chosen = chooser.choose(options)
                points.append(Point(options, chosen))
            taken = [number for number, point in enumerate(points) if point.chosen == 2]
            broken = [Violation("planted", "x")] if taken and taken[0] >= 3 else []
            return verdict(tuple(points), str([point.chosen for point in points]), broken)

        shrunk = shrink(run_once, run_once(ScheduleChooser(((9, 2),))), "planted")
        assert ((3, 2),) == shrunk.schedule

    def test_the_proof_finds_what_no_edit_leads_to(self) -> None:
        """A failure elsewhere with fewer deviations replaces the one at hand, and is the least."""
        run = planted(((), ((), ()), ()), frozenset({"1.1", "2"}))
        shrunk = shrink(run, run(ScheduleChooser(((0, 1), (1, 1)))), "planted")
        assert (((0, 2),), Why.LEAST) == (shrunk.schedule, shrunk.why)
        assert "least (proved): 1 deviation; the default schedule holds" == shrunk.describe()

    def test_the_least_stays_proved_when_the_budget_ends_behind_the_proof(self) -> None:
        """Only lowering was cut short."""
        run = planted(((), ((), ()), ()), frozenset({"1.1", "2"}))
        start = run(ScheduleChooser(((0, 1), (1, 1))))
        enough = shrink(run, start, "planted").trials
        assert Why.LEAST is shrink(run, start, "planted", budget=enough - 1).why

    def test_a_program_that_does_not_replay_proves_nothing(self) -> None:
        """The failing schedule repeats itself, but what lies below it does not."""
        run = planted((((), ()), ((), ())), frozenset({"1.1"}))

        def run_once(chooser: Chooser) -> Verdict:
            found = run(chooser)
            return found if found.violations else verdict((), "another program")

        shrunk = shrink(run_once, run_once(ScheduleChooser(((0, 1), (1, 1)))), "planted")
        assert Why.FLAKY is shrunk.why

    def test_another_rule_does_not_count(self) -> None:
        """A smaller schedule that breaks something else is not the same failure."""

        def run_once(chooser: Chooser) -> Verdict:
            found = climbing((((), ()), ((), ())))(chooser)
            rule = {"1.1": "planted", "0.0": "other"}.get(found.trace_hash)
            broken = [Violation(rule, "x")] if rule else []
            return verdict(found.course, found.trace_hash, broken)

        shrunk = shrink(run_once, run_once(ScheduleChooser(((0, 1), (1, 1)))), "planted")
        assert ((0, 1), (1, 1)) == shrunk.schedule
        assert "least (proved): 2 deviations; all 3 schedules with fewer hold" == shrunk.describe()

    def test_a_failure_that_never_comes_back_is_not_reproducible(self) -> None:
        """The first replay, and a second one, hold."""
        run = planted(((), ()), frozenset())
        start = verdict(run(ScheduleChooser(((0, 1),))).course, "1", [Violation("planted", "x")])
        shrunk = shrink(run, start, "planted")
        assert Why.NOT_REPRODUCIBLE is shrunk.why
        assert (
            "not reproducible: the schedule of 1 deviation no longer breaks the rule"
            == shrunk.describe()
        )

    def test_a_failure_that_comes_and_goes_is_flaky(self) -> None:
        """The same schedule breaks the rule only sometimes."""
        calls = iter([True, False, True])
        broken, sound = planted(((), ()), frozenset({"1"})), climbing(((), ()))

        def run_once(chooser: Chooser) -> Verdict:
            return broken(chooser) if next(calls) else sound(chooser)

        shrunk = shrink(run_once, run_once(ScheduleChooser(((0, 1),))), "planted")
        assert Why.FLAKY is shrunk.why
        assert "flaky: the schedule of 1 deviation does not give the same trial each time" == (
            shrunk.describe()
        )

    def test_a_failure_with_another_trace_each_time_is_flaky(self) -> None:
        """Breaking the same rule in another way is not the same trial."""
        calls = iter(range(10))

        def run_once(chooser: Chooser) -> Verdict:
            found = climbing(((), ()))(chooser)
            return verdict(found.course, f"trace {next(calls)}", [Violation("planted", "x")])

        assert Why.FLAKY is shrink(run_once, run_once(ScheduleChooser()), "planted").why


class TestWanted:
    def test_a_choice_is_followed_wherever_it_stands_among_the_options(self) -> None:
        """The same label first, then anything of the same source, else the default."""
        stream = [Option(f"chunk {n}", Kind.SOURCE, "stream") for n in (1, 2)]
        run, cancel = Option("run", Kind.RUN, "loop"), Option("cancel", Kind.ACTION, "user")
        chooser = WantedChooser(tuple((n, ("stream", Kind.SOURCE, "chunk 2")) for n in range(3)))
        assert 2 == chooser.choose([run, cancel, stream[1]])
        assert 1 == chooser.choose([run, stream[0], cancel])
        assert 0 == chooser.choose([run, cancel])

    def test_lowering_moves_a_deviation_only_to_where_its_choice_is_offered(self) -> None:
        """Another chunk of the same stream is another choice."""
        first, second = (Option(f"chunk {n}", Kind.SOURCE, "stream") for n in (1, 2))
        run = Option("run", Kind.RUN, "loop")
        course = (Point((run, first), 0), Point((run, second), 0), Point((run, second), 1))
        assert [((1, 1),)] == list(dict.fromkeys(lower(course)))

    def test_an_option_number_that_is_gone_is_the_default(self) -> None:
        """As in a replay."""
        options = [Option("run", Kind.RUN, "loop"), Option("cancel", Kind.ACTION, "user")]
        assert [0, 1] == [WantedChooser(((0, n),)).choose(options) for n in (4, 1)]


class TestValues:
    @staticmethod
    def reduced(start: list[int], bad: int, budget: int = 500) -> Reduced[list[int]]:
        """Shrink a list that fails while it holds a number of at least `bad`."""

        def smaller(value: list[int]) -> Iterator[list[int]]:
            for number in range(len(value)):
                yield value[:number] + value[number + 1 :]
            for number, item in enumerate(value):
                if item:
                    yield [*value[:number], item - 1, *value[number + 1 :]]

        def attempt(value: list[int], last: Verdict) -> Verdict | None:
            return last if any(item >= bad for item in value) else None

        whole = verdict((), "start", [Violation("planted", "x")])
        return shrink_value(start, whole, smaller=smaller, attempt=attempt, budget=budget)

    @given(st.lists(st.integers(0, 9), max_size=8), st.integers(0, 9))
    def test_the_result_still_fails_and_nothing_smaller_does(
        self, start: list[int], bad: int
    ) -> None:
        """Everything that can go is gone."""
        assume(any(item >= bad for item in start))
        result = self.reduced(start, bad)
        assert (True, [bad]) == (result.least, result.value)

    def test_a_spent_budget_says_so(self) -> None:
        """The last failing value is kept."""
        result = self.reduced([9, 9, 9, 9], 3, budget=2)
        assert ([9, 9], 2, False) == (result.value, result.attempts, result.least)
        assert "2 scenarios tried; the budget is spent" == result.describe()

    def test_a_value_that_cannot_shrink_stays(self) -> None:
        """One round over its forms is the proof."""
        result = self.reduced([3], 3)
        assert "2 scenarios tried; none of its smaller forms fails" == result.describe()

    def test_a_failure_is_found_again_in_a_smaller_program(self) -> None:
        """The old deviations, moved by a few points, still lead to it."""
        old, new = running(two_windows(1)), running(two_windows(0))
        small = shrink(old, failing(old), "planted").verdict
        found = find_again(new, small, "planted", budget=400)
        assert found is not None
        assert "planted" in found.broken()

    def test_a_failure_that_moved_far_is_found_by_the_portfolio(self) -> None:
        """Nothing near the old schedule fails; the search up to as many deviations does."""

        def long(at: int) -> RunOnce:
            tree: Tree = ()
            for _ in range(30):
                tree = (tree, ())
            return planted(tree, frozenset({".".join([*["0"] * at, "1"])}))

        last = long(2)(ScheduleChooser(((2, 1),)))
        found = find_again(long(22), last, "planted")
        assert found is not None
        assert ((22, 1),) == found.schedule

    def test_a_failure_that_is_gone_is_not_found(self) -> None:
        """Within the budget, which is never exceeded."""
        trials = 0
        sound = climbing((((), ()), ((), ())))

        def run_once(chooser: Chooser) -> Verdict:
            nonlocal trials
            trials += 1
            return sound(chooser)

        last = planted((((), ()), ((), ())), frozenset({"1.1"}))(ScheduleChooser(((0, 1), (1, 1))))
        assert find_again(run_once, last, "planted", budget=7) is None
        assert 7 == trials


class TestExplain:
    def test_each_deviation_is_shown_with_the_stretch_it_may_move_over(self) -> None:
        """The cancel breaks the rule from point 3 to 5, of 10."""
        options = (Option("run", Kind.RUN, "loop"), Option("cancel", Kind.ANYWHERE, "user"))

        def run_once(chooser: Chooser) -> Verdict:
            points = [Point(options, chooser.choose(options)) for _ in range(10)]
            at = [number for number, point in enumerate(points) if point.chosen]
            broken = [Violation("planted", "x")] if at and 3 <= at[0] <= 5 else []
            return verdict(tuple(points), str(at), broken)

        (part,) = explain(run_once, run_once(ScheduleChooser(((4, 1),))), "planted")
        assert (
            "point 4: cancel, instead of run; the same from point 3 to 5; "
            "gone if it comes earlier or later" == str(part)
        )

    def test_a_deviation_that_is_not_needed_is_told(self) -> None:
        """The failure does not depend on it."""
        run = planted((((), ()), ((), ())), frozenset({"1.0", "1.1"}))
        parts = explain(run, run(ScheduleChooser(((0, 1), (1, 1)))), "planted")
        assert [True, False] == [part.needed for part in parts]
        assert "point 1: branch 1, instead of branch 0; not needed" == str(parts[1])

    def test_a_failure_that_nothing_moves_says_no_more_than_the_choice(self) -> None:
        """The choice is offered at one point only, so nothing was seen to hold."""
        run = planted(((), ()), frozenset({"1"}))
        (part,) = explain(run, run(ScheduleChooser(((0, 1),))), "planted")
        assert "point 0: branch 1, instead of branch 0" == str(part)


def test_shrinking_starts_from_any_strategy() -> None:
    """Few deviations to begin with are no worse a start than many."""
    run = running(two_windows())
    start = next(v for v in explore(run, Deviate(seed=0), 5000) if v.violations)
    assert 3 == len(shrink(run, start, "planted").schedule)
