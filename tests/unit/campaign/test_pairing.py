"""Cases that are also run plain: which they are, and that the pair is judged."""

from __future__ import annotations

import pytest

from simharness.agents.mutants import find_mutant
from simharness.agents.reference import CONTRACT, make
from simharness.campaign.pairing import has_parity
from simharness.check import Bench
from simharness.choices import ScheduleChooser
from simharness.contract import UNSPECIFIED, Contract
from simharness.scenario.load import load_text
from simharness.scenario.model import Case
from simharness.trace import RequestMade, Shown
from simharness.world.run import run

SCRIPT = """scenario: text-before-a-call
model: [["Let me ", "see.", {call: search}], ["Done."]]
tools: {search: {returns: "3 hits"}}
run: [{prompt: go}MORE]
"""


def case(more: str = "") -> Case:
    """The only case of the script."""
    (only,) = load_text(SCRIPT.replace("MORE", more)).cases
    return only


def test_a_script_of_prompts_is_run_in_both_ways() -> None:
    """The epilogue and a second prompt are prompts too."""
    assert has_parity(case(), CONTRACT)
    assert has_parity(case(", {prompt: more, model: [Yes.]}"), CONTRACT)


@pytest.mark.parametrize("more", [", {cancel: {after: chunk 1}}", ", {wait: 1s}"])
def test_other_actions_may_fall_elsewhere_in_a_plain_run(more: str) -> None:
    """Then both runs may differ."""
    assert not has_parity(case(more), CONTRACT)


def test_a_stream_that_cannot_be_closed_has_no_plain_counterpart() -> None:
    """Only what is read piece by piece has to be closed."""
    broken = SCRIPT.replace('["Done."]', '{stream: ["Done."], on_cancel: {close: {raises: true}}}')
    (only,) = load_text(broken.replace("MORE", "")).cases
    assert not has_parity(only, CONTRACT)


def test_a_slow_close_under_a_limit_of_time_has_no_plain_counterpart() -> None:
    """It may take the run beyond its time; without a limit it does no harm."""
    slow = SCRIPT.replace('["Done."]', '{stream: ["Done."], on_cancel: {close: {takes: 2s}}}')
    (free,) = load_text(slow.replace("MORE", "")).cases
    (limited,) = load_text(slow.replace("MORE", "") + "agent: {time_limit: 1s}\n").cases
    assert (True, False) == (has_parity(free, CONTRACT), has_parity(limited, CONTRACT))


@pytest.mark.parametrize("contract", [UNSPECIFIED, Contract(streaming="streaming-only")])
def test_only_agents_that_declare_both_are_run_plain(contract: Contract) -> None:
    """Others may not even take the keyword."""
    assert not has_parity(case(), contract)


def test_a_plain_run_makes_plain_requests_and_shows_whole_answers() -> None:
    """The reference loop shows the text only when all of it is there."""
    trace = run(case(), make, ScheduleChooser(), plain=True).trace
    assert {False} == {request.streaming for request in trace.of(RequestMade)}
    shown, finished = trace.of(Shown)[0], trace.of(RequestMade)[1]
    assert ["Let me ", "see."] == [record.text for record in trace.of(Shown)[:2]]
    assert shown.n < finished.n
    taken = [record.n for record in trace if type(record).__name__ == "TerminalTaken"]
    assert taken[0] < shown.n


def test_the_pair_is_judged_on_the_default_schedule() -> None:
    """The occasion is the reference loop's, the violation that of a loop which ends with text."""
    good = Bench(case(), make).trial(ScheduleChooser())
    assert ("streaming-parity" in good.occasions, ()) == (True, good.violations)
    faulty = find_mutant("plain-answers-end-with-their-text")
    bad = Bench(case(), faulty.factory).trial(ScheduleChooser())
    assert {"streaming-parity"} == bad.broken()
