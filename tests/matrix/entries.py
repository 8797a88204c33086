"""Which rules `docs/bugs-found.md` explains for which framework.

A violated cell of the matrix is either explained there or withdrawn: there is no third state.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tests.matrix.results import Row

__all__ = ["explained", "unexplained"]

_RULES = re.compile(r"\bRules?:\s+((?:`[a-z-]+`(?:,\s+|\s+and\s+)?)+)")


def explained(page: str) -> set[tuple[str, str]]:
    """The pairs of agent and rule on the page.

    A heading `## AGENT VERSION` begins the entries of an agent; each entry names its rules as
    ``Rule: `a`.`` or ``Rules: `a`, `b`.``
    """
    return set(_pairs(page))


def _pairs(page: str) -> Iterator[tuple[str, str]]:
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        agent = section.split(maxsplit=1)[0]
        for named in _RULES.findall(section):
            yield from ((agent, rule) for rule in re.findall(r"`([a-z-]+)`", named))


def unexplained(rows: Iterable[Row], page: str) -> list[str]:
    """Each violated cell that no entry explains, as `AGENT: RULE`."""
    known = explained(page)
    return [
        f"{row.agent}: {rule}"
        for row in rows
        for rule, state in row.rules.items()
        if state == "violated" and (row.agent, rule) not in known
    ]
