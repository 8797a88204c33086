"""tiny-agent-os 1.2.29: after abort() or task.cancel(), tools start and models are asked.

`abort()` sets an event that the loop itself never looks at; only providers and tools are handed it.
Cancelling the task that iterates over `agent.stream()` does not reach the task behind it. Run this
file to see what happened after the stop.
"""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("tinyagent")

from tests.frameworks.tinyagent.tinyagent_provider import (
    ANSWER,
    Provider,
    Step,
    agent_of,
    call,
    event,
    text,
)

pytestmark = pytest.mark.framework


ASKED = call({"q": "x"}, stop_reason="tool_calls")


async def stop_mid_text(how: str) -> list[str]:
    """Stop a run in the middle of a text; return what was started afterwards."""
    go_on = asyncio.Event()
    log: list[str] = []
    shown = text("Let me look")
    first: list[Step] = [event("start", text("")), event("text_delta", shown), go_on]
    provider = Provider([*first, event("done", ASKED)], ANSWER)

    async def search(args: object) -> str:
        log.append("tool started")
        return "3 hits"

    agent = agent_of(provider, search)
    mid_text = asyncio.Event()

    async def consume() -> None:
        async for item in agent.stream("hi"):
            if item.type == "message_update":
                mid_text.set()

    task = asyncio.create_task(consume())
    await mid_text.wait()
    if how == "abort":
        agent.abort()
    else:
        task.cancel()
        await asyncio.wait([task])
    await asyncio.sleep(0.005)  # whoever was told has had the time to stop
    go_on.set()
    await asyncio.sleep(0.02)
    return [*log, *(["model asked again"] if len(provider.requests) > 1 else [])]


async def abort_while_the_tool_runs() -> int:
    """Abort when no stream is open; return how many models were asked afterwards."""
    provider = Provider([event("start", text("")), event("done", ASKED)], ANSWER)

    async def search(args: object) -> str:
        agent.abort()
        await asyncio.sleep(0.005)
        return "3 hits"

    agent = agent_of(provider, search)
    await agent.prompt("hi")
    return len(provider.requests) - 1


async def stop_a_hanging_stream(how: str) -> tuple[bool, int]:
    """Stop a run whose stream hangs; return whether it settled and how many tasks it left."""
    shown = text("Let me look")
    provider = Provider([event("start", text("")), event("text_delta", shown), asyncio.Event()])
    agent = agent_of(provider)
    task = asyncio.create_task(agent.prompt("hi"))
    await asyncio.sleep(0.005)
    if how == "abort":
        agent.abort()
    else:
        task.cancel()
    await asyncio.wait([task], timeout=0.05)
    return task.done(), len(asyncio.all_tasks() - {task, asyncio.current_task()})


@pytest.mark.parametrize(("how", "settled"), [("abort", False), ("task.cancel", True)])
def test_a_stream_that_hangs_is_waited_for_after_a_stop(how: str, settled: bool) -> None:
    """abort() does not end the run; after task.cancel() the task behind it still waits."""
    assert (settled, 1) == asyncio.run(stop_a_hanging_stream(how))


@pytest.mark.parametrize("how", ["abort", "task.cancel"])
def test_tools_start_and_models_are_asked_after_the_stop(how: str) -> None:
    """The loop goes on: it runs the tool and makes the next model request."""
    assert ["tool started", "model asked again"] == asyncio.run(stop_mid_text(how))


def test_a_model_is_asked_after_an_abort_in_a_tool() -> None:
    """No provider was there to be told, so nobody stops the next request."""
    assert 1 == asyncio.run(abort_while_the_tool_runs())


if __name__ == "__main__":
    for stop in ("abort", "task.cancel"):
        print(f"after {stop}:", asyncio.run(stop_mid_text(stop)))
    print("models asked after an abort in a tool:", asyncio.run(abort_while_the_tool_runs()))
