"""Synchronous agents run in a baton thread; Ctrl-C reaches them, and asyncio agents."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from simharness.agent import CallDelta, CancelWay, Request, Style, TextDelta, World
from simharness.choices import ScheduleChooser
from simharness.contract import UNSPECIFIED
from simharness.scenario.load import load_text
from simharness.trace import (
    Call,
    CancelCalled,
    LeftBehind,
    LimitHit,
    Message,
    RunSettled,
    Shown,
    ToolEnded,
    ToolStarted,
    assistant,
    tool_result,
    user,
)
from simharness.world.run import Run, batch, run


class Blocking:
    """A loop without a single await."""

    name, version, seam = "blocking", "1", "stream"
    contract = UNSPECIFIED
    style = Style.SYNC
    cancel_ways = frozenset({CancelWay.API})

    def __init__(self, world: World) -> None:
        self.world = world
        self.messages: list[Message] = []
        self.stopped = False

    def cancel(self, way: CancelWay, reason: str) -> None:
        """Stop at the next chunk or tool."""
        self.stopped = True

    def prompt(self, text: str) -> None:
        """Turns until there is no call."""
        self.stopped = False
        self.messages.append(user(text))
        while not self.stopped and self.turn():
            pass

    def turn(self) -> bool:
        """One request and its tools; False if the model is done."""
        answer, calls = "", {}
        stream = self.world.stream(Request(tuple(self.messages)))
        for chunk in stream:  # type: ignore[attr-defined]
            if self.stopped:
                stream.close()  # type: ignore[attr-defined]
                return False
            if isinstance(chunk, TextDelta):
                answer += chunk.text
                self.world.shown(chunk.text)
            elif isinstance(chunk, CallDelta):
                calls[chunk.index] = Call(chunk.id, chunk.name, chunk.args)
        self.messages.append(assistant(answer, *calls.values()))
        tools = {tool.name: tool for tool in self.world.tools()}
        for call in calls.values():
            result = tools[call.name].call_sync(call.args, call_id=call.id)
            self.messages.append(tool_result(call.id, result))
        return bool(calls)


class Pooled(Blocking):
    """Its tools run in a pool of its own, two at a time."""

    def turn(self) -> bool:
        """One request; its calls go to the pool, which is left when all are done."""
        calls: dict[int, Call] = {}
        for chunk in self.world.stream(Request(tuple(self.messages))):  # type: ignore[attr-defined]
            if isinstance(chunk, CallDelta):
                calls[chunk.index] = Call(chunk.id, chunk.name, chunk.args)
        tools = {tool.name: tool for tool in self.world.tools()}
        with ThreadPoolExecutor(2) as pool:
            for call in calls.values():
                pool.submit(tools[call.name].call_sync, call.args, call_id=call.id)
        return bool(calls)


class Plain(Blocking):
    """An asyncio agent that only reads."""

    style = Style.ASYNC

    async def prompt(self, text: str) -> None:  # type: ignore[override]
        """Read one answer."""
        async for chunk in self.world.stream(Request((user(text),))):
            if isinstance(chunk, TextDelta):
                self.world.shown(chunk.text)


def played(source: str, agent: Callable[[World], Any] = Blocking) -> Run:
    """Run the only case of `source` on the default schedule."""
    with batch():
        return run(load_text(source).cases[0], agent, ScheduleChooser())


TOOL = """
scenario: sync-tool
model:
  - stream: ["look ", {call: {name: search, args: {q: 1}}}]
  - stream: ["found"]
tools: {search: {returns: hits, takes: 2s, effects: 1}}
run:
  - prompt: go
  ACTION
