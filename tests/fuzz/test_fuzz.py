"""Fuzzing on a small scale: blocks find faults, and hostile files are refused in words."""

from __future__ import annotations

import gc
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import pytest

from simharness.agents.mutants import find_mutant
from simharness.strategies.kinds import KINDS as REPORTED
from tests.fuzz.hostile import KINDS, hostile
from tests.fuzz.ledger import Ledger
from tests.fuzz.loading import load, peak_mb
from tests.fuzz.page import as_markdown
from tests.fuzz.trials import (
    CASES as CASES_OF_A_BLOCK,
    OF_KINDS,
    RUN,
    SCHEDULES,
    kinds_of,
    play_block,
)
from tests.fuzz.working import work

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from simharness.agent import Agent, World

CASES = 30
FILES_OF_A_KIND = 5


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


def faulty(world: World) -> Agent:
    """A loop whose cancelled runs end like any other."""
    return find_mutant("cancels-complete").factory(world)


def test_a_block_of_trials_breaks_nothing() -> None:
    """Every trial is judged, and most schedules of a case are different ones."""
    block = play_block(0, count=CASES)
    assert () == block.failures
    assert CASES * SCHEDULES == block.trials
    assert CASES < block.distinct <= block.trials
    assert 0 < block.with_store < block.trials
    assert 0 < block.repeated
    assert CASES // OF_KINDS * SCHEDULES == block.of_kinds


def test_the_kinds_of_reports_are_drawn_in_turn() -> None:
    """Each block goes on where the one before it stopped, and a quarter of its cases are theirs."""
    per_block = -(-(CASES_OF_A_BLOCK // OF_KINDS) // RUN)
    turns = [kinds_of(block, CASES_OF_A_BLOCK) for block in range(len(REPORTED))]
    assert {per_block} == {len(names) for names in turns}
    names = [name for of_block in turns for name in of_block]
    assert [*REPORTED] * per_block == names


def test_a_block_is_a_function_of_its_number() -> None:
    """Whoever plays it, and whenever."""
    first, again = (attrs.evolve(play_block(7, count=10), seconds=0) for _ in range(2))
    assert first == again
    assert first != attrs.evolve(play_block(8, count=10), seconds=0, number=7)


def test_a_fault_is_found_and_can_be_replayed() -> None:
    """With its scenario, the rule and the line that replays it."""
    block = play_block(0, agent="tests.fuzz.test_fuzz:faulty", count=CASES)
    found = [text for text in block.failures if "FAILED terminal-kind" in text]
    assert found
    assert all(text.startswith("scenario: drawn\n") for text in found)
    assert all("Replay: simharness replay sh1:" in text for text in found)


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_files_are_refused_in_words_or_played(kind: str, tmp_path: Path) -> None:
    """Nothing but `ScenarioError` comes out of the loader, and what loads can be played."""
    path = tmp_path / "hostile.sim.yaml"
    step = len(KINDS)
    first = list(KINDS).index(kind)
    for number in range(first, first + step * FILES_OF_A_KIND, step):
        made, data = hostile(number)
        assert (kind, data) == (made, hostile(number)[1])
        path.write_bytes(data)
        outcome, error = load(path)
        assert "" == error, number
        assert outcome in {"refused", "played"}


def test_the_memory_of_this_process_is_known() -> None:
    """In megabytes: more than ten, less than all there is."""
    assert 10 < peak_mb() < 100_000


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    """Blocks that the ledger has are not played again; half a line is no block."""
    ledger = Ledger("trials", tmp_path)
    played: list[int] = []

    def play(number: int) -> dict[str, Any]:
        played.append(number)
        return {"number": number, "failures": []}

    work(ledger, range(3), play, jobs=1, told=lambda _: None)
    (file,) = tmp_path.iterdir()
    with file.open("a", encoding="utf-8") as torn:
        torn.write('\n{"number": 3, "fai')
    done = work(ledger, range(5), play, jobs=2, told=lambda _: None)
    assert [0, 1, 2, 3, 4] == sorted(played)
    assert [0, 1, 2, 3, 4] == [block["number"] for block in done]


def test_the_page_adds_up_what_was_played() -> None:
    """Figures of all blocks, and every failure as it was told."""
    block = json.loads(json.dumps(attrs.asdict(play_block(0, count=2))))
    dead = {"number": 1, "failures": ["block 1 ended with -9"]}
    file = {"kind": "depth", "outcome": "refused", "seconds": 1.5, "peak_mb": 60.0}
    text = as_markdown([block, dead], [{"files": [file], "failures": []}], "make fuzz N=8")
    page = re.sub(" +", " ", text)
    assert f"| trials | {2 * SCHEDULES} |" in page
    assert "| trials of cases drawn for a kind of report | 0 |" in page
    assert "| depth | 1 | 1 | 0 | 0 | 1.5 | 60 |" in page
    assert "```text\nblock 1 ended with -9\n```" in page
