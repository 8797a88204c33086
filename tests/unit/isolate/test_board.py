"""The board: what a worker notes is there for its parent, also after its end."""

from __future__ import annotations

from simharness.choices import Kind, Option, ScheduleChooser
from simharness.isolate.board import Board, Noting

OPTIONS = tuple(Option(name, Kind.SOURCE, name) for name in "abc")


def test_trials_and_deviations_are_seen_from_the_other_side() -> None:
    """Two boards over the same file show the same; a trial begins with an empty schedule."""
    worker = Board.create()
    parent = Board(worker.fd)
    worker.begin()
    worker.note(3, 1)
    worker.note(7, 2)

    assert (1, 1, ((3, 1), (7, 2))) == (parent.trials, parent.moves, parent.schedule)
    worker.begin()
    assert (2, 2, ()) == (parent.trials, parent.moves, parent.schedule)
    parent.close()
    worker.close()


def test_the_same_trial_in_another_form_moves_without_counting() -> None:
    """So a worker is seen to get on, and the trials are those of the search."""
    board = Board.create()
    board.begin()
    board.begin(again=True)

    assert (1, 2) == (board.trials, board.moves)
    board.close()


def test_of_a_very_long_schedule_the_beginning_is_kept() -> None:
    """Nothing is written beyond the board."""
    board = Board.create()
    board.begin()
    for point in range(10_000):
        board.note(point, 1)

    assert 8192 == len(board.schedule)
    assert (8191, 1) == board.schedule[-1]
    board.close()


def test_a_noting_chooser_notes_the_schedule_that_it_follows() -> None:
    """What stands on the board replays the trial."""
    board = Board.create()
    board.begin()
    wanted = ((1, 2), (4, 1))
    chooser = Noting(ScheduleChooser(wanted), board)

    assert [0, 2, 0, 0, 1] == [chooser.choose(OPTIONS) for _ in range(5)]
    assert wanted == board.schedule
    board.close()
