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
from simharness.agents.reference.strategies import grouped
from simharness.trace import Call, Message, ToolExecutionEnd, ToolExecutionStart, tool_result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simharness.agent import World
    from simharness.agents.reference.calling import HookCalls, Ruling
    from simharness.agents.reference.cancelling import Cancellation
    from simharness.agents.reference.guarding import Guard
    from simharness.agents.reference.journal import Journal
    from simharness.agents.reference.queues import Queues
    from simharness.agents.reference.settings import Settings
    from simharness.contract import Contract

__all__ = ["Permit", "ToolAnswer", "ToolRunner"]

ABORTED = "aborted: the run was cancelled while the tool ran"
NO_SUCH_TOOL = "there is no tool"
NOT_RUN_CANCELLED = "not run: the run was cancelled"
NOT_RUN_REFUSED = "not run: the model refused to answer"
NOT_RUN_REPEATED = "not run: the same calls were repeated"
SKIPPED = "not run: skipped because the user sent a message"


@attrs.frozen
class ToolAnswer:
    """What a call is answered with."""

    text: str
    is_error: bool = False


@attrs.frozen
class Permit:
    """With what arguments a call may run; `answer` is there if it may not."""

    args: Mapping[str, object]
    answer: ToolAnswer | None = None
    warnings: tuple[str, ...] = ()


