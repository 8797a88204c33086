"""The rules about session stores: what is in them, and what kills and reloads make of it."""

from __future__ import annotations

import pytest

from simharness.contract import FAMILIES, Contract
from simharness.rules import judge
from simharness.storing import (
    Forked,
    Killed,
    SessionLoaded,
    SessionRead,
    StoreFlushed,
    StoreWrite,
)
from simharness.trace import (
    ActionTaken,
    Call,
    ChunkTaken,
    ContextCompacted,
    HistoryRead,
    Message,
    MessageEnd,
    PromptCalled,
    Record,
    RequestMade,
    ToolEnded,
    ToolStarted,
    TurnEnd,
    assistant,
    tool_result,
    user,
)
from simharness.verdict import Judgement
from tests.unit.rules.traces import done, texts, trace_of, verdict

KEEPS = Contract(store="yes")
HI = user("hi")
HELLO = assistant("Hello")
ASKS = assistant("", Call("c1", "search", "{}"))
FOUND = tool_result("c1", "3 hits")
ASKED = (PromptCalled("hi"), RequestMade(1, (HI,)), ChunkTaken(1, 1, "text", "Hello"))
RULES = (
    "session-equals-history",
    "user-input-durable",
    "persist-eq-delivered",
    "crash-consistent",
    "history-loadable",
    "repair-idempotent",
)


def settled(*messages: Message, store: tuple[Message, ...] | None = None) -> tuple[Record, ...]:
    """The end of a run that left `messages`, and a store that holds the same or `store`."""
    held = messages if store is None else store
    return done(), HistoryRead(messages), SessionRead(held)


def loaded(*messages: Message, error: str = "") -> tuple[Record, ...]:
    """A session that was taken up."""
    return SessionLoaded(messages, error), SessionRead(messages)


def judged(rule: str, *records: Record | tuple[int, Record]) -> Judgement:
    """What a rule says of an agent that keeps a session."""
    return verdict(rule, *records, contract=KEEPS)


@pytest.mark.parametrize("rule", RULES)
def test_a_trace_without_a_store_gives_no_occasion(rule: str) -> None:
    """Runs that settle and histories that are displayed say nothing about stores."""
    records = (*ASKED, done(), HistoryRead((HI, HELLO)))
    assert (0, ()) == (judged(rule, *records).occasions, judged(rule, *records).violations)


def test_rules_about_stores_need_an_agent_that_keeps_a_session() -> None:
    """Others are never judged by them."""
    trace = trace_of(*ASKED, *settled(HI, HELLO))
    assert set(RULES) <= set(judge(trace, KEEPS))
    assert not set(RULES) & set(judge(trace, Contract()))


# --- session-equals-history -----------------------------------------------------------------------


def test_a_store_that_holds_the_history_is_fine() -> None:
    """Compared when a run has settled, and when a session was loaded."""
    found = judged(RULES[0], *loaded(), *ASKED, *settled(HI, HELLO), Killed(), *loaded(HI, HELLO))
    assert (3, ()) == (found.occasions, found.violations)


def test_a_message_that_is_in_memory_only_is_named() -> None:
    """The first difference is shown from both sides."""
    found = judged(RULES[0], *ASKED, *settled(HI, HELLO, store=(HI,)))
    (text,) = texts(found)
    assert text.startswith("The store and the history differ when run 1 had settled: message 2 is ")
    assert text.endswith(" assistant('Hello') in the history and 'nothing' in the store.")


@pytest.mark.parametrize(
    "writes",
    [
        [StoreWrite(1, "a", "failed")],
        [StoreWrite(1, "a", "dropped"), StoreWrite(2, "a", "dropped")],
        [StoreFlushed(3), StoreWrite(1, "a", "abandoned")],
        [StoreWrite(1, "a", "saved"), StoreWrite(2, "a", "failed")],
        [StoreWrite(1, "a", "dropped"), StoreWrite(0, "", "abandoned"), StoreFlushed(3)],
        [StoreWrite(1, "a", "dropped"), StoreWrite(2, "b", "saved"), StoreWrite(2, "b", "unheard")],
        [StoreWrite(1, "a", "dropped"), StoreFlushed(3), StoreWrite(0, "", "unheard")],
    ],
    ids=[
        "failed",
        "dropped-again",
        "given-up",
        "failed-though-it-came-through",
        "given-up-flush",
        "unheard-write",
        "unheard-flush",
    ],
)
def test_what_the_store_refused_is_not_held_against_the_agent(writes: list[Record]) -> None:
    """It was told of a failure, wrote a lost line again, or could not wait any longer.

    A line that it gave up waiting for may come through, and the next write of it fail: to the agent
    it is not in the store, so that nothing behind it may be.
    """
    found = judged(RULES[0], *ASKED, *writes, *settled(HI, HELLO, store=(HI,)))
    assert (0, ()) == (found.occasions, found.violations)


