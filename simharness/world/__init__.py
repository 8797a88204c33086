"""The simulated world: the only part that knows asyncio's internals or touches clocks."""
