"""Words in a scenario that the loader cannot know: rules, strategies, profiles, mutants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simharness.agents.profiles import PROFILES
from simharness.campaign.strategynames import STRATEGIES
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
    return _unknown_loop(case)


def _unknown_loop(case: Case) -> str:
    """What is wrong with the profile and the fault that the reference loop is to have."""
    profiles = [profile.name for profile in PROFILES]
    if case.profile is not None and case.profile not in profiles:
        return f'unknown profile "{case.profile}"{did_you_mean(case.profile, profiles)}'
    if case.mutant is None:
        return ""
    from simharness.agents.mutants import MUTANTS  # many modules, that most cases need not

    mutants = {mutant.id: mutant for mutant in MUTANTS}
    if case.mutant not in mutants:
        return f'unknown mutant "{case.mutant}"{did_you_mean(case.mutant, mutants)}'
    profile = mutants[case.mutant].profile
    if profile is not None and profile.name != case.profile:
        return f'the mutant "{case.mutant}" needs "profile: {profile.name}"'
    return ""
