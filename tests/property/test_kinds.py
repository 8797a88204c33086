"""Each kind of public report has a generator: its cases hold on the loop and find its faults."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import attrs
import pytest

from simharness.agents.reference import make
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.scenario.load import load_text
from simharness.strategies import of_kind
from simharness.strategies.kinds import KINDS
from simharness.testing import play
from simharness.trace import LimitHit
from simharness.world.run import batch
from tests.drawing import first_cases, random_chooser
from tests.field.rows import FIELD, ROOT, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simharness.scenario.model import Case

SOUND = 20
"""Cases of a kind that must hold, each on the default schedule and on two that are drawn."""

SOUGHT = 60
"""Cases of a kind among which its faults must be found, each on two schedules."""

FOUND = {
    "pairing": (
        "failed-calls-stay-unanswered",
        "only-text-is-stored",
        "results-of-one-moment-are-one",
        "cut-calls-are-answered",
        "nothing-is-repaired",
    ),
    "terminals": (
        "failed-writes-are-silent",
        "stops-behind-a-failed-tool-are-silent",
        "cancels-complete",
        "failures-complete",
        "restarts-end-the-run",
    ),
    "running-on": (
        "a-failed-tool-leaves-its-siblings",
        "left-runs-go-on",
        "tools-are-left-running",
        "an-ending-tool-leaves-its-siblings",
    ),
    "events": (
        "updates-are-held-back",
        "messages-end-behind-their-turn",
        "old-calls-are-reported-again",
        "late-text-is-shown",
        "previews-are-started",
    ),
    "saving": (
        "tool-rounds-are-not-saved",
        "writes-outlive-their-run",
        "failed-writes-are-forgotten",
        "deltas-are-saved",
    ),
    "twice": (
        "repairs-look-like-results",
        "failed-tools-run-again",
        "continued-runs-run-calls-again",
        "late-results-are-added-as-well",
    ),
    "stopping": ("task-cancels-are-swallowed", "second-cancel-is-a-failure"),
    "leaving": ("left-runs-are-not-awaited", "left-runs-go-on", "leaving-raises", "leaving-yields"),
    "settling": (
        "cancelled-rounds-never-end",
        "leaving-never-ends",
        "timed-out-runs-never-return",
        "hanging-streams-are-awaited",
    ),
    "keeping": ("cut-turns-are-forgotten", "refused-text-stays", "cut-text-is-lost"),
    "retrying": (
        "discarded-messages-stay-open",
        "visible-output-is-retried",
        "retried-answers-start-twice",
    ),
    "recovery": ("orphans-are-fatal", "each-load-leaves-a-marker", "repairs-answer-one-call"),
    "steering": (
        "cut-results-do-not-say-why",
        "cancels-lose-the-queue",
        "follow-ups-wait-for-a-prompt",
    ),
    "parity": (
        "plain-answers-end-with-their-text",
        "empty-text-is-the-answer",
        "a-failure-stops-the-siblings",
        "ended-turns-leave-an-empty-message",
    ),
    "idling": ("completed-runs-stay-open", "phase-stays-after-a-stop"),
    "counting": ("usage-is-added-up", "usage-of-cut-streams-is-lost"),
    "silence": ("only-the-first-chunk-is-awaited",),
}
"""Some mutants of each kind, of those that the coverage page names for it."""


pytestmark = [
    pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
"""A process that is killed, and a fault that hangs, leave coroutines that nobody awaits."""


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """What is left behind is collected, and warns, in the test that left it."""
    yield
    gc.collect()


def drawn(kind: str, count: int) -> list[Case]:
    """The first cases of a kind, always the same."""
    return first_cases(of_kind(kind), 0, count)


def broken(case: Case, mutant: str | None, number: int) -> frozenset[str]:
    """What the loop breaks in a case, as it is or with a fault; 0 is the default schedule."""
    bench = Bench(attrs.evolve(case, mutant=mutant), make)
    return bench.trial(random_chooser(number) if number else ScheduleChooser()).broken()


def rules(kind: str, mutant: str) -> set[str]:
    """What the reports of a kind that a mutant stands for break."""
    return {row.rule for row in read_rows() if (row.folder, row.mutant) == (kind, mutant)}


def test_every_kind_of_report_has_a_generator() -> None:
    """By the name of its folder."""
    folders = {file.parent.name for file in FIELD.glob("*/reports.yaml")}
    assert folders == set(KINDS) == set(FOUND)
    assert 17 == len(folders)


def test_the_documentation_says_what_each_kind_draws() -> None:
    """One row of its table for each."""
    page = (ROOT / "docs" / "property-tests.md").read_text(encoding="utf-8")
    rows = [f"| `{kind.name}` | {kind.draws} |" for kind in KINDS.values()]
    assert "\n".join(["| kind | draws |", "|---|---|", *rows]) in page


@pytest.mark.parametrize("kind", KINDS)
def test_cases_of_a_kind_hold_on_the_loop(kind: str) -> None:
    """Under any schedule, without a limit but the deadlock of a script that hangs."""
    with batch():
        for number, case in enumerate(drawn(kind, SOUND), start=1):
            assert load_text(case.source).cases == (case,)
            for one in (ScheduleChooser(), *map(random_chooser, (2 * number, 2 * number + 1))):
                played = play("reference", case, one)
                assert "" == played.broken
                assert played.verdict.trace is not None
                limits = {hit.limit for hit in played.verdict.trace.of(LimitHit)}
                assert limits <= ({"deadlock"} if "hang" in case.source else set())


@pytest.mark.parametrize("kind", FOUND)
def test_cases_of_a_kind_find_its_faults(kind: str) -> None:
    """A mutant breaks the rule of its report where the loop without the fault does not."""
    cases = drawn(kind, SOUGHT)
    with batch():
        for mutant in FOUND[kind]:
            sought = rules(kind, mutant)
            assert sought, mutant
            found = (finds(case, mutant, sought, number) for number, case in enumerate(cases))
            assert any(found), mutant


def finds(case: Case, mutant: str, sought: set[str], number: int) -> bool:
    """Whether a case tells the mutant from the loop, on the default schedule or on a drawn one."""
    return any(
        sought & broken(case, mutant, one) and not sought & broken(case, None, one)
        for one in (0, number + 1)
    )


def test_a_kind_that_is_not_known_is_told_with_those_that_are() -> None:
    """And no name means all of them."""
    with pytest.raises(ValueError, match=r"unknown kind 'pairs'; kinds: pairing, terminals, "):
        of_kind("pairs")
    assert not of_kind().is_empty
