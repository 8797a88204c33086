"""llama-index: a cancel whose time is over before the run has heard of it hangs the event stream.

`handler.cancel_run` waits for the run's result in `asyncio.wait_for`, which at the timeout cancels
what it waits for: the run ends without the event that ends its stream, and whoever reads
`stream_events` waits for ever. With the default of 5 s this takes a loop that was blocked as long.
"""

from __future__ import annotations

import asyncio

from llama_index.core.workflow import Context, StartEvent, StopEvent, Workflow, step

PATIENCE_S = 2.0


class Slow(Workflow):
    @step
    async def only(self, ctx: Context, ev: StartEvent) -> StopEvent:
        await asyncio.sleep(60)
        return StopEvent(result="done")


async def stream_ends(timeout_s: float) -> bool:
    """Whether the stream of a run ends that was cancelled with this timeout."""
    handler = Slow(timeout=None).run()

    async def read() -> None:
        async for _ in handler.stream_events():
            pass

    reader = asyncio.create_task(read())
    await asyncio.sleep(0.1)
    await handler.cancel_run(timeout=timeout_s)
    done, _ = await asyncio.wait([reader], timeout=PATIENCE_S)
    reader.cancel()
    return bool(done)


async def main() -> None:
    assert await stream_ends(5.0), "an ordinary cancel ends the stream"
    assert not await stream_ends(0.0), "the stream ends"
    print(f"the stream is still open {PATIENCE_S:g} s after a cancel whose time was over")


asyncio.run(main())
