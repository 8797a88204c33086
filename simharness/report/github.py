"""Annotations for GitHub Actions: each cause at its scenario's line.

GitHub shows ten per step, so the ten worst are printed, and one more line says how many there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.plural import plural
from simharness.report.visible import visible

if TYPE_CHECKING:
    from simharness.campaign.results import SuiteResult

__all__ = ["as_annotations"]

_SHOWN = 10


def as_annotations(suite: SuiteResult) -> list[str]:
    """One line per cause, the one seen in most cases first."""
    causes = suite.causes()
    lines = []
    for cause in causes[:_SHOWN]:
        place = cause.example.case.place
        message = _escaped(f"{cause.message}\nsimharness {cause.replay_words}")
        title = _property(f"{cause.rule} ({cause.example.case.id})")
        where = f"file={_property(place.file)},line={place.line},"
        where = "" if place.file.startswith("<") else where
        lines.append(f"::error {where}title={title}::{message}")
    if len(causes) > _SHOWN:
        lines.append(f"::notice::{plural(len(causes) - _SHOWN, 'more cause')} in the log")
    return lines


def _escaped(text: str) -> str:
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
