"""The rule about prompts that wait in a quiesce: acknowledged once flushed, heard exactly once."""

from __future__ import annotations

import pytest

from simharness.contract import Contract
from simharness.storing import Forked, Killed, SessionLoaded, SessionRead, StoreFlushed, StoreWrite
from simharness.trace import (
    ActionTaken,
    CancelCalled,
    ContextCompacted,
    HistoryRead,
    HookCalled,
    InputRejected,
    Message,
    PromptCalled,
    PromptDeferred,
    Record,
    RequestMade,
    assistant,
    user,
)
from simharness.verdict import Judgement
from tests.unit.rules.traces import done, texts, verdict

RULE = "deferred-prompt-once"
KEEPS = Contract(store="yes")
LATER, MORE, HELLO = user("later"), user("more"), assistant("Hello")
ACKNOWLEDGED = (PromptCalled("later"), StoreFlushed(9), PromptDeferred("later"))
HEARD = RequestMade(1, (LATER,))


def settled(*messages: Message, store: tuple[Message, ...] | None = None) -> tuple[Record, ...]:
    """The end of a run that left `messages`, and a store that holds the same or `store`."""
    return done(), HistoryRead(messages), SessionRead(messages if store is None else store)


def reloaded(*messages: Message, run: int = 1) -> tuple[Record, ...]:
    """A kill in the middle of the run, and a fresh process."""
    return Killed((run,)), SessionLoaded(messages), SessionRead(messages)


def more(*messages: Message) -> tuple[Record, ...]:
    """A later prompt that is answered, behind which `messages` are kept."""
    return PromptCalled("more"), RequestMade(1, messages), *settled(*messages, HELLO)


def judged(*records: Record | tuple[int, Record], contract: Contract = KEEPS) -> Judgement:
    """What the rule says."""
    return verdict(RULE, *records, contract=contract)


def test_without_a_deferred_prompt_there_is_no_occasion() -> None:
    """A prompt that waits and is not acknowledged is none."""
    found = judged(PromptCalled("later"), HEARD, *settled(LATER, HELLO))
    assert (0, ()) == (found.occasions, found.violations)


def test_a_prompt_that_is_served_behind_the_resume_is_fine() -> None:
    """It is in history and store once."""
    found = judged(*ACKNOWLEDGED, ActionTaken("resume"), HEARD, *settled(LATER, HELLO))
    assert (1, ()) == (found.occasions, found.violations)


def test_a_prompt_that_is_heard_with_the_next_one_behind_a_kill_is_fine() -> None:
    """While nobody has asked the model it may still wait."""
    found = judged(*ACKNOWLEDGED, *reloaded(), *reloaded(), *more(LATER, MORE))
    assert (1, ()) == (found.occasions, found.violations)


def test_an_acknowledgement_comes_behind_a_flush() -> None:
    """One from before the prompt says nothing about it."""
    early = PromptCalled("later"), PromptDeferred("later"), StoreFlushed(9)
    assert ['The deferred prompt "later" was acknowledged before the store had flushed it.'] == (
        texts(judged(StoreFlushed(9), *early, HEARD, *settled(LATER, HELLO)))
    )


def test_a_prompt_that_the_store_has_refused_is_not_acknowledged() -> None:
    """A flush of other lines does not help it; a second write may."""

    def written(*ends: str) -> list[str]:
        writes = [StoreWrite(n, '{"deferred": "later"}', how) for n, how in enumerate(ends, 2)]
        said = (PromptCalled("later"), *writes, StoreFlushed(9), PromptDeferred("later"))
        return texts(judged(*said, HEARD, *settled(LATER, HELLO)))

    assert [] == written("saved") == written("failed", "saved") == written("dropped")
    assert [
        'The deferred prompt "later" was acknowledged although the store had not taken it.'
    ] == written("failed", "failed")


def test_a_prompt_that_a_kill_took_along_is_lost() -> None:
    """Once a later run has asked the model without it."""
    assert ['The deferred prompt "later" is not in the history when run 2 had settled.'] == texts(
        judged(*ACKNOWLEDGED, *reloaded(), *more(MORE))
    )


def test_a_prompt_that_a_resume_forgets_is_lost() -> None:
    """Its own run returned, and nobody had stopped it."""
    assert ['The deferred prompt "later" is not in the history when run 1 had settled.'] == texts(
        judged(*ACKNOWLEDGED, ActionTaken("resume"), *settled(MORE))
    )


def test_a_prompt_that_is_in_memory_only_is_lost() -> None:
    """The store has to hold it as well."""
    assert ['The deferred prompt "later" is not in the store when run 1 had settled.'] == texts(
        judged(*ACKNOWLEDGED, HEARD, *settled(LATER, HELLO, store=(HELLO,)))
    )


def test_a_prompt_that_was_served_and_is_heard_again_is_done_twice() -> None:
    """The kill came behind the line that made it part of the history."""
    records = *ACKNOWLEDGED, HEARD, *reloaded(LATER), *more(LATER, LATER, MORE)
    assert [
        'The deferred prompt "later" is in the history more than once when run 2 had settled.'
    ] == texts(judged(*records))


@pytest.mark.parametrize(
    "between",
    [
        (CancelCalled("api"), *settled()),
        (done("raised"), HistoryRead(()), SessionRead(())),
        (InputRejected("no"), *settled()),
        (HookCalled("input_filter"), *reloaded(), *more(MORE)),
        (StoreWrite(1, "later", "failed"), *reloaded(), *more(MORE)),
        (Killed((1,)), Forked(), SessionLoaded(()), SessionRead(()), *more(MORE)),
        (*reloaded(), *more(user("more"))[:1], *settled(MORE)),
    ],
    ids=["stopped", "refused", "rejected", "filtered", "store-fails", "forked", "not-asked"],
)
def test_who_was_told_or_has_stopped_it_is_owed_nothing(between: tuple[Record, ...]) -> None:
    """Nor is anything owed that the store lacks, or before the model was asked again."""
    found = judged(*ACKNOWLEDGED, *between)
    assert (1, ()) == (found.occasions, found.violations)


def test_a_kill_may_hide_that_a_resume_met_another_run() -> None:
    """Where one prompt at a time is let in, the second was perhaps turned away."""
    both = PromptCalled("first"), *ACKNOWLEDGED, ActionTaken("resume"), Killed((1, 2))
    records = *both, SessionLoaded(()), SessionRead(()), *more(MORE)
    assert () == judged(*records, contract=Contract(store="yes", second_prompt="reject")).violations
    assert () != judged(*records, contract=Contract(store="yes", second_prompt="queue")).violations


def test_prompts_of_the_same_text_cannot_be_told_apart() -> None:
    """They are not counted."""
    same = PromptCalled("later"), RequestMade(1, (LATER, LATER)), *settled(LATER, LATER, HELLO)
    assert () == judged(*ACKNOWLEDGED, *reloaded(), *same).violations


@pytest.mark.parametrize("what", ["rollback", "compacted"])
def test_where_messages_may_go_again_nothing_is_judged(what: str) -> None:
    """A later prompt takes the place of one before, or a summary does."""
    contract = Contract(store="yes", second_prompt="rollback" if what == "rollback" else "queue")
    extra = (ContextCompacted(),) if what == "compacted" else ()
    assert 0 == judged(*ACKNOWLEDGED, *extra, *settled(), contract=contract).occasions
