"""MyAgent as an agent under test: a whole loop of its own, to be replaced by calls of yours.

Try it:  simharness sweep --agent my_agent:make
"""

import asyncio
import json

from simharness.agent import CallDelta, CancelWay, Failed, Finish, Request, Style, TextDelta, World
from simharness.contract import Contract
from simharness.trace import Call, Message, assistant, tool_result, user


class MyAgent:
    """One agent; a fresh one is made for every trial."""

    name, version, seam, style = "my-agent", "1", "stream", Style.ASYNC
    contract = Contract(cut_message="kept")  # what it promises; what it leaves out is not judged
    cancel_ways: frozenset[CancelWay] = frozenset()  # ways of its own; task.cancel() always works

    def __init__(self, world: World) -> None:
        self.world = world
        self.messages: list[Message] = []

    async def prompt(self, text: str) -> None:
        """Answer one prompt; returning, or raising, is the end of the run."""
        self.messages.append(user(text))
        while calls := await self.ask():
            await self.run_tools(calls)
            stop_if_cancelled()

    async def ask(self) -> list[Call]:
        """Make one model request, and return the tools it calls."""
        text, calls, reason = "", dict[int, Call](), None
        try:
            async for chunk in self.world.stream(Request(tuple(self.messages))):
                if isinstance(chunk, TextDelta):
                    text += chunk.text
                    self.world.shown(chunk.text)  # what the user has seen
                elif isinstance(chunk, CallDelta):
                    call = calls.get(chunk.index, Call(chunk.id, chunk.name, ""))
                    calls[chunk.index] = Call(call.id, call.name, call.args + chunk.args)
                elif isinstance(chunk, Failed):
                    raise chunk.error
                elif isinstance(chunk, Finish):
                    reason = chunk.reason
        finally:
            if cancelled() and text.strip():  # the user saw it, so it stays
                self.messages.append(assistant(text, interrupted=True))
            stop_if_cancelled()  # whatever the stream made of the cancel
        if reason is None:
            raise ConnectionError("the stream ended without a finish")
        wanted = list(calls.values()) if reason == "tool_calls" else []
        for call in wanted:
            json.loads(call.args)  # a call that was cut is an error before anything runs
        if text.strip() or wanted:
            self.messages.append(assistant(text, *wanted))
        return wanted

    async def run_tools(self, calls: list[Call]) -> None:
        """Run the tools one after the other; every call gets a result, also after a cancel."""
        tools = {tool.name: tool for tool in self.world.tools()}
        for number, call in enumerate(calls):
            try:
                stop_if_cancelled()
                result, failed = await tools[call.name].call(call.args, call_id=call.id), False
            except asyncio.CancelledError:
                for rest in calls[number:]:
                    self.messages.append(tool_result(rest.id, "cancelled", is_error=True))
                raise
            except Exception as error:  # noqa: BLE001 - the model is told of it
                result, failed = f"{type(error).__name__}: {error}", True
            self.messages.append(tool_result(call.id, result, is_error=failed))


def cancelled() -> bool:
    """Whether the run was cancelled; a stream or a tool may have swallowed the CancelledError."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def stop_if_cancelled() -> None:
    """End the run here if it was cancelled."""
    if cancelled():
        raise asyncio.CancelledError


def make(world: World) -> MyAgent:
    """The factory: what `--agent my_agent:make` names."""
    return MyAgent(world)