@pytest.mark.parametrize(
    "writes",
    [
        [StoreWrite(1, "a", "failed"), StoreWrite(2, "a", "saved")],
        [StoreWrite(1, "a", "dropped")],
        [StoreWrite(1, "a", "abandoned"), StoreFlushed(3)],
        [StoreWrite(0, "", "abandoned"), StoreFlushed(3), StoreFlushed(3)],
        [StoreFlushed(3), StoreWrite(0, "", "unheard"), StoreFlushed(3)],
    ],
    ids=[
        "written-later",
        "dropped-and-believed",
        "given-up-and-flushed",
        "flushed-again",
        "unheard-and-flushed",
    ],
)
def test_a_fault_that_passed_excuses_nothing(writes: list[Record]) -> None:
    """Nor does a store that says saved and is believed."""
    found = judged(RULES[0], *ASKED, *writes, *settled(HI, HELLO, store=(HI,)))
    assert 1 == len(found.violations)


def test_no_moment_within_another_run_is_compared() -> None:
    """What a run in progress has yet to write is no difference."""
    found = judged(
        RULES[0], *ASKED, PromptCalled("more"), (1, done()), (1, HistoryRead((HI,))),
        (1, SessionRead(())),
    )  # fmt: skip
    assert 0 == found.occasions


FORK = "The fork does not begin with what the session held that it forks from."


def test_a_fork_has_all_of_an_idle_session() -> None:
    """Unless a turn is named, it is a copy."""
    whole = (*ASKED, *settled(HI, HELLO), Forked(), *loaded(HI, HELLO))
    assert () == judged(RULES[0], *whole).violations
    cut = (*ASKED, *settled(HI, HELLO), Forked(), *loaded(HI))
    assert [FORK] == texts(judged(RULES[0], *cut))


def test_a_fork_at_a_turn_ends_where_the_turn_ended() -> None:
    """The reported events say how much that is; without them any beginning will do."""
    events = (MessageEnd(HI), MessageEnd(HELLO), TurnEnd(1))
    begin = (*ASKED, *events, *settled(HI, HELLO), Forked(1))
    contract = Contract(store="yes", reports=FAMILIES)
    right = verdict(RULES[0], *begin, *loaded(HI, HELLO), contract=contract)
    assert () == right.violations
    less = (*begin, *loaded(HI))
    assert [FORK] == texts(verdict(RULES[0], *less, contract=contract))
    assert [] == texts(judged(RULES[0], *less))
    assert [FORK] == texts(judged(RULES[0], *begin, *loaded(HELLO)))


def test_nobody_says_where_the_turns_ended_that_a_session_held_at_the_beginning() -> None:
    """Any beginning of it will do, and nothing else."""
    old = (user("old"), assistant("Old answer"))
    events = (MessageEnd(HI), MessageEnd(HELLO), TurnEnd(1))
    begin = (*loaded(*old), *ASKED, *events, *settled(*old, HI, HELLO))
    contract = Contract(store="yes", reports=FAMILIES)
    for turn, kept in ((1, old), (2, (*old, HI, HELLO))):
        records = (*begin, Forked(turn), *loaded(*kept))
        assert [] == texts(verdict(RULES[0], *records, contract=contract))
    records = (*begin, Forked(1), *loaded(HI, HELLO))
    assert [FORK] == texts(verdict(RULES[0], *records, contract=contract))


# --- user-input-durable ---------------------------------------------------------------------------


def test_a_prompt_that_is_kept_once_is_fine() -> None:
    """In the history and in the store, also behind a kill."""
    found = judged(RULES[1], *ASKED, *settled(HI, HELLO), Killed(), *loaded(HI, HELLO))
    assert (2, ()) == (found.occasions, found.violations)


