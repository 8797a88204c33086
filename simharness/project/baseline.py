"""A baseline: the violations in the JSON report of an earlier run, which are known.

A violation is known if the same case breaks the same rule with the same message.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import attrs

if TYPE_CHECKING:
    from pathlib import Path

    from simharness.campaign.results import Finding

__all__ = ["REASON", "Baseline", "BaselineError", "Known", "read_baseline", "read_report"]

REASON: Final = "known from "
"""How the reason begins for which a report lists a known violation among the waived ones."""

Known = tuple[str, str, str]
"""Case id, rule id, message."""


class BaselineError(Exception):
    """The file is no report that a baseline can be taken from; the text says why."""


@attrs.frozen
class Baseline:
    """What was known when `file` was written."""

    file: str
    known: frozenset[Known] = frozenset()

    def knows(self, case: str, finding: Finding) -> bool:
        """Whether this was broken before."""
        return (case, finding.rule, finding.message) in self.known


def read_baseline(file: Path) -> Baseline:
    """Read the violations of a report, those that it took from an older baseline included."""
    known: set[Known] = set()
    for case in read_report(file)["cases"]:
        older = [w for w in case.get("waived", []) if w.get("reason", "").startswith(REASON)]
        for found in [*case["violations"], *older]:
            known.add((case["id"], found["rule"], found["message"]))
    return Baseline(str(file), frozenset(known))


def read_report(file: Path) -> dict[str, Any]:
    """Read a JSON report of `run` or `sweep`. Raises BaselineError for anything else."""
    try:
        report = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BaselineError(f"{file}: cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise BaselineError(f"{file} is no JSON: {error}") from None
    if not isinstance(report, dict) or "cases" not in report or report.get("format") != 1:
        raise BaselineError(
            f"{file} is no report of format 1; `simharness run --json {file.name}` writes one"
        )
    return report
