"""Campaigns on the command line: stores that go on, Ctrl-C, and mistakes in saying where to run."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from simharness.batches import Gain
from simharness.campaign.budget import Plan
from simharness.cli import main
from simharness.cli.progress import Progress
from simharness.world.run import batch as trials
from tests.campaigns import FORGETFUL, TEXT, serial
from tests.killing import batches, command
from tests.processes import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from simharness.campaign.results import SuiteResult


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A campaign of two cases that breaks a rule, in a folder of its own."""
    (tmp_path / "two.sim.yaml").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    return ["two.sim.yaml", "--agent", FORGETFUL, "--budget", "60"]


@pytest.mark.parametrize("verb", ["explore", "run"])
def test_the_same_command_goes_on_with_its_store(
    verb: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The second time nothing is left to do, and the report is the same."""
    out_of_reach = ["--json", "-"] if verb == "run" else []
    assert 1 == main([verb, *words, "--store", "deep/store.sqlite", *out_of_reach])
    first = capsys.readouterr()
    assert 1 == main([verb, *words, "--store", "deep/store.sqlite", *out_of_reach])
    second = capsys.readouterr()
    assert "" == first.err
    assert "batches are in deep/store.sqlite already" in second.err
    assert first.out.split('"timing"')[0] == second.out.split('"timing"')[0]


def test_a_store_changes_nothing_in_the_report(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """`run` checks whole cases without one, and batches with one."""
    main(["run", *words])
    without = capsys.readouterr().out
    main(["run", *words, "--store", "store.sqlite"])
    assert without.split(" in ")[0] == capsys.readouterr().out.split(" in ")[0]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--jobs", "2", "--dask", "tcp://127.0.0.1:1"], "--jobs and --dask exclude each other"),
        (["--dask", "nowhere"], "no Dask scheduler answers at nowhere"),
        (["--dask", "foo://x:1"], "no Dask scheduler answers at foo://x:1: unknown address"),
        (["--dask", "tcp://127.0.0.1:1"], "no Dask scheduler answers at tcp://127.0.0.1:1"),
        (["--store", "two.sim.yaml"], "two.sim.yaml cannot be used as a store"),
        (["--store", "two.sim.yaml/store"], "cannot open the store two.sim.yaml/store"),
        (["--store", "."], "cannot open the store"),
    ],
)
def test_a_mistake_in_saying_where_to_run_is_one_message(
    more: list[str],
    said: str,
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With exit code 3, and nothing on the standard output."""
    monkeypatch.setattr("simharness.isolate.means._CONNECT_S", 0.2)
    assert 3 == main(["explore", *words, *more])
    out, err = capsys.readouterr()
    assert "" == out
    assert f"simharness: {said}" in err
    assert "Traceback" not in err


def test_a_missing_extra_is_said_with_the_command_that_installs_it(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Dask is nothing that everybody needs."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert 3 == main(["explore", *words, "--dask", "tcp://127.0.0.1:1"])
    assert "pip install 'simharness[dask]'" in capsys.readouterr().err


def test_other_options_are_another_campaign(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The message says which, and what to do."""
    main(["explore", *words, "--store", "store.sqlite"])
    capsys.readouterr()
    assert 3 == main(["explore", *words, "--store", "store.sqlite", "--seed", "2"])
    assert (
        'simharness: store.sqlite is of another campaign: seed was "0" and is "2". '
        "Give the same options again, or another file.\n"
    ) == capsys.readouterr().err


@pytest.mark.parametrize("jobs", [[], ["--jobs", "2"]])
def test_ctrl_c_keeps_what_is_done_and_says_how_to_go_on(jobs: list[str], tmp_path: Path) -> None:
    """It exits with 130; the next command finds at least what was said."""
    store = tmp_path / "store.sqlite"
    process = subprocess.Popen(
        [*command(tmp_path, 30), "--store", str(store), *jobs],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    log = store.with_name("store.sqlite-wal")
    while process.poll() is None and not (log.exists() and log.stat().st_size > 50_000):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (130, "") == (process.returncode, out)
    assert [
        f"{len(batches(store))} batches are kept in {store}; the same command goes on from there",
        "interrupted",
    ] == [line for line in err.splitlines() if line]


class Terminal(io.StringIO):
    """A standard error that somebody looks at."""

    def isatty(self) -> bool:
        """It is one."""
        return True


class TestProgress:
    """The bar of a campaign: trials of how many, and what was found."""

    @pytest.fixture
    def result(self) -> SuiteResult:
        """Both cases, with what breaks in them."""
        return serial(plan=Plan(budget=20))

    def test_it_shows_trials_interleavings_and_failures(
        self, result: SuiteResult, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Counted per case where a case is checked as a whole."""
        monkeypatch.setattr(sys, "__stderr__", screen := Terminal())
        with Progress(40, Plan(budget=20), hidden=False) as progress:
            for one in result.results:
                progress(one)
        last = screen.getvalue().split("\r")[-1]
        assert f"{result.total('trials')}/{result.total('trials')} [" in last
        assert f"cases done: 2, interleavings: {result.total('interleavings')}, " in last
        assert f"failures: {sum(len(one.findings) for one in result.results)}]" in last

    def test_what_is_gained_bit_by_bit_is_not_counted_again(
        self, result: SuiteResult, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The result of the case only ends it."""
        monkeypatch.setattr(sys, "__stderr__", screen := Terminal())
        with Progress(100, hidden=False) as progress:
            progress.gained(Gain(7, 5, 1))
            progress.gained(Gain(3, 1, 0))
            progress(result.results[0])
        last = screen.getvalue().split("\r")[-1]
        assert "10/100 [" in last
        assert "cases done: 1, interleavings: 6, failures: 1]" in last

    def test_it_is_seen_while_what_agents_print_is_dropped(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Trials in this process replace the standard error."""
        monkeypatch.setattr(sys, "__stderr__", screen := Terminal())
        with trials(), Progress(10, hidden=False) as progress:
            progress.gained(Gain(7, 5, 1))
        assert "7/10 [" in screen.getvalue()

    def test_nothing_is_shown_where_nobody_looks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Not in a pipe, and not under --quiet."""
        monkeypatch.setattr(sys, "__stderr__", pipe := io.StringIO())
        with Progress(10, hidden=False) as progress:
            progress.gained(Gain(7, 5, 1))
        monkeypatch.setattr(sys, "__stderr__", screen := Terminal())
        with Progress(10, hidden=True) as progress:
            progress.gained(Gain(7, 5, 1))
        assert ("", "") == (pipe.getvalue(), screen.getvalue())
