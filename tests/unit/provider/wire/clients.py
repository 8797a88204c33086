"""Small agents around the official clients: what they make of our bytes, and what they post."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anthropic
import httpx2
import openai

from simharness.agent import CancelWay, Style
from simharness.choices import ScheduleChooser
from simharness.contract import UNSPECIFIED
from simharness.scenario.load import load_text
from simharness.world.run import Run, run

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from simharness.agent import World


class Client:
    """An agent that makes one request and keeps what the client made of the answer."""

    name = "client"
    version = "1"
    contract = UNSPECIFIED
    seam = "wire:openai-chat"
    style = Style.ASYNC
    cancel_ways: frozenset[CancelWay] = frozenset()
    streaming = True
    posted: list[Any] = [{"role": "user", "content": "hi"}]  # noqa: RUF012 - never changed

    def __init__(self, world: World) -> None:
        self.events: list[Any] = []
        self.error: Exception | None = None
        http = httpx2.AsyncClient(transport=world.transport("httpx2"))
        self.client = self.connect(http)

    def connect(self, http: Any) -> Any:
        """The official client over that connection."""
        return openai.AsyncOpenAI(
            api_key="k", base_url="http://fake/v1", http_client=http, max_retries=0
        )

    async def prompt(self, text: str) -> None:
        """Ask once, keep everything, raise nothing."""
        try:
            async for event in self.ask():
                self.events.append(event)
        except (openai.OpenAIError, anthropic.AnthropicError, ValueError) as error:
            self.error = error

    async def ask(self) -> AsyncIterator[Any]:
        """Everything that the client gives out."""
        words = {"stream_options": {"include_usage": True}} if self.streaming else {}
        answer = await self.client.chat.completions.create(
            model="m", messages=self.posted, stream=self.streaming, **words
        )
        if not self.streaming:
            yield answer
            return
        async for event in answer:
            yield event


class Responses(Client):
    """The same over the responses API; its helper checks order and pairing."""

    seam = "wire:openai-responses"

    async def ask(self) -> AsyncIterator[Any]:
        """The events, then the response that the helper put together."""
        if not self.streaming:
            yield await self.client.responses.create(model="m", input=self.posted)
            return
        async with self.client.responses.stream(model="m", input=self.posted) as stream:
            async for event in stream:
                yield event
            yield await stream.get_final_response()


class Anthropic(Client):
    """The same over Anthropic's messages."""

    seam = "wire:anthropic"

    def connect(self, http: Any) -> Any:
        """Its official client."""
        return anthropic.AsyncAnthropic(
            api_key="k", base_url="http://fake", http_client=http, max_retries=0
        )

    async def ask(self) -> AsyncIterator[Any]:
        """The events, then the message that the helper put together."""
        words: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": self.posted}
        if not self.streaming:
            yield await self.client.messages.create(**words)
            return
        async with self.client.messages.stream(**words) as stream:
            async for event in stream:
                yield event
            yield await stream.get_final_message()


def played(kind: type[Client], script: str, **changes: Any) -> tuple[Client, Run]:
    """Play the answer `script` (YAML) to one request of a client; `changes` are its attributes.

    Call it within `batch()`.
    """
    made: list[Client] = []
    changed = type(kind.__name__, (kind,), changes)

    def make(world: World) -> Client:
        made.append(changed(world))
        return made[0]

    text = f"scenario: s\nmodel: [{script}]\nrun: [prompt: hi]\nepilogue: false\n"
    (case,) = load_text(text).cases
    done = run(case, make, ScheduleChooser())
    return made[0], done
