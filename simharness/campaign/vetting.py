"""Words in a scenario that the loader cannot know: ids of rules, names of strategies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.campaign.budget import STRATEGIES
from simharness.rules import RULES
from simharness.scenario.problems import did_you_mean

if TYPE_CHECKING:
    from simharness.scenario.model import Case

__all__ = ["mistake"]


def mistake(case: Case) -> str:
    """What is wrong with the first such word of `case`, or an empty text."""
    rules = [rule.id for rule in RULES]
    named = [("violates", rule) for rule in [case.violates] if rule is not None]
    named += [("waive", rule) for rule in case.waive]
    named += [("needs", rule) for rule in case.needs]
    for key, rule in named:
        if rule not in rules and not rule.startswith("expect."):
            return f'"{key}" names the unknown rule "{rule}"{did_you_mean(rule, rules)}'
    strategy = case.explore.strategy
    if strategy is not None and strategy not in STRATEGIES:
        near = did_you_mean(strategy, STRATEGIES)
        return f'"explore" names the unknown strategy "{strategy}"{near}'
    return ""
