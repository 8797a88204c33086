"""No rule falls over, whatever stands in a trace."""

import attrs
from hypothesis import given, settings, strategies as st

from simharness import trace as t
from simharness.contract import FAMILIES, Contract
from simharness.rules import RULES, judge, judge_pair
from tests.unit.rules.traces import trace_of

_IDS = st.sampled_from(["", "c1", "c2"])
_WORDS = st.sampled_from(["", "Hel", "Hello", " ", "{}", '{"q":', "search"])
_SMALL = st.integers(0, 3)
_OUTCOMES = st.one_of(st.none(), st.sampled_from(list(t.Outcome)))
_CALLS = st.builds(t.Call, _IDS, _WORDS, _WORDS)
_BLOCKS = st.one_of(st.builds(t.Text, _WORDS), st.builds(t.Reasoning, _WORDS), _CALLS)
_MESSAGES = st.builds(
    t.Message,
    st.sampled_from(["system", "user", "assistant", "tool"]),
    st.lists(_BLOCKS, max_size=2).map(tuple),
    call_id=_IDS,
)
_HISTORIES = st.lists(_MESSAGES, max_size=4).map(tuple)
_KINDS = {
    t.TerminalTaken: st.sampled_from(["finish", "error", "aborted", "raise", "close"]),
    t.LeftBehind: st.sampled_from(["leaked-task", "leaked-generator", "unclosed-stream"]),
}
_FIELDS: dict[str, st.SearchStrategy[object]] = {
    "text": _WORDS,
    "messages": _HISTORIES,
    "message": _MESSAGES,
    "tool_results": _HISTORIES,
    "outcome": _OUTCOMES,
    "call_id": _IDS,
    "args": _WORDS,
    "kind": st.sampled_from(["text", "reasoning", "args", "alert"]),
    "how": st.sampled_from(["returned", "raised", "cancelled", "closed", "broke", "signal"]),
    "action": st.sampled_from(["steer", "follow_up after chunk 1", "shutdown", "wait"]),
    "way": st.sampled_from(["API", "API_AFTER_TURN", "TOKEN", "TASK", "CLOSE", "BREAK"]),
    "limit": st.sampled_from(["deadlock", "livelock", "agent-exit"]),
    "detail": st.sampled_from(["", "stop", "tool_calls", "incomplete", "user", "error"]),
    "name": st.sampled_from(["search", "middleware", "on_error"]),
    "usage": st.one_of(st.none(), st.tuples(_SMALL, _SMALL)),
    "session": st.sampled_from(["", "b"]),
    "by": st.sampled_from(["aclose", "end"]),
    "phase": st.sampled_from(["idle", "running"]),
}


def _records(kind: type[t.Record]) -> st.SearchStrategy[t.Record]:
    values: dict[str, st.SearchStrategy[object]] = {}
    for field in attrs.fields(kind):
        if field.name == "kind" and kind in _KINDS:
            values[field.name] = _KINDS[kind]
        elif field.name in _FIELDS:
            values[field.name] = _FIELDS[field.name]
        elif field.init:
            of_type = {"int": _SMALL, "bool": st.booleans(), "float": st.just(0.0)}
            values[field.name] = of_type.get(str(field.type), _WORDS)
    return st.builds(kind, **values)


def _leaves(kind: type[t.Record]) -> list[type[t.Record]]:
    below = [leaf for child in kind.__subclasses__() for leaf in _leaves(child)]
    return below or [kind]


_TRACES = st.lists(st.tuples(_SMALL, st.one_of(*map(_records, _leaves(t.Record)))), max_size=25)
_CONTRACTS = st.fixed_dictionaries(
    {
        "cut_message": st.sampled_from([None, "kept", "text-only", "emptied", "removed"]),
        "cut_mark": st.sampled_from([None, "flag", "text([cut] )"]),
        "error_content": st.sampled_from([None, "dropped", "kept"]),
        "silent_close": st.sampled_from([None, "failed", "completed"]),
        "cancel_grace": st.sampled_from([None, "0", "fair"]),
        "disconnect": st.sampled_from([None, "stops", "carries-on"]),
        "queue_on_cancel": st.sampled_from([None, "run", "drop", "per-cancel"]),
        "second_prompt": st.sampled_from([None, "reject", "queue", "interrupt", "rollback"]),
        "steering": st.sampled_from([None, "next-boundary", "next-turn"]),
        "cause_precedence": st.sampled_from([None, "first", "mark-over-caller"]),
        "cancel_bound": st.sampled_from([None, "seconds(1)", "chunks(0)", "chunks(x)"]),
        "idle_limit_s": st.sampled_from([None, "none", "0"]),
        "abort_visible": st.sampled_from([None, "yes", "no"]),
        "unstarted_call": st.sampled_from([None, "answered"]),
        "late_tool_result": st.sampled_from([None, "real", "dropped"]),
        "streaming": st.sampled_from([None, "both", "streaming-only"]),
        "on_dispose": st.sampled_from([None, "terminal", "silent"]),
        "store": st.sampled_from([None, "yes"]),
        "hooks_after_cancel": st.sampled_from([None, "none", "rest-of-chain"]),
    }
).map(lambda words: Contract(reports=FAMILIES, **words))


@given(_TRACES, _CONTRACTS)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_no_rule_crashes_on_any_records(
    records: list[tuple[int, t.Record]], contract: Contract
) -> None:
    """Any records in any order are judged, and a violation never comes without an occasion."""
    judged = judge(trace_of(t.PromptCalled("hi"), *records), contract)
    assert {rule.id for rule in RULES if rule.applicable(contract)} == set(judged)
    for judgement in judged.values():
        assert judgement.occasions > 0 or not judgement.violations


@given(_TRACES, _TRACES)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_no_rule_for_pairs_crashes_on_any_records(
    streamed: list[tuple[int, t.Record]], plain: list[tuple[int, t.Record]]
) -> None:
    """Nor on two traces that have nothing in common; a trace and itself are in parity."""
    contract = Contract(streaming="both", reports=FAMILIES)
    one, two = (trace_of(t.PromptCalled("hi"), *records) for records in (streamed, plain))
    for judgement in judge_pair(one, two, contract).values():
        assert judgement.occasions > 0 or not judgement.violations
    assert all(not found.violations for found in judge_pair(one, one, contract).values())


@given(_TRACES, _CONTRACTS)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_evidence_points_into_the_trace(
    records: list[tuple[int, t.Record]], contract: Contract
) -> None:
    """Each violation names at least one record that exists, and its rule by id."""
    trace = trace_of(t.PromptCalled("hi"), *records)
    for rule_id, judgement in judge(trace, contract).items():
        for violation in judgement.violations:
            assert rule_id == violation.rule
            assert violation.evidence
            assert set(violation.evidence) <= set(range(len(trace)))
