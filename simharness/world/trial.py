"""One trial: the world that an agent gets, put together from its parts.

`Trial` is the `World` of agent.py for the agent, and the meeting place of loop, recorder, user,
streams and tools for us. It decides nothing itself.
"""

from __future__ import annotations

import gc
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any

from simharness.agent import Agent, AgentFactory, Flag, NotApplicable, Request, Style
from simharness.choices import Chooser
from simharness.provider.playback import ScriptedStream
from simharness.provider.wire.fits import unsayable
from simharness.provider.wire.transport import transport
from simharness.scenario.model import (
    SOUND,
    Action,
    AnchorKind,
    CancelAction,
    Case,
    EndKind,
    EndStep,
    OtherAction,
    PromptAction,
    Stream,
    TextStep,
)
from simharness.scenario.vocabulary import PROCESS_VERBS, VERBS
from simharness.trace import (
    ActionTaken,
    HistoryRead,
    HookCalled,
    LogRow,
    LoopError,
    Reported,
    RequestMade,
    Shown,
    Unscripted,
)
from simharness.world.cancels import Cancels, Token
from simharness.world.consumers import Consumers
from simharness.world.eventloop import SimLoop
from simharness.world.faults import Log, ModelClient
from simharness.world.leaks import left_behind, real_threads
from simharness.world.processes import Processes
from simharness.world.recorder import Recorder
from simharness.world.runs import RUN
from simharness.world.sources import Wait
from simharness.world.tools import ScriptedTool
from simharness.world.user import User, UserAction

UNSCRIPTED = Stream((TextStep("(unscripted)"), EndStep(EndKind.FINISH, "stop")))


