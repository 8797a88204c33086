"""Schedules and their chooser."""

from __future__ import annotations

from simharness.choices import (
    EMPTY,
    Kind,
    Option,
    Point,
    ScheduleChooser,
    as_schedule,
    deviations,
)


def options(count: int) -> tuple[Option, ...]:
    return tuple(Option(f"option {number}", Kind.SOURCE, str(number)) for number in range(count))


def test_the_empty_schedule_takes_option_0_everywhere() -> None:
    """Without a schedule every choice is the boring one."""
    chooser = ScheduleChooser()
    assert [0, 0, 0] == [chooser.choose(options(count)) for count in (2, 3, 4)]
    assert chooser.drifted_at is None


def test_a_schedule_deviates_at_its_points_only() -> None:
    """Points are counted from 0; those not named take option 0."""
    chooser = ScheduleChooser(((1, 2), (3, 1)))
    assert [0, 2, 0, 1, 0] == [chooser.choose(options(3)) for _ in range(5)]


def test_an_option_that_no_longer_exists_falls_back_to_0_and_marks_the_drift() -> None:
    """The first point at which the schedule cannot be followed is noted, later ones are not."""
    chooser = ScheduleChooser(((1, 2), (2, 5)))
    assert [0, 0, 0] == [chooser.choose(options(2)) for _ in range(3)]
    assert 1 == chooser.drifted_at


def test_deviations_behind_the_last_point_are_counted_as_unreached() -> None:
    """A trial that ended early has not met all of its schedule."""
    chooser = ScheduleChooser(((0, 1), (4, 1), (7, 1)))
    assert 3 == chooser.unreached
    for _ in range(5):
        chooser.choose(options(2))
    assert 1 == chooser.unreached


def test_as_schedule_sorts_and_drops_what_is_no_deviation() -> None:
    """A schedule has one spelling."""
    assert ((1, 1), (4, 2)) == as_schedule([(4, 2), (2, 0), (1, 1)])
    assert EMPTY == as_schedule([(3, 0)])


def test_the_deviations_of_a_course_replay_it() -> None:
    """What a trial chose, as a schedule, makes a chooser choose it again."""
    chosen = [0, 1, 0, 0, 2]
    course = tuple(Point(options(3), choice) for choice in chosen)
    assert ((1, 1), (4, 2)) == deviations(course)
    chooser = ScheduleChooser(deviations(course))
    assert chosen == [chooser.choose(point.options) for point in course]
