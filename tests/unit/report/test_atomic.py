"""Reports are whole or not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from simharness.report.atomic import write_text


def test_a_file_is_replaced_and_its_folder_made(tmp_path: Path) -> None:
    """Writing makes the folder and leaves exactly one file with the new text."""
    target = tmp_path / "latest" / "report.txt"

    write_text(target, "old")
    write_text(target, "new\n")

    assert "new\n" == target.read_text()
    assert [target] == list(target.parent.iterdir())


def test_an_error_while_writing_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the last step fails the reader still sees the old report and no leftover file."""
    target = tmp_path / "report.txt"
    write_text(target, "old")

    def refuse(self: Path, target: Path) -> Path:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="disk full"):
        write_text(target, "new")

    assert "old" == target.read_text()
    assert [target] == list(tmp_path.iterdir())
