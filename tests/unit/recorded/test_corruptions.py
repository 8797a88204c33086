"""Corrupted traces; all ten thousand: `python -m tests.unit.recorded.corruptions 10000`."""

import io
from collections import Counter

import pytest

from simharness.recorded.checking import check
from simharness.recorded.formats import FORMATS
from tests.unit.recorded.corruptions import corrupt, examine, samples


def test_every_format_has_samples() -> None:
    """Else a format would go unexamined."""
    assert set(FORMATS) == {form for form, _ in samples()}


def test_corrupted_traces_are_judged_or_refused_with_their_place() -> None:
    """Never a crash. All three verdicts occur, or the corruptions would be too mild or too wild."""
    found = corrupt(1_000, seed=0)
    assert 1_000 == sum(found.values())
    assert {"holds", "broken", "bad_input"} == set(found)
    assert 40 <= min(found.values())


def test_the_examination_can_fail() -> None:
    """A place outside of the trace is noticed."""
    form, data = samples()[0]
    assert "holds" == examine(form, data)
    from tests.unit.recorded.corruptions import _placed

    done = check(io.BytesIO(data), "trace", FORMATS[form])
    done.tally.broke("own-time", "Made up.", (999, 1))
    with pytest.raises(AssertionError):
        _placed(done, data)


def test_the_same_seed_corrupts_alike() -> None:
    """So a crash can be met again."""
    assert corrupt(50, seed=3) == corrupt(50, seed=3) != Counter()
