"""An agent in another process, as the harness sees it: `Child` starts it, `ChildAgent` is driven.

A process serves many trials, one after the other, each with a fresh agent. It is started anew after
a fault, and after a kill within a trial.
"""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from simharness.agent import AgentUnavailable, CancelWay, Style
from simharness.bridges import down, up
from simharness.bridges.contracts import contract_of
from simharness.bridges.lines import BadLine
from simharness.bridges.link import Link, converse
from simharness.trace import LeftBehind, Message, Outcome
from simharness.world import clocks
from simharness.world.childprocess import ChildFault, ChildLimits, ChildProcess
from simharness.world.runs import RUN

if TYPE_CHECKING:
    from simharness.agent import World
    from simharness.contract import Contract
    from simharness.world.trial import Trial

__all__ = ["Child", "ChildAgent", "ChildRaised", "child"]

WAYS = frozenset({CancelWay.API, CancelWay.API_AFTER_TURN, CancelWay.TOKEN, CancelWay.TASK})
"""How a run in another process can be cancelled: all that a message can ask for."""

_VERBS = ("steer", "follow_up", "shutdown", "dispose", "context_restart")
"""The other actions that can be asked for; none of them gives an answer."""


class ChildRaised(Exception):
    """What the agent's prompt raised in the child. Instances bear the name of the class there."""

    outcome: Outcome | None = None


def _raised(said: up.Settled) -> ChildRaised:
    name, _, text = said.error.partition(": ")
    named = name.isidentifier()
    kind: type[ChildRaised] = type(name, (ChildRaised,), {}) if named else ChildRaised
    error = kind(text if named else said.error)
    error.outcome = said.outcome
    return error


