"""The page about the bridge names every message with its fields, and every limit."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import pytest

from simharness.bridges.lines import DOWN, UP

PAGE = (Path(__file__).parents[2] / "docs" / "bridges.md").read_text(encoding="utf-8")


def row(tag: str) -> str:
    """The row of the tables that is about a message."""
    rows = [line for line in PAGE.splitlines() if re.match(rf"\|[^|]*`{tag}`[^|]*\|", line)]
    assert rows, f"no row for {tag}"
    return rows[0]


@pytest.mark.parametrize(("tag", "kind"), [*DOWN.items(), *UP.items()])
def test_every_message_has_a_row_with_its_fields(tag: str, kind: type) -> None:
    """Fields that may be missing are marked."""
    cells = row(tag).split("|")
    for field in attrs.fields(kind):
        optional = field.default is not attrs.NOTHING
        named = re.search(rf"`{field.name}(\?)?[:`]", cells[2])
        listed = field.name in {"tools", "items", "messages", "names"}
        assert named, f"{tag} has no {field.name}"
        assert listed or optional == bool(named[1]), f"{tag}.{field.name}"
