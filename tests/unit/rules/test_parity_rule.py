"""streaming-parity: two traces of one script, of which one was streamed."""

import pytest

from simharness.contract import UNSPECIFIED, Contract
from simharness.rules import by_id, judge, judge_pair
from simharness.trace import (
    Call,
    ChunkTaken,
    HistoryRead,
    LimitHit,
    Message,
    Outcome,
    PromptCalled,
    Record,
    RequestMade,
    TerminalTaken,
    ToolEnded,
    ToolStarted,
    assistant,
    tool_result,
    user,
)
from simharness.verdict import Judgement
from tests.unit.rules.traces import done, texts, trace_of

BOTH = Contract(streaming="both")
HI = user("hi")
ENDS = {"finish": "tool_calls", "error": "boom", "close": ""}


def tool_run(
    *,
    runs: bool = True,
    args: str = '{"q": 1}',
    call_id: str = "c1",
    kept: str = "See.",
    end: str = "finish",
    outcome: Outcome | None = None,
) -> list[Record]:
    """Text, a call, its tool, and an answer; without `runs` the text is taken for the answer."""
    call = Call(call_id, "search", args)
    answered = (HI, assistant(kept, call), tool_result(call_id, "3 hits"))
    records: list[Record] = [
        PromptCalled("hi"),
        RequestMade(1, (HI,)),
        ChunkTaken(1, 1, "text", kept),
        ChunkTaken(1, 2, "args", args, call_id, "search"),
        TerminalTaken(1, end, ENDS[end]),
    ]
    if runs:
        records += [
            ToolStarted(call_id, "search", args),
            ToolEnded(call_id, "returned", "3 hits"),
            RequestMade(2, answered),
            TerminalTaken(2, "finish", "stop"),
        ]
    left = (*answered, assistant("Done.")) if runs else (HI, assistant(kept))
    return [*records, done(outcome=outcome), HistoryRead(left)]


def pair(streamed: list[Record], plain: list[Record]) -> Judgement:
    """What the rule says about two traces."""
    return judge_pair(trace_of(*streamed), trace_of(*plain), BOTH)["streaming-parity"]


def test_equal_trials_are_in_parity() -> None:
    """The same messages, tools and outcome; a call may have another id."""
    judged = pair(tool_run(), tool_run(call_id="other"))
    assert Judgement(occasions=1) == judged


def test_a_tool_that_only_one_of_them_runs_is_broken() -> None:
    """The plain run takes the text before the call for the final answer."""
    judged = pair(tool_run(), tool_run(runs=False))
    assert 1 == judged.occasions
    assert [
        "Run 1 executes search when it is streamed and no tool when it is not.",
        "Run 1 makes 2 requests when it is streamed and 1 when it is not.",
    ] == texts(judged)


def test_another_history_is_broken() -> None:
    """Text in front of a call is lost by one of the two."""
    judged = pair(tool_run(kept="See."), tool_run(kept=""))
    wanted = "Request 2 of run 1 holds another history when it is streamed than when it is not."
    assert [wanted] == texts(judged)


def test_another_displayed_history_is_broken() -> None:
    """The last answer is in no request, but the agent displays it."""
    plain = [*tool_run()[:-1], HistoryRead((HI,))]
    wanted = "The displayed history is another when the runs are streamed than when they are not."
    assert [wanted] == texts(pair(tool_run(), plain))


def test_another_outcome_is_broken() -> None:
    """One says completed, the other failed."""
    judged = pair(tool_run(outcome=Outcome.COMPLETED), tool_run(outcome=Outcome.FAILED))
    assert ["Run 1 is completed when it is streamed and failed when it is not."] == texts(judged)


def test_an_outcome_that_only_one_of_them_names_is_not_compared() -> None:
    """How the prompt came back is."""
    assert () == pair(tool_run(outcome=Outcome.COMPLETED), tool_run()).violations
    raised = [*tool_run()[:-2], done("raised"), tool_run()[-1]]
    judged = pair(tool_run(outcome=Outcome.COMPLETED), raised)
    assert ["Run 1 is returned when it is streamed and raised when it is not."] == texts(judged)


@pytest.mark.parametrize("args", ['{"q":1}', '{ "q": 1 }'])
def test_how_arguments_are_spaced_does_not_matter(args: str) -> None:
    """Both say the same."""
    assert () == pair(tool_run(), tool_run(args=args)).violations


def test_how_text_is_cut_into_blocks_does_not_matter() -> None:
    """A plain response has one block where a stream had two."""
    two = Message("assistant", assistant("Do").blocks + assistant("ne.").blocks)
    cut = [*tool_run()[:-1], HistoryRead((*tool_run()[7].messages, two))]  # type: ignore[attr-defined]
    assert () == pair(tool_run(), cut).violations


def test_an_answer_that_breaks_off_is_no_occasion() -> None:
    """What was shown of it may decide whether it is tried again."""
    assert 0 == pair(tool_run(end="error"), tool_run(runs=False)).occasions


def test_a_trial_that_a_limit_ended_is_no_occasion() -> None:
    """There is no end to compare."""
    assert 0 == pair([*tool_run(), LimitHit("deadlock", "")], tool_run(runs=False)).occasions


def test_only_agents_that_do_both_are_judged() -> None:
    """A streaming-only agent has nothing to compare, and one trace alone shows nothing."""
    trace = trace_of(*tool_run())
    assert {} == judge_pair(trace, trace, Contract(streaming="streaming-only"))
    assert "streaming-parity" not in judge(trace, UNSPECIFIED)
    assert Judgement() == by_id("streaming-parity").check(trace, BOTH)


def test_an_answer_that_just_ends_is_not_compared() -> None:
    """Nothing of it was read, and a plain answer that came has come whole."""
    empty: list[Record] = [PromptCalled("hi"), RequestMade(1, (HI,)), TerminalTaken(1, "close", "")]
    kept = HistoryRead((HI, Message("assistant")))
    assert 0 == pair([*empty, done(), HistoryRead((HI,))], [*empty, done(), kept]).occasions
