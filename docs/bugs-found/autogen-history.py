"""autogen: what came of a broken answer is sent to the model again as it is.

An answer without any content becomes an assistant message with empty content, and a call whose
arguments broke off keeps them; both are in every later request, which providers refuse.
"""

from __future__ import annotations

import asyncio
import json
import warnings
from typing import Any

import httpx2
from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import ModelFamily, ModelInfo
from autogen_ext.models.openai import OpenAIChatCompletionClient

warnings.simplefilter("ignore")  # it warns of the empty answer, and keeps it
INFO = ModelInfo(
    vision=False,
    function_calling=True,
    json_output=False,
    family=ModelFamily.UNKNOWN,
    structured_output=False,
)


def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    return f"data: {json.dumps({**head, 'choices': [choice]})}\n\n"


CUT = {"name": "search", "arguments": '{"q"'}
CALLED = chunk({"tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": CUT}]})
EMPTY = chunk({"role": "assistant", "content": ""})
ANSWER = chunk({"content": "ok"}) + chunk({}, "stop") + "data: [DONE]\n\n"


async def search(q: str = "") -> str:
    """Search."""
    return "3 hits"


async def second_request(first: str, prompts: int) -> list[dict[str, Any]]:
    """The messages of the request behind a first answer that breaks off."""
    answers, posted = [first, ANSWER], []

    def answer(request: httpx2.Request) -> httpx2.Response:
        posted.append(json.loads(request.content)["messages"])
        return httpx2.Response(
            200, headers={"content-type": "text/event-stream"}, text=answers.pop(0)
        )

    http = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    client = OpenAIChatCompletionClient(model="m", model_info=INFO, api_key="k", http_client=http)
    agent = AssistantAgent(
        "a",
        client,
        tools=[search],
        model_client_stream=True,
        max_tool_iterations=5,
        system_message=None,
    )
    for _ in range(prompts):
        await agent.run(task="hi")
    messages: list[dict[str, Any]] = posted[1]
    return messages


async def main() -> None:
    kept = (await second_request(EMPTY, prompts=2))[1]
    assert "assistant" == kept["role"]
    assert not kept["content"]
    assert not kept.get("tool_calls")
    print("an empty answer is sent again as an empty assistant message")
    kept = (await second_request(CALLED, prompts=1))[1]
    assert '{"q"' == kept["tool_calls"][0]["function"]["arguments"]
    print("arguments that broke off are sent again as they came")


asyncio.run(main())
