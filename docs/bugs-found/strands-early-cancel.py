"""strands: a cancel before the first chunk does not keep the model from being asked.

Neither when it comes just before the first request, nor, worse, when it comes after a run is over:
it then stays set, and the next run asks the model, throws the answer away and ends as cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import strands
from strands.hooks import BeforeInvocationEvent
from strands.models import Model


class Scripted(Model):
    """Answers every request with one word, and counts them."""

    def __init__(self) -> None:
        self.asked = 0

    async def stream(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        self.asked += 1
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockDelta": {"delta": {"text": "ok"}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}

    def update_config(self, **_: Any) -> None: ...

    def get_config(self) -> dict[str, Any]:
        return {}

    async def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


async def main() -> None:
    model = Scripted()
    agent = strands.Agent(model=model, callback_handler=None)
    agent.add_hook(lambda event: event.agent.cancel(), BeforeInvocationEvent)
    result = await agent.invoke_async("hi")
    assert ("cancelled", 1) == (result.stop_reason, model.asked)
    print("cancelled before the first request, which is made all the same")

    model = Scripted()
    agent = strands.Agent(model=model, callback_handler=None)
    result = await agent.invoke_async("hi")
    assert "end_turn" == result.stop_reason
    agent.cancel()  # too late: the run is over
    result = await agent.invoke_async("again")
    assert ("cancelled", 2) == (result.stop_reason, model.asked)
    print("a cancel that came too late ends the next run, whose request is made")


asyncio.run(main())
