"""The reports of the last months that are not among the rows: each scenario can turn red."""

from __future__ import annotations

from pathlib import Path

import pytest

from simharness.scenario.load import load_file
from tests.field.rows import FIELD
from tests.field.test_reports import broken

RECENT = FIELD / "recent"
LINES_MAX = 25

REDS = {
    "asked-again-behind-a-cancelled-tool": (
        "stopped-tools-are-told-to-the-model",
        "no-model-call-after-cancel",
    ),
    "calls-and-then-nothing": ("silent-close-counts", "terminal-kind"),
    "cancelled-while-sub-runs-wait": ("running-calls-are-left-open", "tool-pairing"),
    "dropped-connection-behind-a-call": ("calls-of-broken-streams-stay", "error-content-dropped"),
    "dropped-mid-sentence": ("broken-connections-are-stops", "terminal-kind"),
    "incomplete-with-a-call": ("incomplete-counts", "expect.outcome"),
    "no-word-at-all": ("silent-close-counts", "terminal-kind"),
    "paid-before-the-crash": ("continued-runs-run-calls-again", "tool-exec-once"),
    "steered-past-the-queue": ("follow-ups-wait-for-a-prompt", "queue-progress"),
    "stop-beside-a-sub-run": ("only-the-oldest-run-is-stopped", "terminal-kind"),
    "stop-with-a-deaf-tool": ("cancelled-rounds-never-end", "settles"),
    "stopped-behind-the-stream": (
        "stopped-tools-are-told-to-the-model",
        "no-model-call-after-cancel",
    ),
    "tokens-of-a-stopped-round": ("usage-of-cut-streams-is-lost", "usage-once"),
    "tokens-of-each-attempt": ("usage-of-cut-streams-is-lost", "usage-once"),
    "tool-that-nobody-runs": ("unknown-tool-ends-the-run", "bad-tool-answered"),
}
"""What shows each scenario red: a fault of the reference loop and what it breaks."""


def files() -> list[Path]:
    """All of them."""
    return sorted(RECENT.glob("*.sim.yaml"))


def test_fifteen_reports_are_short() -> None:
    """The language says each in a few lines."""
    assert sorted(REDS) == [file.name.removesuffix(".sim.yaml") for file in files()]
    assert 15 == len(REDS)
    lengths = {file.name: len(file.read_text(encoding="utf-8").splitlines()) for file in files()}
    assert LINES_MAX >= max(lengths.values()), lengths


@pytest.mark.parametrize("name", REDS)
def test_the_fault_is_red_and_the_loop_green(name: str) -> None:
    """In one of the cases the fault breaks the rule, the sound loop breaks nothing in any."""
    mutant, rule = REDS[name]
    cases = load_file(RECENT / f"{name}.sim.yaml").cases
    assert {frozenset()} == {broken(case, None) for case in cases}
    assert any(rule in broken(case, mutant) for case in cases)
