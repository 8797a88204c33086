"""Our own traces: nothing is lost on the way, and the verdict is that of the trial."""

import io
import json

import pytest

from simharness.agents.mutants import MUTANTS
from simharness.check import Bench
from simharness.choices import ScheduleChooser, on_time
from simharness.cli.options import find_agent
from simharness.contract import FAMILIES, Contract
from simharness.recorded.checking import Checked, check
from simharness.recorded.formats import FORMATS
from simharness.recorded.own_lines import RECORDS, read_contract, read_record, written
from simharness.scenario.load import load_text
from simharness.trace import Record, Trace
from tests.unit.recorded.recordings import broken, checked, texts
from tests.unit.recorded.samples import leaves, samples
from tests.unit.rules.traces import trace_of

SCENARIO = """
scenario: stop
model:
  - stream: ["Let me look. ", {call: search}, {call: search}]
    on_cancel: error
  - stream: [a, b, c]
    on_cancel: error
tools: {search: {returns: 3 hits, takes: 1s, effects: 2}}
run:
  - prompt: go
  - cancel: {after: chunk 1 of request 2}
"""
_SMELL = json.dumps(
    {
        "record": "HistoryRead",
        "time": 0,
        "run": 1,
        "messages": [{"role": "user", "blocks": [{"smell": "x"}]}],
    }
)
HEAD = '{"simharness_trace": 1, "agent": "x", "contract": {}}'


def judged(text: str) -> Checked:
    """What comes of a written trace."""
    return check(io.BytesIO(text.encode()), "trial", FORMATS["simharness"])


def test_every_class_of_records_is_known() -> None:
    """A new record needs nothing but to be one."""
    assert set(leaves(Record)) == set(RECORDS.values())


def test_every_record_comes_back_as_it_was() -> None:
    """Every field of every class, and the text form of the whole byte for byte."""
    trace = trace_of(*samples())
    lines = [json.loads(line) for line in list(written(trace, Contract()))[1:]]
    back = [read_record(line) for line in lines]
    assert list(trace) == [record for record, _, _ in back]
    again = Trace()
    for record, time, stamp in back:
        again.add(record, time=time, run=stamp)
    assert trace.text() == again.text()


def test_a_contract_comes_back_as_it_was() -> None:
    """Families included."""
    full = Contract(cut_message="kept", store="yes", reports=FAMILIES)
    (head,) = written(trace_of(), full)
    assert full == read_contract(json.loads(head)["contract"])


AGENTS = ["reference", *(f"mutant:{mutant.id}" for mutant in MUTANTS[::12])]


@pytest.mark.parametrize("agent", AGENTS)
def test_the_verdict_is_that_of_the_trial(agent: str) -> None:
    """A written trial breaks what the trial broke, with the same messages."""
    (case,) = load_text(SCENARIO).cases
    bench = Bench(case, find_agent(agent))
    verdict = bench.trial(ScheduleChooser())
    assert verdict.trace is not None
    assert bench.agent is not None
    lines = written(verdict.trace, bench.agent.contract, on_time=on_time(verdict.course))
    expected = {
        (found.rule, found.message)
        for found in verdict.violations
        if found.rule != "streaming-parity"
    }
    done = judged("".join(lines))
    assert expected == {(found.rule, found.message) for found in done.findings}
    assert {*verdict.occasions} - {"streaming-parity"} <= {*done.tally.occasions}


def test_some_of_these_trials_break_something() -> None:
    """Else the test above would compare nothing."""
    (case,) = load_text(SCENARIO).cases
    benches = [Bench(case, find_agent(name)) for name in AGENTS]
    assert 2 <= sum(bool(bench.trial(ScheduleChooser()).violations) for bench in benches)


def test_many_trials_in_one_file_are_judged_one_by_one() -> None:
    """A run of the second is not one of the first."""
    one = [HEAD, *('{"record": "PromptCalled", "time": 0, "run": 1, "text": "hi"}',)]
    assert [] == texts(checked("simharness", *one, *one))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"record": "Nonsense", "time": 0, "run": 1}', "no record 'Nonsense'"),
        ('{"record": "PromptCalled", "time": 0, "run": 1}', "needs text"),
        ('{"record": "PromptCalled", "time": "0", "run": 1, "text": "x"}', "number"),
        ('{"record": "PromptCalled", "time": 0, "run": 1, "text": "x", "y": 1}', "no field 'y'"),
        (
            '{"record": "RequestMade", "time": 0, "run": 1, "request": 1, "messages": [1]}',
            "message",
        ),
        ('{"record": "AgentEnd", "time": 0, "run": 1, "outcome": "fine"}', "no outcome 'fine'"),
        ('{"record": "HistoryRead", "time": 0, "run": 1, "messages": {}}', "list was expected"),
        (_SMELL, "no block 'smell'"),
        ('{"record": "AgentEnd", "time": 0, "run": 1, "usage": [1]}', "2 values"),
        ('{"record": "AgentEnd", "time": 0, "run": true}', "whole number was expected"),
        ('{"simharness_trace": 1, "contract": []}', "contract is an object"),
        ('{"simharness_trace": 2}', 'version "2"'),
        ('{"simharness_trace": 1, "contract": {"mood": "good"}}', "no field 'mood'"),
    ],
)
def test_what_is_no_record_is_said_with_its_place(line: str, why: str) -> None:
    """And no rule judges a trial that was not understood."""
    done = checked("simharness", HEAD, line)
    assert {"own-record"} == broken(done)
    assert why in texts(done)[0]
    assert texts(done)[0].startswith("2: ")


def test_a_trial_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is longer was not made by the harness, and is refused with its place."""
    monkeypatch.setattr("simharness.recorded.own.TRIAL_MAX", 3)
    line = '{"record": "AgentStart", "time": 0, "run": 1}'
    done = checked("simharness", HEAD, *[line] * 5)
    assert str(done.refused) == "trace:5:1: error: a trial of more than 3 records"


def test_a_mark_is_passed_over() -> None:
    """There is a record for it."""
    done = checked("simharness", HEAD, '{"simharness": "cancel"}', '{"simharness_trace": 1}')
    assert "passed over" in done.tally.notes[0][0]
