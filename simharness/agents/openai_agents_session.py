"""Adapter of openai-agents with a session: the framework keeps the history in the world's store.

The session is a log of what the framework asks it to do, one line each. The next run is given the
new prompt alone; what it remembers is what the framework reads back.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import attrs

from simharness import trace
from simharness.agents.openai_agents import OpenAIAgents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simharness.agent import SessionStore, World

__all__ = ["make"]


class Session:
    """The framework's `Session` protocol on an append-only file."""

    session_id = "1"
    session_settings = None

    def __init__(self, store: SessionStore) -> None:
        self._store = store

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """The items of the session, or the last `limit` of them."""
        items = _items(self._store.load())
        return items if limit is None else items[max(0, len(items) - limit) :]

    async def add_items(self, items: list[Any]) -> None:
        """Write items down; raises the OSError of a store that fails."""
        await self._store.append(json.dumps({"add": items}))

    async def pop_item(self) -> Any:
        """Take the last item back."""
        items = await self.get_items()
        if items:
            await self._store.append(json.dumps({"pop": 1}))
        return items[-1] if items else None

    async def clear_session(self) -> None:
        """Take all items back."""
        await self._store.append(json.dumps({"clear": 1}))


class OpenAIAgentsWithSession(OpenAIAgents):
    """One `agents.Agent` whose runs share a session. A case without a store has none."""

    # docs/sessions: after each run, all new items are stored in the session
    contract = attrs.evolve(OpenAIAgents.contract, store="yes")

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._before: list[Any] = []  # what earlier runs have left
        if world.store is not None:
            self._words = {"session": Session(world.store)}

    def load(self) -> None:
        """Take up the session in the store; the framework repairs nothing."""
        assert self._world.store is not None, "only called where there is a store"
        self._before = _items(self._world.store.load())

    def stored(self, text: str) -> list[trace.Message]:
        """The messages of the items in a session file."""
        return _messages(_items(text))

    def history(self) -> list[trace.Message]:
        """What the runs came to, as their results say."""
        return _messages(self._history())

    def _input(self, text: str) -> Any:
        if not self._words:
            return super()._input(text)
        self._before = self._history()
        self._last, self._said = None, [{"role": "user", "content": text}]
        return text

    def _history(self) -> list[Any]:
        if not self._words:
            return super()._history()
        said = self._last.new_items if self._last else ()
        prompt = self._said if isinstance(self._said, list) else [_user(self._said)]
        return [*self._before, *prompt, *(item.to_input_item() for item in said)]


def make(world: World) -> OpenAIAgentsWithSession:
    """Build a fresh agent for one trial."""
    return OpenAIAgentsWithSession(world)


def _items(text: str) -> list[Any]:
    """The items that a session file leaves; half a line, left by a kill, counts for nothing."""
    items: list[Any] = []
    for line in text.splitlines():
        try:
            done = json.loads(line)
        except ValueError:
            continue
        items += done.get("add", ())
        if "pop" in done:
            del items[-1:]
        if "clear" in done:
            items.clear()
    return items


def _user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def _messages(items: Iterable[Any]) -> list[trace.Message]:
    """Items as messages: what one response held is one message, as a model is sent it."""
    out: list[trace.Message] = []
    for item in items:
        match item:
            case {"type": "function_call_output", "call_id": call_id, "output": output}:
                out.append(trace.tool_result(call_id, str(output)))
            case {"type": "function_call"}:
                call = trace.Call(item["call_id"], item["name"], item["arguments"])
                _answer(out, call)
            case {"role": "assistant", "content": list(parts)}:
                for part in parts:
                    _answer(out, trace.Text(part.get("text", "")))
            case {"role": "user", "content": content}:
                out.append(trace.user(str(content)))
    return out


def _answer(out: list[trace.Message], block: trace.Block) -> None:
    """Add a block to the answer that is being put together, or begin one."""
    if out and out[-1].role == "assistant":
        out[-1] = attrs.evolve(out[-1], blocks=(*out[-1].blocks, block))
    else:
        out.append(trace.Message("assistant", (block,)))
