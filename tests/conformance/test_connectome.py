"""Connectome's outcome matrix holds because of many pieces; without any of them it does not."""

from __future__ import annotations

import pytest

from simharness.agents.mutants import find_mutant
from simharness.agents.profiles import find_profile
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.scenario.model import Case, Scenario
from simharness.world.run import batch

PIECES = {
    "framework mark over caller record": "callers-outrank-marks",
    "one terminal for each turn": "stops-are-traced-twice",
    "a caller's stop is no failure": "callers-stops-are-failures",
    "a shutdown is no failure, whatever the stream reports": "errors-under-a-shutdown-are-failures",
    "a shutdown leaves no note of a failure": "shutdowns-leave-a-failures-note",
    "a stop is never retried": "errors-behind-a-cancel-are-retried",
    "a stop neither counts nor alerts": "shutdowns-are-counted",
    "a stop by a stream that just closes ends": "streams-that-close-are-awaited",
    "a caller's stop leaves a note": "stops-leave-no-note",
    "only a caller's stop leaves a note": "every-stop-leaves-a-note",
    "the reason is the recorded one": "reasons-are-forgotten",
    "a record is consumed by its stream": "records-are-not-consumed",
    "an abort for another reason is a failure": "foreign-aborts-are-stops",
    "a context restart that errs is no failure": "restarts-that-end-by-an-error-fail",
    "a context restart is no stop": "restarts-end-the-run",
    "a tool that ends the turn makes no failure": "ended-turns-fail",
    "a tool that ends the turn asks no more": "tools-cannot-end-the-turn",
    "a silent close ends the turn": "silent-closes-hang",
    "who awaits an ephemeral run is told": "stopped-callers-are-left-waiting",
    "and is told who stopped it": "shutdowns-are-the-users",
    "the agent is idle after every stop": "phase-stays-after-a-stop",
    "an abandoned stream has its row": "abandoned-streams-have-no-row",
    "usage is counted once": "lost-rows-count-again",
    "a failed write of the log changes no ending": "lost-rows-are-failures",
    "and is told to an operator": "lost-rows-are-silent",
    "a batch is settled once": "batches-are-settled-twice",
    "a batch is settled at all": "stopped-batches-stay-pending",
    "a batch is settled before its run": "batches-outlive-their-run",
    "late events of a stream that is given up change nothing": "late-text-is-shown",
    "an unfinished round is dropped": "unfinished-rounds-are-stored",
    "a partial answer is dropped": "partial-text-is-stored",
    "the window of a quiesce has an end": "not-a-number-is-for-ever",
    "a quiesce abandons": "quiesces-never-abandon",
    "a resume supersedes a quiesce": "resumes-do-not-supersede",
    "a second quiesce escalates": "second-quiesces-do-not-escalate",
    "disk is memory": "dropped-rounds-stay-on-disk",
}
"""Each piece, and the mutant that takes it out."""


@pytest.fixture(scope="module")
def cases(scenarios: tuple[Scenario, ...]) -> list[Case]:
    """Every sound case of the profile."""
    return [
        case
        for scenario in scenarios
        for case in scenario.cases
        if case.profile == "connectome" and case.mutant is None
    ]


@pytest.mark.parametrize("piece", PIECES)
def test_without_a_piece_a_case_turns_red_by_its_rule(piece: str, cases: list[Case]) -> None:
    """The report names the rule of the mutant that takes the piece out."""
    fault = find_mutant(PIECES[piece])
    faulty = find_profile("connectome").on(fault.loop)
    with batch():
        trials = (Bench(case, faulty).trial(ScheduleChooser()) for case in cases)
        broken = next((v.broken() for v in trials if fault.rule in v.broken()), frozenset())
    assert fault.rule in broken


def test_with_all_pieces_every_case_holds(cases: list[Case]) -> None:
    """The same cases, on the loop without a fault."""
    sound = find_profile("connectome").factory
    with batch():
        broken = [case.id for case in cases if Bench(case, sound).trial(ScheduleChooser()).broken()]
    assert [] == broken
