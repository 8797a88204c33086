"""A kill: nothing of the process runs any more, and a fresh agent goes on from the store."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import AsyncGenerator

import pytest

from simharness.agent import NotApplicable, StoreError, Style, World
from simharness.choices import ScheduleChooser
from simharness.scenario.load import load_text
from simharness.storing import (
    Forked,
    Killed,
    SessionLoaded,
    SessionRead,
    StoreFlushed,
    StoreWrite,
)
from simharness.trace import (
    HookCalled,
    LeftBehind,
    LoopError,
    Message,
    PromptCalled,
    Record,
    RunSettled,
    ToolEffect,
    Trace,
    user,
)
from simharness.world.run import batch, run
from tests.loops import Loop

PLAIN = "scenario: s\nmodel: [[a, b]]\ntools: {work: {takes: 1s, effects: 4}}\n"


class Diary(Loop):
    """Writes each prompt down before and behind its answer, and reads it all back."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.errors: list[str] = []

    async def prompt(self, text: str) -> None:
        """Write, ask, write, flush; the hooks show how far it came."""
        assert self.world.store is not None
        try:
            await self.write(text)
            await super().prompt(text)
            await self.write(f"{text} answered")
            await self.world.store.flush()
        finally:
            self.world.hook("left")

    async def write(self, line: str) -> None:
        """Write a line, or note that it failed."""
        assert self.world.store is not None
        try:
            await self.world.store.append(line)
        except StoreError as error:
            self.world.hook(str(error))

    def load(self) -> None:
        """Read the diary."""
        assert self.world.store is not None
        self.messages = self.stored(self.world.store.load())

    def stored(self, text: str) -> list[Message]:
        """A message for each line."""
        return [user(line) for line in text.splitlines()]

    def history(self) -> list[Message]:
        """What it remembers."""
        return self.messages

    def fork(self, text: str, turn: int | None) -> list[str]:
        """The first lines."""
        return text.splitlines()[:turn]


def played(actions: str, *, store: str = "{}", agent: type[Loop] = Diary, model: str = "") -> Trace:
    """The trace of `run: actions`, without closing prompt."""
    text = f"{PLAIN}store: {store}\nepilogue: false\nrun: {actions}\n"
    (case,) = load_text(text.replace("[[a, b]]", model or "[[a, b]]")).cases
    with batch():
        return run(case, agent, ScheduleChooser()).trace


def hooks(trace: Trace) -> list[str]:
    """The names of the hooks that were entered, in order."""
    return [record.name for record in trace.of(HookCalled)]


def lines(trace: Trace) -> list[str]:
    """The lines that were in the store at the end."""
    return [message.text for message in trace.of(SessionRead)[-1].messages]


def names(trace: Trace, *kinds: type[Record]) -> list[str]:
    """The names of the records of some kinds, in order."""
    return [type(record).__name__ for record in trace if type(record) in kinds]


def test_what_is_written_is_there_when_the_run_has_settled() -> None:
    """Each write and each flush is a record, in order."""
    trace = played("[prompt: hi]")
    assert ["saved", "saved"] == [write.how for write in trace.of(StoreWrite)]
    assert [len("hi\nhi answered\n")] == [flushed.size for flushed in trace.of(StoreFlushed)]
    assert ["hi", "hi answered"] == lines(trace)


def test_a_kill_takes_the_place_of_the_settling() -> None:
    """The run never settles; the session is loaded, and the next prompt comes."""
    trace = played("[prompt: hi, kill: {after: chunk 1}, prompt: {text: on, model: [[c]]}]")
    kinds = (PromptCalled, Killed, SessionLoaded, RunSettled)
    wanted = ["SessionLoaded", "PromptCalled", "Killed", "SessionLoaded", "PromptCalled"]
    assert [*wanted, "RunSettled"] == names(trace, *kinds)
    assert (1,) == trace.of(Killed)[0].runs
    assert ["hi", "on", "on answered"] == lines(trace)


def test_no_finally_of_a_killed_process_has_an_effect() -> None:
    """What it would do when it is unwound at the end of the trial is in no record."""
    trace = played("[prompt: hi, kill: {after: chunk 1}]")
    assert [] == hooks(trace)


def test_a_tool_of_a_killed_process_has_no_more_effects() -> None:
    """Its body stands still where it was."""
    trace = played(
        "[prompt: hi, kill: {at: 600ms}, prompt: {text: on, model: [[{call: work}]]}]",
        model="[[{call: work}]]",
    )
    effects = [record.run for record in trace.of(ToolEffect)]
    assert [1, 1, 2, 2, 2, 2] == effects


