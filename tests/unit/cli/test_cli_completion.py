"""Shell completion: click's script for three shells, and names that exist as what it offers."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from simharness.cli import main


def offered(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str) -> str:
    """What bash would get for the last word of `line`; a word may be empty."""
    monkeypatch.setenv("_SIMHARNESS_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
    with pytest.raises(SystemExit):
        main([])
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("simharness ", "plain,completion\n"),
        ("simharness ru", "plain,run\nplain,rules\n"),
        ("simharness run --suit", "plain,--suite\n"),
        ("simharness run --agent tiny", "plain,tinyagent\n"),
        ("simharness sweep --profile yo", "plain,yoagent\n"),
        ("simharness run --strategy port", "plain,portfolio\n"),
        ("simharness rules tool-pair", "plain,tool-pairing\n"),
        ("simharness mutants tools-start", "plain,tools-start-after-the-cancel\n"),
        ("simharness new sc", "plain,scenario\n"),
        ("simharness run bug", "file,bug\n"),
        ("simharness completion z", "plain,zsh\n"),
    ],
)
def test_a_shell_is_offered_what_exists(
    line: str, wanted: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Verbs, options, their values, names of ours, and files where files are wanted."""
    assert wanted in offered(monkeypatch, capsys, line)


def test_an_unknown_verb_is_no_error_while_completing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A shell that asks gets nothing, and no message into the line that is being typed."""
    assert "" == offered(monkeypatch, capsys, "simharness rnu --x").strip()
    assert "" == capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_asks_this_command(
    shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """By click's own variable, so the script stays the same from release to release."""
    assert 0 == main(["completion", shell])
    assert f"_SIMHARNESS_COMPLETE={shell}_complete" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_with_the_script() -> None:
    """The script is sourced and its function called as bash calls it."""
    program = (
        'eval "$(simharness completion bash)"\n'
        "COMP_WORDS=(simharness rules no-tool-st); COMP_CWORD=2\n"
        "_simharness_completion simharness; echo ${COMPREPLY[@]}"
    )
    folder = Path(sys.executable).parent
    done = subprocess.run(
        ["bash", "-c", program],
        env={"PATH": f"{folder}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert ("no-tool-start-after-cancel\n", "") == (done.stdout, done.stderr)
