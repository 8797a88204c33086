"""The report as Markdown, for job summaries and pull requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.report.text import areas, failures, silent_rules, summary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simharness.campaign.results import SuiteResult

__all__ = ["as_markdown"]

_BYTES_MAX = 900_000  # GitHub takes a summary of up to 1 MiB per step


def as_markdown(
    suite: SuiteResult, sentences: Mapping[str, str], obstacles: Mapping[str, str]
) -> str:
    """The summary, the tables, and each failure folded away under its first line.

    What would make the page longer than a job summary may be is counted, not shown.
    """
    parts = [f"### simharness\n\n{summary(suite)}", _fenced(areas(suite))]
    silent = silent_rules(suite, obstacles)
    blocks = failures(suite, sentences)
    room = _BYTES_MAX - sum(len(part.encode()) for part in [*parts, silent])
    for number, block in enumerate(blocks):
        folded = _folded(block)
        room -= len(folded.encode())
        if room < 0:
            parts.append(f"... and {len(blocks) - number} more failures")
            break
        parts.append(folded)
    if silent:
        parts.append(_fenced(silent))
    return "\n\n".join(parts) + "\n"


def _folded(block: str) -> str:
    head, _, rest = block.partition("\n")
    safe = head.replace("&", "&amp;").replace("<", "&lt;")
    return f"<details><summary>{safe}</summary>\n\n{_fenced(rest)}\n\n</details>"


def _fenced(text: str) -> str:
    """A code block whose fence is longer than any in the text."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text}\n{fence}"
