"""Every place at which a checker can find something: a trace reaches it, and muting it is noticed.

The tables of the other tests are the traces. A place that none of them reaches is a check that may
never fail; one that can be muted without any trace losing its rule is a check that nobody needs.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

import pytest

import simharness.recorded
from simharness.recorded.formats import FORMATS
from simharness.recorded.rule import Tally
from tests.unit.recorded import (
    agui_streams,
    test_acp,
    test_agui_streams,
    test_provider_mistakes as providers,
    test_vercel,
)
from tests.unit.recorded.recordings import checked

Site = tuple[str, int]
"""File and line of a call of `demand` or `broke`."""

START, END, on = agui_streams.START, agui_streams.END, agui_streams.on
HEAD = '{"simharness_trace": 1, "contract": {}}'

TRACES: list[tuple[str, str, list[Any]]] = [
    *((form.name, rule.id, [rule.bad]) for form in FORMATS.values() for rule in form.rules),
    *(("acp", rule, lines) for rule, lines in test_acp.BROKEN.values()),
    *(("vercel", rule, lines) for rule, lines in test_vercel.BROKEN.values()),
    *(("agui", "agui-", lines) for lines in agui_streams.FAILED.values()),
    *(("agui", rule, lines) for rule, (_, lines) in test_agui_streams.MORE_BROKEN.items()),
    *(("openai-chat", rule, lines) for rule, lines in providers.CHAT.values()),
    *(("anthropic", rule, lines) for rule, lines in providers.ANTHROPIC.values()),
    *(("openai-responses", rule, lines) for rule, lines in providers.RESPONSES.values()),
    ("agui", "agui-cancelled-outcome", [START, '{"simharness": "cancel"}', agui_streams.ERROR]),
    ("acp", "acp-message-shape", [{"from": "moon", "message": {}}, test_acp.prompt()]),
    ("simharness", "own-record", [HEAD, '{"record": "Nonsense", "time": 0, "run": 1}']),
    ("simharness", "own-record", [HEAD, '{"simharness_trace": 2}']),
]
"""A format, a rule or the beginning of its id, and a trace that breaks it."""


class Muted:
    """Stands in for the tally's own methods and leaves out what one site says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.site: Site | None = None
        self.reached: set[Site] = set()
        self._broke = Tally.broke
        monkeypatch.setattr(Tally, "broke", lambda *words: self._say(*words, depth=2))
        monkeypatch.setattr(Tally, "demand", self._demand())

    def _demand(self) -> Any:
        def demand(tally: Tally, rule: str, holds: bool, message: str, spot: Any) -> bool:
            tally.saw(rule)
            if not holds:
                self._say(tally, rule, message, spot, depth=2)
            return holds

        return demand

    def _say(self, tally: Tally, rule: str, message: str, spot: Any, *, depth: int) -> None:
        frame = sys._getframe(depth)
        site = (Path(frame.f_code.co_filename).name, frame.f_lineno)
        self.reached.add(site)
        if site != self.site:
            self._broke(tally, rule, message, spot)

    def missed(self) -> list[str]:
        """The rules that their traces do not break now."""
        return [
            rule
            for form, rule, lines in TRACES
            if not any(found.startswith(rule) for found in checked(form, *lines).tally.broken)
        ]


def written_sites() -> list[tuple[str, range]]:
    """Where the checkers call `demand` or `broke`; a call may take several lines."""
    found = []
    for path in sorted(Path(simharness.recorded.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            if node.func.attr in {"demand", "broke"} and path.name != "rule.py":
                found.append((path.name, range(node.lineno, (node.end_lineno or 0) + 1)))
    return found


def test_every_check_is_reached_and_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """None is without a trace that fails it, and none is doubled by another."""
    muted = Muted(monkeypatch)
    assert [] == muted.missed()
    reached = set(muted.reached)
    written = [one for one in written_sites() if one[0] != "universal.py"]
    unreached = [
        (name, lines.start)
        for name, lines in written
        if not any(site == name and line in lines for site, line in reached)
    ]
    assert [] == unreached
    needless = []
    for site in sorted(reached):
        muted.site = site
        if not muted.missed() and site[0] != "universal.py":
            needless.append(site)
    assert [] == needless
