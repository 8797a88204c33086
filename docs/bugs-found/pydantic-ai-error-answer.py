"""pydantic-ai: a cancelled run whose model answers the cancel with an error ends as a failed one.

HTTP clients make an error of their own of whatever ends a connection. `RunCancelled` is what a
cancelled run raises; here it is the error of the model.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from pydantic_ai import Agent, ModelMessage, RunCancelled
from pydantic_ai.models.function import AgentInfo, FunctionModel


async def model(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
    try:
        yield "First point. "
        await asyncio.sleep(60)
    except asyncio.CancelledError as error:
        raise ConnectionError("the connection was closed") from error


async def main() -> None:
    agent = Agent(FunctionModel(stream_function=model))
    async with agent.run_stream_events("hi") as events:

        async def consume() -> None:
            async for _ in events:
                pass

        run = asyncio.create_task(consume())
        await asyncio.sleep(0.5)
        events.cancel()
        await asyncio.wait([run])
    error = run.exception()
    assert isinstance(error, ConnectionError), error
    assert not isinstance(error, RunCancelled)
    print(f"a cancelled run ends with {type(error).__name__}")


asyncio.run(main())
