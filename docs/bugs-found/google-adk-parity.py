"""google-adk: the same answer of Gemini is one thing when it is streamed and another when not.

`BaseLlm.generate_content_async` says that the last response of a stream should be identical to the
response without streaming. Here an answer that was cut by the token limit is an error only when it
is streamed, and an answer without any content is an error only when it is not.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner
from google.genai import types


def answer(text: str, reason: str) -> types.GenerateContentResponse:
    parts = [types.Part(text=text)] if text else []
    content = types.Content(role="model", parts=parts)
    candidate = types.Candidate(content=content, finish_reason=types.FinishReason(reason))
    return types.GenerateContentResponse(candidates=[candidate])


class ScriptedModels:
    """What the Gemini client answers: always the same."""

    def __init__(self, response: types.GenerateContentResponse) -> None:
        self._response = response

    async def generate_content(self, **_: Any) -> types.GenerateContentResponse:
        return self._response.model_copy(deep=True)

    async def generate_content_stream(
        self, **_: Any
    ) -> AsyncIterator[types.GenerateContentResponse]:
        async def stream() -> AsyncIterator[types.GenerateContentResponse]:
            yield self._response.model_copy(deep=True)

        return stream()


class ScriptedGemini(Gemini):
    """Gemini as it is, on a client that we give it."""

    client: Any

    @property
    def api_client(self) -> Any:
        """Its documented way to pin a client."""
        return self.client


async def error_codes(response: types.GenerateContentResponse, mode: StreamingMode) -> list[Any]:
    """The error codes of all whole events of one run."""
    client = SimpleNamespace(aio=SimpleNamespace(models=ScriptedModels(response)), vertexai=False)
    model = ScriptedGemini(model="gemini-2.5-flash", client=client)
    runner = InMemoryRunner(LlmAgent(name="agent", model=model))
    runner.auto_create_session = True
    events = runner.run_async(
        user_id="u",
        session_id="1",
        new_message=types.UserContent("hi"),
        run_config=RunConfig(streaming_mode=mode),
    )
    return [event.error_code async for event in events if not event.partial]


async def main() -> None:
    cut = answer("First point. ", "MAX_TOKENS")
    assert ["MAX_TOKENS"] == await error_codes(cut, StreamingMode.SSE)
    assert [None] == await error_codes(cut, StreamingMode.NONE)
    print("cut by the token limit: an error only when it is streamed")
    empty = answer("", "STOP")
    assert [] == await error_codes(empty, StreamingMode.SSE)
    assert [None] != await error_codes(empty, StreamingMode.NONE)
    print("no content at all: an error only when it is not streamed; the stream has no event")


asyncio.run(main())
