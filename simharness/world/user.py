"""The user: the scenario's actions, where they are anchored, and what they hold until they ran.

An action goes through `armed` (its segment has begun), `due` (its anchor was reached), `taken` (it
was delivered) and `done` (its handle ran), or is `dropped` when its run settles first. A segment is
a prompt and the actions up to the next prompt; a kill or fork without a place waits until the agent
is idle and is a segment of its own. What an action does is the trial's business.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING

from simharness.agent import CancelWay
from simharness.choices import Kind
from simharness.scenario.model import (
    Action,
    Anchor,
    AnchorKind,
    CancelAction,
    OtherAction,
    PromptAction,
    Relation,
)
from simharness.scenario.vocabulary import PROCESS_VERBS
from simharness.trace import ActionDropped, Reported
from simharness.world.clock import INFINITY
from simharness.world.sources import Source

if TYPE_CHECKING:
    from simharness.world.eventloop import SimLoop
    from simharness.world.recorder import Recorder


class State(enum.Enum):
    """Where an action stands."""

    WAITING = "waiting"
    ARMED = "armed"
    DUE = "due"
    TAKEN = "taken"
    DONE = "done"
    DROPPED = "dropped"


OVER = {State.DONE, State.DROPPED}


class UserAction(Source):
    """One action as a source; `run` is the run of its segment (for a prompt: the one it opens)."""

    __slots__ = ("_perform", "action", "count", "held", "run", "state")

    def __init__(
        self,
        loop: SimLoop,
        action: Action,
        run: int,
        perform: Callable[[UserAction], None],
    ) -> None:
        kind = Kind.ANYWHERE if is_anywhere(action) else Kind.ACTION
        super().__init__(loop, action.label, kind)
        self.action = action
        self.run = run
        self.state = State.WAITING
        self.held: list[Source] = []
        self.count = 0  # how often something like its anchor was met
        self._perform = perform

    @property
    def anchor(self) -> Anchor | None:
        """Where it is placed; None right behind its predecessor."""
        return self.action.anchor

    def make_due(self, due: float) -> None:
        """Offer the action from virtual time `due` on; a wait, when it is over."""
        self.state = State.DUE
        self.due = due + _lasts_s(self.action)
        boundaries = self.loop.boundaries
        if self.anchor is not None and self.anchor.kind is not AnchorKind.TIME:
            boundaries.anchored.append(self)
        elif is_interrupt(self.action):
            boundaries.threads.append(self)  # a signal falls between handles, as a post does
        else:
            boundaries.others.append(self)

    def deliver(self) -> None:
        """Let the user act: one handle."""
        self.state = State.TAKEN
        self.due = INFINITY
        self.loop.boundaries.remove(self)
        self.loop.from_outside(self._perform, self)

    def hold(self, source: Source) -> None:
        """Keep `source` from delivering until this action has run."""
        source.holds += 1
        self.held.append(source)

    def release(self) -> None:
        """Let go of everything that was held."""
        for source in self.held:
            source.holds -= 1
        self.held.clear()


def is_anywhere(action: Action) -> bool:
    """Whether the search places the action."""
    return not isinstance(action, PromptAction) and action.anywhere


def is_interrupt(action: Action) -> bool:
    """Whether the action is a Ctrl-C."""
    if isinstance(action, CancelAction):
        return action.way == CancelWay.INTERRUPT
    return isinstance(action, OtherAction) and action.verb == "interrupt"


class User:
    """All actions of a case, in script order. `do` performs an action of any kind but prompts."""

    def __init__(
        self,
        loop: SimLoop,
        recorder: Recorder,
        actions: tuple[Action, ...],
        *,
        prompt: Callable[[UserAction], None],
        do: Callable[[UserAction, bool], None],
    ) -> None:
        self._loop = loop
        self._recorder = recorder
        self._prompt = prompt
        self._do = do
        self.unsettled: dict[int, None] = {}  # in the order in which they were prompted
        self.aside: set[int] = set()  # runs beside the conversation
        self.actions: list[UserAction] = []
        run = 0
        for action in actions:
            run += isinstance(action, PromptAction)
            if isinstance(action, PromptAction) and action.ephemeral:
                self.aside.add(run)
            self.actions.append(UserAction(loop, action, run, self._perform))
        self._segment: list[UserAction] = []
        self._anchors: set[AnchorKind] = set()  # of the segment
        self._holding: list[UserAction] = []  # reached, and holding what appears from now on
        self.advance()

    @property
    def finished(self) -> bool:
        """Whether every action is over and every run has settled."""
        return not self.unsettled and all(user.state in OVER for user in self.actions)

    # --- order ------------------------------------------------------------------------------

    def advance(self) -> None:
        """Begin the next segment if the one before is over: its prompt becomes due."""
        if self.unsettled or any(user.state not in OVER for user in self._segment):
            return
        waiting = [user for user in self.actions if user.state is State.WAITING]
        if waiting:
            first = waiting[0]
            prompted = isinstance(first.action, PromptAction)
            self._segment = [first, *(_until_next(waiting[1:]) if prompted else ())]
            self._anchors = {user.anchor.kind for user in self._segment if user.anchor is not None}
            first.make_due(self._loop.clock.now)

    def prompted(self, prompt: UserAction) -> None:
        """A prompt was called (its task took its first step): arm its segment."""
        self.unsettled[prompt.run] = None
        self._over(prompt)
        if prompt is not self._segment[0]:
            self._follow(prompt)
            return
        for user in self._segment[1:]:
            user.state = State.ARMED
            anchor = user.anchor
            if anchor is not None and anchor.kind is AnchorKind.TIME:
                user.make_due(self._loop.clock.now + anchor.seconds)
            elif is_anywhere(user.action):
                user.make_due(self._loop.clock.now)
        self._follow(prompt)

    def react(self, run: int) -> None:
        """Let the caller of a run that has settled do what the script says, in that very step."""
        self.unsettled.pop(run, None)
        for user in [one for one in self._segment if _reacts(one) and one.run == run]:
            assert isinstance(user.action, OtherAction), "only on_settle reacts"
            for reaction in user.action.reactions:
                self._do(UserAction(self._loop, reaction, run, self._perform), True)
                self._recorder.play(reaction.key)
            self._over(user)

    def settled(self, run: int) -> None:
        """A run settled: what can no longer be reached is dropped, then the next segment begins."""
        self.unsettled.pop(run, None)
        if self.unsettled:
            return
        before: UserAction | None = None  # the one whose handle makes an action without place due
        prompt: UserAction | None = None  # the one whose settling makes a reaction due
        for user in self._segment:
            awaited = prompt if _reacts(user) else before
            late = user.state is State.DUE and (is_anywhere(user.action) or _timed(user))
            follows = user.anchor is None and awaited is not None and awaited.state not in OVER
            if (user.state in {State.WAITING, State.ARMED} and not follows) or late:
                self._drop(user)
            if isinstance(user.action, PromptAction):
                prompt = user
            before = before if _reacts(user) else user
        self.advance()

    def _drop(self, user: UserAction) -> None:
        user.state = State.DROPPED
        user.due = INFINITY
        self._loop.boundaries.remove(user)
        user.release()
        if user in self._holding:
            self._holding.remove(user)
        if not is_anywhere(user.action):
            self._recorder.add(ActionDropped(user.action.label), user.run)

    def _perform(self, user: UserAction) -> None:
        if isinstance(user.action, PromptAction):
            self._prompt(user)  # its segment goes on once the prompt was called
        else:
            try:
                self._do(user, False)
            finally:  # an agent's call that raises has been made all the same
                self._over(user)
                self._follow(user)
                self.advance()

    def _over(self, user: UserAction) -> None:
        user.state = State.DONE
        self._recorder.play(user.action.key)
        user.release()
        if user in self._holding:
            self._holding.remove(user)

    def _follow(self, user: UserAction) -> None:
        """The action behind `user`, if it has no place of its own, is due now."""
        place = self._segment.index(user) + 1
        after = next((one for one in self._segment[place:] if not _reacts(one)), None)
        if after is not None and after.state is State.ARMED and after.anchor is None:
            after.make_due(self._loop.clock.now)

    # --- anchors ------------------------------------------------------------------------------

    def _armed(self, kind: AnchorKind, run: int) -> list[UserAction]:
        if kind not in self._anchors or run not in self.runs():
            return []
        return [
            user
            for user in self._segment
            if user.state is State.ARMED and user.anchor is not None and user.anchor.kind is kind
        ]

    def runs(self) -> set[int]:
        """The runs of the segment in progress."""
        return {user.run for user in self._segment}

    def appeared(self, source: Source) -> None:
        """A new source: an action whose anchor was reached holds it."""
        for user in self._holding:
            user.hold(source)

    def chunk_delivered(self, stream: Source, chunk: int) -> None:
        """Chunk `chunk` (0: the stream was opened) is on its way: hold what must come after."""
        run, request = stream.run, stream.request  # type: ignore[attr-defined]
        for user in self._armed(AnchorKind.CHUNK, run):
            anchor = user.anchor
            assert anchor is not None, "armed by its anchor"
            if anchor.request not in {0, request}:
                continue
            if anchor.relation is Relation.AFTER and anchor.number == chunk:
                user.hold(stream)
            elif anchor.relation is Relation.BEFORE and anchor.number == chunk + 1:
                user.hold(stream)
                user.make_due(self._loop.clock.now)

    def chunk_taken(self, run: int, request: int, chunk: int) -> None:
        """The agent took a chunk: what lies after it is due."""
        for user in self._armed(AnchorKind.CHUNK, run):
            anchor = user.anchor
            assert anchor is not None, "armed by its anchor"
            if (
                anchor.relation is Relation.AFTER
                and anchor.number == chunk
                and anchor.request in {0, request}
            ):
                user.make_due(self._loop.clock.now)

    def terminal_taken(self, run: int, request: int) -> None:
        """The agent took the end of a stream."""
        for user in self._armed(AnchorKind.TERMINAL, run):
            if user.anchor is not None and user.anchor.request in {0, request}:
                self._reach(user)

    def request_made(self, run: int, request: int) -> None:
        """A model request arrived; called before its stream appears."""
        for user in self._armed(AnchorKind.REQUEST, run):
            if user.anchor is not None and user.anchor.number == request:
                self._reach(user)

    def began(self, kind: AnchorKind, name: str, run: int, end: Source | None) -> None:
        """A tool body or a named wait began. `end` is its end, if it waits."""
        for user in self._armed(kind, run):
            anchor = user.anchor
            if anchor is None or anchor.name != name or anchor.relation is Relation.AFTER:
                continue
            user.count += 1
            if user.count != anchor.number:
                continue
            if anchor.inside:
                self._inside(user)
            elif anchor.relation is Relation.DURING and end is not None:
                user.hold(end)
                user.make_due(self._loop.clock.now)

    def ended(self, kind: AnchorKind, name: str, run: int) -> None:
        """A tool body or named wait ended."""
        for user in self._armed(kind, run):
            anchor = user.anchor
            if anchor is None or anchor.name != name or anchor.relation is not Relation.AFTER:
                continue
            user.count += 1
            if user.count == anchor.number:
                self._reach(user)

    def hooked(self, name: str, run: int) -> None:
        """A hook position was entered."""
        for user in self._armed(AnchorKind.HOOK, run):
            self._count(user, name)

    def reported(self, record: Reported, run: int) -> None:
        """The agent reported something; actions placed inside happen before it goes on."""
        for user in self._armed(AnchorKind.RECORD, run):
            self._count(user, type(record).__name__)

    def _count(self, user: UserAction, name: str) -> None:
        if user.anchor is None or user.anchor.name != name:
            return
        user.count += 1
        if user.count == user.anchor.number:
            if user.anchor.inside:
                self._inside(user)
            else:
                self._reach(user)

    def _reach(self, user: UserAction) -> None:
        """The anchor was reached: due, and everything that appears from now on is held."""
        if user.anchor is not None and user.anchor.inside:
            self._inside(user)
            return
        self._holding.append(user)
        user.make_due(self._loop.clock.now)

    def _inside(self, user: UserAction) -> None:
        user.state = State.TAKEN
        try:
            self._do(user, True)
        finally:
            self._over(user)
            self._follow(user)


def _lasts_s(action: Action) -> float:
    """How long the user waits, if that is what they do, in seconds."""
    if isinstance(action, OtherAction) and action.verb == "wait":
        seconds = action.args["seconds"]
        assert isinstance(seconds, float), "the loader reads a duration"
        return seconds
    return 0.0


def _reacts(user: UserAction) -> bool:
    return isinstance(user.action, OtherAction) and user.action.verb == "on_settle"


def _timed(user: UserAction) -> bool:
    return user.anchor is not None and user.anchor.kind is AnchorKind.TIME


def _until_next(users: list[UserAction]) -> list[UserAction]:
    """The actions before the next one that waits for this segment to settle."""
    return list(itertools.takewhile(lambda user: not _begins(user.action), users))


def _begins(action: Action) -> bool:
    """Whether an action waits until everything before it is over."""
    if isinstance(action, PromptAction):
        return not action.meanwhile and action.anchor is None
    ends = isinstance(action, OtherAction) and action.verb in PROCESS_VERBS
    return ends and action.anchor is None and not is_anywhere(action)
