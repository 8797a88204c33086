"""`simharness explore`: the endings of one scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

CANCEL = """scenario: stop
model: ["One. ", "Two."]
run: [{prompt: go}, {cancel: {anywhere: true, way: task}}]
"""


def test_every_ending_is_listed_with_the_way_to_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The default ending comes first; each other one names the choice that leads to it."""
    file = tmp_path / "stop.sim.yaml"
    file.write_text(CANCEL)

    main(["explore", str(file), "--agent", "reference", "--budget", "60"])
    out = capsys.readouterr().out
    first, *others = [line for line in out.splitlines() if line.lstrip()[:2] in {"1 ", "2 ", "3 "}]

    assert "the default order" in first
    assert "completed" in first
    assert any("cancel anywhere" in line and "cancelled" in line for line in others)
    assert "sweep: " in out


def test_a_violation_found_deep_is_shrunk_and_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The failure says that its schedule is the least, and when the fault is gone."""
    file = tmp_path / "stop.sim.yaml"
    file.write_text(
        'scenario: late\nmodel: [[{call: a}, {call: b}], ["Done."]]\n'
        "tools: {a: {takes: 1s}, b: {takes: 1s}}\n"
        'contract: {cancel_grace: "0"}\n'
        "run: [{prompt: go}, {cancel: {anywhere: true, way: task}}]\n"
    )

    assert 1 == main(["explore", str(file), "--agent", "tests.loops:shielded", "--budget", "60"])
    out = capsys.readouterr().out
    assert "least (proved): 1 deviation" in out
    assert "cancel anywhere, instead of" in out
