"""openai-agents: a cancelled run is over while a tool that it told of the cancel is still at work.

The tool needs a moment to undo what it has begun. After `cancel()` the stream of events is read to
its end, as the documentation asks for, and the result is complete; the task that awaits
`Runner.run` is cancelled and awaited. Either way the tool does its work behind the run, and there
is nothing to await for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from agents import Agent, Runner, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

set_tracing_disabled(disabled=True)


def transfer_agent() -> tuple[Agent[None], asyncio.Event, list[str]]:
    """An agent that transfers, the moment at which its tool runs, and what the tool has done."""
    running = asyncio.Event()
    effects: list[str] = []

    async def transfer() -> str:
        """Transfer money, or undo it."""
        running.set()
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            await asyncio.sleep(0.2)
            effects.append("undone")
            raise
        return "done"

    call = [function_call("transfer", {}, call_id="c1")]
    model = ScriptedModel([call, [assistant_message("ok")]])
    return Agent(name="a", model=model, tools=[function_tool(transfer)]), running, effects


async def streamed() -> list[str]:
    """Cancel a streamed run through its result, and read its events to the end."""
    agent, running, effects = transfer_agent()
    result = Runner.run_streamed(agent, "hi")
    cancelling = asyncio.create_task(when(running, result.cancel))
    async for _ in result.stream_events():
        pass
    await cancelling
    assert result.is_complete
    assert result.run_loop_task is not None
    assert result.run_loop_task.done()
    return effects


async def plain() -> list[str]:
    """Cancel the task that awaits a plain run."""
    agent, running, effects = transfer_agent()
    run = asyncio.create_task(Runner.run(agent, "hi"))
    await when(running, run.cancel)
    await asyncio.wait([run])
    assert run.cancelled()
    return effects


async def when(running: asyncio.Event, cancel: Callable[[], object]) -> None:
    """Call `cancel` once the tool runs."""
    await running.wait()
    cancel()


async def main() -> None:
    for way in (streamed, plain):
        effects = await way()
        assert not effects
        await asyncio.sleep(0.5)
        assert ["undone"] == effects
        print(f"{way.__name__}: the tool was still at work when the run was over")


asyncio.run(main())
