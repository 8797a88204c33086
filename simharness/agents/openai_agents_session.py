"""Adapter of openai-agents with a session: the framework keeps the history in the world's store.

The next run is given the new prompt alone; what it remembers is what the framework reads back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from simharness.agents.openai_agents import OpenAIAgents
from simharness.agents.openai_items import Session, items_of, messages_of

if TYPE_CHECKING:
    from simharness import trace
    from simharness.agent import World

__all__ = ["make"]


class OpenAIAgentsWithSession(OpenAIAgents):
    """One `agents.Agent` whose runs share a session. A case without a store has none."""

    # docs/sessions: after each run, all new items are stored in the session
    contract = attrs.evolve(OpenAIAgents.contract, store="yes")

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._before: list[Any] = []  # what earlier runs have left
        self._prompt: list[Any] = []  # what the run in progress was given
        if world.store is not None:
            self._words = {"session": Session(world.store)}

    def load(self) -> None:
        """Take up the session in the store; the framework repairs nothing."""
        assert self._world.store is not None, "only called where there is a store"
        self._before = items_of(self._world.store.load())

    def stored(self, text: str) -> list[trace.Message]:
        """The messages of the items in a session file."""
        return messages_of(items_of(text))

    def history(self) -> list[trace.Message]:
        """What the runs came to, as their results say."""
        return messages_of(self._history())

    def _input(self, text: str) -> Any:
        if not self._words:
            return super()._input(text)
        self._before = self._history()
        self._last, self._prompt = None, [{"role": "user", "content": text}]
        return text

    def _history(self) -> list[Any]:
        if not self._words:
            return super()._history()
        said = self._last.new_items if self._last else ()
        return [*self._before, *self._prompt, *(item.to_input_item() for item in said)]


def make(world: World) -> OpenAIAgentsWithSession:
    """Build a fresh agent for one trial."""
    return OpenAIAgentsWithSession(world)
