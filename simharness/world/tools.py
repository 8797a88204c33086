"""Scripted tools: bodies that witness started, effects and ended.

Every body waits for its deliveries (effects, then the end) unless the script says `takes: none`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from simharness.agent import Flag, ToolFailure
from simharness.scenario.model import AnchorKind, Tool, ToolReaction
from simharness.trace import LoopBlocked, ToolEffect, ToolEnded, ToolStarted, TurnEndAsked
from simharness.world import baton
from simharness.world.blocking import block_until
from simharness.world.runs import RUN
from simharness.world.sources import Wait

if TYPE_CHECKING:
    from simharness.world.trial import Trial

_ANY_OBJECT: Mapping[str, object] = {
    "type": "object",
    "properties": {},
    "additionalProperties": True,
}


class ScriptedTool:
    """One tool of the scenario, handed to the agent as a `ToolSpec`."""

    def __init__(self, trial: Trial, tool: Tool) -> None:
        self._trial = trial
        self._tool = tool

    @property
    def name(self) -> str:
        """The tool's name."""
        return self._tool.name

    @property
    def schema(self) -> Mapping[str, object]:
        """JSON Schema of the arguments."""
        return self._tool.schema or _ANY_OBJECT

    @property
    def ends_turn(self) -> bool:
        """Whether a result of it ends the turn."""
        return self._tool.ends_turn

    async def call(self, args: object, *, call_id: str, cancelled: Flag | None = None) -> str:
        """Run the body; raises `ToolFailure` where the script says so."""
        body = _Body(self._trial, self._tool, call_id, args_text(args))
        try:
            await body.run(cancelled)
        except asyncio.CancelledError:
            body.ended("cancelled")
            raise
        return body.result()

    def call_sync(self, args: object, *, call_id: str) -> str:
        """Run the body without an event loop: it keeps its thread for as long as it takes."""
        body = _Body(self._trial, self._tool, call_id, args_text(args))
        try:
            body.run_sync()
        except KeyboardInterrupt:
            body.ended("cancelled")
            raise
        return body.result()


class _Body:
    """One execution of a tool."""

    def __init__(self, trial: Trial, tool: Tool, call_id: str, args: str) -> None:
        self._trial = trial
        self._tool = tool
        self._call_id = call_id
        self._args = args
        self._run = RUN.get()
        self._stopped = False
        self._pending: Wait | None = None

    async def run(self, cancelled: Flag | None) -> None:
        """Start, wait for effects and the end. A set `cancelled` stops a body that looks at it."""
        if self._tool.takes_s is None:
            self.begin(None)
            return
        parts = self._tool.effects + 1
        self._wait(self._tool.takes_s / parts)
        self.begin(self._pending)
        with self._watching(cancelled):
            for number in range(1, parts):
                await self._until_delivered()
                if self._stopped:
                    return
                self.effect(number)
                self._wait(self._tool.takes_s / parts)
            await self._until_delivered()

    def run_sync(self) -> None:
        """The same in a thread of its own; on the loop's thread it holds up everything."""
        in_thread = baton.current() is not None
        parts = self._tool.effects + 1
        takes_s = self._tool.takes_s or 0.0
        if in_thread and self._tool.takes_s is not None:
            self._wait(takes_s / parts)
        self.begin(self._pending, thread=in_thread)
        for number in range(1, parts):
            self._pass(takes_s / parts)
            self.effect(number)
            if in_thread and self._tool.takes_s is not None:
                self._wait(takes_s / parts)
        self._pass(takes_s / parts)

    def _pass(self, seconds: float) -> None:
        """Block the thread until the pending delivery, or the whole loop for as long."""
        pending = self._pending
        if pending is not None:
            try:
                block_until(pending.done.done)
            finally:
                pending.drop()
        elif seconds:
            self._trial.loop.clock.now += seconds
            self._trial.recorder.add(LoopBlocked(seconds))

    def begin(self, end: Wait | None, *, thread: bool = False) -> None:
        """Witness the start, then let actions placed at it happen."""
        trial, name = self._trial, self._tool.name
        trial.recorder.add(ToolStarted(self._call_id, name, self._args, trial.told(), thread))
        trial.user.began(AnchorKind.TOOL, name, self._run, end)

    def effect(self, number: int) -> None:
        """Do something lasting."""
        self._trial.recorder.add(ToolEffect(self._call_id, number))

    def result(self) -> str:
        """End the body: return the scripted text or raise."""
        if self._stopped:
            self.ended("raised", "cancelled")
            raise ToolFailure("cancelled")
        if self._tool.raises is not None:
            self._trial.recorder.play(self._tool.key)
            self.ended("raised", self._tool.raises)
            raise ToolFailure(self._tool.raises)
        self.ended("returned", self._tool.returns)
        if self._tool.ends_turn:
            self._trial.recorder.add(TurnEndAsked(self._call_id))
        return self._tool.returns

    def ended(self, how: str, result: str = "") -> None:
        """Witness the end."""
        self._trial.recorder.add(ToolEnded(self._call_id, how, result))
        self._trial.user.ended(AnchorKind.TOOL, self._tool.name, self._run)

    def _wait(self, seconds: float) -> None:
        label = f"{self._tool.name} {self._call_id}"
        self._pending = Wait(self._trial.loop, label, seconds)
        self._trial.user.appeared(self._pending)

    async def _until_delivered(self) -> None:
        pending = self._pending
        assert pending is not None, "a body waits only for what it set up"
        while not pending.done.done():
            try:
                # A swallowing body must not lose its delivery to the cancel it swallows.
                await (asyncio.shield(pending.done) if self._swallows else pending.done)
            except asyncio.CancelledError:
                if not self._swallows:
                    raise

    @property
    def _swallows(self) -> bool:
        return self._tool.on_cancel is ToolReaction.SWALLOW

    @contextlib.contextmanager
    def _watching(self, cancelled: Flag | None) -> Iterator[None]:
        """Look at the token at every boundary, if the script says that the body does."""
        polls = self._trial.loop.boundaries.polls
        watches = cancelled is not None and self._tool.on_cancel is ToolReaction.STOP

        def look() -> None:
            pending = self._pending
            if cancelled is not None and cancelled.is_set() and pending is not None:
                self._stopped = True
                if not pending.done.done():
                    pending.done.set_result(None)

        if watches:
            polls.append(look)
        try:
            yield
        finally:
            if watches and look in polls:
                polls.remove(look)
            if self._pending is not None:
                self._pending.drop()


def args_text(args: object) -> str:
    """What the agent passed to the body, as JSON text."""
    if isinstance(args, str):
        return args
    return json.dumps(args, ensure_ascii=False, default=str)
