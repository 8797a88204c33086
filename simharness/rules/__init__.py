"""The rules: what must hold for any agent loop, judged on a trace and the agent's contract.

Each rule is a pure function; none sees an agent, a scenario or a schedule. Most judge one trace;
those with a `pair` judge a streamed and a plain one of the same script.
"""

from __future__ import annotations

import difflib

from simharness.contract import Contract
from simharness.rules import (
    aborts,
    attribution,
    bounds,
    calls,
    cancel,
    crashes,
    deferred,
    delivery,
    events,
    flight,
    history,
    kept,
    liveness,
    order,
    parity,
    queued,
    reach,
    results,
    stores,
    terminals,
    tools,
    unrun,
    usage,
)
from simharness.rules.rule import Rule
from simharness.trace import Trace
from simharness.verdict import Judgement

__all__ = ["RULES", "Rule", "UnknownRuleError", "by_id", "judge", "judge_pair"]

_FAMILIES = ("history", "tools", "events", "cancel", "liveness")
_MODULES = (
    history,
    kept,
    aborts,
    calls,
    tools,
    unrun,
    results,
    stores,
    crashes,
    deferred,
    reach,
    events,
    terminals,
    order,
    delivery,
    usage,
    parity,
    cancel,
    attribution,
    bounds,
    liveness,
    flight,
    queued,
)

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (rule for module in _MODULES for rule in module.RULES),
        key=lambda rule: _FAMILIES.index(rule.family),
    )
)
"""All rules, family by family."""

_BY_ID = {rule.id: rule for rule in RULES}


class UnknownRuleError(KeyError):
    """No rule has this id; the text says which there are."""

    def __str__(self) -> str:
        return str(self.args[0])


def by_id(rule_id: str) -> Rule:
    """Return the rule called `rule_id`; raise `UnknownRuleError` with a suggestion if none is."""
    if rule_id in _BY_ID:
        return _BY_ID[rule_id]
    near = difflib.get_close_matches(rule_id, _BY_ID, n=1)
    hint = f'; did you mean "{near[0]}"?' if near else "."
    known = ", ".join(sorted(_BY_ID))
    raise UnknownRuleError(f'unknown rule "{rule_id}"{hint} Known rules: {known}')


def judge(trace: Trace, contract: Contract, *, on_time: bool = True) -> dict[str, Judgement]:
    """Judge `trace` by every rule that is applicable to an agent with `contract`.

    Rules that read seconds are left out unless everything came `on_time`.
    A rule whose contract field is undeclared, or whose records the agent does not report, is
    absent from the answer: it was neither kept nor broken.
    """
    return {
        rule.id: rule.check(trace, contract)
        for rule in _applicable(contract)
        if on_time or not rule.timed
    }


def judge_pair(streamed: Trace, plain: Trace, contract: Contract) -> dict[str, Judgement]:
    """Judge two trials of one script, of which the agent streamed one, by the rules for pairs."""
    return {
        rule.id: rule.pair(streamed, plain, contract)
        for rule in _applicable(contract)
        if rule.pair is not None
    }


_latest: tuple[Contract, tuple[Rule, ...]] | None = None


def _applicable(contract: Contract) -> tuple[Rule, ...]:
    """The rules for one contract; a batch of trials asks for the same one thousands of times."""
    global _latest  # noqa: PLW0603 - one slot, compared by identity
    if _latest is None or _latest[0] is not contract:
        _latest = (contract, tuple(rule for rule in RULES if rule.applicable(contract)))
    return _latest[1]
