"""google-adk: an abort or a cancel hangs for ever if the model turns it into an error of its own.

HTTP clients do that with whatever ends a connection. The runner has left its event queue by then
and waits for the root task, which waits until the event about the error is processed.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

PATIENCE_S = 2.0


class WrappingModel(BaseLlm):
    """Waits for an answer; makes an error of its own of every way in which the wait ends."""

    async def generate_content_async(
        self, llm_request: object, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError as error:
            raise ConnectionError("the connection was closed") from error
        yield LlmResponse(content=types.ModelContent("never"))


async def hangs(*, by_signal: bool) -> bool:
    agent = LlmAgent(name="agent", model=WrappingModel(model="wrapping"))
    runner = InMemoryRunner(agent)
    runner.auto_create_session = True
    signal = asyncio.Event()

    async def consume() -> None:
        events = runner.run_async(
            user_id="u", session_id="1", new_message=types.UserContent("hi"), abort_signal=signal
        )
        async for _ in events:
            pass

    run = asyncio.create_task(consume())
    await asyncio.sleep(0.5)
    if by_signal:
        signal.set()
    else:
        run.cancel()
    done, _ = await asyncio.wait([run], timeout=PATIENCE_S)
    run.cancel()  # a second cancel reaches the root task and frees it
    await asyncio.wait([run], timeout=PATIENCE_S)
    return not done


async def main() -> None:
    for by_signal in (True, False):
        way = "abort_signal.set()" if by_signal else "task.cancel()"
        assert await hangs(by_signal=by_signal), f"{way} returns"
        print(f"{way} has not returned after {PATIENCE_S} s")


asyncio.run(main())
