"""Adapter of google-adk with a session on disk: each event that is kept is a line of the store.

What an event is kept for is the framework's decision; this module only writes it down.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import attrs

from simharness.agents import google_adk as adk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simharness import trace
    from simharness.agent import SessionStore, World

__all__ = ["make"]


class StoredSessions(adk.InMemorySessionService):  # type: ignore[misc]
    """The framework's own service, with a log of the events that it was given to keep."""

    def __init__(self, store: SessionStore) -> None:
        super().__init__()
        self._store = store

    async def append_event(self, session: Any, event: Any) -> Any:
        """Keep an event in memory, then on disk; fragments are not kept."""
        kept = await super().append_event(session, event)
        if not event.partial:
            await self._store.append(event.model_dump_json(exclude_none=True))
        return kept

    async def taken_up(self, place: Mapping[str, str]) -> None:
        """Begin the session of `place` with what the store holds."""
        session = await self.create_session(**place)
        for line in _lines(self._store.load()):
            await super().append_event(session, adk.Event.model_validate(line))


class GoogleADKWithSession(adk.GoogleADK):
    """One `LlmAgent` whose session is in the store. A case without a store keeps it in memory."""

    # Runner: every event that is no fragment is appended to the session
    contract = attrs.evolve(adk.GoogleADK.contract, store="yes")

    def _service(self) -> Any:
        store = self._world.store
        return super()._service() if store is None else StoredSessions(store)

    def configure(self, settings: Mapping[str, object]) -> set[str]:
        """Also `model_callback: copy`, a callback that gives each response back as an equal one."""
        if settings.get("model_callback") == "copy":
            self._agent.after_model_callback = _copied
        return super().configure(settings) - {"model_callback"}

    async def load(self) -> None:
        """Take up the session in the store; the framework repairs nothing."""
        await self._sessions.taken_up(adk.PLACE)

    def stored(self, text: str) -> list[trace.Message]:
        """The contents of the events in a session file."""
        contents = (line.get("content") for line in _lines(text))
        found = (adk.types.Content.model_validate(one) for one in contents if one)
        return [message for content in found for message in adk.messages(content)]


def make(world: World) -> GoogleADKWithSession:
    """Build a fresh agent for one trial."""
    return GoogleADKWithSession(world)


def _copied(callback_context: Any, llm_response: Any) -> Any:  # noqa: ARG001 - the framework's names
    """What a callback does that rewrites responses, when it has nothing to rewrite."""
    return adk.LlmResponse(content=llm_response.content)


def _lines(text: str) -> list[dict[str, Any]]:
    """The events of a session file; half a line, left by a kill, counts for nothing."""
    found: list[dict[str, Any]] = []
    for line in text.splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found