def test_a_prompt_that_a_cut_run_lost_is_named() -> None:
    """It was in a request, and neither the history nor the store has it."""
    found = judged(RULES[1], *ASKED, *settled())
    assert [
        '"hi" is in the history not at all when run 1 had settled.',
        '"hi" is in the store not at all when run 1 had settled.',
    ] == texts(found)


def test_a_prompt_that_is_stored_twice_is_named() -> None:
    """When it was heard and when the turn ended."""
    found = judged(RULES[1], *ASKED, *settled(HI, HELLO, store=(HI, HI, HELLO)))
    assert ['"hi" is in the store twice when run 1 had settled.'] == texts(found)


def test_a_prompt_that_a_kill_took_before_the_first_request_was_not_acknowledged() -> None:
    """The model had not been asked."""
    found = judged(RULES[1], PromptCalled("hi"), Killed((1,)), *loaded())
    assert 0 == found.occasions


def test_a_prompt_that_was_asked_survives_a_kill() -> None:
    """It had to be written first, unless what was written was in buffers only."""
    found = judged(RULES[1], *ASKED, Killed((1,)), *loaded())
    assert 2 == len(found.violations)
    assert 0 == judged(RULES[1], *ASKED, Killed((1,), 17), *loaded()).occasions


def test_prompts_are_not_counted_where_history_was_summed_up() -> None:
    """A summary holds them in other words."""
    assert 0 == judged(RULES[1], *ASKED, ContextCompacted(), *settled()).occasions


# --- persist-eq-delivered -------------------------------------------------------------------------


def test_an_answer_that_came_and_is_stored_once_is_fine() -> None:
    """Or the beginning of it that a cancel left."""
    assert (1, ()) == (
        judged(RULES[2], *ASKED, *settled(HI, HELLO)).occasions,
        judged(RULES[2], *ASKED, *settled(HI, assistant("Hel"))).violations,
    )


def test_an_answer_that_never_came_is_named() -> None:
    """The store has words that no stream had sent."""
    found = judged(RULES[2], *ASKED, *settled(HI, assistant("Hello and good bye")))
    wanted = (
        'The store holds "Hello and good bye" when run 1 had settled, which no stream had sent.'
    )
    assert [wanted] == texts(found)


def test_a_draft_beside_its_answer_is_named() -> None:
    """One stream became two messages."""
    found = judged(RULES[2], *ASKED, *settled(HI, HELLO, store=(HI, HELLO, HELLO)))
    assert ['The store holds "Hello" more often than it came, when run 1 had settled.'] == texts(
        found
    )


def test_what_the_store_held_at_the_beginning_counts_as_delivered() -> None:
    """The scenario wrote it."""
    old = (user("old"), assistant("Old answer"))
    found = judged(RULES[2], *loaded(*old), *ASKED, *settled(*old, HI, HELLO))
    assert () == found.violations


def test_the_mark_of_a_cut_message_is_no_text() -> None:
    """It is declared."""
    contract = Contract(store="yes", cut_mark="text([cut] )")
    records = (*ASKED, *settled(HI, assistant("[cut] Hel")))
    assert () == verdict(RULES[2], *records, contract=contract).violations


# --- crash-consistent -----------------------------------------------------------------------------

RUNNING = (
    PromptCalled("hi"),
    RequestMade(1, (HI,)),
    ToolStarted("c1", "search", "{}"),
)


def test_a_kill_that_leaves_everything_in_order_is_fine() -> None:
    """Earlier runs are there, and the tool that ran is answered."""
    closed = tool_result("c1", "outcome unknown", is_error=True)
    found = judged(RULES[3], *RUNNING, Killed((1,)), *loaded(HI, ASKS, closed))
    assert (1, ()) == (found.occasions, found.violations)


def test_a_call_that_a_kill_left_open_is_named() -> None:
    """Loading has to answer it."""
    found = judged(RULES[3], *RUNNING, Killed((1,)), *loaded(HI, ASKS))
    assert ["After the kill call c1 of search has no result."] == texts(found)


def test_a_tool_that_ran_and_is_not_known_is_named() -> None:
    """Its call was not written before it began, so the model will ask for it again."""
    found = judged(RULES[3], *RUNNING, Killed((1,)), *loaded(HI))
    assert ["After the kill nothing says that tool search had started."] == texts(found)
    assert () == judged(RULES[3], *RUNNING, Killed((1,), 9), *loaded(HI)).violations


