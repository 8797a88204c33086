"""openai-agents: a tool starts, and does its work, after its streamed run has ended as cancelled.

The task that reads `stream_events()` is cancelled at each iteration of the loop in turn. Its
`CancelledError` comes out before the cancel has reached the tools: there is a moment at which a
tool starts only afterwards, and one at which a tool that runs already goes on to its end and is
never told. `Runner.run`, cancelled at the same moments, always ends behind its tool.
"""

from __future__ import annotations

import asyncio

from agents import Agent, Runner, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

set_tracing_disabled(disabled=True)
TICKS = 120
"""So many loop iterations are more than a run takes."""


async def cancelled_after(ticks: int, *, stream: bool, steps: int) -> list[str]:
    """What happens to a tool of some steps if its run is cancelled after `ticks` iterations."""
    said: list[str] = []

    async def send() -> str:
        """Send a mail."""
        said.append("tool starts")
        for _ in range(steps):
            await asyncio.sleep(0)
        said.append("mail sent")
        return "done"

    async def run() -> None:
        call = [function_call("send", {}, call_id="c1")]
        model = ScriptedModel([call, [assistant_message("ok")]])
        agent = Agent(name="a", model=model, tools=[function_tool(send)])
        try:
            if stream:
                async for _ in Runner.run_streamed(agent, "hi").stream_events():
                    pass
            else:
                await Runner.run(agent, "hi")
        finally:
            said.append("run is over")

    task = asyncio.create_task(run())
    for _ in range(ticks):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    await asyncio.sleep(0.01)
    return said


async def main() -> None:
    late = ["run is over", "tool starts", "mail sent"]
    unaware = ["tool starts", "run is over", "mail sent"]
    for steps, what in ((0, late), (8, unaware)):
        streamed = [await cancelled_after(n, stream=True, steps=steps) for n in range(TICKS)]
        plain = [await cancelled_after(n, stream=False, steps=steps) for n in range(TICKS)]
        assert what in streamed, streamed
        assert all(said[-1:] in ([], ["run is over"]) for said in plain), plain
        print(f"a tool of {steps} steps, streamed: {', '.join(what)}; plain: never")


asyncio.run(main())
