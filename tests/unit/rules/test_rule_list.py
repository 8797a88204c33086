"""The list of rules: complete, findable, explained."""

import pytest

from simharness.contract import FAMILIES, UNSPECIFIED, Contract
from simharness.rules import RULES, Rule, UnknownRuleError, by_id, judge
from simharness.trace import PromptCalled, RunSettled
from tests.unit.rules.traces import trace_of

CORE = {
    "tool-pairing", "no-orphan-result", "request-wellformed", "args-complete", "bad-tool-answered",
    "no-tool-start-after-cancel", "no-orphan-work", "cancel-scope", "tool-exec-once",
    "sibling-isolation", "one-terminal", "terminal-kind", "start-end-paired", "observers-agree",
    "nested-order", "no-event-after-terminal", "chunk-conservation", "cancel-not-failure",
    "no-model-call-after-cancel", "cancel-idempotent", "cancel-flag-reset", "failure-surfaced",
    "settles", "settle-order", "no-leaked-tasks", "upstream-closed", "close-is-clean",
    "usage-once", "phase-returns-idle", "streaming-parity",
}  # fmt: skip


def test_every_core_rule_is_there() -> None:
    """Those that need no promise."""
    assert CORE == {rule.id for rule in RULES if rule.tier == "core"}


def test_ids_are_unique() -> None:
    """A waiver names exactly one rule."""
    assert len(RULES) == len({rule.id for rule in RULES})


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_explains_itself(rule: Rule) -> None:
    """A sentence, the reason in two to four more, and two timelines that differ."""
    assert rule.sentence.endswith(".")
    assert 2 <= rule.why.count(". ") + rule.why.count(".\n") + 1 <= 5
    assert rule.good != rule.bad
    assert set(rule.reports) <= FAMILIES
    assert all(hasattr(UNSPECIFIED, field) for field in rule.needs)


def test_a_rule_is_found_by_its_id() -> None:
    """Letter for letter."""
    assert by_id("settles") is next(rule for rule in RULES if rule.id == "settles")


def test_an_unknown_id_suggests_a_known_one() -> None:
    """The message says what there is."""
    with pytest.raises(
        UnknownRuleError, match='did you mean "tool-pairing"\\? Known rules: '
    ) as it:
        by_id("tool-paring")
    assert isinstance(it.value, KeyError)
    with pytest.raises(UnknownRuleError, match=r'unknown rule "zzz"\. Known rules: '):
        by_id("zzz")


def test_rules_that_need_what_is_not_declared_are_absent() -> None:
    """Not applicable is neither kept nor broken."""
    trace = trace_of(PromptCalled("hi"), RunSettled("returned"))
    judged = judge(trace, UNSPECIFIED)
    assert {"delivered-prefix-kept", "error-content-dropped", "one-terminal"}.isdisjoint(judged)
    needed = {field: "both" for rule in RULES for field in rule.needs}
    everything = Contract(**needed, reports=FAMILIES)
    assert {rule.id for rule in RULES} == set(judge(trace, everything))
