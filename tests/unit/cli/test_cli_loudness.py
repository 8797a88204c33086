"""`--quiet`, `--verbose` and NO_COLOR mean the same for every verb."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from simharness.cli import main
from simharness.cli.output import echo

if TYPE_CHECKING:
    from pathlib import Path

SCENARIO = """\
scenario: stop
model:
  - ["On it. ", {call: search}, {call: read}]
tools: {search: {takes: 2s}, read: {takes: 1s}}
agent: {tools: sequential}
run: [prompt: go, cancel: {during: tool search}]
"""
MUTANT = "unrun-calls-stay-unanswered"
VERBS = {
    "run": ["run", "stop.sim.yaml", "--agent", f"mutant:{MUTANT}", "--budget", "1"],
    "explore": ["explore", "stop.sim.yaml", "--budget", "5"],
    "shrink": ["shrink", "stop.sim.yaml", "--agent", f"mutant:{MUTANT}", "--budget", "50"],
    "replay": ["replay", "report.json", "stop.sim.yaml"],
    "compare": ["compare", "report.json", "empty.json"],
    "mutants": ["mutants", MUTANT, "--path", "stop.sim.yaml"],
    "rules": ["rules"],
    "agents": ["agents"],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A failing scenario, a report of its failure, and a report of nothing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stop.sim.yaml").write_text(SCENARIO)
    assert 1 == main([*VERBS["run"], "--json", "report.json", "--quiet"])
    report = (tmp_path / "report.json").read_text()
    (tmp_path / "empty.json").write_text(report[: report.index('"cases": [')] + '"cases": []}')
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("verb", VERBS)
def test_quiet_says_less_and_verbose_more(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With the same exit code; quiet still says what came out."""
    said = {}
    codes = set()
    capsys.readouterr()
    for loudness in ("--quiet", "", "--verbose"):
        codes.add(main([*VERBS[verb], *filter(None, [loudness])]))
        said[loudness] = len(capsys.readouterr().out)
    assert 1 == len(codes)
    assert codes <= {0, 1}
    if verb == "compare":  # one table, below the number of rows that are cut
        assert 0 < said["--quiet"] < said[""] == said["--verbose"]
    else:
        assert 0 < said["--quiet"] < said[""] < said["--verbose"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("verb", [*VERBS, "sweep"])
def test_both_at_once_are_a_mistake(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody has to know which of them wins."""
    assert 3 == main([*VERBS.get(verb, [verb]), "-q", "-v"])
    assert "--quiet and --verbose exclude each other" in capsys.readouterr().err


@pytest.mark.parametrize(("no_color", "coloured"), [(None, True), ("", True), ("1", False)])
def test_colour_is_for_terminals_that_want_it(
    no_color: str | None,
    coloured: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """NO_COLOR counts if it is not empty, as no-color.org has it."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color is not None:
        monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)

    echo("FAILED settles: it does not")

    assert coloured == ("\x1b[31m" in capsys.readouterr().out)


@pytest.mark.parametrize(("words", "shown"), [((), True), (("--quiet",), False)])
@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("verb", ["run", "shrink", "explore"])
def test_long_work_shows_a_bar_on_terminals(
    verb: str, words: tuple[str, ...], shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With how many trials there were; a quiet command shows none."""
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "__stderr__", terminal)

    main([*VERBS[verb], *words])

    assert shown == (" trials/s" in terminal.getvalue())
