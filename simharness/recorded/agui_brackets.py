"""What is open within an AG-UI run: messages, reasoning, tool calls, steps, subagents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

import attrs

from simharness.recorded.memory import Opened, Seen
from simharness.recorded.reading import quoted

if TYPE_CHECKING:
    from simharness.recorded.reading import Spot
    from simharness.recorded.rule import Tally

__all__ = ["Brackets"]

Event = dict[str, Any]


@attrs.frozen
class _Kind:
    """One kind of bracket: its rule, how people call it, and the field that is its name."""

    rule: str
    noun: str
    field: str


_KINDS: Final = {
    "TEXT_MESSAGE": _Kind("agui-text-message", "text message", "messageId"),
    "TOOL_CALL": _Kind("agui-tool-call", "tool call", "toolCallId"),
    "REASONING": _Kind("agui-reasoning", "reasoning span", "messageId"),
    "REASONING_MESSAGE": _Kind("agui-reasoning", "reasoning message", "messageId"),
    "STEP": _Kind("agui-step", "step", "stepName"),
}
_WORDS: Final = {
    "START": "opens",
    "STARTED": "opens",
    "CONTENT": "goes on",
    "ARGS": "goes on",
    "END": "closes",
    "FINISHED": "closes",
}
_STEPS: Final = {
    f"{noun}_{word}": (noun, does)
    for noun in _KINDS
    for word, does in _WORDS.items()
    if (word in {"STARTED", "FINISHED"}) == (noun == "STEP")
}

_ANSWERED = ""  # a call that was made and has no result yet


class Brackets:
    """The open things of one run, and the calls of all."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._open: dict[str, Opened[str | None]] = {noun: Opened() for noun in _KINDS}
        self._subagents: Opened[bool] = Opened()  # the active ones
        self._started: Seen[bool] = Seen()  # all subagents of this run
        self._calls: Seen[str] = Seen()  # call id -> message id of its result, "" without one
        self._unanswered: Opened[bool] = Opened()  # calls of this run

    def reset(self, started: Event) -> None:
        """A run begins: nothing is open. `started` may bring messages with calls."""
        for opened in self._open.values():
            opened.clear()
        self._subagents.clear()
        self._started.clear()
        self._unanswered.clear()
        given = started.get("input")
        if isinstance(given, dict):
            self._calls_of(given.get("messages"))

    def open_things(self) -> list[str]:
        """What is open, as words; a few of each kind."""
        found = [
            f"{_KINDS[noun].noun} {quoted(key[1] if isinstance(key, tuple) else key)}"
            for noun, opened in self._open.items()
            for key, _ in zip(opened, range(3), strict=False)
        ]
        return found + [f"subagent {quoted(key)}" for key in self._first(self._subagents)]

    def unanswered(self) -> set[str]:
        """The ids of the calls of this run that have no result."""
        return {str(key) for key in self._unanswered}

    @staticmethod
    def _first(opened: Opened[bool]) -> Iterator[object]:
        return (key for key, _ in zip(opened, range(3), strict=False))

    def take(self, event: Event, spot: Spot) -> None:
        """Take an event of a sound shape that lies within a run."""
        kind = event["type"]
        if kind in _STEPS:
            noun, does = _STEPS[kind]
            self._bracket(noun, does, event, spot)
        elif kind in _OTHERS:
            _OTHERS[kind](self, event, spot)

    # --- pairs ----------------------------------------------------------------------------------

    def _bracket(self, noun: str, does: str, event: Event, spot: Spot) -> None:
        """Open, continue or close one thing."""
        kind, opened = _KINDS[noun], self._open[noun]
        name, owner = event[kind.field], event.get("subagentRunId")
        key = (owner, name) if noun == "STEP" else name  # two owners may name a step alike
        tally = self._tally
        tally.saw(kind.rule)
        if does == "opens":
            if key in opened:
                tally.broke(kind.rule, f"The {kind.noun} {quoted(name)} is open already.", spot)
            opened.add(key, owner)
            if noun == "TOOL_CALL":
                self._calls.add(name, _ANSWERED)
                self._unanswered.add(name, True)
            return
        if key not in opened:
            text = f"{event['type']} of the {kind.noun} {quoted(name)}, which is not open."
            tally.broke(kind.rule, text, spot)
            return
        opener = opened.pop(key) if does == "closes" else opened.get(key)
        if owner is not None:
            text = (
                f"{event['type']} of the {kind.noun} {quoted(name)} names the subagent "
                f"{quoted(owner)}; its start named {'none' if opener is None else quoted(opener)}."
            )
            tally.demand("agui-attribution", owner == opener, text, spot)

    # --- results --------------------------------------------------------------------------------

    def _result(self, event: Event, spot: Spot) -> None:
        call, message = event["toolCallId"], event["messageId"]
        if self._calls.unknown(call):
            text = f"A result of the call {quoted(call)}, which was never made."
            self._tally.demand("agui-tool-result", False, text, spot)
            return
        answered = self._calls.get(call)
        text = f"A second result of the call {quoted(call)}."
        self._tally.demand("agui-tool-result", answered in {None, _ANSWERED, message}, text, spot)
        self._calls.add(call, message)
        self._unanswered.pop(call)

    def _snapshot(self, event: Event, spot: Spot) -> None:  # noqa: ARG002
        self._calls_of(event["messages"])

    def _calls_of(self, messages: object) -> None:
        """Remember the calls that a list of messages holds, as far as it can be read."""
        for message in messages if isinstance(messages, list) else ():
            calls = message.get("toolCalls") if isinstance(message, dict) else None
            for call in calls if isinstance(calls, list) else ():
                name = call.get("id") if isinstance(call, dict) else None
                if isinstance(name, str) and self._calls.get(name) is None:
                    self._calls.add(name, _ANSWERED)

    # --- subagents ------------------------------------------------------------------------------

    def _subagent_started(self, event: Event, spot: Spot) -> None:
        name, parent = event.get("subagentRunId"), event.get("parentSubagentRunId")
        problem = ""
        if type(name) is not str or type(event.get("name")) is not str:
            problem = 'SUBAGENT_STARTED needs a "subagentRunId" and a "name", both texts'
        elif name in self._subagents:
            problem = f"The subagent {quoted(name)} is active already"
        elif self._started.get(name):
            problem = f"The subagent {quoted(name)} has ended and starts again"
        elif parent is not None and (type(parent) is not str or self._started.unknown(parent)):
            problem = f"The parent {quoted(parent)} of {quoted(name)} was never started"
        self._tally.demand("agui-subagent", not problem, f"{problem}.", spot)
        if type(name) is str:
            self._started.add(name, True)
            self._subagents.add(name, True)

    def _subagent_ended(self, event: Event, spot: Spot) -> None:
        name = event.get("subagentRunId")
        active = type(name) is str and self._subagents.pop(name) is not None
        text = f"{event['type']} of the subagent {quoted(name)}, which is not active."
        self._tally.demand("agui-subagent", active, text, spot)


_OTHERS: Final[dict[str, Callable[[Brackets, Event, Spot], None]]] = {
    "TOOL_CALL_RESULT": Brackets._result,
    "MESSAGES_SNAPSHOT": Brackets._snapshot,
    "SUBAGENT_STARTED": Brackets._subagent_started,
    "SUBAGENT_FINISHED": Brackets._subagent_ended,
    "SUBAGENT_ERROR": Brackets._subagent_ended,
}
