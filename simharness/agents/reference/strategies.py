"""Strategies: which calls of one response run side by side, and which one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.agents.reference.settings import Settings
    from simharness.trace import Call

__all__ = ["grouped"]


def grouped(calls: Sequence[Call], settings: Settings) -> list[Sequence[Call]]:
    """The calls in groups that run side by side; each group begins when the one before has ended.

    An exclusive tool is a group of its own: what comes before it has ended, what comes after it
    has not begun.
    """
    width = {"sequential": 1, "batched": settings.batch}.get(settings.tools, len(calls))
    groups: list[list[Call]] = []
    for call in calls:
        alone = call.name in settings.exclusive
        if (
            not groups
            or alone
            or len(groups[-1]) == width
            or groups[-1][0].name in settings.exclusive
        ):
            groups.append([])
        groups[-1].append(call)
    return [*groups]
