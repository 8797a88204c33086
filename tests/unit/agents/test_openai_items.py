"""The session of openai-agents on a file: a log of what it was asked to do, and its messages."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from simharness.agents.openai_items import Session, items_of, messages_of
from simharness.trace import Call, assistant, tool_result, user

HI: dict[str, Any] = {"role": "user", "content": "hi"}
CALL = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "seen"}
DONE = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "done"}],
}


class File:
    """A store that takes every line."""

    def __init__(self) -> None:
        self.text = ""

    async def append(self, line: str) -> None:
        """Write a line."""
        self.text += f"{line}\n"

    async def flush(self) -> int:
        """Nothing is buffered."""
        return len(self.text)

    def load(self) -> str:
        """The whole file."""
        return self.text


def test_a_session_holds_what_was_added_and_not_taken_back() -> None:
    """Its items, the last of them, one taken back, all taken back."""

    async def use() -> None:
        session = Session(File())
        assert await session.pop_item() is None
        await session.add_items([HI, CALL])
        await session.add_items([OUTPUT])
        assert [HI, CALL, OUTPUT] == await session.get_items()
        assert [CALL, OUTPUT] == await session.get_items(2)
        assert [] == await session.get_items(0)
        assert OUTPUT == await session.pop_item()
        assert [HI, CALL] == await session.get_items()
        await session.clear_session()
        assert [] == await session.get_items()

    asyncio.run(use())


def test_half_a_line_counts_for_nothing() -> None:
    """A kill during a write leaves one."""
    line = json.dumps({"add": [HI]})
    assert [HI] == items_of(f"{line}\n{line[:9]}")


def test_items_of_one_answer_are_one_message() -> None:
    """A text and its calls; results are messages of their own."""
    assert [
        user("hi"),
        assistant("done", Call("c1", "look", "{}")),
        tool_result("c1", "seen"),
        assistant("done"),
    ] == messages_of([HI, DONE, CALL, OUTPUT, DONE])
