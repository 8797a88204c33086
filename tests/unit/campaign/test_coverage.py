"""Which rules could judge an agent, and why the others never can."""

from __future__ import annotations

import attrs
import pytest

from simharness.agent import Style
from simharness.agents.reference import CONTRACT
from simharness.campaign.coverage import obstacles
from simharness.campaign.results import Identity
from simharness.contract import Contract

REFERENCE = Identity("reference", "1", CONTRACT, frozenset(), Style.ASYNC, iterates=False)


@pytest.mark.parametrize(
    ("rule", "agent", "why"),
    [
        ("settles", REFERENCE, ""),
        ("close-is-clean", REFERENCE, "hands out no iterator"),
        ("abort-visible", REFERENCE, "is not told of an abort"),
        ("abort-visible", attrs.evolve(REFERENCE, contract=Contract(abort_visible="yes")), ""),
        ("abort-visible", attrs.evolve(REFERENCE, contract=Contract()), "does not say"),
    ],
)
def test_a_rule_that_can_never_judge_an_agent_says_why(
    rule: str, agent: Identity, why: str
) -> None:
    """It is then not missed when it had no occasion."""
    said = obstacles(agent)[rule]
    assert why in said
    assert bool(why) == bool(said)


def test_without_an_agent_nothing_is_said() -> None:
    """A suite that never made one has no rules to miss."""
    assert {} == obstacles(None)
