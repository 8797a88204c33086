"""The rules about the history as the model receives it."""

from simharness.contract import Contract
from simharness.trace import (
    Call,
    ChunkTaken,
    HistoryRead,
    Message,
    PromptCalled,
    RequestMade,
    TerminalTaken,
    Text,
    ToolStarted,
    assistant,
    tool_result,
    user,
)
from tests.unit.rules.traces import done, texts, verdict

HI = user("hi")
ASKS = assistant("", Call("c1", "search", "{}"))
FOUND = tool_result("c1", "3 hits")
PLAIN = (PromptCalled("hi"), RequestMade(1, (HI,)), TerminalTaken(1, "finish", "stop"))


def asked(*messages: Message) -> tuple[PromptCalled, RequestMade]:
    """A prompt whose request holds `messages`."""
    return PromptCalled("again"), RequestMade(1, messages)


def test_an_answered_call_is_paired() -> None:
    """A call whose result follows it directly is fine."""
    judged = verdict("tool-pairing", *asked(HI, ASKS, FOUND, user("again")))
    assert (1, ()) == (judged.occasions, judged.violations)


def test_a_call_without_result_is_named_once() -> None:
    """A dangling call is reported where it is first sent, not in every later request."""
    judged = verdict(
        "tool-pairing", *asked(HI, ASKS, user("again")), RequestMade(2, (HI, ASKS, user("again")))
    )
    assert ["In request 1 of run 1 call c1 of search has no result."] == texts(judged)


def test_a_second_result_breaks_the_pairing() -> None:
    """Exactly one result: a repeated one is as bad as none."""
    judged = verdict("tool-pairing", *asked(HI, ASKS, FOUND, FOUND))
    assert ["In request 1 of run 1 call c1 of search has a second result."] == texts(judged)


def test_a_displayed_history_is_judged_if_the_next_prompt_was_refused() -> None:
    """Without a request the display is the only evidence of a dangling call."""
    judged = verdict(
        "tool-pairing",
        *PLAIN,
        done("cancelled"),
        HistoryRead((HI, ASKS)),
        PromptCalled("again"),
        done("raised", error="UserError"),
    )
    place = "the history displayed when the prompt of run 2 was refused"
    assert [f"In {place} call c1 of search has no result."] == texts(judged)


def test_a_displayed_history_is_not_judged_if_the_next_prompt_made_a_request() -> None:
    """What is sent decides, whatever is displayed."""
    judged = verdict(
        "tool-pairing",
        *PLAIN,
        done("cancelled"),
        HistoryRead((HI, ASKS)),
        *asked(HI, user("again")),
    )
    assert 0 == judged.occasions


def test_pairing_has_no_occasion_without_calls() -> None:
    """A conversation without tools proves nothing about pairing."""
    assert 0 == verdict("tool-pairing", *PLAIN, done()).occasions


def test_a_result_behind_its_call_is_no_orphan() -> None:
    """The call stands earlier in the same history."""
    judged = verdict("no-orphan-result", *asked(HI, ASKS, FOUND))
    assert (1, ()) == (judged.occasions, judged.violations)


def test_a_result_without_a_call_is_an_orphan() -> None:
    """Its call was dropped or never stored."""
    judged = verdict("no-orphan-result", *asked(HI, FOUND))
    assert ["In request 1 of run 1 a result for c1 has no call before it."] == texts(judged)


def test_orphans_have_no_occasion_without_results() -> None:
    """No result, nothing to judge."""
    assert 0 == verdict("no-orphan-result", *PLAIN, done()).occasions


def test_a_strict_provider_accepts_a_plain_conversation() -> None:
    """System first, pairs in order, text."""
    system = Message("system", (Text("be brief"),))
    judged = verdict(
        "request-wellformed", *asked(system, HI, ASKS, FOUND, assistant("3"), user("again"))
    )
    assert (1, ()) == (judged.occasions, judged.violations)


def test_a_strict_provider_refuses_each_fault() -> None:
    """Every kind of fault is found, once, in order."""
    broken = assistant("", Call("c1", "search", '{"q": '))
    judged = verdict(
        "request-wellformed",
        *asked(HI, ASKS, user("x"), FOUND, assistant(" "), Message("system"), broken),
    )
    assert [
        "In request 1 of run 1 call c1 of search has no result.",
        "In request 1 of run 1 the result of call c1 of search does not follow its call.",
        "In request 1 of run 1 an assistant message is empty.",
        "In request 1 of run 1 a system message is not first.",
        "In request 1 of run 1 the id c1 names two calls.",
        "In request 1 of run 1 the arguments of call c1 of search do not parse.",
    ] == texts(judged)


def test_a_strict_provider_refuses_an_empty_system_prompt() -> None:
    """No prompt is no message, not one without text."""
    judged = verdict("request-wellformed", *asked(Message("system", (Text(""),)), HI))
    assert ["In request 1 of run 1 a system message is empty."] == texts(judged)


def test_an_emptied_cut_message_is_allowed_where_it_is_declared() -> None:
    """Some systems leave an empty message on purpose."""
    emptied = Contract(cut_message="emptied")
    records = asked(HI, assistant(), user("again"))
    assert () == verdict("request-wellformed", *records, contract=emptied).violations


