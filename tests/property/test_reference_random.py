"""The reference loop keeps every rule in any case under any schedule, and runs the same twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from simharness.choices import ScheduleChooser
from simharness.strategies import cases, schedules
from simharness.testing import play
from simharness.trace import LimitHit
from simharness.world.run import batch
from tests.drawing import random_chooser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simharness.choices import Chooser, Schedule
    from simharness.scenario.model import Case

DRAWN_SLOWLY = [HealthCheck.too_slow, HealthCheck.data_too_large]
"""A whole scenario takes Hypothesis some milliseconds; its health checks think of small values."""

seeds = st.integers(0, 2**32 - 1)


@pytest.fixture(autouse=True, scope="module")
def one_batch() -> Iterator[None]:
    """Play all examples in one batch of trials: opening a batch costs more than a trial."""
    with batch():
        yield


def check(case: Case, chooser: Chooser) -> None:
    """Assert that nothing is broken, and that no limit is hit but the deadlock of a script."""
    played = play("reference", case, chooser)
    assert "" == played.broken
    assert played.verdict.trace is not None
    limits = {hit.limit for hit in played.verdict.trace.of(LimitHit)}
    assert limits <= {"deadlock"}
    assert not limits or "hang" in case.source


@settings(max_examples=700, suppress_health_check=DRAWN_SLOWLY)
@given(cases(), schedules())
def test_no_case_breaks_a_rule_under_any_schedule(case: Case, schedule: Schedule) -> None:
    """What the model, the tools and the user do, and when, is all the same to the rules."""
    check(case, ScheduleChooser(schedule))


@settings(max_examples=300, suppress_health_check=DRAWN_SLOWLY)
@given(cases(), seeds)
def test_no_case_breaks_a_rule_when_every_choice_is_drawn(case: Case, seed: int) -> None:
    """Also far away from the default schedule."""
    check(case, random_chooser(seed))


@settings(max_examples=150, suppress_health_check=DRAWN_SLOWLY)
@given(cases(), seeds)
def test_the_same_choices_give_the_same_trace(case: Case, seed: int) -> None:
    """Byte for byte, whatever chose them the first time."""
    first = play("reference", case, random_chooser(seed)).verdict
    again = play("reference", case, ScheduleChooser(first.schedule)).verdict
    assert first.trace is not None
    assert again.trace is not None
    assert first.trace.text() == again.trace.text()
