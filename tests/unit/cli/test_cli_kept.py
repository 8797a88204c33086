"""Kept failures, seeds, and `--check-determinism`: what `run` remembers and what it compares."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from simharness.cli import main
from simharness.scenario.load import load_file

STOP = """scenario: stop
model: [["Let ", "me ", {call: search}], ["Done."]]
tools: {search: {returns: "3 hits", takes: 1s}}
run: [{prompt: go}, {cancel: {anywhere: true, way: task}}]
"""
AGENT = "mutant:cancels-are-counted"
RUN = ["run", "stop.sim.yaml", "--agent", AGENT]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one scenario, as the working directory."""
    (tmp_path / "stop.sim.yaml").write_text(STOP)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SIMHARNESS_SEED", raising=False)
    return tmp_path


def kept(folder: Path) -> list[Path]:
    """The files of kept failures."""
    return sorted(folder.glob(".simharness/regressions/*/*.sim.yaml"))


class TestRegressions:
    def test_a_failure_is_kept_as_a_scenario_with_its_schedule_in_words(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """A file that anyone could have written, named by the scenario and the rule."""
        assert 1 == main(RUN)
        assert "NOTE 1 failure kept under .simharness/regressions/mutant-" in (
            capsys.readouterr().out
        )
        (file,) = kept(folder)
        assert file.name.startswith("stop--cancel-not-failure-")
        (case,) = load_file(file).cases
        assert ("stop", 1, "schedule") == (case.id, len(case.schedule), case.explore.strategy)
        assert "cancel anywhere" == case.schedule[0].takes
        assert case.about.startswith("Breaks cancel-not-failure: ")

    def test_it_is_replayed_first_and_counts_if_the_search_misses_it(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """One trial on the default schedule finds nothing; the kept schedule still fails."""
        short = [*RUN, "--strategy", "default", "--budget", "1"]
        assert 0 == main([*short, "--no-regressions"])
        assert 1 == main(RUN)
        capsys.readouterr()

        assert 1 == main(short)
        out = capsys.readouterr().out
        assert "FAILED cancel-not-failure" in out
        assert "NOTE of 1 kept failures replayed first, 1 still fail" in out
        assert 0 == main([*short, "--no-regressions"])

    def test_a_result_is_the_same_with_and_without_what_is_kept(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """A search that finds the failure by itself reports what it would report anyway."""
        reports = []
        for _ in range(2):
            assert 1 == main([*RUN, "--json", "-"])
            report = json.loads(capsys.readouterr().out)
            del report["timing"]
            reports.append(report)
        assert reports[0] == reports[1]

    def test_regressions_alone_are_replayed_from_their_own_text(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Even when the scenario is gone; a repaired agent holds."""
        assert 1 == main(RUN)
        (folder / "stop.sim.yaml").unlink()
        capsys.readouterr()

        assert 1 == main(["run", "--regressions", "--agent", AGENT])
        assert "FAILED cancel-not-failure (stop, agent" in capsys.readouterr().out
        (mine,) = kept(folder)
        other = folder / ".simharness" / "regressions" / "reference" / mine.name
        other.parent.mkdir()
        other.write_text(mine.read_text())
        assert 0 == main(["run", "--regressions"])
        assert "1 case: 1 holds" in capsys.readouterr().out

    def test_a_failure_that_only_the_relaxed_mode_shows_is_replayed_in_it(
        self, folder: Path
    ) -> None:
        """The mode of the search stands in the file if the scenario says another."""
        assert 1 == main([*RUN, "--mode", "relaxed"])
        (file,) = kept(folder)
        assert "relaxed" == load_file(file).cases[0].mode
        assert 1 == main(["run", "--regressions", "--agent", AGENT])
        assert 1 == main(RUN)
        assert None is load_file(file).cases[0].mode

    def test_nothing_kept_is_no_failure(self, capsys: pytest.CaptureFixture[str]) -> None:
        """A fresh checkout has none."""
        assert 0 == main(["run", "--regressions"])
        assert "no failure of agent reference is kept" in capsys.readouterr().out

    def test_fail_fast_ends_with_a_kept_failure(self, capsys: pytest.CaptureFixture[str]) -> None:
        """The search does not begin: a trial or two are enough."""
        assert 1 == main(RUN)
        capsys.readouterr()
        assert 1 == main([*RUN, "--fail-fast", "--json", "-"])
        assert json.loads(capsys.readouterr().out)["summary"]["trials"] <= 2

    def test_a_run_of_a_folder_does_not_take_kept_files_for_scenarios(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Hidden folders are not searched."""
        assert 1 == main(RUN)
        capsys.readouterr()
        assert 0 == main(["run", "."])
        assert "1 case: 1 holds" in capsys.readouterr().out

    def test_a_kept_file_that_cannot_be_read_stops_only_a_replay_of_it(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """A run goes on without it; `--regressions` says what is wrong, and where."""
        assert 1 == main(RUN)
        kept(folder)[0].write_text("scenario: stop\nrnu: []\n")
        assert 1 == main(RUN)
        kept(folder)[0].write_text("scenario: stop\nrnu: []\n")
        capsys.readouterr()
        assert 3 == main(["run", "--regressions", "--agent", AGENT])
        assert 'sim.yaml:2:1: error: unknown key "rnu"' in capsys.readouterr().err


class TestSeeds:
    def searched(self, *words: str, capsys: pytest.CaptureFixture[str]) -> str:
        """The output of a drawing search."""
        main([*RUN, "--strategy", "deviate", "--budget", "5", "--no-regressions", *words])
        return capsys.readouterr().out

    def test_last_is_the_seed_of_the_last_search_that_drew(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """A search without a draw leaves it as it was."""
        first = self.searched("--seed", "7", capsys=capsys)
        assert "7\n" == (folder / ".simharness" / "last-seed").read_text()
        assert 1 == main(RUN)
        capsys.readouterr()
        again = self.searched("--seed", "last", capsys=capsys)
        assert first.rpartition("; ")[0] == again.rpartition("; ")[0]

    def test_the_environment_gives_the_seed(
        self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An option outranks it."""
        monkeypatch.setenv("SIMHARNESS_SEED", "11")
        self.searched(capsys=capsys)
        assert "11\n" == (folder / ".simharness" / "last-seed").read_text()
        self.searched("--seed", "12", capsys=capsys)
        assert "12\n" == (folder / ".simharness" / "last-seed").read_text()

    def test_a_range_of_seeds_is_one_search_each(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Their trials add up, and a failing one is told with its seed and its code."""
        out = self.searched("--seeds", "1..6", capsys=capsys)
        assert "1 case: 1 violated; 30 trials" in out
        assert "Replay: simharness replay sh1:" in out
        assert "Seed: the same search with --strategy deviate --seed " in out

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (["--seed", "x"], '"x" is no seed; give a number or last'),
            (["--seed", "last"], "no search here has drawn anything yet"),
            (["--seeds", "3"], '"3" is no range of seeds; write it as 1..20'),
            (["--seeds", "5..2"], "5..2 must rise"),
            (["--seeds", "1..2"], "nothing is drawn at random without a --strategy"),
            (
                ["--seeds", "1..2", "--strategy", "random", "--store", "x.sqlite"],
                "a store belongs to one seed",
            ),
            (["--regressions"], "it takes no PATH and no --suite"),
            (["--regressions", "--no-regressions"], "exclude each other"),
        ],
    )
    def test_a_mistake_is_one_message(
        self, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """It says what is possible; exit code 3."""
        assert 3 == main([*RUN, *words])
        out, err = capsys.readouterr()
        assert said in err
        assert "Traceback" not in err
        assert "" == out


class TestDeterminism:
    def test_a_deterministic_agent_gives_the_same_traces(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Twice here and once in another process; exit code 0."""
        assert 0 == main(["run", "stop.sim.yaml", "--check-determinism"])
        out = capsys.readouterr().out
        assert "1 case played twice in this process and in another" in out
        assert out.endswith("the same traces\n")

    def test_one_that_is_not_is_shown_with_the_first_record_that_differs(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """This one counts how many of it were made; exit code 1."""
        words = ["run", "stop.sim.yaml", "--check-determinism", "--agent", "tests.loops:moody"]
        assert 1 == main(words)
        out = capsys.readouterr().out
        assert "DIFFERS stop, the default schedule, again in this process: record " in out
        first, second = re.findall(r"agent ([0-9]+)", out)[:2]
        assert 2 == int(second) - int(first)  # a trial on the other schedule lies between

    def test_an_order_of_sets_shows_in_the_other_process(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Within one process sets of texts keep their order; another hash seed has another one."""
        words = ["run", "stop.sim.yaml", "--check-determinism", "--agent", "tests.loops:unordered"]
        assert 1 == main(words)
        out = capsys.readouterr().out
        assert "again in this process" not in out
        assert "in another process: record " in out