class Child:
    """A factory of agents in a process that `command` starts."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        limits: ChildLimits | None = None,
    ) -> None:
        """Nothing is started before the first trial. `env` None: the environment of ours."""
        self._command = tuple(command)
        self._cwd = cwd
        self._env = env
        self._limits = limits or ChildLimits()
        self._process: ChildProcess | None = None
        self._link: Link | None = None
        self._world: World | None = None
        self._told = ""
        self.starts = 0
        """How many processes there were so far."""
        self._said: up.Introduction
        self._contract: Contract

    def __call__(self, world: World) -> ChildAgent:
        """Make a fresh agent. Raises `AgentUnavailable` if the program does not start."""
        killed = world is self._world  # a process of this very trial
        if self._process is not None and (killed or not self._ready()):
            self.stop(at_once=True)
        if self._process is None:
            with clocks.paused():
                self._start()
        assert self._process is not None, "just started"
        self._world = world
        trial = cast("Trial", world)
        self._link = Link(self._process, self._limits, trial, self._tell_errors)
        return ChildAgent(self._said, self._contract, self._link)

    def _ready(self) -> bool:
        """Whether the process is fit for another trial; it drops what it has of the last one."""
        assert self._process is not None, "asked of a process"
        if self._link is None or self._link.broken:
            return False
        try:
            said = converse(self._process, down.Close(), self._limits.answer_s)
        except ChildFault as fault:
            _tell(f"the child does not close its trial, and is started anew: {fault}")
            return False
        return isinstance(said, up.Idle)

    def _start(self) -> None:
        name = shlex.join(self._command)
        try:
            self._process = ChildProcess(
                self._command, limits=self._limits, cwd=self._cwd, env=self._env
            )
            self.starts += 1
            hello = down.Hello(down.PROTOCOL)
            said = converse(self._process, hello, self._limits.start_s)
            self._said, self._contract = _introduced(said)
        except OSError as error:
            raise AgentUnavailable(f"cannot start {name!r}: {error.strerror}") from error
        except (ChildFault, BadLine) as fault:
            words = "" if self._process is None else self._process.errors.strip()
            self.stop(at_once=True)
            last = f"; its last words: {words.splitlines()[-1]}" if words else ""
            raise AgentUnavailable(f"{name!r} does not say hello: {fault}{last}") from fault

    def _tell_errors(self) -> None:
        """Show the user what a broken child had to say. It is no part of a trace."""
        words = "" if self._process is None else self._process.errors.strip()
        if words and words != self._told:  # once, not once a trial
            self._told = words
            _tell(f"standard error of {shlex.join(self._command)} ends with:\n{words}")

    def stop(self, *, at_once: bool = False) -> None:
        """End the process; the next trial starts another one."""
        if self._process is not None:
            self._process.end(at_once=at_once)
        self._process = self._link = self._world = None


def _tell(text: str) -> None:
    """Tell the user, whatever is done with what agents print."""
    if sys.__stderr__ is not None:
        print(text, file=sys.__stderr__, flush=True)


def child(command: str) -> Child:
    """A child by the line that starts it, as a shell would split it."""
    return Child(shlex.split(command))


def _introduced(said: up.Up) -> tuple[up.Introduction, Contract]:
    """What the child says it is. Raises `BadLine`."""
    if not isinstance(said, up.Introduction):
        raise BadLine(f"line 1: found {type(said).__name__}, expected Introduction")
    if said.protocol != down.PROTOCOL:
        raise BadLine(f"line 1: protocol: found {said.protocol}, expected {down.PROTOCOL}")
    known = sorted(WAYS)
    for number, way in enumerate(said.cancel_ways):
        if way not in known:
            place = f"line 1: cancel_ways[{number}]"
            raise BadLine(f"{place}: found {way!r}, expected one of {', '.join(known)}")
    return said, contract_of(said.contract)


class ChildAgent:
    """One agent in another process, for one trial."""

    seam = "child"
    style = Style.CHILD

    def __init__(self, said: up.Introduction, contract: Contract, link: Link) -> None:
        self.name = said.name
        self.version = said.version
        self.contract = contract
        self.cancel_ways = frozenset(CancelWay(way) for way in said.cancel_ways)
        self.ends_turns = said.ends_turns
        self.renews_client = said.renews_client
        self.begins_anew = said.begins_anew
        self._link = link
        self._open: set[int] = set()
        self._ended: dict[int, Outcome | None] = {}
        optional: dict[str, Callable[..., Any]] = {
            "configure": self._configure,
            "history": self._history,
            **{verb: self._doing(verb) for verb in _VERBS},
        }
        for name in set(said.can) & set(optional):
            setattr(self, name, optional[name])  # a case that needs another one is not applicable
        self._tells_left = "left" in said.can

    async def prompt(self, text: str, *, stream: bool = True) -> None:
        """Run one prompt in the child, until that says that it has settled."""
        run = RUN.get()
        settled = self._link.run(run)
        self._open.add(run)
        self._link.tell(down.Prompt(run, text, stream))
        told = False
        while not settled.done():
            try:
                await asyncio.shield(settled)
            except asyncio.CancelledError:
                if told or settled.done():
                    raise
                told = True  # the child's own task is cancelled; how that ends is its business
                self._link.tell(down.Cancel(run, CancelWay.TASK))
        self._open.discard(run)
        said = settled.result()
        self._ended[run] = said.outcome
        if said.how == "cancelled":
            raise asyncio.CancelledError
        if said.how == "raised":
            raise _raised(said)

    def cancel(self, way: CancelWay, reason: str) -> None:
        """Ask for a cancel by one of the agent's own ways."""
        self._link.tell(down.Cancel(min(self._open, default=0), way, reason))

    def outcome_of(self, error: BaseException | None) -> Outcome | None:
        """What the child said of the run that ends now."""
        if isinstance(error, ChildRaised):
            return error.outcome
        return self._ended.get(RUN.get())

    def left(self, *, final: bool) -> list[LeftBehind]:
        """What the child says it has left running."""
        if not self._tells_left:
            return []
        said = self._link.ask(down.AskLeft(final), up.Left)
        return [] if said is None else [LeftBehind(it.kind, it.what, final) for it in said.items]

    def _configure(self, settings: Mapping[str, object]) -> set[str]:
        said = self._link.ask(down.Configure(settings), up.Refused)
        return set(settings) if said is None else set(said.names)

    def _history(self) -> list[Message] | None:
        said = self._link.ask(down.AskHistory(), up.History)
        return None if said is None or said.messages is None else list(said.messages)

    def _doing(self, verb: str) -> Callable[..., None]:
        def do(*args: object, **words: object) -> None:
            given = {"text": args[0]} if args else {}
            self._link.tell(down.Do(verb, {**given, **words}))

        return do
