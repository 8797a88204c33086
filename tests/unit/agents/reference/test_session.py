"""The session of the reference loop: entries and lines, what they add up to, and repair."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings, strategies as st

from simharness.agent import StoreError
from simharness.agents.reference.entries import (
    Began,
    Deferred,
    Entry,
    Kept,
    TakenBack,
    TurnOver,
    Withdrawn,
    from_line,
    to_line,
)
from simharness.agents.reference.repair import (
    NOT_STARTED,
    OUTCOME_UNKNOWN,
    in_order,
    missing_results,
)
from simharness.agents.reference.session import Fold, Session, entries_of, forked
from simharness.trace import (
    Call,
    Message,
    Opaque,
    Reasoning,
    Text,
    assistant,
    tool_result,
    user,
)

HI = user("hi")
ASKS = assistant("Looking. ", Call("c1", "search", '{"q": 1}'), Call("c2", "read", "{}"))
ONE, TWO = tool_result("c1", "3 hits"), tool_result("c2", "text", is_error=True)

_TEXTS = st.text(max_size=5)
_IDS = st.sampled_from(["c1", "c2", "c3"])
_BLOCKS = st.one_of(
    st.builds(Text, _TEXTS),
    st.builds(Reasoning, _TEXTS),
    st.builds(Opaque, _TEXTS),
    st.builds(Call, _IDS, _TEXTS, _TEXTS),
)
_MESSAGES = st.builds(
    Message,
    st.sampled_from(["user", "assistant", "tool"]),
    st.lists(_BLOCKS, max_size=2).map(tuple),
    call_id=_IDS,
    is_error=st.booleans(),
    interrupted=st.booleans(),
)
_ENTRIES = st.one_of(
    st.builds(Kept, _MESSAGES, st.integers(0, 9)),
    st.builds(Withdrawn, st.integers(0, 9)),
    st.builds(Began, _IDS),
    st.builds(TurnOver),
    st.builds(TakenBack, st.integers(0, 3)),
)
_FILES = st.lists(
    st.one_of(st.text(max_size=20), st.tuples(st.integers(0, 9), _ENTRIES)), max_size=12
)


class Memory:
    """A store in memory. `faults` are how the next writes go: fails, drops or saves."""

    def __init__(self, text: str = "", *, faults: str = "") -> None:
        self.text = text
        self.faults = list(faults)
        self.flushes = 0

    async def append(self, line: str) -> None:
        """Write, unless a fault is next."""
        fault = self.faults.pop(0) if self.faults else "s"
        if fault == "f":
            raise StoreError("no space")
        if fault == "s":
            self.text += f"{line}\n"

    async def flush(self) -> int:
        """The size of the file."""
        self.flushes += 1
        return len(self.text)

    def load(self) -> str:
        """The file."""
        return self.text


class Told(list[str]):
    """Collects the kinds of notices."""

    def __call__(self, kind: str, _: str) -> None:
        """Take one."""
        self.append(kind)


def session(text: str = "", *, faults: str = "") -> tuple[Session, Memory, Told]:
    """A session on a store in memory, loaded."""
    store, told = Memory(text, faults=faults), Told()
    made = Session(store, told)
    made.load()
    return made, store, told


def noted(made: Session, *entries: Entry) -> None:
    """Note several entries and settle."""
    for entry in entries:
        made.note(entry)
    asyncio.run(made.settle())


def written(*entries: Entry) -> str:
    """A file of these entries."""
    return "".join(f"{to_line(n, entry)}\n" for n, entry in enumerate(entries, 1))


@given(st.integers(0, 99), _ENTRIES)
@settings(max_examples=200, deadline=None, derandomize=True)
def test_an_entry_is_read_as_it_was_written(number: int, entry: Entry) -> None:
    """On one line of ASCII, whatever text is in it."""
    line = to_line(number, entry)
    assert (number, entry) == from_line(line)
    assert line.isascii()
    assert "\n" not in line


@pytest.mark.parametrize(
    "line",
    ["", "oops", "[]", "null", "7", "{}", '{"n": 1}', '{"n": "x", "turn": "over"}',
     '{"n": 1, "message": {"role": "nobody", "blocks": []}}', '{"n": 1, "turn": "on"}',
     '{"n": 1, "message": {"role": "user", "blocks": [{"sound": "x"}]}}', "[" * 100_000,
     '{"n": 1, "message": {"role": "user", "blocks": [{}]}}', '{"n": 1e999, "turn": "over"}',
     '{"n": 1, "message": {"role": ["user"], "blocks": []}}'],
)  # fmt: skip
def test_a_line_that_is_no_entry_is_none(line: str) -> None:
    """Nothing is raised."""
    assert from_line(line) is None


def test_a_deferred_prompt_has_the_number_of_its_line() -> None:
    """So that a later line can say which one waits no more."""
    assert (7, Deferred(7, "hi")) == from_line(to_line(7, Deferred(7, "hi")))


def test_a_deferred_prompt_waits_until_it_is_heard_or_withdrawn() -> None:
    """It is no part of the history while it waits; what is heard or withdrawn twice is no fault."""
    two = [Deferred(1, "a"), Deferred(2, "b")]
    assert {1: two[0], 2: two[1]} == Fold.of(two).deferred
    fold = Fold.of([*two, Kept(user("b"), 2), Withdrawn(1), Withdrawn(1)])
    assert ({}, [user("b")]) == (fold.deferred, fold.history)


def test_a_prompt_is_secure_when_the_store_has_flushed_it() -> None:
    """A store that fails, or loses the line whenever it is written, has not got it."""
    for faults, secure in (("", True), ("f", True), ("ff", False), ("d", True), ("dd", False)):
        made, store, _ = session(faults=faults)
        deferred = made.defer("later")
        assert secure == asyncio.run(made.secure(deferred))
        assert secure == ("later" in store.text)
        assert made.waits(deferred)


def test_what_was_deferred_in_a_process_that_is_gone_is_left_over() -> None:
    """What the process defers itself is not, and neither is what was heard meanwhile."""
    text = written(Deferred(1, "a"), Deferred(2, "b"), Withdrawn(1))
    made, _, _ = session(text)
    own = made.defer("c")
    assert [Deferred(2, "b")] == made.left_over()
    made.note(Kept(user("b"), 2))
    assert ([], True) == (made.left_over(), made.waits(own))


def test_the_history_is_what_the_entries_add_up_to() -> None:
    """Messages are added, and taken back by length."""
    fold = Fold.of([Kept(HI), Kept(ASKS), Began("c1"), Kept(ONE), TakenBack(1), Kept(HI)])
    assert [HI, HI] == fold.history
    assert {"c1"} == fold.began


def test_memory_and_disk_are_the_same_sum() -> None:
    """What was noted is what a file with it gives."""
    made, store, _ = session()
    noted(made, Kept(HI), Kept(ASKS), Kept(ONE), Kept(TWO), TakenBack(1), Kept(user("more")))
    assert [HI, user("more")] == made.history
    assert made.history == Fold.of(entries_of(store.text)).history


def test_nothing_is_written_without_a_store() -> None:
    """The history is kept all the same."""
    made = Session(None, Told())
    noted(made, Kept(HI))
    assert ([HI], False) == (made.history, made.pending)


def test_an_idle_session_is_neither_written_nor_flushed_again() -> None:
    """Settling twice is settling once."""
    made, store, _ = session()
    noted(made, Kept(HI))
    noted(made)
    assert 1 == store.flushes


def test_a_failed_write_is_tried_again_and_nothing_is_written_ahead_of_it() -> None:
    """Order is kept; the operator is told of the failure."""
    made, store, told = session(faults="f")
    noted(made, Kept(HI), TurnOver())
    assert written(Kept(HI), TurnOver()) == store.text
    assert ["store-failed"] == told


def test_what_cannot_be_written_waits_for_the_next_time() -> None:
    """Two failures end a settling; the next one begins with the same line."""
    made, store, told = session(faults="ff")
    noted(made, Kept(HI), TurnOver())
    assert ("", 2) == (store.text, made.unsaved)
    noted(made)
    assert written(Kept(HI), TurnOver()) == store.text
    assert ["store-failed", "store-failed"] == told


def test_a_line_that_the_store_lost_is_written_again() -> None:
    """It is found out by the size of the file, and keeps its number and place."""
    made, store, told = session(faults="sd")
    noted(made, Kept(HI), Kept(ASKS), Kept(ONE))
    assert [HI, ASKS, ONE] == Fold.of(entries_of(store.text)).history
    assert ["store-lost"] == told


def test_a_store_that_loses_every_line_is_not_believed() -> None:
    """After the second try the session says what is not saved."""
    made, store, told = session(faults="d" * 9)
    noted(made, Kept(HI), TurnOver())
    assert ("", 2) == (store.text, made.unsaved)
    assert ["store-lost", "store-lost"] == told


def test_a_line_that_was_written_twice_counts_once() -> None:
    """It has the same number both times."""
    line = to_line(1, Kept(HI))
    assert [Kept(HI), TurnOver()] == entries_of(f"{line}\n{line}\n{to_line(2, TurnOver())}\n")


def test_half_a_line_is_left_out_and_ended() -> None:
    """The next line stands on its own."""
    whole = written(Kept(HI), Kept(ASKS))
    made, store, told = session(whole[:-20])
    noted(made, TurnOver())
    assert ["torn-line"] == told
    assert [HI] == made.history
    assert [Kept(HI), TurnOver()] == entries_of(store.text)


def test_lines_that_cannot_be_read_are_said_once_for_all() -> None:
    """A blank line is none."""
    _, _, told = session("oops\n\nno\n" + written(Kept(HI)))
    assert ["unreadable-line"] == told


@given(_FILES)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_file_is_loaded_and_repaired_once(file: list[str | tuple[int, Entry]]) -> None:
    """Loading never raises, every call is answered, and a second repair changes nothing."""
    text = "\n".join(one if isinstance(one, str) else to_line(*one) for one in file)
    first, store, _ = session(text)
    first.repair()
    noted(first)
    assert [] == missing_results(first.history, ())
    assert first.history == Fold.of(entries_of(store.text)).history
    second, _, _ = session(store.text)
    second.repair()
    assert first.history == second.history
    assert not second.pending


def test_a_repair_says_what_is_known() -> None:
    """A call whose body may have begun has an unknown outcome; another one was not run."""
    results = missing_results([HI, ASKS], {"c1"})
    assert [
        tool_result("c1", OUTCOME_UNKNOWN, is_error=True),
        tool_result("c2", NOT_STARTED, is_error=True),
    ] == results


def test_results_stand_behind_their_calls() -> None:
    """A result without a call is left out, and so is a second one."""
    stray = tool_result("c9", "?")
    assert [HI, ASKS, TWO, ONE, user("more")] == in_order(
        [stray, HI, ASKS, user("more"), TWO, ONE, ONE]
    )


def test_a_call_within_a_result_is_none() -> None:
    """No loop writes one, but a file may hold it; a result for it would have no place."""
    odd = Message("tool", (Call("c2", "read", "{}"),), call_id="c1")
    messages = [HI, assistant("", Call("c1", "search", "{}")), odd]
    assert (messages, []) == (in_order(messages), missing_results(messages, ()))


def test_a_session_in_order_is_left_alone() -> None:
    """Repair writes nothing."""
    made, _, told = session(written(Kept(HI), Kept(ASKS), Kept(ONE), Kept(TWO), TurnOver()))
    made.repair()
    assert (False, []) == (made.pending, told)


def test_a_fork_has_the_lines_up_to_the_end_of_a_turn() -> None:
    """All of them, if there is no such turn or none is named."""
    text = written(Kept(HI), TurnOver(), Kept(user("more")), TurnOver(), Kept(user("third")))
    assert [2, 4, 5, 5] == [len(forked(text, turn)) for turn in (1, 2, 3, None)]


def test_a_fork_leaves_the_prompts_that_wait() -> None:
    """They are done in the session that they were said in."""
    text = written(Kept(HI), Deferred(2, "later"), TurnOver())
    assert [Kept(HI), TurnOver()] == entries_of("\n".join(forked(text, None)))
