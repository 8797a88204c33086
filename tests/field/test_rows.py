"""Rows are read as they are written, and half a row is refused."""

from __future__ import annotations

from pathlib import Path

import attrs
import pytest

from tests.field.page import as_markdown
from tests.field.rows import Row, read_rows

FILE = """\
kind: late
reports:
  FR002: {report: b#2, rule: settles, instead: bridge, why_not: It takes a peer.}
  FR001: {report: a#1, rule: settles, mutant: hangs, pins: [P1]}
"""


def written(folder: Path, *texts: str) -> Path:
    """A folder with one kind for each text."""
    for number, text in enumerate(texts):
        kind = folder / f"kind-{number}"
        kind.mkdir()
        (kind / "reports.yaml").write_text(text, encoding="utf-8")
    return folder


def test_rows_are_sorted_by_their_id(tmp_path: Path) -> None:
    """Whatever the order of the files and of the rows in them."""
    first, second = read_rows(written(tmp_path, FILE))
    row = Row("FR001", "late", "a#1", "settles", mutant="hangs", pins=("P1",), folder="kind-0")
    assert row == first
    peer = Row("FR002", "late", "b#2", "settles", instead="bridge", why_not="It takes a peer.")
    assert attrs.evolve(peer, folder="kind-0") == second


def test_a_row_stands_in_one_file_only(tmp_path: Path) -> None:
    """Two kinds cannot share it."""
    with pytest.raises(ValueError, match=r"given twice: \['FR001', 'FR002'\]"):
        read_rows(written(tmp_path, FILE, FILE))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"mutant": "hangs", "why_not": "It takes a peer."},
        {"instead": "bridge"},
        {"instead": "magic", "why_not": "It takes a peer."},
        {"instead": "bridge", "why_not": "no sentence"},
    ],
)
def test_a_row_has_a_mutant_or_says_why_not(fields: dict[str, str]) -> None:
    """Nothing is left open."""
    with pytest.raises(ValueError, match="FR001: a mutant, or `instead`"):
        Row("FR001", "late", "a#1", "settles", **fields)  # type: ignore[arg-type]


def test_the_page_counts_the_states(tmp_path: Path) -> None:
    """One line per kind, one for all."""
    page = as_markdown(read_rows(written(tmp_path, FILE)), [])
    lines = [line.replace(" ", "") for line in page.splitlines()]
    assert "|late|2|1|0|1|0||" in lines
    assert "|all|2|1|0|1|0||" in lines
    assert "|FR002|b#2|bridge|`settles`||Ittakesapeer.|" in lines
    assert "|FR001|a#1||`settles`|`hangs`|P1:pydantic-ai-slim2.37.0|" in lines
