"""The report as Markdown, for job summaries and pull requests.

The worst failures carry a sequence diagram, which GitHub draws.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from simharness.plural import plural
from simharness.report.mermaid import as_mermaid
from simharness.report.text import areas, errors, failure, silent_rules, summary
from simharness.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from simharness.campaign.results import Finding, SuiteResult

__all__ = ["BYTES_MAX", "as_markdown", "plain_words"]

BYTES_MAX = 900_000
"""The longest page by default: GitHub takes a job summary of up to 1 MiB per step."""

_MARKS = re.compile(r"[\\`*_\[\]|~]")
_DIAGRAMS = 10  # a browser draws each of them


def as_markdown(
    suite: SuiteResult,
    sentences: Mapping[str, str],
    obstacles: Mapping[str, str],
    *,
    more: Sequence[str] = (),
    most: int = BYTES_MAX,
) -> str:
    """The summary, the tables, and each failure folded away under its first line.

    `more` are texts for the end. What would make the page longer than `most` bytes is counted, not
    shown.
    """
    parts = [f"### simharness\n\n{plain_words(summary(suite))}", _fenced(areas(suite))]
    silent = silent_rules(suite, obstacles)
    tail = [_fenced(text) for text in (silent, *more) if text]
    room = most - sum(len(part.encode()) + 2 for part in [*parts, *tail]) - 100
    blocks = list(_failures(suite, sentences))
    for number, block in enumerate(blocks):
        room -= len(block.encode()) + 2
        if room < 0:
            parts.append(f"... and {plural(len(blocks) - number, 'more failure')}")
            break
        parts.append(block)
    return "\n\n".join([*parts, *tail]) + "\n"


def _failures(suite: SuiteResult, sentences: Mapping[str, str]) -> Iterator[str]:
    """Everything that needs reading, one folded block each."""
    agent = suite.agent.name if suite.agent else ""
    for number, cause in enumerate(suite.causes()):
        yield _folded(
            failure(cause, agent, sentences), _diagram(cause) if number < _DIAGRAMS else ""
        )
    yield from map(_folded, errors(suite))


def _diagram(cause: Finding) -> str:
    example = cause.example
    trace, evidence = example.verdict.trace, example.violation.evidence
    if trace is None:
        return ""
    return f"```mermaid\n{as_mermaid(trace, example.verdict.course, evidence)}\n```"


def _folded(block: str, diagram: str = "") -> str:
    head, _, rest = block.partition("\n")
    parts = [f"<details><summary>{_html(head)}</summary>", _fenced(rest), diagram, "</details>"]
    return "\n\n".join(part for part in parts if part)


def plain_words(text: str) -> str:
    """`text` as plain words of a paragraph or a table cell: no Markdown, no HTML, one line."""
    text = text.replace("\n", " ")
    return _MARKS.sub(r"\\\g<0>", _html(text))


def _html(text: str) -> str:
    """`text` within an HTML block, where Markdown means nothing."""
    return visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _fenced(text: str) -> str:
    """A code block whose fence is longer than any in the text."""
    text = visible(text)
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text}\n{fence}"
