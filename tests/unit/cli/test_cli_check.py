"""`simharness check` and what belongs to it: `rules`, `replay --trace`, `new scenario --from`."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

import pytest

from simharness.cli import main
from simharness.recorded.formats import FORMAT_RULES, FORMATS
from simharness.recorded.rule import KEPT_MAX
from tests.unit.recorded.wires import ANSWERS, encoded

if TYPE_CHECKING:
    from pathlib import Path

GOOD = FORMAT_RULES["agui-text-message"].good
BAD = FORMAT_RULES["agui-text-message"].bad


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder as the working directory, with a good and a bad trace."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.jsonl").write_text(GOOD)
    (tmp_path / "bad.jsonl").write_text(BAD)
    return tmp_path


def test_a_sound_trace_holds(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was judged, what cannot be, and the summary."""
    assert 0 == main(["check", "good.jsonl", "--format", "agui"])
    out = capsys.readouterr().out
    assert "FAILED" not in out
    assert "rules of agui had something to judge." in out
    assert "This format does not show:" in out
    assert "never judge it; --verbose names them." in out
    assert out.endswith("HOLDS good.jsonl: AG-UI events, 7 events\n")


def test_a_broken_trace_says_where(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rule, file, line, column, sentence."""
    assert 1 == main(["check", "bad.jsonl", "--format", "agui", "--quiet"])
    out = capsys.readouterr().out
    assert (
        'FAILED agui-text-message bad.jsonl:2:1: TEXT_MESSAGE_CONTENT of the text message "m"'
        in out
    )
    assert "This format" not in out
    assert out.endswith("VIOLATED bad.jsonl: AG-UI events, 3 events; 1 rule broken, 1 time\n")


def test_several_traces_give_the_worst_exit_code(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bad input before a broken rule before a sound trace; all of them are told."""
    assert 1 == main(["check", "good.jsonl", "bad.jsonl", "--format", "agui"])
    (folder / "cut.jsonl").write_text(GOOD[:-5])
    assert 3 == main(["check", "bad.jsonl", "cut.jsonl", "none.jsonl", "--format", "agui"])
    out = capsys.readouterr().out
    assert "ERROR cut.jsonl:7:" in out
    assert "ERROR none.jsonl: error: cannot be read: No such file or directory" in out


def test_verbose_names_rules_and_occasions(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those of the format, the universal ones, and those that cannot judge it."""
    main(["check", "good.jsonl", "--format", "agui", "--verbose"])
    out = capsys.readouterr().out
    assert "  agui-text-message: 5" in out
    assert "  one-terminal: 1" in out
    assert "  tool-pairing" in out


def test_json_holds_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And nothing else goes to standard output."""
    assert 1 == main(["check", "bad.jsonl", "--format", "agui", "--json", "-"])
    value = json.loads(capsys.readouterr().out)
    (trace,) = value["traces"]
    assert 1 == value["format"]
    assert ("violated", 3, None) == (trace["verdict"], trace["events"], trace["refused"])
    (found,) = trace["violations"]
    assert ("agui-text-message", 2, 1) == (found["rule"], found["line"], found["column"])
    assert {"agui-text-message": 1} == trace["broken"]
    assert "tool-pairing" in trace["unjudged"]


def test_many_findings_are_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first ones are shown."""
    start, content, end = BAD.splitlines()
    (folder / "many.jsonl").write_text("\n".join([start, *[content] * 50, end]))
    main(["check", "many.jsonl", "--format", "agui"])
    out = capsys.readouterr().out
    assert KEPT_MAX == out.count("FAILED")
    assert "... and 30 more of agui-text-message" in out
    assert "1 rule broken, 50 times" in out


def test_standard_input_is_a_trace(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As bytes, since it may be anything."""
    body = encoded("openai-chat", ANSWERS["text"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(body)))
    assert 0 == main(["check", "-", "--format", "openai-chat"])
    assert "HOLDS <stdin>" in capsys.readouterr().out


def test_where_the_recorder_sat_matters(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only at the client may an end have crossed the cancel."""
    start, *_, end = GOOD.splitlines()
    (folder / "crossed.jsonl").write_text(f'{start}\n{{"simharness": "cancel"}}\n{end}\n')
    words = ["check", "crossed.jsonl", "--format", "agui"]
    assert 1 == main(words)
    capsys.readouterr()
    assert 0 == main([*words, "--recorded-at", "client"])
    assert "NOTE crossed.jsonl:3:1: This end may have crossed" in capsys.readouterr().out


def test_an_unknown_format_is_bad_input(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a suggestion and all names."""
    assert 3 == main(["check", "good.jsonl", "--format", "ag-ui"])
    err = capsys.readouterr().err
    assert 'unknown format "ag-ui"; did you mean "agui"? Formats: ' in err
    assert all(name in err for name in FORMATS)


def test_a_format_is_required(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two formats can look alike, so none is guessed."""
    assert 3 == main(["check", "good.jsonl"])
    assert "--format" in capsys.readouterr().err


def test_rules_lists_and_explains_those_of_formats(capsys: pytest.CaptureFixture[str]) -> None:
    """Behind the universal ones, and by their id."""
    assert 0 == main(["rules", "--quiet"])
    listed = capsys.readouterr().out.split()
    assert listed.index("tool-pairing") < listed.index("agui-tool-result")
    assert set(FORMAT_RULES) < set(listed)
    assert 0 == main(["rules", "acp-cancel-no-error"])
    out = capsys.readouterr().out
    assert "Asked for by: specification." in out
    assert "Good:\n    {" in out
    assert 3 == main(["rules", "agui-tool-reslt"])
    assert 'did you mean "agui-tool-result"?' in capsys.readouterr().err
    assert 0 == main(["rules"])
    assert "acp-cancel-no-error" in capsys.readouterr().out


FAILING = """
scenario: cut
model: [[{call: search}, {call: search}], [b]]
tools: {search: {returns: 3 hits, takes: 1s}}
run:
  - prompt: go
  - cancel: {during: search}
"""


def test_a_replayed_trial_can_be_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`replay --trace` writes what `check --format simharness` reads, and both say the same."""
    (folder / "cut.sim.yaml").write_text(FAILING)
    agent = ["--agent", "mutant:calls-run-twice"]
    main(["run", "cut.sim.yaml", *agent, "--json", "r.json", "--budget", "quick", "-q"])
    found = json.loads((folder / "r.json").read_text())["cases"][0]["violations"]
    if not found:
        pytest.fail("the mutant holds: nothing is replayed")
    capsys.readouterr()
    main(["replay", found[0]["replay"], "cut.sim.yaml", "--trace", "trial.jsonl", "--quiet"])
    assert 1 == main(["check", "trial.jsonl", "--format", "simharness", "--quiet"])
    assert f"FAILED {found[0]['rule']} trial.jsonl:" in capsys.readouterr().out


def test_a_capture_becomes_a_scenario_that_runs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a new file, never over an old one."""
    (folder / "c.sse").write_bytes(encoded("anthropic", ANSWERS["call"]))
    assert 0 == main(["new", "scenario", "mine", "--from", "c.sse"])
    assert "wrote mine.sim.yaml\n" in capsys.readouterr().out
    assert 0 == main(["run", "mine.sim.yaml", "--budget", "quick", "-q"])
    assert 3 == main(["new", "scenario", "mine", "--from", "c.sse"])
    assert "exists already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["agent", "x", "--from", "good.jsonl"], '"new agent" is not made from a trace'),
        (["scenario", "x", "--format", "anthropic"], "name one with"),
        (["scenario", "x", "--from", "none"], "none cannot be read: No such file"),
        (["scenario", "x", "--from", "good.jsonl"], "good.jsonl:1:1: error: this is no stream"),
        (
            ["scenario", "x", "--from", "good.jsonl", "--format", "agui"],
            "is no provider's format. Known: ",
        ),
        (["scenario", "a/b", "--from", "good.jsonl"], "cannot name a scenario"),
    ],
)
def test_what_cannot_be_captured_is_bad_input(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    """Nothing is written."""
    assert 3 == main(["new", *words])
    assert message in capsys.readouterr().err
    assert {"good.jsonl", "bad.jsonl"} == {path.name for path in folder.iterdir()}