def test_a_kill_of_a_process_that_loads_excuses_what_the_one_before_it_lost() -> None:
    """The run is in progress for both, and the second has nothing more to flush."""
    assert () == judged(RULES[3], *RUNNING, Killed((1,), 9), Killed((1,)), *loaded(HI)).violations
    found = judged(RULES[3], *RUNNING, Killed((1,)), Killed((1,), 9), *loaded(HI))
    assert () == found.violations
    assert 1 == len(judged(RULES[3], *RUNNING, Killed((1,)), Killed((1,)), *loaded(HI)).violations)


def test_what_earlier_runs_left_may_not_be_lost() -> None:
    """It had settled; only a store that had refused it excuses that."""
    lost = "After the kill the history does not begin with what earlier runs had left."
    begin = (*ASKED, *settled(HI, HELLO))
    assert [lost] == texts(judged(RULES[3], *begin, Killed(), *loaded(HI)))
    refused = (StoreWrite(1, "a", "dropped"), StoreWrite(2, "a", "dropped"))
    assert [] == texts(judged(RULES[3], *refused, *begin, Killed(), *loaded(HI)))


# --- history-loadable -----------------------------------------------------------------------------


def test_a_session_that_loads_is_fine() -> None:
    """An empty one gives no occasion."""
    assert 0 == judged(RULES[4], *loaded()).occasions
    assert (1, ()) == (
        judged(RULES[4], *loaded(HI)).occasions,
        judged(RULES[4], *loaded(HI)).violations,
    )


def test_a_session_that_cannot_be_loaded_is_named() -> None:
    """With what the loader raised."""
    found = judged(RULES[4], *ASKED, Killed((1,)), *loaded(error="ValueError: half a line"))
    assert ["Loading the session raised ValueError: half a line."] == texts(found)


# --- repair-idempotent ----------------------------------------------------------------------------


def test_loading_twice_is_loading_once() -> None:
    """Two loads in a row of the same session give the same history."""
    found = judged(RULES[5], *ASKED, Killed((1,)), *loaded(HI), Killed(), *loaded(HI))
    assert (1, ()) == (found.occasions, found.violations)


def test_a_marker_of_each_load_piles_up() -> None:
    """The second load adds one more."""
    marker = user("resumed")
    found = judged(
        RULES[5], *ASKED, Killed((1,)), *loaded(HI, marker), Killed(), *loaded(HI, marker, marker)
    )
    assert ["Repairing again changes the history: it had 2 messages and has 3."] == texts(found)


def test_loads_with_a_run_between_them_are_not_compared() -> None:
    """The run has changed the session."""
    found = judged(
        RULES[5],
        *ASKED,
        Killed((1,)),
        *loaded(HI),
        PromptCalled("more"),
        *settled(HI, user("more")),
        Killed(),
        *loaded(HI, user("more")),
    )
    assert 0 == found.occasions


# --- other rules ----------------------------------------------------------------------------------


def test_a_killed_run_owes_no_end() -> None:
    """Nobody was there to report one, and what it had cut is for the rules about stores."""
    found = judge(
        trace_of(*ASKED, Killed((1,)), *loaded(HI), PromptCalled("again"), done()),
        Contract(store="yes", reports=FAMILIES, cut_message="kept"),
    )
    assert [] == [one for judgement in found.values() for one in judgement.violations]


def test_a_result_that_denies_what_a_killed_tool_did_is_untrue() -> None:
    """The tool had started; that its outcome is unknown is all that can be said."""
    contract = Contract(unstarted_call="answered", late_tool_result="real", store="yes")
    ran = (*RUNNING, ToolEnded("c1", "returned", "3 hits"), Killed((1,)))

    def said(text: str) -> list[str]:
        closed = tool_result("c1", text, is_error=True)
        again = (PromptCalled("again"), RequestMade(1, (HI, ASKS, closed, user("again"))))
        records = (*ran, ActionTaken("kill"), *loaded(HI, ASKS, closed), *again)
        return texts(verdict("result-truthful", *records, contract=contract))

    assert [] == said("outcome unknown: the program ended while it ran")
    assert 1 == len(said("not run: the program ended before it started"))
