"""The built-in cases of a sweep: every place, every way, every reaction, every fault."""

from __future__ import annotations

import yaml

from simharness.agent import CancelWay, Style
from simharness.campaign.budget import Plan
from simharness.campaign.results import Identity, merged
from simharness.campaign.sweeper import playable, sweep
from simharness.campaign.sweeps import (
    REACTIONS,
    SCRIPTS,
    Script,
    faults,
    from_inside,
    from_outside,
    plain,
    ways,
)
from simharness.contract import Contract
from simharness.scenario.load import load_text
from simharness.scenario.model import AnchorKind, CancelAction, Case
from simharness.trace import ChunkArrived, MessageEnd, RequestMade, TerminalTaken, Trace, user
from tests import loops


def script(name: str) -> Script:
    """A built-in script by name."""
    return next(script for script in SCRIPTS if script.name == name)


def cancel(case: Case) -> CancelAction:
    """The only cancel of a case."""
    (found,) = [action for action in case.actions if isinstance(action, CancelAction)]
    return found


def test_every_case_can_be_loaded_again_from_its_source() -> None:
    """A case travels in a replay code, so its text must give exactly this case again."""
    cases = [plain(each) for each in SCRIPTS]
    cases += from_outside(script("text-and-tool"), [CancelWay.API]) + faults(script("retry"))

    for case in cases:
        (again,) = load_text(case.source).cases
        assert (case.id, case.source) == (again.id, again.source)


def test_an_agent_is_cancelled_in_its_own_ways_and_by_its_task() -> None:
    """TASK works on every async agent, CLOSE on every one that hands out an iterator."""
    own = frozenset({CancelWay.API, CancelWay.TOKEN})

    def of(style: Style, *, iterates: bool) -> set[CancelWay]:
        return set(ways(Identity("a", "1", Contract(), own, style, iterates=iterates)))

    assert {*own, CancelWay.TASK} == of(Style.ASYNC, iterates=False)
    assert {*own, CancelWay.TASK, CancelWay.CLOSE} == of(Style.ASYNC, iterates=True)
    assert own == of(Style.SYNC, iterates=False)


def test_a_cancel_from_outside_comes_with_every_reaction() -> None:
    """One case per way and reaction; a closed stream cannot answer, so there is one for CLOSE."""
    cases = from_outside(script("text"), [CancelWay.API, CancelWay.CLOSE])

    assert len(REACTIONS) + 1 == len(cases)
    assert all(cancel(case).anywhere for case in cases)


def test_a_cancel_from_inside_stands_at_every_record_behind_the_first_delivery() -> None:
    """Reactions are varied only where a stream is open to react."""
    trace = Trace()
    for record in (
        MessageEnd(user("go")),
        RequestMade(1, (user("go"),)),
        ChunkArrived(1, 1, "text", "a"),
        MessageEnd(user("go")),
        TerminalTaken(1, "finish"),
        MessageEnd(user("go")),
    ):
        trace.add(record, time=0.0, run=1)
    cases = from_inside(script("text-and-tool"), [CancelWay.API, CancelWay.CLOSE], trace)
    anchors = [cancel(case).anchor for case in cases]

    assert [2] * len(REACTIONS) + [3, 1] == [anchor.number for anchor in anchors if anchor]
    assert all(anchor is not None and anchor.inside for anchor in anchors)
    assert AnchorKind.TOOL is anchors[-1].kind if anchors[-1] else False


def test_each_fault_stands_after_each_step_of_each_stream() -> None:
    """Two streams of three and two steps: (4 + 3) places for each of six faults."""
    cases = faults(script("text-and-tool"))
    hanging = [case for case in cases if "-hang-" in case.id]

    assert 6 * (4 + 3) == len(cases)
    assert 4 + 3 == len(hanging)
    assert all(cancel(case).anchor for case in hanging)
    assert all("cancel" not in case.source for case in cases if case not in hanging)


def test_a_fault_takes_the_place_of_a_scripted_error() -> None:
    """What stands behind the fault is cut off, the error of the script with it."""
    (case,) = [case for case in faults(script("retry")) if case.id.endswith("close-in-1-after-1")]

    assert {"stream": [{"text": "Half "}, "close"]} == yaml.safe_load(case.source)["model"][0]


def test_a_sweep_finds_a_loop_that_forgets_its_results() -> None:
    """Many cases show one cause; it is put together, and the total is kept."""
    result = sweep(loops.forgetful, Plan(total=300))
    causes = merged(found for case in result.results for found in case.findings)
    pairing = [cause for cause in causes if cause.rule == "tool-pairing"]

    assert 300 == result.total("trials")
    assert 0 < len(pairing)
    assert 1 < max(cause.cases for cause in pairing)


def test_a_script_is_played_without_settings_if_it_must() -> None:
    """An agent that cannot be told how to retry is swept with what it does of its own."""
    played, agent, _ = playable(script("retry"), loops.picky)

    assert ({}, "loop") == (played.settings, agent.name)
