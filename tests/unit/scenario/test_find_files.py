"""Finding scenario files by path."""

from __future__ import annotations

from pathlib import Path

import pytest

from simharness.scenario.load import ScenarioError, find_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with three scenarios and something else."""
    for name in ("b/two.sim.yaml", "a/deep/one.sim.yaml", "three.sim.yaml", "a/notes.yaml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("scenario: x\n", "utf-8")
    return tmp_path


def names(found: list[Path], folder: Path) -> list[str]:
    """The paths below the folder."""
    return [path.relative_to(folder).as_posix() for path in found]


def test_a_folder_is_searched_and_sorted(folder: Path) -> None:
    """Only files with the right ending are scenarios."""
    wanted = ["a/deep/one.sim.yaml", "b/two.sim.yaml", "three.sim.yaml"]
    assert wanted == names(find_files([folder]), folder)


def test_files_keep_their_order_and_come_once(folder: Path) -> None:
    """A file is taken as it is named, whatever its ending."""
    asked: list[Path | str] = [
        folder / "three.sim.yaml",
        folder / "a" / "notes.yaml",
        str(folder / "three.sim.yaml"),
    ]
    assert ["three.sim.yaml", "a/notes.yaml"] == names(find_files(asked), folder)


def test_a_missing_path_says_what_may_have_been_meant(folder: Path) -> None:
    """A slip is corrected; where nothing is alike, what there is is listed."""
    with pytest.raises(ScenarioError, match=r'no such file or folder; did you mean ".*three.sim'):
        find_files([folder / "thre.sim.yaml"])
    with pytest.raises(ScenarioError, match=r"there is a, b, three\.sim\.yaml"):
        find_files([folder / "qqqqqqqqq"])


def test_all_bad_paths_are_told_at_once(folder: Path) -> None:
    """A folder without scenarios is a mistake as well."""
    (folder / "empty").mkdir()
    with pytest.raises(ScenarioError) as caught:
        find_files([folder / "empty", folder / "none" / "x.sim.yaml", folder / "b"])
    assert ["no *.sim.yaml file", "no such file or fo"] == [
        problem.message[:18] for problem in caught.value.problems
    ]
    assert str(caught.value).splitlines()[0].startswith(f"{folder / 'empty'}: error: no *.sim")