"""


def test_a_synchronous_agent_runs_to_its_end() -> None:
    """Its stream and tools block its thread in virtual time."""
    done = played(TOOL.replace("ACTION", ""))
    assert ["returned", "returned"] == [settled.how for settled in done.trace.of(RunSettled)]
    assert 2.0 == done.trace.of(RunSettled, 1)[0].time
    assert ["look ", "found"] == [shown.text for shown in done.trace.of(Shown, 1)]
    assert not done.trace.of(LimitHit)


def test_a_cancel_reaches_a_synchronous_agent_between_two_chunks() -> None:
    """The user acts while the agent's thread is blocked on its stream."""
    done = played(
        "scenario: sync-cancel\nmodel: [{stream: [one, two, three]}]\n"
        "run: [{prompt: go}, {cancel: {after: chunk 2}}]\n"
    )
    assert ["one", "two"] == [shown.text for shown in done.trace.of(Shown, 1)]


def test_ctrl_c_is_raised_where_a_synchronous_agent_blocks() -> None:
    """The tool's body is cut by KeyboardInterrupt, and the run ends interrupted."""
    done = played(TOOL.replace("ACTION", "- interrupt: {during: search}"))
    assert ["interrupted", "returned"] == [settled.how for settled in done.trace.of(RunSettled)]
    assert ["interrupt"] == [called.way for called in done.trace.of(CancelCalled)]
    assert ["cancelled"] == [ended.how for ended in done.trace.of(ToolEnded, 1)]


POOL = """
scenario: pool
model:
  - stream: [{call: {name: slow}}, {call: {name: quick}}, {call: {name: last}}]
  - stream: [done]
tools: {slow: {takes: 3s}, quick: {takes: 1s}, last: {takes: 1s}}
run: [{prompt: go}]
"""


def test_a_pool_of_its_own_runs_as_many_jobs_at_a_time_as_it_has_threads() -> None:
    """Two of three begin at once, the third when one is done; leaving the pool waits for all."""
    trace = played(POOL, Pooled).trace
    assert [0.0, 0.0, 1.0] == [started.time for started in trace.of(ToolStarted, 1)]
    assert [1.0, 2.0, 3.0] == [ended.time for ended in trace.of(ToolEnded, 1)]
    assert 3.0 == trace.of(RunSettled, 1)[0].time
    assert not trace.of(LimitHit)


def test_ctrl_c_leaves_the_threads_of_a_pool_alone() -> None:
    """It reaches the agent, which waits for its pool; what runs there goes on to its end."""
    source = POOL.replace("{prompt: go}", "{prompt: go}, {interrupt: {at: 1500ms}}")
    trace = played(source, Pooled).trace
    settled = trace.of(RunSettled, 1)[0]
    assert ("interrupted", 1.5) == (settled.how, settled.time)
    ends = [(ended.how, ended.time) for ended in trace.of(ToolEnded, 1)]
    assert [("returned", 1.0), ("returned", 2.0), ("returned", 3.0)] == ends
    assert not trace.of(LeftBehind)


def test_ctrl_c_cancels_the_task_of_an_asyncio_agent() -> None:
    """The first one is what asyncio.Runner does: the main task is cancelled."""
    done = played(
        "scenario: interrupt\nmodel: [{stream: [one, hang]}]\n"
        "run: [{prompt: go}, {interrupt: {after: chunk 1}}]\n",
        Plain,
    )
    assert ["cancelled", "returned"] == [settled.how for settled in done.trace.of(RunSettled)]


def test_the_second_ctrl_c_cancels_every_task() -> None:
    """An agent that swallows the first one and waits on loses its other tasks to the second."""

    class Stubborn(Plain):
        async def prompt(self, text: str) -> None:  # type: ignore[override]
            """Wait for a task of its own, whatever happens to oneself."""
            inner = asyncio.ensure_future(asyncio.sleep(1000))
            while not inner.done():
                try:
                    await asyncio.shield(inner)
                except asyncio.CancelledError:
                    continue

    done = played(
        "scenario: twice\nmodel: [{stream: [ok]}]\n"
        "run: [{prompt: go}, {interrupt: {at: 1s}}, {interrupt: {at: 2s}}]\nepilogue: false\n",
        Stubborn,
    )
    assert [2.0] == [settled.time for settled in done.trace.of(RunSettled)]
