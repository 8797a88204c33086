"""Schedules in words: exact in the same program, close in another one."""

from __future__ import annotations

from hypothesis import given, strategies as st

from simharness.choices import (
    Chooser,
    Course,
    Kind,
    Option,
    Point,
    ScheduleChooser,
    WordedDeviation,
)
from simharness.search import Deviate, Recall, RunOnce, WordsChooser, explore, in_words
from simharness.verdict import Verdict, Violation
from tests.tiny import Program, family, running, two_windows, verdict

RUN = Option("run", Kind.RUN, "loop")
CANCEL = Option("cancel anywhere", Kind.ANYWHERE, "user")


def stream(steps: int, *, chunks: int = 3, bad: str = "") -> RunOnce:
    """A program with so many steps for each chunk; the cancel may fall at each of them.

    It breaks `planted` if the cancel comes while the chunk `bad` is the next one.
    """

    def run_once(chooser: Chooser) -> Verdict:
        points: list[Point] = []
        cancelled = ""
        for chunk in range(1, chunks + 1):
            coming = Option(f"chunk {chunk}", Kind.SOURCE, "stream")
            for _ in range(steps):
                options = (RUN, coming) if cancelled else (RUN, coming, CANCEL)
                chosen = chooser.choose(options)
                points.append(Point(options, chosen))
                if options[chosen] is CANCEL:
                    cancelled = coming.label
        broken = [Violation("planted", "x")] if cancelled and cancelled == bad else []
        return verdict(tuple(points), f"{steps} {cancelled}", broken)

    return run_once


def course_of(run_once: RunOnce, *wanted: tuple[int, int]) -> Course:
    """The course of one trial."""
    return run_once(ScheduleChooser(wanted)).course


@given(
    st.sampled_from([two_windows(), two_windows(2), family(3, 2, 2), family(5, 4)]),
    st.integers(0, 500),
)
def test_words_give_the_same_trial_again(program: Program, seed: int) -> None:
    """Whatever deviates, and however often."""
    run = running(program)
    first = next(explore(run, Deviate(0.3, seed=seed), 1))
    again = run(WordsChooser(in_words(first.course)))
    assert (first.schedule, first.trace_hash) == (again.schedule, again.trace_hash)


def test_words_name_what_is_still_to_come() -> None:
    """The place counts from when both were on offer, which agents rarely change."""
    (words,) = in_words(course_of(stream(4), (5, 2)))
    assert "cancel anywhere before chunk 2, place 2" == str(words)


def test_words_name_what_is_over_where_nothing_is_to_come() -> None:
    """Else they count from the start."""
    end = (Point((RUN, Option("chunk 1", Kind.SOURCE, "s")), 0), Point((RUN, CANCEL), 1))
    assert WordedDeviation("cancel anywhere", after="chunk 1") == in_words(end)[0]
    assert (
        WordedDeviation("cancel anywhere", place=2)
        == (in_words((Point((RUN, CANCEL), 0), Point((RUN, CANCEL), 1)))[0])
    )


def test_words_find_their_place_in_a_program_with_other_steps() -> None:
    """Point 9 means another chunk when each takes three more steps; the words mean the same."""
    words = in_words(course_of(stream(4, bad="chunk 3"), (9, 2)))
    longer = stream(7, bad="chunk 3")
    assert {"planted"} == longer(WordsChooser(words)).broken()
    assert set() == longer(ScheduleChooser(((9, 2),))).broken()


class TestRecall:
    def test_a_schedule_that_still_fails_is_played_once(self) -> None:
        """There is nothing to look for then."""
        run = stream(4, bad="chunk 2")
        words = in_words(course_of(run, (5, 2)))
        recall = Recall([words], around=True)
        found = list(explore(run, recall, 100))
        assert [True] == [bool(one.violations) for one in found]
        assert (1, [], "schedule in words: 1 of 1 fails") == (
            recall.failing,
            recall.unmet,
            recall.describe(),
        )

    def test_one_that_misses_its_place_is_looked_for_around_it(self) -> None:
        """A program with fewer steps has no fourth place before that chunk."""
        words = in_words(course_of(stream(4, bad="chunk 2"), (7, 2)))
        shorter = stream(2, bad="chunk 2")
        assert 4 == words[0].place
        assert set() == shorter(WordsChooser(words)).broken()
        recall = Recall([words], around=True)
        assert any(one.violations for one in explore(shorter, recall, 100))
        assert (1, []) == (recall.failing, recall.unmet)

    def test_without_around_only_the_words_are_played(self) -> None:
        """Each schedule is one trial."""
        run = stream(4)
        words = [in_words(course_of(run, (n, 2))) for n in (1, 5)]
        search = explore(run, Recall(words), 100)
        assert [set(), set()] == [one.broken() for one in search]
        assert (2, "schedule in words: 0 of 2 fail") == (search.trials, search.strategy.describe())

    def test_what_no_variant_meets_is_named(self) -> None:
        """A label that nothing has any more: the schedule proves nothing about this program."""
        recall = Recall([(WordedDeviation("steer"),)], around=True)
        list(explore(stream(2), recall, 100))
        assert "schedule in words: 0 of 1 fail; no place for steer" == recall.describe()
