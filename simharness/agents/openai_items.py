"""A session of openai-agents on an append-only file, without the framework itself.

It is a log of what the framework asks a session to do, one line each.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import attrs

from simharness import trace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from simharness.agent import SessionStore

__all__ = ["Session", "items_of", "messages_of"]


class Session:
    """The framework's `Session` protocol on an append-only file."""

    session_id = "1"
    session_settings = None

    def __init__(self, store: SessionStore) -> None:
        self._store = store

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """The items of the session, or the last `limit` of them."""
        items = items_of(self._store.load())
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


def items_of(text: str) -> list[Any]:
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


def messages_of(items: Iterable[Any]) -> list[trace.Message]:
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
