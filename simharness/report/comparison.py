"""A comparison of two reports, for people, for pull requests and for machines."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import attrs
from tabulate import tabulate

from simharness.plural import plural
from simharness.report.markdown import plain_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simharness.comparing import Comparison, Side, Timeline, Turn

__all__ = ["as_markdown", "as_object", "as_text"]

_SHOWN = 50  # rows of a table; nobody reads the fifty-first
_NONE = "-"


def as_text(found: Comparison, *, quiet: bool = False, verbose: bool = False) -> str:
    """Tables for a terminal unless `quiet`, and a summary line at the end; `verbose`: all rows."""
    tables = [] if quiet else _tables(found)
    most = None if verbose else _SHOWN
    blocks = [f"{title}\n{_table(heads, rows, 'simple', most)}" for title, heads, rows in tables]
    return "\n\n".join([*blocks, summary(found)])


def as_markdown(found: Comparison) -> str:
    """The same for a pull request: the summary first."""
    blocks = [
        f"### {title}\n\n{_table(heads, rows, 'github')}" for title, heads, rows in _tables(found)
    ]
    return "\n\n".join([f"## simharness: {plain_words(summary(found))}", *blocks]) + "\n"


def as_object(found: Comparison) -> dict[str, object]:
    """The same as JSON."""
    return {
        "before": attrs.asdict(found.before),
        "after": attrs.asdict(found.after),
        "green_to_red": [attrs.asdict(turn) for turn in found.turns if turn.to_red],
        "red_to_green": [attrs.asdict(turn) for turn in found.turns if turn.to_green],
        "otherwise": [attrs.asdict(turn) for turn in _others(found)],
        "timelines": [attrs.asdict(timeline) for timeline in found.timelines],
    }


def summary(found: Comparison) -> str:
    """One line: what turned, what came and went, and between whom."""
    red = sum(turn.to_red for turn in found.turns)
    green = sum(turn.to_green for turn in found.turns)
    ways = Counter(timeline.how for timeline in found.timelines)
    violations = [f"{count} {how}" for how, count in sorted(ways.items())]
    return (
        f"{red} green to red, {green} red to green; "
        f"violations: {', '.join(violations) or 'the same'}; "
        f"{_named(found.before)} -> {_named(found.after)}"
    )


def _named(side: Side) -> str:
    return f"{side.name} ({', '.join(filter(None, (side.agent, plural(side.cases, 'case'))))})"


_Rows = list[tuple[str, ...]]


def _tables(found: Comparison) -> list[tuple[str, Sequence[str], _Rows]]:
    """Title, heads and rows of each table that has any."""
    heads = ("case", "before", "after")
    tables = [
        ("Green to red", heads, _turns([turn for turn in found.turns if turn.to_red])),
        ("Red to green", heads, _turns([turn for turn in found.turns if turn.to_green])),
        ("Other verdicts", heads, _turns(_others(found))),
        ("Violations", ("violation", "rule", "case", "message"), _timelines(found.timelines)),
    ]
    return [table for table in tables if table[2]]


def _others(found: Comparison) -> list[Turn]:
    return [turn for turn in found.turns if not turn.to_red and not turn.to_green]


def _turns(turns: Sequence[Turn]) -> _Rows:
    return [(turn.case, turn.before or _NONE, turn.after or _NONE) for turn in turns]


def _timelines(timelines: Sequence[Timeline]) -> _Rows:
    return [(line.how, line.rule, line.case, line.message) for line in timelines]


def _table(heads: Sequence[str], rows: _Rows, form: str, most: int | None = _SHOWN) -> str:
    if form == "github":
        rows = [tuple(map(plain_words, row)) for row in rows]
    table = tabulate(rows[:most], heads, tablefmt=form, disable_numparse=True)
    more = 0 if most is None else len(rows) - most
    return table if more <= 0 else f"{table}\n\n... and {more} more"
