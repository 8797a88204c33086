"""autogen: a token that is cancelled while a tool runs hangs the run for ever.

`CancellationToken.cancel()` cancels the tool's future. The `CancelledError` leaves `gather` before
the mark that ends the queue of events, for which `run_stream` waits without end. Known upstream as
issue 7956.
"""

from __future__ import annotations

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_core import CancellationToken, FunctionCall
from autogen_core.models import CreateResult, ModelFamily, ModelInfo, RequestUsage
from autogen_ext.models.replay import ReplayChatCompletionClient

PATIENCE_S = 3.0
INFO = ModelInfo(
    vision=False,
    function_calling=True,
    json_output=False,
    family=ModelFamily.UNKNOWN,
    structured_output=False,
)
CALL = CreateResult(
    finish_reason="function_calls",
    content=[FunctionCall(id="c1", name="search", arguments="{}")],
    usage=RequestUsage(0, 0),
    cached=False,
)


async def main() -> None:
    running = asyncio.Event()

    async def search() -> str:
        """Search."""
        running.set()
        await asyncio.sleep(1)
        return "3 hits"

    client = ReplayChatCompletionClient([CALL, "done"], model_info=INFO)
    agent = AssistantAgent("a", client, tools=[search], max_tool_iterations=5)
    token = CancellationToken()
    run = asyncio.create_task(agent.run(task="hi", cancellation_token=token))
    await running.wait()
    token.cancel()
    done, _ = await asyncio.wait([run], timeout=PATIENCE_S)
    assert not done, "the run ends"
    run.cancel()
    await asyncio.wait([run])
    print(f"the run still waits {PATIENCE_S:g} s after its token was cancelled")


asyncio.run(main())
