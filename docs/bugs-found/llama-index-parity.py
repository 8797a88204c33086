"""llama-index: a memory keeps the reasoning of a plain answer, and loses that of a streamed one.

Both answers say the reasoning and then the text. The memory of the plain run has a ThinkingBlock,
that of the streamed run has none.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.llms.openai_like import OpenAILike

HEAD = {"id": "1", "created": 0, "model": "m"}


def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return (
        f"data: {json.dumps({**HEAD, 'object': 'chat.completion.chunk', 'choices': [choice]})}\n\n"
    )


STREAM = "".join(
    [
        chunk({"reasoning_content": "Hm."}),
        chunk({"content": "ok"}),
        chunk({}, "stop"),
        "data: [DONE]\n\n",
    ]
)
SAID = {"role": "assistant", "content": "ok", "reasoning_content": "Hm."}
WHOLE = {
    "object": "chat.completion",
    "choices": [{"index": 0, "message": SAID, "finish_reason": "stop"}],
}


async def blocks(*, stream: bool) -> list[str]:
    """The kinds of blocks that the memory has of the answer."""

    def answer(request: httpx.Request) -> httpx.Response:
        if not stream:
            return httpx.Response(200, json={**HEAD, **WHOLE})
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, text=STREAM)

    llm = OpenAILike(
        model="m",
        api_base="http://scripted.invalid/v1",
        api_key="k",
        is_chat_model=True,
        is_function_calling_model=True,
        max_retries=0,
        async_http_client=httpx.AsyncClient(transport=httpx.MockTransport(answer)),
    )
    memory = ChatMemoryBuffer.from_defaults(llm=llm)
    await FunctionAgent(llm=llm, streaming=stream).run(user_msg="hi", memory=memory)
    return [block.block_type for block in memory.get_all()[-1].blocks]


async def main() -> None:
    streamed, plain = await blocks(stream=True), await blocks(stream=False)
    print("streamed:", streamed, "plain:", plain)
    assert streamed != plain


asyncio.run(main())