def test_nothing_of_a_killed_process_counts_as_left_behind() -> None:
    """Its tasks, timers and generators went with it, though somebody collects the garbage."""

    class Messy(Diary):
        async def prompt(self, text: str) -> None:
            async def items() -> AsyncGenerator[int, None]:
                yield 1
                await asyncio.sleep(50)

            self.helper = asyncio.create_task(asyncio.sleep(5))
            self.items = items()
            await anext(self.items)
            await super().prompt(text)
            gc.collect()
            await self.helper
            await self.items.aclose()

    trace = played(
        "[prompt: hi, kill: {after: chunk 1}, gc, prompt: {text: on, model: [[c]]}]", agent=Messy
    )
    assert [] == trace.of(LeftBehind)
    assert [] == trace.of(LoopError)


def test_a_synchronous_agent_can_be_killed() -> None:
    """Its thread stands still, and a fresh agent gets a thread of its own."""

    class Blocking(Diary):
        style = Style.SYNC

        def prompt(self, text: str) -> None:  # type: ignore[override]
            import time

            try:
                self.world.hook(f"{text} begins")
                time.sleep(2)
            finally:
                self.world.hook(f"{text} ends")

    trace = played("[prompt: hi, kill: {at: 1s}, prompt: on]", agent=Blocking)
    assert ["hi begins", "on begins", "on ends"] == hooks(trace)


def test_a_kill_during_a_write_comes_before_it() -> None:
    """The line is not there, unless half of it is."""
    whole = played("[prompt: hello, kill: {during: store write 1}]")
    assert ["lost"] == [write.how for write in whole.of(StoreWrite)]
    assert [] == lines(whole)
    torn = played("[prompt: hello, kill: {during: store write 1}]", store="{torn: 1}")
    assert ["torn"] == [write.how for write in torn.of(StoreWrite)]
    assert ["he"] == lines(torn)


def test_the_next_line_is_written_behind_half_a_line() -> None:
    """As in a file; ending it is the agent's business."""
    trace = played(
        "[prompt: hello, kill: {during: store write 1}, prompt: on]", store="{torn: always}"
    )
    assert ["heon", "on answered"] == lines(trace)


def test_a_kill_after_a_write_finds_the_line() -> None:
    """The agent had been told that it is saved."""
    trace = played("[prompt: hi, kill: {after: store write 1}]")
    assert ["hi"] == lines(trace)


def test_a_kill_takes_the_buffers_of_a_buffered_store() -> None:
    """What was flushed stays."""
    unflushed = played("[prompt: hi, kill: {after: chunk 1}]", store="{buffered: true}")
    assert [] == lines(unflushed)
    assert len("hi\n") == unflushed.of(Killed)[0].unflushed
    flushed = played("[prompt: hi, kill]", store="{buffered: true}")
    assert ["hi", "hi answered"] == lines(flushed)


def test_a_write_fails_once_or_from_then_on() -> None:
    """The agent gets an OSError, and the file does not change."""
    once = played("[prompt: hi, prompt: on]", store="{fails: 2}")
    assert ["write 2 failed"] == [name for name in hooks(once) if name != "left"]
    assert ["hi", "on", "on answered"] == lines(once)
    always = played("[prompt: hi, prompt: on]", store="{fails: {write: 2, always: true}}")
    assert ["hi"] == lines(always)


def test_a_dropped_write_looks_like_a_saved_one() -> None:
    """Only the size of the file tells."""
    trace = played("[prompt: hi]", store="{drops: 1}")
    assert ["dropped", "saved"] == [write.how for write in trace.of(StoreWrite)]
    assert [len("hi answered\n")] == [flushed.size for flushed in trace.of(StoreFlushed)]


def test_a_slow_store_takes_its_time_for_writes_and_flushes() -> None:
    """Three deliveries of 50 ms each."""
    trace = played("[prompt: hi]", store="{slow: 50ms}")
    assert 0.15 == pytest.approx(trace.of(RunSettled)[0].time)


def test_a_write_that_nobody_waits_for_happens_all_the_same() -> None:
    """A cancelled write is on its way, and the agent cannot know."""
    trace = played("[prompt: hi, cancel: {during: store write 1, way: task}]", store="{slow: 1s}")
    assert ["abandoned", "saved"] == [write.how for write in trace.of(StoreWrite)]


class Hasty(Diary):
    """Waits no longer than a second for each line, and for the flush."""

    async def write(self, line: str) -> None:
        """Write a line and flush it, or give up."""
        assert self.world.store is not None
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                await super().write(line)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1):
                await self.world.store.flush()


