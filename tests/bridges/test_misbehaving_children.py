"""Each misbehaviour of a child ends in a named verdict within its limit; the next case is sound."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from simharness.bridges.child import Child
from simharness.campaign.budget import Plan
from simharness.campaign.results import CaseResult
from simharness.check import check_suite
from simharness.scenario.load import load_text
from simharness.scenario.model import Case
from simharness.verdict import CaseVerdict
from simharness.world.childprocess import ChildLimits
from tests.bridges import mini

LIMITS = ChildLimits(answer_s=1.0, line_bytes=100_000, messages=2_000)
SECONDS = 8.0
"""For three cases, on a machine that has other things to do: far below falling silent for ever."""

NO_END = "Run 1 does not settle: {}."
VERDICTS = {
    mini.crashes: NO_END.format("child-exit (exit code 3)"),
    mini.is_killed: NO_END.format("child-exit (signal SIGKILL)"),
    mini.falls_silent: NO_END.format("child-silence (not idle again within 1 s)"),
    mini.prints: NO_END.format(
        "child-garbage (line 2 of the trial: character 1: not JSON (Expecting value))"
    ),
    mini.breaks_off: NO_END.format("child-exit (exit code 0, in the middle of a line of 13 bytes)"),
    mini.never_ends_a_line: NO_END.format(
        "child-flood (a line without end, longer than 100000 bytes)"
    ),
    mini.floods: NO_END.format("child-flood (2000 messages without being idle)"),
    mini.closes_its_output: NO_END.format("child-exit (it closed its pipes and did not exit)"),
    mini.writes_binary: NO_END.format("child-garbage (line 2 of the trial: byte 1: not UTF-8)"),
    mini.speaks_another_language: "line 2 of the trial: type: found 'reqeust', expected one of",
    mini.reads_what_is_not_there: NO_END.format(
        "child-garbage (line 2 of the trial: stream: found 7, for which no request was made)"
    ),
    mini.settles_twice: "line 3 of the trial: run: found 1, which has settled before",
    mini.never_settles: NO_END.format("deadlock"),
    mini.is_woken_in_the_past: NO_END.format(
        "child-garbage (line 2 of the trial: wake: found 0.0, expected a time after 0.0)"
    ),
    mini.is_deaf: NO_END.format("child-silence (not idle again within 1 s)"),
    mini.asks_for_a_tool_that_is_not_there: NO_END.format(
        "child-garbage (line 2 of the trial: name: found 'serach', expected a tool (none))"
    ),
}
"""What becomes of each: the message of the rule `settles`, or a part of it."""


@pytest.fixture
def started() -> Iterator[list[Child]]:
    """Children to end with the test."""
    children: list[Child] = []
    yield children
    for one in children:
        one.stop(at_once=True)


def child(behaviour: str, started: list[Child]) -> Child:
    """A child that misbehaves so."""
    program = str(Path(mini.__file__))
    started.append(Child([sys.executable, "-S", program, behaviour], limits=LIMITS))
    return started[-1]


def case(name: str, prompt: str) -> Case:
    """A case in which the model says two words."""
    text = f'scenario: {name}\nmodel: [["Hi ", "there."]]\nrun: [{{prompt: {prompt}}}]\n'
    (only,) = load_text(text).cases
    return only


def campaign(one: Child) -> list[CaseResult]:
    """A good case, the bad one, and a good one again."""
    cases = [case("before", "go"), case("bad", "misbehave"), case("after", "go")]
    return list(check_suite(cases, one, Plan(budget=1)).results)


@pytest.mark.parametrize("behaviour", VERDICTS, ids=lambda behaviour: behaviour.__name__)
def test_a_misbehaviour_ends_in_its_verdict(behaviour: object, started: list[Child]) -> None:
    """The case is broken, with the reason and its place; the others hold."""
    begun = time.monotonic()
    before, bad, after = campaign(child(behaviour.__name__, started))  # type: ignore[attr-defined]
    assert SECONDS > time.monotonic() - begun
    assert [CaseVerdict.HOLDS, CaseVerdict.HOLDS] == [before.verdict, after.verdict]
    assert CaseVerdict.VIOLATED is bad.verdict
    (found,) = [one for one in bad.findings if one.rule == "settles"]
    assert VERDICTS[behaviour] in found.message  # type: ignore[index]


def test_its_last_words_are_shown_once(
    started: list[Child], capfd: pytest.CaptureFixture[str]
) -> None:
    """They are for the user's eyes: no trace holds them."""
    one = child("crashes", started)
    for _ in range(2):
        campaign(one)
    assert 1 == capfd.readouterr().err.count("ends with:\nTraceback: the reason")


def test_what_it_cannot_do_is_not_applicable_and_leaves_it_in_step(started: list[Child]) -> None:
    """The same process serves the next trial: all that it said has been heard."""
    one = child("is_unable", started)
    before, bad, after = campaign(one)
    assert [CaseVerdict.HOLDS, CaseVerdict.HOLDS] == [before.verdict, after.verdict]
    assert (CaseVerdict.NOT_APPLICABLE, "not with me") == (bad.verdict, bad.reason)
    assert 1 == one.starts


def test_megabytes_on_standard_error_do_no_harm(started: list[Child]) -> None:
    """They are read on the way, so that the child never waits for us."""
    verdicts = [result.verdict for result in campaign(child("is_loud", started))]
    assert [CaseVerdict.HOLDS] * 3 == verdicts


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        ("exits_at_once", "does not say hello: child-exit: exit code 1; its last words: no such"),
        ("speaks_another_version", "does not say hello: line 1: protocol: found 2, expected 1"),
    ],
)
def test_a_child_that_does_not_begin_is_an_error_of_its_case(
    behaviour: str, said: str, started: list[Child]
) -> None:
    """There is nothing to judge."""
    for result in campaign(child(behaviour, started)):
        assert CaseVerdict.ERROR is result.verdict
        assert said in result.reason


def test_a_program_that_is_not_there_is_named() -> None:
    """What cannot be started says so."""
    (result,) = check_suite([case("one", "go")], Child(["no-such-program"]), Plan(budget=1)).results
    assert "cannot start 'no-such-program': No such file or directory" == result.reason
