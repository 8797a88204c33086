"""Schedules to draw: few deviations, early ones and small options first."""

from __future__ import annotations

from hypothesis import strategies as st

from simharness.choices import Schedule, as_schedule

__all__ = ["schedules"]


def schedules(
    *, points: int = 120, options: int = 6, deviations: int = 6
) -> st.SearchStrategy[Schedule]:
    """Sparse schedules: up to `deviations` choice points below `points` that take another option.

    Shrinks to the default schedule. A schedule that names a point or option which a trial does not
    meet is played as far as it goes, so schedules need not fit the case they are played with.
    """
    deviation = st.tuples(st.integers(0, points - 1), st.integers(1, options))
    return st.lists(deviation, max_size=deviations, unique_by=_point).map(as_schedule)


def _point(deviation: tuple[int, int]) -> int:
    return deviation[0]
