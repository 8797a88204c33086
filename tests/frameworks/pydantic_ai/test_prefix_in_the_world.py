"""pydantic-ai keeps exactly what was shown, but for one moment between last chunk and commit.

The moment is confirmed on the stock loop by test_pydantic_ai_loses_a_complete_response.py.
"""

from __future__ import annotations

import pytest

from simharness.agents import find
from simharness.campaign.budget import Plan
from simharness.check import check_case
from simharness.scenario.load import load_text
from simharness.trace import CancelCalled, TerminalTaken

pytest.importorskip("pydantic_ai")

TEXT = """\
scenario: text
model:
  - stream: ["First point. ", "Second ", "point."]
run:
  - prompt: go
  - cancel: {anywhere: true, way: WAY}
"""


@pytest.mark.framework
@pytest.mark.parametrize("way", ["api", "task"])
def test_the_prefix_is_lost_only_behind_the_last_chunk(way: str) -> None:
    """Of all places of a cancel one loses the shown text: behind the finish, before the commit."""
    case = load_text(TEXT.replace("WAY", way)).cases[0]
    result = check_case(case, find("pydantic-ai"), Plan(strategy="sweep"))
    (lost,) = [found for found in result.findings if found.rule == "delivered-prefix-kept"]
    trace = lost.example.verdict.trace
    assert 1 == lost.count
    assert result.trials > 40
    assert trace is not None
    assert trace.of(TerminalTaken, 1)[0].n < trace.of(CancelCalled)[0].n
