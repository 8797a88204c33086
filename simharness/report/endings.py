"""The endings of a case: in how many different ways one script can end, and how to get there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tabulate import tabulate

from simharness.plural import plural
from simharness.report.words import message_words

if TYPE_CHECKING:
    from simharness.campaign.results import CaseResult

__all__ = ["as_text"]

_TEXT = 60  # columns of a message in the table


def as_text(result: CaseResult) -> str:
    """What was covered, then a row per ending: how often, how each run ended, the last history."""
    head = f"{result.case.id}: {result.verdict}\n{result.coverage or result.reason}"
    if not result.ended:
        return head
    rows = [
        (
            number,
            ending.count,
            "\n".join(ending.choices) or "the default order",
            "\n".join(ending.outcomes),
            "\n".join(message_words(message)[:_TEXT] for message in ending.history),
        )
        for number, ending in enumerate(result.ended, start=1)
    ]
    heads = ["ending", "seen", "how to get there", "runs", "last history"]
    table = tabulate(rows, heads, tablefmt="simple", maxcolwidths=[None, None, 30, 18, _TEXT])
    table = "\n".join(line.rstrip() for line in table.splitlines())
    return f"{head}\n{plural(len(rows), 'ending')}:\n\n{table}"