def test_ids_that_the_model_used_twice_are_not_held_against_the_agent() -> None:
    """Two responses that both call their first call c1 are the provider's doing."""
    one = ChunkTaken(1, 1, "args", "{}", "c1", "search")
    two = ChunkTaken(2, 1, "args", "{}", "c1", "search")
    judged = verdict("request-wellformed", *PLAIN, one, two, *asked(HI, ASKS, FOUND, ASKS, FOUND))
    assert () == judged.violations


def test_wellformed_has_no_occasion_without_requests() -> None:
    """A prompt that makes no request shows nothing."""
    assert 0 == verdict("request-wellformed", PromptCalled("hi"), done()).occasions


HALF = ChunkTaken(1, 1, "args", '{"path": "/tm', "c1", "delete")


def test_half_a_call_that_is_dropped_is_fine() -> None:
    """The arguments were cut, nothing ran, and the call is gone."""
    judged = verdict("args-complete", *PLAIN[:2], HALF, done(), *asked(HI, user("again")))
    assert (1, ()) == (judged.occasions, judged.violations)


def test_half_a_call_that_is_run_is_broken() -> None:
    """It does not matter how the agent repaired the text."""
    judged = verdict("args-complete", *PLAIN[:2], HALF, ToolStarted("c1", "delete", "{}"), done())
    wanted = "In run 1 call c1 of delete was run although its arguments had not arrived whole."
    assert [wanted] == texts(judged)


def test_half_a_call_of_a_run_beside_it_is_another_one() -> None:
    """Two models may both call something c1: the run that calls its tool is the one that heard it.

    Where it heard none under that id, an earlier run did.
    """
    whole = ChunkTaken(1, 1, "args", "{}", "c1", "search")
    end = TerminalTaken(1, "finish", "tool_calls")
    aside = (2, HALF)
    start = (1, ToolStarted("c1", "search", "{}"))
    beside = (PromptCalled("aside"), RequestMade(1, (HI,)), aside)
    assert [] == texts(verdict("args-complete", *PLAIN[:2], whole, end, *beside, start))

    later = (2, ToolStarted("c1", "delete", "{}"))
    judged = verdict("args-complete", *PLAIN[:2], HALF, done(), PromptCalled("again"), later)
    assert 1 == len(judged.violations)


def test_half_a_call_that_stays_unanswered_is_broken() -> None:
    """Kept without a result, it makes the next request invalid."""
    kept = assistant("", Call("c1", "delete", "{}"))
    judged = verdict("args-complete", *PLAIN[:2], HALF, done(), *asked(HI, kept, user("again")))
    assert 1 == len(judged.violations)


def test_a_body_whose_call_the_model_never_made_is_not_judged() -> None:
    """The agent may have renamed the call."""
    other = ToolStarted("mine", "delete", "{}")
    judged = verdict("args-complete", *PLAIN[:2], HALF, other, done())
    assert (1, ()) == (judged.occasions, judged.violations)


def test_whole_arguments_are_no_occasion() -> None:
    """Blank arguments of a finished stream and a repeated preview are whole."""
    preview = ChunkTaken(1, 1, "args", '{"q": ', "c1", "search")
    again = ChunkTaken(1, 2, "args", '{"q": 1}', "c1", "search")
    blank = ChunkTaken(1, 3, "args", "", "c2", "now")
    end = TerminalTaken(1, "finish", "tool_calls")
    starts = (ToolStarted("c1", "search", "{}"), ToolStarted("c2", "now", "{}"))
    judged = verdict("args-complete", *PLAIN[:2], preview, again, blank, end, *starts, done())
    assert (0, ()) == (judged.occasions, judged.violations)


def test_half_a_call_under_the_id_of_a_whole_one_is_not_mistaken_for_it() -> None:
    """The model used one id twice; whichever the agent runs, a whole text was sent for it."""
    one = ChunkTaken(1, 1, "args", " ", "c1", "search", index=0)
    two = ChunkTaken(1, 2, "args", '{"q": ', "c1", "search", index=1)
    end = TerminalTaken(1, "finish", "tool_calls")
    start = ToolStarted("c1", "search", "{}")
    assert [] == texts(verdict("args-complete", *PLAIN[:2], one, two, end, start, done()))


def test_what_comes_for_a_call_that_was_ended_is_no_piece_of_it() -> None:
    """It bears the same id perhaps, and stands in no place: the arguments are whole without it."""
    whole = ChunkTaken(1, 1, "args", "{}", "c1", "search")
    more = ChunkTaken(1, 2, "args", '{"q": ', "c1", "search", index=-1)
    end = TerminalTaken(1, "finish", "tool_calls")
    start = ToolStarted("c1", "search", "{}")
    judged = verdict("args-complete", *PLAIN[:2], whole, more, end, start, done())
    assert (0, ()) == (judged.occasions, judged.violations)


def test_an_id_that_comes_back_behind_another_call_at_its_index_is_another_call() -> None:
    """Half of it takes nothing from the first one, which is whole and may be run."""
    whole = ChunkTaken(1, 1, "args", "{}", "c1", "search")
    other = ChunkTaken(1, 2, "args", "{}", "c2", "search")
    half = ChunkTaken(1, 3, "args", '{"q": ', "c1", "search")
    end = TerminalTaken(1, "finish", "tool_calls")
    start = ToolStarted("c1", "search", "{}")
    sent = (*PLAIN[:2], whole, other, half, end, start, done())
    assert [] == texts(verdict("args-complete", *sent))
    together = (*PLAIN[:2], whole, half, end, start, done())
    assert 1 == len(texts(verdict("args-complete", *together)))
