"""strands: `agent.cancel()` does nothing while the model is silent.

The cancel is looked at when the next chunk comes. If none comes the run goes on for ever; if an
error comes the cancelled run raises it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import strands
from strands.models import Model

PATIENCE_S = 2.0


class Silent(Model):
    """Says one word, is silent until `go_on` is set, then fails."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()

    async def stream(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockDelta": {"delta": {"text": "Half "}}}
        await self.go_on.wait()
        raise ConnectionError("overloaded")

    def update_config(self, **_: Any) -> None: ...

    def get_config(self) -> dict[str, Any]:
        return {}

    async def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


async def main() -> None:
    model = Silent()
    agent = strands.Agent(model=model, callback_handler=None)
    run = asyncio.create_task(agent.invoke_async("hi"))
    await asyncio.sleep(0.5)
    agent.cancel()
    done, _ = await asyncio.wait([run], timeout=PATIENCE_S)
    assert not done, "the cancel takes effect while the model is silent"
    print(f"no effect for {PATIENCE_S} s of silence")
    model.go_on.set()
    await asyncio.wait([run], timeout=PATIENCE_S)
    assert isinstance(run.exception(), ConnectionError)
    print("an error that came after the cancel makes the cancelled run a failed one")


asyncio.run(main())
