"""Tool execution: one result per call, in the model's order, whatever the bodies do.

Calls that cannot or may not run are answered with an error and never reach a body.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from simharness.agents.reference.contract import CANCEL_BOUND_S
from simharness.trace import Call, Message, ToolExecutionEnd, ToolExecutionStart, tool_result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simharness.agent import World
    from simharness.agents.reference.cancelling import Cancellation
    from simharness.agents.reference.journal import Journal
    from simharness.agents.reference.settings import Settings

__all__ = ["ToolAnswer", "ToolRunner"]

NOT_RUN_CANCELLED = "not run: the run was cancelled"
NOT_RUN_REFUSED = "not run: the model refused to answer"


@attrs.frozen
class ToolAnswer:
    """What a call is answered with."""

    text: str
    is_error: bool = False


class ToolRunner:
    """Runs the calls of one response."""

    def __init__(
        self, world: World, journal: Journal, cancellation: Cancellation, settings: Settings
    ) -> None:
        self._tools = {tool.name: tool for tool in world.tools()}
        self._journal = journal
        self._cancellation = cancellation
        self._settings = settings

    async def run(self, calls: Sequence[Call], *, refused: bool = False) -> tuple[Message, ...]:
        """Answer every call and append the results. `refused`: by the model, so none runs."""
        results: list[Message] = []
        for group in self.groups(calls):
            answered = await self.run_group(group, refused=refused)
            self.record(answered)
            results.extend(answered)
        return tuple(results)

    def record(self, results: Sequence[Message]) -> None:
        """Append the results of a group, once all of it has ended."""
        for result in results:
            self._journal.append(result)

    def groups(self, calls: Sequence[Call]) -> list[Sequence[Call]]:
        """The calls that may run side by side, in order."""
        if self._settings.tools == "sequential":
            return [[call] for call in calls]
        return [calls]

    async def run_group(self, calls: Sequence[Call], *, refused: bool) -> list[Message]:
        """Run calls side by side; return when every body has ended.

        A cancel tells the bodies through the token. One that still runs after the bound has its
        task cancelled.
        """
        waiting = iter(enumerate(calls))
        results: dict[int, Message] = {}

        async def worker() -> None:
            for place, call in waiting:
                results[place] = await self.execute(call, refused=refused)

        width = min(self._settings.cap or len(calls), len(calls))
        workers = [worker() for _ in range(width)]
        await self._cancellation.patiently(*workers, grace_s=CANCEL_BOUND_S)
        return [results[place] for place in range(len(calls))]

    async def execute(self, call: Call, *, refused: bool) -> Message:
        """Answer one call, run or not, between its two events."""
        self._journal.report(ToolExecutionStart(call.id, call.name, call.args))
        answer = self.obstacle(call, refused=refused) or await self.body(call)
        self._journal.report(
            ToolExecutionEnd(call.id, call.name, answer.text, is_error=answer.is_error)
        )
        return tool_result(call.id, answer.text, is_error=answer.is_error)

    def obstacle(self, call: Call, *, refused: bool) -> ToolAnswer | None:
        """Why the call does not run, asked directly before its body would start."""
        reasons = self._obstacles(call, refused=refused)
        return next((ToolAnswer(reason, is_error=True) for reason in reasons), None)

    def _obstacles(self, call: Call, *, refused: bool) -> Iterator[str]:
        if not self.may_start():
            yield NOT_RUN_CANCELLED
        if refused:
            yield NOT_RUN_REFUSED
        if call.name not in self._tools:
            yield f"there is no tool {call.name!r}; known tools: {', '.join(self._tools)}"
        elif (args := self.arguments(call)) is None:
            yield "invalid arguments: not a JSON object"
        else:
            required = self._tools[call.name].schema.get("required", ())
            assert isinstance(required, Sequence)
            yield from (
                f"invalid arguments: {name!r} is missing" for name in required if name not in args
            )

    def may_start(self) -> bool:
        """Whether a body may still start: nothing starts once a cancel was called."""
        return not self._cancellation.called

    def arguments(self, call: Call) -> Mapping[str, object] | None:
        """The arguments of a call; None if they are no JSON object. Blank text means none."""
        if not call.args.strip():
            return {}
        try:
            value = json.loads(call.args)
        except ValueError:
            return None
        return value if isinstance(value, dict) else None

    async def body(self, call: Call) -> ToolAnswer:
        """Run the tool; what happens to it is its answer."""
        tool = self._tools[call.name]
        try:
            text = await tool.call(
                self.arguments(call), call_id=call.id, cancelled=self._cancellation
            )
        except asyncio.CancelledError:
            return ToolAnswer("cancelled while it ran", is_error=True)
        except Exception as error:  # noqa: BLE001 - a tool may raise anything
            return ToolAnswer(str(error) or type(error).__name__, is_error=True)
        return ToolAnswer(text)
