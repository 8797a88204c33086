"""Reports of `simharness run` and `sweep`: which options write what, and what a GitHub job gets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from simharness.cli import main

TOOL = """scenario: one-tool
model: [["\\e]0;owned\\a", {call: search}], ["Done."]]
tools: {search: {returns: "3 hits"}}
run: [{prompt: go}]
"""
RUN = ["run", ".", "--agent", "tests.loops:forgetful", "--budget", "3", "--no-regressions"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a scenario that the agent fails, in no job of GitHub's."""
    (tmp_path / "one-tool.sim.yaml").write_text(TOOL)
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def test_html_goes_to_a_file_or_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    """`-` prints the page and nothing else; both are the same page."""
    assert 1 == main([*RUN, "--html", "reports/page.html"])
    assert "FAILED" in capsys.readouterr().out
    assert 1 == main([*RUN, "--html", "-"])

    assert Path("reports/page.html").read_text(encoding="utf-8") == capsys.readouterr().out


def test_what_a_model_streams_never_reaches_the_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An escape that would set the title of the window is shown by its number."""
    main([*RUN, "--verbose"])
    out = capsys.readouterr().out

    assert "\\x1b]0;owned\\x07" in out
    assert "\x1b" not in out


def test_a_github_job_gets_annotations_and_a_summary(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both without an option; the summary is added behind what the step has written."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("before")
    main(RUN)
    lines = capsys.readouterr().out.splitlines()
    summary = Path("summary.md").read_text()

    assert [line for line in lines if line.startswith("::error file=one-tool.sim.yaml,line=1,")]
    assert summary.startswith("before\n### simharness")
    assert "```mermaid" in summary


def test_nothing_else_is_printed_beside_a_report_on_standard_output(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Annotations would spoil it."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    main([*RUN, "--junit", "-"])
    out = capsys.readouterr().out

    assert out.startswith("<?xml")
    assert out.endswith("</testsuites>\n")


def test_a_full_summary_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """GitHub drops a summary of more than 1 MiB as a whole, with what others wrote."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("x" * (2**20 - 1_100))
    main([*RUN, "-q"])

    assert 2**20 - 1_100 == Path("summary.md").stat().st_size


def test_a_summary_that_cannot_be_written_fails_no_job(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said, and the exit code is that of the check."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "no/such/folder/summary.md")

    assert 1 == main([*RUN, "-q"])
    assert "the job summary cannot be written" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_is_one_message(capsys: pytest.CaptureFixture[str]) -> None:
    """The report is printed all the same: it may have taken an hour."""
    assert 3 == main([*RUN, "--html", "one-tool.sim.yaml/page.html"])
    out, err = capsys.readouterr()
    assert "FAILED tool-pairing" in out
    assert "cannot write" in err
    assert "one-tool.sim.yaml" in err
    assert "Traceback" not in err
    assert [] == [name for name in os.listdir() if name.endswith(".tmp")]  # noqa: PTH208


def test_the_page_does_not_depend_on_where_the_trials_ran() -> None:
    """In this process, in two others, in batches: the same bytes."""
    for name, options in (("one", []), ("two", ["--jobs", "2"]), ("three", ["--store", "kept"])):
        assert 1 == main([*RUN, "-q", "--html", f"{name}.html", *options])

    pages = {Path(f"{name}.html").read_bytes() for name in ("one", "two", "three")}
    assert 1 == len(pages)