class ToolRunner:
    """Runs the calls of one response."""

    def __init__(
        self,
        world: World,
        journal: Journal,
        cancellation: Cancellation,
        hooks: HookCalls,
        contract: Contract,
        queues: Queues,
        settings: Settings,
        guard: Guard,
    ) -> None:
        self._tools = {tool.name: tool for tool in world.tools()}
        self._journal = journal
        self._cancellation = cancellation
        self._hooks = hooks
        self._contract = contract
        self._queues = queues
        self._settings = settings
        self._guard = guard
        self.turn_ended = False  # by a tool

    async def run(self, calls: Sequence[Call], *, why_not: str = "") -> tuple[Message, ...]:
        """Answer every call and append the results. `why_not`: why none of them runs."""
        self.turn_ended = False
        results: list[Message] = []
        for group in self.groups(calls):
            answered = await self.run_group(group, why_not=why_not)
            await self._guard.hold(answered)
            if self.round_dropped():
                break
            self.record(answered)
            results.extend(answered)
        return tuple(results)

    def round_dropped(self) -> bool:
        """Whether no more results are recorded, as a cancel takes the round of its calls along.

        Neither what has not started nor what comes late may leave a call without a result.
        """
        drops = self._contract.unstarted_call == "round-dropped"
        drops = drops or self._contract.late_tool_result == "dropped"
        return drops and self._cancellation.called

    def record(self, results: Sequence[Message]) -> None:
        """Append the results of a group, once all of it has ended."""
        for result in results:
            self._journal.append(result)

    def groups(self, calls: Sequence[Call]) -> list[Sequence[Call]]:
        """The calls that may run side by side, in order."""
        return grouped(calls, self._settings)

    async def run_group(self, calls: Sequence[Call], *, why_not: str) -> list[Message]:
        """Run calls side by side; return when every body has ended.

        A cancel tells the bodies through the token. One that still runs after the bound has its
        task cancelled.
        """
        waiting = iter(enumerate(calls))
        results: dict[int, Message] = {}

        async def worker() -> None:
            for place, call in waiting:
                results[place] = await self.execute(call, why_not=why_not)

        width = min(self._settings.cap or len(calls), len(calls))
        workers = [worker() for _ in range(width)]
        await self._cancellation.patiently(*workers, grace_s=CANCEL_BOUND_S)
        return [results[place] for place in range(len(calls))]

    async def execute(self, call: Call, *, why_not: str) -> Message:
        """Answer one call, run or not, between its two events."""
        permit = await self.permit(call, why_not=why_not)
        self._journal.report(ToolExecutionStart(call.id, call.name, self.spoken(call, permit)))
        answer = permit.answer or await self.perform(call, permit)
        self._journal.report(
            ToolExecutionEnd(call.id, call.name, answer.text, is_error=answer.is_error)
        )
        return tool_result(call.id, answer.text, is_error=answer.is_error)

    # --- whether a call runs --------------------------------------------------------------------

    async def permit(self, call: Call, *, why_not: str) -> Permit:
        """Whether a call may run, and with what. Middleware may wait, so it is asked again."""
        answer = self.obstacle(call, why_not=why_not)
        if answer is not None:
            return Permit({}, answer)
        ruling = await self._hooks.rule("middleware", self.arguments(call), call.name)
        answer = self.stopped() or self.ruled_out(ruling)
        args = ruling.value if isinstance(ruling.value, Mapping) else {}
        return Permit(args, answer, ruling.warnings)

    def ruled_out(self, ruling: Ruling) -> ToolAnswer | None:
        """Why middleware does not let a call pass."""
        if ruling.denied is not None:
            return ToolAnswer(f"denied: {ruling.denied}", is_error=True)
        if not isinstance(ruling.value, Mapping):
            return ToolAnswer("invalid arguments: not a JSON object", is_error=True)
        return None

    def spoken(self, call: Call, permit: Permit) -> str:
        """The arguments to report: as the model wrote them, unless middleware changed them."""
        unchanged = permit.answer is not None or permit.args == self.arguments(call)
        return call.args if unchanged else json.dumps(permit.args, ensure_ascii=False)

    def obstacle(self, call: Call, *, why_not: str) -> ToolAnswer | None:
        """Why a call does not even come before the middleware."""
        reasons = self._obstacles(call, why_not=why_not)
        return next((ToolAnswer(reason, is_error=True) for reason in reasons), None)

    def _obstacles(self, call: Call, *, why_not: str) -> Iterator[str]:
        yield from self._stops()
        if why_not:
            yield why_not
        if call.name not in self._tools:
            yield f"{NO_SUCH_TOOL} {call.name!r}; known tools: {', '.join(self._tools)}"
        elif (args := self.arguments(call)) is None:
            yield "invalid arguments: not a JSON object"
        else:
            required = self._tools[call.name].schema.get("required", ())
            assert isinstance(required, Sequence)
            yield from (
                f"invalid arguments: {name!r} is missing" for name in required if name not in args
            )

    def stopped(self) -> ToolAnswer | None:
        """What has come meanwhile that keeps a call from running."""
        return next((ToolAnswer(reason, is_error=True) for reason in self._stops()), None)

    def _stops(self) -> Iterator[str]:
        if not self.may_start():
            yield NOT_RUN_CANCELLED
        if self.steered():
            yield SKIPPED

    def may_start(self) -> bool:
        """Whether a body may still start: nothing starts once a cancel was called."""
        return not self._cancellation.called

    def steered(self) -> bool:
        """Whether the user said something that the model is to hear first."""
        return self._queues.steering

    def arguments(self, call: Call) -> Mapping[str, object] | None:
        """The arguments of a call; None if they are no JSON object. Blank text means none."""
        if not call.args.strip():
            return {}
        try:
            value = json.loads(call.args)
        except ValueError:
            return None
        return value if isinstance(value, dict) else None

    # --- running it -----------------------------------------------------------------------------

    async def perform(self, call: Call, permit: Permit) -> ToolAnswer:
        """Run a body between its hooks, unless something has come since it was permitted."""
        await self._hooks.ask_ahead("before_tool", call.name)
        if self.stopped() is None:
            await self.announce(call)
        answer = self.stopped()
        if answer is None:
            answer = self.warned(await self.body(call, permit.args), permit.warnings)
            answer = self.in_time(answer)
            await self._hooks.tell("after_tool", call.name)
        return answer

    async def announce(self, call: Call) -> None:
        """Have the session know that a body may run before it does: a kill may come any time."""
        self._journal.began(call.id)
        await self._journal.save(self._cancellation)

    def in_time(self, answer: ToolAnswer) -> ToolAnswer:
        """The answer of a body; one that comes after the cancel may be promised not to count."""
        if self._cancellation.called and self._contract.late_tool_result == "aborted-error":
            return ToolAnswer(ABORTED, is_error=True)
        return answer

    def warned(self, answer: ToolAnswer, warnings: Sequence[str]) -> ToolAnswer:
        """An answer with what middleware wants the model to read."""
        text = "\n".join([answer.text, *(f"[Warning: {warning}]" for warning in warnings)])
        return attrs.evolve(answer, text=text) if warnings else answer

    async def body(self, call: Call, args: Mapping[str, object]) -> ToolAnswer:
        """Run the tool; what happens to it is its answer."""
        tool = self._tools[call.name]
        try:
            text = await tool.call(args, call_id=call.id, cancelled=self._cancellation)
        except asyncio.CancelledError:
            return ToolAnswer("cancelled while it ran", is_error=True)
        except Exception as error:  # noqa: BLE001 - a tool may raise anything
            return ToolAnswer(str(error) or type(error).__name__, is_error=True)
        self.turn_ended = self.turn_ended or tool.ends_turn
        return ToolAnswer(text)
