"""Changes of the reference loop: named, each another program, loaded beside the real one."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import simharness
from simharness.agents import reference
from simharness.agents.mutants.generated import SURVIVORS, Change, changes, make_changed
from simharness.agents.mutants.generated.changes import _program
from simharness.agents.mutants.generated.copies import Copy, modules
from simharness.agents.mutants.generated.sites import functions
from simharness.agents.profiles import PROFILES
from simharness.agents.reference import turns
from simharness.trace import AgentEnd, Outcome, RequestMade
from tests.unit.agents.reference.plays import error, play, stream

ROOT = Path(simharness.__file__).parents[1]


def change(name: str) -> Change:
    """The change of that name."""
    (found,) = (one for one in changes(name) if one.id == name)
    return found


def test_names_of_changes_are_unique_and_their_lines_exist() -> None:
    """A name means one change, and leads to it."""
    assert [] == [name for name, n in Counter(one.id for one in changes()).items() if n > 1]
    lengths = {
        file: len((ROOT / file).read_text("utf-8").splitlines())
        for file in {one.file for one in changes()}
    }
    wrong = [one for one in changes() if not 1 <= one.line <= one.last_line <= lengths[one.file]]
    assert [] == wrong


def test_the_whole_loop_is_changed() -> None:
    """Only what a scenario sets, how it says so, and the bridge in front of it are left out."""
    untouched = set(modules()) - {one.module for one in changes()}
    assert {"bridge", "contract", "scripting", "settings"} <= untouched
    assert {"loop", "turns", "answering", "stream", "tools", "cancelling"}.isdisjoint(untouched)


def test_survivors_with_a_reason_are_changes_that_exist() -> None:
    """A reason for what is no change any more is a reason for nothing."""
    assert [] == sorted(set(SURVIVORS) - {one.id for one in changes()})


@pytest.mark.parametrize("reason", SURVIVORS.values(), ids=SURVIVORS)
def test_a_reason_is_a_sentence(reason: str) -> None:
    """It begins with its kind."""
    kind, _, why = reason.partition(": ")
    assert kind in {"Equivalent", "Only cost", "Only words", "Not in the suite"}
    assert why
    assert reason.endswith(".")


def test_a_change_changes_the_loop() -> None:
    """The copy runs as a whole, with the records and messages of the harness."""
    name = "turns.Turns.verdict: delete `return End(Outcome.FAILED, cause, error, stands)`"
    trace = play(stream("One", end=error()), factory=make_changed(change(name)))
    first, *_ = trace.of(RequestMade)
    assert ["user"] == [message.role for message in first.messages]
    assert Outcome.COMPLETED is trace.of(AgentEnd)[0].outcome


def test_a_changed_loop_stays_changed_under_a_profile() -> None:
    """What a profile makes of it finds the methods of the copy, not those of the loop."""
    changed: Any = make_changed(change("turns.Turns.hear: delete `self.journal.hear(said)`"))
    for profile in PROFILES:
        made: Any = profile.on(changed)
        if profile.front is reference.ReferenceAgent:
            assert made.begin is changed.begin


def test_the_loop_of_the_process_stays_as_it_is() -> None:
    """No module of the copy is one of `sys.modules`."""
    before = {name: module for name, module in sys.modules.items() if "reference" in name}
    factory = make_changed(change("turns.Turns.hear: delete `self.journal.hear(said)`"))
    after = {name: module for name, module in sys.modules.items() if "reference" in name}
    assert before == after
    assert factory is not reference.ReferenceAgent
    assert turns.Turns.hear.__globals__ is vars(turns)


def test_an_unchanged_copy_has_modules_of_its_own() -> None:
    """They find each other, and share what is not of the loop."""
    copy = Copy({})
    assert copy.module("turns").Turns is copy.module("loop").Turns
    assert copy.module("turns").Turns is not turns.Turns
    assert copy.module("turns").Outcome is Outcome


def test_what_compiles_to_the_same_is_the_same_program() -> None:
    """A `return` at the very end does nothing; one in the middle does."""

    def program(text: str) -> object:
        ((_, function),) = functions(ast.parse(text))
        return _program(function)

    assert program("def f():\n    g()\n    return") == program("def f():\n    g()\n    pass")
    assert program("def f():\n    return\n    g()") != program("def f():\n    pass\n    g()")