class Trial:
    """The world of one trial."""

    def __init__(self, case: Case, chooser: Chooser, *, mode: str, plain: bool = False) -> None:
        self.case = case
        self.plain = plain
        self.loop = SimLoop(chooser, patience_s=case.patience_s, relaxed=mode == "relaxed")
        self.recorder = Recorder(self.loop)
        self.loop.boundaries.records = self.recorder.trace.records
        self.loop.on_error = self._loop_error
        self.loop.on_blocked = self.recorder.add
        self.streams: list[ScriptedStream] = []
        self.client = self._new_client()
        self.log = Log(self.recorder, case.log_fails)
        self.threads = real_threads()  # those that were there before
        self.cancelled = Token()
        self.consumers = Consumers(self)
        self.cancels = Cancels(self)
        self.user = User(self.loop, self.recorder, case.actions, prompt=self._prompt, do=self._do)
        self.recorder.on_report = self.user.reported
        self._tools = [ScriptedTool(self, tool) for tool in case.tools]
        self.processes = Processes(self)
        self.store = self.processes.store
        self._requests: dict[int, int] = {}
        self._ids = 0
        self._spawned: list[Coroutine[Any, Any, Any]] = []
        self.agent: Agent
        self._factory: AgentFactory

    def enter(self, factory: AgentFactory) -> None:
        """Make the agent and check that it can do what the case asks."""
        self._factory = factory
        self.make_agent()
        self.processes.begin()

    def make_agent(self) -> None:
        """Make a fresh agent, check that it can do what the case asks, and set it up."""
        self.cancelled = Token()
        self.agent = self._factory(self)
        for action in self.case.actions:
            self._check(action)
        self._check_wire()
        self.processes.check()
        self._check_attribute("ends_turns", any(tool.ends_turn for tool in self.case.tools))
        self._check_attribute("renews_client", self.case.client_renewed)
        self._check_attribute("begins_anew", self.case.begins_anew)
        self._apply("configure", self.case.settings, "cannot set")
        self._apply("script_hooks", self.case.hooks, "has no hooks to script at")

    def _check(self, action: Action) -> None:
        """Refuse an action that the agent knows nothing of."""
        if action.session:
            raise NotApplicable(f"{self.agent.name} has no second session")
        if self.agent.style is Style.CHILD:
            self._check_child(action)
        if isinstance(action, CancelAction):
            self.cancels.way(action)
            self.cancels.check_queue(action)
        elif isinstance(action, PromptAction):
            self._asked(action)
        elif action.verb not in _OURS:
            self._verb(action)
        for reaction in action.reactions if isinstance(action, OtherAction) else ():
            self._check(reaction)

    def _check_child(self, action: Action) -> None:
        """Refuse what no message can do in another process: to act within, to leave, Ctrl-C."""
        name = self.agent.name
        if action.anchor is not None and action.anchor.inside:
            raise NotApplicable(f"{name} runs in another process; nothing acts from inside it")
        if isinstance(action, CancelAction):
            way = self.cancels.way(action)
            if way not in self.agent.cancel_ways:
                raise NotApplicable(f"{name} has no cancel by {way.value} in its process")
        elif isinstance(action, OtherAction) and action.verb == "interrupt":
            raise NotApplicable(f"{name} runs in another process, which Ctrl-C does not reach")

    def _check_wire(self) -> None:
        """Refuse scripts that the provider behind the agent's client has no words for."""
        seam, _, dialect = self.agent.seam.partition(":")
        streams = [stream for prompt in self.case.prompts for stream in prompt.model]
        if seam == "wire":
            wrong = unsayable(dialect, streams)
            if wrong:
                raise NotApplicable(wrong)
        elif any(stream.wire != SOUND for stream in streams):
            raise NotApplicable(f"{self.agent.name} has no wire for faults of one")

    def _check_attribute(self, name: str, needed: bool) -> None:
        if needed and not getattr(self.agent, name, False):
            raise NotApplicable(f"{self.agent.name} does not say `{name} = True`")

    def _apply(self, method: str, words: Mapping[str, object], lack: str) -> None:
        """Hand what the case says to the agent, which answers with the names it cannot apply."""
        if not words:
            return
        apply: Callable[[Mapping[str, object]], set[str]] | None = getattr(self.agent, method, None)
        refused = set(words) if apply is None else apply(words)
        if refused:
            raise NotApplicable(f"{self.agent.name} {lack} {', '.join(sorted(refused))}")

    # --- World, for the agent ------------------------------------------------------------------

    def transport(self, library: str) -> Any:
        """A transport of an HTTP library; each request it gets is a model request."""
        return transport(library, self._posted, self.loop.boundaries.fail)

    def _posted(self, request: Request) -> ScriptedStream:
        return self.stream(request, wired=True)

    def stream(
        self, request: Request, *, signal: Flag | None = None, wired: bool = False
    ) -> ScriptedStream:
        """Make a model request; the next scripted answer of this run plays."""
        run = RUN.get()
        number = self._requests[run] = self._requests.get(run, 0) + 1
        self.recorder.add(
            RequestMade(
                number,
                tuple(request.messages),
                request.streaming,
                self.told(),
                tuple(request.tools),
            )
        )
        self.user.request_made(run, number)
        stream = ScriptedStream(
            self.loop,
            self.recorder,
            self.user,
            self.client.answer(number, self._answer(run, number)),
            run=run,
            request=number,
            fresh_id=self._fresh_id,
            signal=signal,
            wired=wired,
        )
        self.streams.append(stream)
        self.user.appeared(stream)
        self.user.chunk_delivered(stream, 0)
        return stream

    def tools(self) -> Sequence[ScriptedTool]:
        """The scenario's tools."""
        return self._tools

    def renew_client(self) -> None:
        """Use a new model client from now on."""
        self.client.renew()

    def report(self, record: Reported) -> None:
        """Add what the agent says about itself; the log may refuse its row."""
        if type(record) is LogRow:
            self.log.write(record)
        self.recorder.report(record)

    def shown(self, text: str, *, reasoning: bool = False) -> None:
        """Text was handed to the consumer."""
        if text:
            request = self.recorder.latest_request(RUN.get())
            self.recorder.add(Shown(request, text, reasoning))

    async def wait(self, name: str, seconds: float) -> None:
        """Wait for a delivery called `name`, `seconds` from now."""
        run = RUN.get()
        wait = Wait(self.loop, name, seconds)
        self.user.appeared(wait)
        self.user.began(AnchorKind.WAIT, name, run, wait)
        try:
            await wait.done
        finally:
            wait.drop()
            self.user.ended(AnchorKind.WAIT, name, run)

    def hook(self, name: str, number: int = 0) -> None:
        """A hook position was entered."""
        self.recorder.add(HookCalled(name, number))
        self.user.hooked(name, RUN.get())

    # --- for our own parts -----------------------------------------------------------------------

    def ask_agent(self, action: PromptAction) -> Any:
        """Prompt the agent, or let it continue; in a plain trial ask it not to stream."""
        ask = self._asked(action)
        words = () if action.continues else (action.text,)
        plain = self.plain and not action.ephemeral
        return ask(*words, stream=False) if plain else ask(*words)

    def forget_streams(self) -> None:
        """The process that read them is gone, and its model client with it."""
        self.streams.clear()
        self.client = self._new_client()

    def _new_client(self) -> ModelClient:
        return ModelClient(self.recorder, self.streams, renewed=self.case.client_renewed)

    def told(self) -> bool:
        """Whether the running step was told of a cancel from inside itself."""
        return self.cancels.told()

    def spawn(self, awaitable: Awaitable[Any]) -> None:
        """Run what an agent's call returned, as its caller would."""

        async def call() -> None:
            await awaitable

        if inspect.iscoroutine(awaitable):
            self._spawned.append(awaitable)
        self.loop.create_task(call())

    def close_unbegun(self) -> None:
        """Close the calls that a kill or the end of the trial kept from beginning."""
        for coroutine in self._spawned:
            if inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED:
                coroutine.close()

    def after_settling(self, run: int) -> None:
        """Note what the run displays and leaves, then let the user go on."""
        history: Callable[[], Any] | None = getattr(self.agent, "history", None)
        messages = history() if history is not None else None
        if messages is not None:
            self.recorder.add(HistoryRead(tuple(messages)), run)
        self.processes.read(run)
        for left in left_behind(self, final=False):
            self.recorder.add(left, run)
        self.user.react(run)
        self.user.settled(run)

    def _answer(self, run: int, number: int) -> Stream:
        prompts = self.case.prompts
        answers = prompts[run - 1].model if 0 < run <= len(prompts) else ()
        if number <= len(answers):
            return answers[number - 1]
        self.recorder.add(Unscripted(number))
        return UNSCRIPTED

    def _fresh_id(self) -> str:
        self._ids += 1
        return f"c{self._ids}"

    def _prompt(self, user: UserAction) -> None:
        self.processes.prompt(user)

    def _do(self, user: UserAction, inside: bool) -> None:
        action = user.action
        if isinstance(action, CancelAction):
            self.cancels.perform(user, inside=inside)
            return
        assert isinstance(action, OtherAction), "prompts are started, not done"
        if action.verb == "interrupt":
            self.cancels.interrupt(user, inside=inside)
            return
        if action.verb in PROCESS_VERBS:
            self.recorder.add(ActionTaken(action.label), user.run)
            getattr(self.processes, action.verb)(user)
            return
        said = action.args.get("text", "") or ("abandon" if action.args.get("abandon") else "")
        self.recorder.add(ActionTaken(action.label, str(said)), self.cancels.aim(user) or user.run)
        if action.verb == "gc":
            gc.collect()
        elif action.verb not in _OURS:
            self.cancels.stopped(action.verb, action.args, inside=inside)
            answer = self._verb(action)(**VERBS[action.verb].arguments(action.args))
            if answer is not None:
                self.spawn(answer)

    def _verb(self, action: OtherAction) -> Callable[..., Any]:
        return self._method(action.verb, action.verb)

    def _asked(self, action: PromptAction) -> Callable[..., Any]:
        if action.ephemeral:
            return self._method("ephemeral", "ephemeral")
        return self._method("continue_", "continue") if action.continues else self.agent.prompt

    def _method(self, name: str, verb: str) -> Callable[..., Any]:
        method: Callable[..., Any] | None = getattr(self.agent, name, None)
        if method is None:
            raise NotApplicable(f"{self.agent.name} has no `{verb}`")
        return method

    def _loop_error(self, message: str, error: BaseException | None) -> None:
        name = "" if error is None else f"{type(error).__name__}: {error}"
        self.recorder.add(LoopError(message, name))


_OURS = {"wait", "gc", "interrupt", "on_settle", *PROCESS_VERBS}

__all__ = ["PromptAction", "Trial"]
