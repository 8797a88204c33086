"""autogen: a cancel of the task leaves its tool running and its call unanswered.

`AssistantAgent` runs tools in a task of its own and awaits a queue; the cancel reaches the queue
and not the task. The tool goes on to its end after `run` has raised, nobody takes its result, and
the model context ends on the call: the next request holds a call without a result.
"""

from __future__ import annotations

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, ModelFamily, ModelInfo, RequestUsage
from autogen_ext.models.replay import ReplayChatCompletionClient

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
    effects: list[str] = []

    async def search() -> str:
        """Search."""
        running.set()
        await asyncio.sleep(0.5)
        effects.append("mail sent")
        return "3 hits"

    client = ReplayChatCompletionClient([CALL, "done"], model_info=INFO)
    agent = AssistantAgent("a", client, tools=[search], max_tool_iterations=5, system_message=None)
    run = asyncio.create_task(agent.run(task="hi"))
    await running.wait()
    run.cancel()
    await asyncio.wait([run])
    assert run.cancelled()
    assert not effects
    await asyncio.sleep(1)
    assert ["mail sent"] == effects
    print("the tool ran to its end after the run had ended")
    await agent.run(task="again")
    sent = [type(message).__name__ for message in client.create_calls[-1]["messages"]]
    assert ["UserMessage", "AssistantMessage", "UserMessage"] == sent, sent
    print("and the next request holds its call without a result")


asyncio.run(main())
