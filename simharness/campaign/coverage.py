"""Which rules can judge an agent at all, and which of those never had anything to judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.rules import RULES, Rule

if TYPE_CHECKING:
    from simharness.campaign.results import Identity, SuiteResult

__all__ = ["obstacles", "sentences", "silent", "states"]

_ON_LEAVING = {"close-is-clean"}  # rules about a consumer that leaves its iterator
_ON_TELLING = {"abort-visible"}  # rules about what the model is told of an abort


def sentences() -> dict[str, str]:
    """Rule id -> what it demands, in one sentence."""
    return {rule.id: rule.sentence for rule in RULES}


def obstacles(agent: Identity | None) -> dict[str, str]:
    """Rule id -> why the rule can never judge this agent; empty if it can."""
    if agent is None:
        return {}
    return {rule.id: _obstacle(rule, agent) for rule in RULES}


def _obstacle(rule: Rule, agent: Identity) -> str:
    undeclared = [field for field in rule.needs if not agent.contract.declares(field)]
    if undeclared:
        return f"the contract does not say: {', '.join(undeclared)}"
    if rule.pair is not None and not rule.applicable(agent.contract):
        return "the agent cannot run both streamed and plain"
    if not rule.applicable(agent.contract):
        return f"the agent reports none of: {', '.join(rule.reports)}"
    if rule.id in _ON_LEAVING and not agent.iterates:
        return "the agent hands out no iterator that could be left"
    if rule.id in _ON_TELLING and agent.contract.abort_visible == "no":
        return "the contract says that the model is not told of an abort"
    return ""


def states(suite: SuiteResult) -> dict[str, str]:
    """Rule id -> what became of it: holds, violated, not exercised, or why it is not applicable."""
    seen = suite.occasions()
    broken = {found.rule for result in suite.results for found in result.findings}
    found: dict[str, str] = {}
    for rule, why in obstacles(suite.agent).items():
        judged = "holds" if seen[rule] else "not exercised"
        found[rule] = "violated" if rule in broken else f"not applicable: {why}" if why else judged
    return found


def silent(suite: SuiteResult) -> list[str]:
    """The rules that could have judged the agent but never had an occasion."""
    seen = suite.occasions()
    return [rule for rule, why in obstacles(suite.agent).items() if not why and not seen[rule]]