def test_a_write_that_happens_as_it_is_given_up_is_unheard() -> None:
    """The agent cannot know of it either; the same with a flush, which has no number."""
    trace = played("[prompt: hi]", store="{slow: 1s}", agent=Hasty)
    wanted = [(1, "hi", "saved"), (1, "hi", "unheard"), (0, "", "unheard")]
    found = [(write.number, write.text, write.how) for write in trace.of(StoreWrite)]
    assert wanted == found[: len(wanted)]


def test_a_store_holds_at_the_beginning_what_the_scenario_says() -> None:
    """It is loaded before the first prompt."""
    trace = played("[prompt: hi]", store="{holds: [old, older]}")
    first = trace.of(SessionLoaded)[0]
    assert ("old", "older") == tuple(message.text for message in first.messages)
    assert first.n < trace.of(PromptCalled)[0].n


@pytest.mark.parametrize(
    ("holds", "size"),
    [("[old]", 4), ("old", 3), (r'"old\n"', 4), (r'"old\nolder"', 9), ("[]", 0), ("''", 0)],
)
def test_a_text_is_the_file_as_it_is_and_a_list_are_lines(holds: str, size: int) -> None:
    """Only a text can leave the last line without its end."""
    trace = played("[prompt: hi]", store=f"{{holds: {holds}}}")
    written = len("hi\nhi answered\n")
    assert size + written == trace.of(StoreFlushed)[0].size


def test_loading_that_raises_is_noted_and_the_script_goes_on() -> None:
    """The agent has no history then."""

    class Forgetful(Diary):
        def load(self) -> None:
            raise ValueError("half a line")

    trace = played("[prompt: hi]", agent=Forgetful)
    assert "ValueError: half a line" == trace.of(SessionLoaded)[0].error
    assert 1 == len(trace.of(RunSettled))


def test_loading_may_take_time_and_can_be_killed_as_well() -> None:
    """The next prompt waits for it, and the third agent loads again."""

    class Slow(Diary):
        async def load(self) -> None:  # type: ignore[override]
            super().load()
            await self.write("loaded")

    trace = played(
        "[prompt: hi, kill: {after: chunk 1}, kill: {during: store write 2}, prompt: on]",
        agent=Slow,
        store="{slow: 10ms}",
    )
    assert ["loaded", "hi", "loaded", "on", "on answered"] == lines(trace)
    assert ["lost"] == [write.how for write in trace.of(StoreWrite) if write.how != "saved"]


def test_a_prompt_waits_until_the_session_is_loaded() -> None:
    """Whether it comes while the fresh agent loads, or was being typed when the kill came."""

    class Slow(Diary):
        async def load(self) -> None:  # type: ignore[override]
            super().load()
            await self.write("loaded")

    second = "{prompt: {text: on, meanwhile: true, model: [[c]]}}"
    trace = played(
        f"[prompt: hi, kill: {{after: chunk 1}}, {second}]", agent=Slow, store="{slow: 10ms}"
    )
    kinds = (PromptCalled, Killed, SessionLoaded, RunSettled)
    wanted = ["SessionLoaded", "PromptCalled", "Killed", "SessionLoaded", "PromptCalled"]
    assert [*wanted, "RunSettled"] == names(trace, *kinds)


def test_a_kill_without_a_place_waits_until_the_agent_is_idle() -> None:
    """Several of them come one after the other."""
    trace = played("[prompt: hi, kill, kill, prompt: on]")
    kinds = (PromptCalled, RunSettled, Killed, SessionLoaded)
    loads = ["Killed", "SessionLoaded"] * 2
    wanted = ["SessionLoaded", "PromptCalled", "RunSettled", *loads, "PromptCalled", "RunSettled"]
    assert wanted == names(trace, *kinds)


def test_a_fork_goes_on_in_a_copy_of_a_part() -> None:
    """The agent says what the copy holds."""
    trace = played("[prompt: hi, fork: 1, prompt: on]")
    assert [1] == [fork.turn for fork in trace.of(Forked)]
    assert ["hi", "on", "on answered"] == lines(trace)


def test_an_agent_that_keeps_no_session_cannot_be_given_a_store() -> None:
    """It is told what it lacks."""
    with pytest.raises(NotApplicable, match=r"loop keeps no session \(it has no `load`\)"):
        played("[prompt: hi]", agent=Loop)


def test_an_agent_that_cannot_fork_is_not_asked_to() -> None:
    """The case is not applicable."""

    class Plain(Diary):
        fork = None  # type: ignore[assignment]

    with pytest.raises(NotApplicable, match="loop has no `fork`"):
        played("[prompt: hi, fork]", agent=Plain)
