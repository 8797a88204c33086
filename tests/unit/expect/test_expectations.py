"""Expectations against traces written by hand: what holds, what does not, and in what words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest

from simharness.expect.alignment import Aligner
from simharness.expect.expectations import compare
from simharness.scenario.load import load_text
from simharness.trace import (
    AgentEnd,
    AgentStart,
    AnswerReturned,
    Call,
    ChunkTaken,
    HistoryRead,
    InputRejected,
    LogRow,
    Message,
    MessageEnd,
    Notice,
    Outcome,
    PromptCalled,
    Record,
    RequestMade,
    RunSettled,
    TerminalTaken,
    Text,
    ToolStarted,
    Trace,
    TurnStart,
    assistant,
    tool_result,
    user,
)
from simharness.verdict import HarnessError

if TYPE_CHECKING:
    from simharness.scenario.model import Case


def case_of(expect: str, more: str = "") -> Case:
    """A case with one prompt, the closing prompt, and these expectations."""
    head = "scenario: a\nmodel: [[hello]]\nrun: [prompt: hi]\n"
    (case,) = load_text(f"{head}expect: {expect}\n{more}").cases
    return case


def trace_of(first: list[Record], closing: list[Record] | None = None) -> Trace:
    """A trace of run 1 and, if given, of the closing run."""
    trace = Trace()
    for run, records in ((1, first), (2, closing or [])):
        for record in records:
            trace.add(record, time=0.0, run=run)
    return trace


def messages(expect: str, trace: Trace, more: str = "") -> list[str]:
    """The violations as `rule: message`."""
    found = compare(case_of(expect, more), trace)
    return [f"{violation.rule}: {violation.message}" for violation in found]


def settled(how: str = "returned", outcome: Outcome | None = None) -> list[Record]:
    """A run that did nothing but settle."""
    return [PromptCalled("hi"), RunSettled(how, outcome=outcome)]


CUT = (
    user("hi"),
    assistant("First", interrupted=True),
    user("again"),
    assistant("ok"),
)


def test_no_expectations_compare_nothing() -> None:
    """A case without `expect` has no violation, whatever happened."""
    (case,) = load_text("scenario: a\nrun: [prompt: hi]\n").cases
    assert [] == compare(case, trace_of([]))


def test_outcomes_come_from_the_return_first() -> None:
    """RunSettled names the outcome, else AgentEnd, else the way the call came back."""
    both: list[Record] = [
        PromptCalled("hi"),
        AgentEnd(Outcome.FAILED),
        RunSettled("raised", outcome=Outcome.CANCELLED),
    ]
    reported: list[Record] = [PromptCalled("x"), AgentEnd(Outcome.LIMIT), RunSettled("returned")]
    assert [] == messages("{outcome: [cancelled, limit]}", trace_of(both, reported))
    assert [] == messages("{outcome: [completed, failed]}", trace_of(settled(), settled("raised")))


def test_a_wrong_outcome_names_both() -> None:
    """All outcomes are shown, those of runs that never settled or began as well."""
    assert [
        "expect.outcome: the outcomes are failed, never prompted; expected completed, completed"
    ] == messages("{outcome: [completed, completed]}", trace_of(settled("raised")))
    assert ["not settled, never prompted"] == [
        text.split("are ")[1].split(";")[0]
        for text in messages("{outcome: [completed, completed]}", trace_of([PromptCalled("hi")]))
    ]


def test_causes_are_what_the_agent_reports() -> None:
    """The cause of the last AgentEnd of each run; none is said to be not reported."""

    def ended() -> list[Record]:
        return [*settled(), AgentEnd(Outcome.CANCELLED, "user")]

    assert [] == messages("{cause: [user, '']}", trace_of(ended(), [*settled(), AgentEnd()]))
    assert ['expect.cause: the causes are user, not reported; expected shutdown, ""'] == messages(
        "{cause: [shutdown, '']}", trace_of(ended(), settled())
    )


@pytest.mark.parametrize(
    "expect",
    [
        "{settled: [returned, returned]}",
        "{settled: [returned, returned done]}",
        "{settled: ['returned ', returned]}",
    ],
)
def test_settled_is_what_callers_got_as_far_as_it_is_written(expect: str) -> None:
    """Behind `returned` the answer of a run whose caller is given it may be left out."""
    closing: list[Record] = [PromptCalled("again"), AnswerReturned("done"), RunSettled("returned")]
    nothing: list[Record] = [PromptCalled("hi"), AnswerReturned(""), RunSettled("returned")]
    assert [] == messages(expect, trace_of(nothing, closing))


def test_an_exception_may_follow_how_a_prompt_settled() -> None:
    """Its kind alone or with its words, and never a word in part."""
    raised: list[Record] = [PromptCalled("hi"), RunSettled("raised", "ValueError: no idea")]
    trace = trace_of(raised, settled())
    for said in ("raised", "'raised ValueError:'", "'raised ValueError: no idea'"):
        assert [] == messages(f"{{settled: [{said}, returned]}}", trace)
    assert [
        (
            "expect.settled: the prompts settled as raised ValueError: no idea, returned; "
            "expected raised ValueError: no, other"
        )
    ] == messages("{settled: ['raised ValueError: no', other]}", trace)


def test_a_prompt_that_never_came_back_has_not_settled() -> None:
    """A run without an end is shown as such."""
    (message,) = messages("{settled: [returned, returned]}", trace_of([PromptCalled("hi")]))
    assert message.startswith("expect.settled: the prompts settled as not settled, never prompted")


def test_sent_are_the_messages_of_each_request() -> None:
    """Those of the closing run are left out, and each other one is compared as a history is."""
    said = (Message("system", (Text("brief"),)), user("hi"))
    trace = trace_of(
        [PromptCalled("hi"), RequestMade(1, said)], [RequestMade(1, (*said, user("again")))]
    )
    assert [] == messages("{sent: [[{user: hi}]]}", trace)
    assert [] == messages("{sent: [[{system: brief}, user]]}", trace)
    assert ["expect.sent: 1 model requests; expected 2"] == messages("{sent: [[], []]}", trace)
    (message,) = messages("{sent: [[{user: ho}]]}", trace)
    assert message.startswith("expect.sent: request 1 is not the expected one")


@pytest.mark.parametrize(
    ("blocks", "fits"),
    [
        ("[text, call]", True),
        ('[{text: Look}, {call: "{}"}]', True),
        ("[call, text]", False),
        ("[text]", False),
        ("[{text: Lock}, call]", False),
    ],
)
def test_blocks_of_a_message_are_compared_in_order(blocks: str, *, fits: bool) -> None:
    """By kind and, where it is written, by text; the text of a call is that of its arguments."""
    message = Message("assistant", (Text("Look"), Call("c1", "search", "{}")))
    trace = trace_of([HistoryRead((message,))])
    found = messages(f"{{history: [{{assistant: null, blocks: {blocks}}}]}}", trace)
    assert fits == (not found)
    assert fits or '"Look", call "{}"' in found[0]


def test_a_history_is_what_the_agent_displays() -> None:
    """The last one read counts; fields that a pattern leaves out are not looked at."""
    trace = trace_of([HistoryRead((user("hi"),))], [HistoryRead(CUT)])
    pattern = "[user, {assistant: First, interrupted: true}, user, assistant]"
    assert [] == messages(f"{{history: {pattern}}}", trace)


def test_a_history_can_be_seen_in_the_last_request() -> None:
    """For an agent that displays none, the last request and the answer that it read to its end."""
    request = RequestMade(1, CUT[:3])
    read: list[Record] = [
        request,
        ChunkTaken(1, 1, "text", "o"),
        ChunkTaken(1, 2, "text", "k"),
        TerminalTaken(1, "finish", "stop"),
    ]
    assert [] == messages("{history: [user, assistant, user, {assistant: ok}]}", trace_of([], read))
    cut: list[Record] = [RequestMade(1, CUT[:1]), ChunkTaken(1, 1, "text", "x")]
    assert [] == messages("{history: [user]}", trace_of(cut))


def test_a_wrong_history_is_a_diff() -> None:
    """One message per line: unmarked where they agree, - expected only, + actual only."""
    actual = (
        user("hi"),
        assistant("", Call("c1", "search", "{}")),
        tool_result("c1", "boom", is_error=True),
        user("again"),
    )
    (text,) = messages(
        "{history: [user, {assistant: First, interrupted: true}, user, assistant]}",
        trace_of([HistoryRead(actual)]),
    )
    assert (
        "expect.history: the history is not the expected one (- expected, + actual)\n"
        '    user "hi"\n'
        '  - assistant "First" interrupted\n'
        '  + assistant "" calls search\n'
        '  + tool "boom" error\n'
        '    user "again"\n'
        "  - assistant"
    ) == text


@pytest.mark.parametrize(
    "pattern",
    [
        "{assistant: first}",
        "{assistant: , interrupted: false}",
        "{assistant: , reasoning: hm}",
        "{assistant: , calls: [search]}",
        "{tool: First}",
        "{assistant: , is_error: true}",
    ],
)
def test_every_field_of_a_message_counts(pattern: str) -> None:
    """A pattern that differs in one field does not fit."""
    trace = trace_of([HistoryRead(CUT[1:2])])
    assert [] == messages("{history: [{assistant: First, interrupted: true, calls: []}]}", trace)
    assert 1 == len(messages(f"{{history: [{pattern}]}}", trace))


def test_system_messages_count_only_if_they_are_expected() -> None:
    """Most scenarios do not care what an agent tells its model beforehand."""
    system = attrs.evolve(user("be brief"), role="system")
    trace = trace_of([HistoryRead((system, user("hi")))])
    assert [] == messages("{history: [user]}", trace)
    assert [] == messages("{history: [system, user]}", trace)
    assert [] == messages("{history: [..., user]}", trace)


def records() -> Trace:
    """The reported records of a cut run, and of the closing run."""
    return trace_of(
        [
            AgentStart(),
            TurnStart(1),
            RequestMade(1, ()),
            MessageEnd(assistant("First", interrupted=True)),
            AgentEnd(Outcome.CANCELLED, "user"),
        ],
        [AgentStart(), AgentEnd(Outcome.COMPLETED)],
    )


@pytest.mark.parametrize(
    "timeline",
    [
        "[AgentStart, TurnStart, MessageEnd, AgentEnd]",
        "[...]",
        "[AgentStart, ..., AgentEnd]",
        "[..., MessageEnd, ..., AgentEnd, ...]",
        "[..., {AgentEnd: {outcome: cancelled, cause: user}}]",
        "[..., {TurnStart: {turn: 1}}, ...]",
        "[..., {MessageEnd: {message: {assistant: First}, discarded: false}}, ...]",
    ],
)
def test_a_timeline_holds(timeline: str) -> None:
    """Reported records in order, gaps for any number of them, the closing run left out."""
    assert [] == messages(f"{{timeline: {timeline}}}", records())


@pytest.mark.parametrize(
    "timeline",
    [
        "[]",
        "[AgentStart, AgentEnd]",
        "[AgentStart, TurnStart, MessageEnd, AgentEnd, AgentStart]",
        "[..., AgentEnd, ..., AgentEnd]",
        "[..., {AgentEnd: {outcome: completed}}]",
        "[..., {TurnStart: {turn: true}}, ...]",
        "[..., {MessageEnd: {message: {assistant: Last}}}, ...]",
        "[..., {MessageEnd: {discarded: true}}, ...]",
    ],
)
def test_a_timeline_does_not_hold(timeline: str) -> None:
    """A record too few, too many, out of order or with another field breaks it."""
    assert 1 == len(messages(f"{{timeline: {timeline}}}", records()))


def test_a_wrong_timeline_is_a_diff_with_gaps() -> None:
    """Gaps say how much they stand for; of a record only the fields in question are shown."""
    (text,) = messages("{timeline: [AgentStart, ..., {AgentEnd: {outcome: completed}}]}", records())
    assert [
        "    AgentStart",
        "    ... (2)",
        "  - AgentEnd outcome=completed",
        "  + AgentEnd outcome=cancelled",
    ] == text.splitlines()[1:]


def test_a_timeline_under_a_profile_needs_its_words() -> None:
    """The projection is made elsewhere; comparing without it is a fault of ours."""
    case = case_of("{timeline: [turn/start, ..., turn/end]}", "profile: p\n")
    assert [] == compare(case, records(), projection=lambda _: ["turn/start", "x", "turn/end"])
    assert 1 == len(compare(case, records(), projection=lambda _: ["turn/start"]))
    with pytest.raises(HarnessError):
        compare(case, records())


def test_numbers_are_counted_without_the_closing_run() -> None:
    """Requests and usage of the closing run do not count; bodies are counted by tool."""
    trace = trace_of(
        [
            RequestMade(1, ()),
            ToolStarted("c1", "search", "{}"),
            LogRow(1, False, usage=(3, 4)),
            LogRow(2, True),
            LogRow(3, True, usage=(1, 1)),
        ],
        [RequestMade(1, ()), LogRow(1, True, usage=(9, 9))],
    )
    tools = "tools: {search: x, other: y}\n"
    held = "{requests: 1, bodies: {search: 1, other: 0}, usage: [4, 5]}"
    assert [] == messages(held, trace, tools)
    assert [
        "expect.bodies: 1 bodies of search; expected 2\n0 bodies of other; expected 1",
        "expect.requests: 1 model requests; expected 2",
        "expect.usage: the usage is 4 in, 5 out; expected 1 in, 1 out",
    ] == sorted(
        messages("{requests: 2, bodies: {search: 2, other: 1}, usage: [1, 1]}", trace, tools)
    )


def test_usage_that_nobody_reports_is_no_zero() -> None:
    """Nothing reported does not equal nothing used."""
    assert ["expect.usage: the usage is not reported; expected 0 in, 0 out"] == messages(
        "{usage: [0, 0]}", trace_of(settled())
    )


def test_notices_and_rejects_are_lists_in_order() -> None:
    """The kinds of notices and the reasons of refused prompts."""
    trace = trace_of([Notice("alert", "a"), Notice("note", "b"), InputRejected("no")])
    assert [] == messages("{notices: [alert, note], rejects: no}", trace)
    assert [
        "expect.notices: the notices are alert, note; expected none",
        "expect.rejects: the rejects are no; expected yes",
    ] == messages("{notices: [], rejects: [yes]}", trace)


def test_one_of_needs_one_alternative_to_hold() -> None:
    """If none does, each is said with what it lacks."""
    trace = trace_of(settled("raised"), settled())
    held = "{one_of: [{outcome: [completed, completed]}, {outcome: [failed, completed]}]}"
    assert [] == messages(held, trace)
    (text,) = messages("{one_of: [{requests: 1}, {requests: 2, rejects: [x]}]}", trace)
    assert [
        "expect.one_of: no alternative holds",
        "alternative 1: 0 model requests; expected 1",
        "alternative 2: 0 model requests; expected 2",
        "alternative 2: the rejects are none; expected x",
    ] == text.splitlines()


# --- alignment ----------------------------------------------------------------------------------

LETTERS: Aligner[str, str] = Aligner(
    fits=lambda wanted, found: wanted in {"?", found},
    alike=lambda wanted, found: wanted.lower() == found.lower(),
    is_gap=lambda wanted: wanted == "*",
    show_wanted=str,
    show_found=str,
)


@pytest.mark.parametrize(
    "wanted", ["", "a", "*", "a*", "*a", "a*b", "*a*b", "**", "?b", "*?", "A*"]
)
@pytest.mark.parametrize("found", ["", "a", "b", "ab", "ba", "aab", "abab", "bbb"])
def test_a_diff_has_marks_exactly_where_nothing_matches(wanted: str, found: str) -> None:
    """The quick answer and the drawn one agree, and the diff shows both sides in full."""
    lines = LETTERS.diff(wanted, found).splitlines()
    marked = any(line[0] in "+-" for line in lines)
    assert LETTERS.matches(wanted, found) is not marked
    shown = sum(not line.startswith(("- ", "  ...")) for line in lines)
    swallowed = sum(int(line[7:-1]) for line in lines if line.startswith("  ... ("))
    assert len(found) == shown + swallowed


def test_a_diff_has_as_few_marks_as_possible() -> None:
    """One missing letter is one mark, not a replaced tail."""
    assert ["  a", "- b", "  c", "  d", "+ e"] == LETTERS.diff("abcd", "acde").splitlines()


def test_things_that_are_alike_are_shown_below_each_other() -> None:
    """A changed thing stays at its place, also at the end of a gap."""
    assert ["  a", "- B", "+ b", "  c"] == LETTERS.diff("aBc", "abc").splitlines()
    assert ["  ... (2)", "- B", "+ b"] == LETTERS.diff("*B", "acb").splitlines()


def test_a_huge_diff_is_not_drawn_line_by_line() -> None:
    """A trial that ran away must not cost seconds to explain."""
    lines = LETTERS.diff("a" * 100, "b" * 10_000).splitlines()
    assert (101, "+ ... (10000 lines)") == (len(lines), lines[-1])
