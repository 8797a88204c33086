"""The public reports on agent loops, and which scenario, rule and mutant stand for each.

Each folder of `scenarios/field/` is one kind of report and has a `reports.yaml`:

    kind: a call without its result
    reports:
      FR001: {report: pydantic-ai#7977, rule: tool-pairing, mutant: ID, pins: [P1]}
      FR040: {report: mcp python-sdk#2480, rule: one-terminal, instead: bridge, why_not: SENTENCE}

A scenario says by its tags which reports it shows (`tags: [FR001]`), wherever in the suite it lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import attrs
import yaml

from simharness.scenario.model import Scenario

__all__ = ["FIELD", "INSTEAD", "ROOT", "Row", "read_rows", "tagged"]

ROOT = Path(__file__).parents[2]
FIELD = ROOT / "scenarios" / "field"

INSTEAD = ("trace check", "bridge", "none")
"""What shows a report that no scenario can: a check of recorded traces, an agent in another
process, or nothing."""


@attrs.frozen
class Row:
    """One public report. Either `mutant` or `instead` and `why_not` are given.

    `rule`: what notices it, a rule or `expect.<key>`. `pins`: ids of `simharness/field/pins.yaml`,
    which show the report on a release that has it. `folder`: the name of the kind's folder, which
    is that of its generator in `simharness.strategies`.
    """

    id: str
    kind: str
    report: str
    rule: str
    mutant: str | None = None
    pins: tuple[str, ...] = ()
    instead: str = ""
    why_not: str = ""
    folder: str = ""

    def __attrs_post_init__(self) -> None:
        if self.mutant is None:
            complete = self.instead in INSTEAD and self.why_not.endswith(".")
        else:
            complete = not self.instead and not self.why_not
        if not complete:
            raise ValueError(f"{self.id}: a mutant, or `instead` ({INSTEAD}) and `why_not`")


def read_rows(folder: Path = FIELD) -> list[Row]:
    """All rows, by their id; raises ValueError where a row is wrong or there twice."""
    rows = [row for file in sorted(folder.glob("*/reports.yaml")) for row in _rows_of(file)]
    rows.sort(key=lambda row: row.id)
    twice = {a.id for a, b in pairwise(rows) if a.id == b.id}
    if twice:
        raise ValueError(f"given twice: {sorted(twice)}")
    return rows


def _rows_of(file: Path) -> Iterable[Row]:
    value: dict[str, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    for name, fields in value["reports"].items():
        pins = tuple(fields.pop("pins", ()))
        yield Row(name, value["kind"], pins=pins, folder=file.parent.name, **fields)


def tagged(scenarios: Iterable[Scenario], row: Row) -> Sequence[Scenario]:
    """The scenarios that show a row, in the order of the suite."""
    return [one for one in scenarios if any(row.id in case.tags for case in one.cases)]
