"""Which rules can judge an agent at all, and which of those never had anything to judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.rules import RULES

if TYPE_CHECKING:
    from simharness.contract import Contract
    from simharness.results import SuiteResult

__all__ = ["applicable", "sentences", "silent"]


def sentences() -> dict[str, str]:
    """Rule id -> what it demands, in one sentence."""
    return {rule.id: rule.sentence for rule in RULES}


def applicable(contract: Contract) -> dict[str, bool]:
    """Rule id -> whether `contract` declares and reports what the rule needs."""
    return {rule.id: rule.applicable(contract) for rule in RULES}


def silent(suite: SuiteResult) -> list[str]:
    """The rules that could have judged the agent but never had an occasion."""
    if suite.agent is None:
        return []
    seen = suite.occasions()
    return [
        rule
        for rule, applies in applicable(suite.agent.contract).items()
        if applies and not seen[rule]
    ]
