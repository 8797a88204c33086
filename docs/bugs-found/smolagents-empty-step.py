"""smolagents: an answer without text becomes an empty assistant message of the next request.

The model gives neither text nor a call. The step fails, as it should, and the memory makes an
assistant message of its empty output, in front of the error.
"""

from __future__ import annotations

from typing import Any

from smolagents import ToolCallingAgent
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    Model,
)
from smolagents.monitoring import LogLevel


class Scripted(Model):
    def __init__(self) -> None:
        super().__init__(model_id="m")
        self.sent: list[Any] = []

    def generate(self, messages: Any, **options: Any) -> ChatMessage:
        self.sent.append(self._prepare_completion_kwargs(messages=messages, **options)["messages"])
        if 1 == len(self.sent):
            return ChatMessage(MessageRole.ASSISTANT, "")
        function = ChatMessageToolCallFunction({"answer": "ok"}, "final_answer")
        return ChatMessage(
            MessageRole.ASSISTANT, "", [ChatMessageToolCall(function, "c1", "function")]
        )


model = Scripted()
ToolCallingAgent(tools=[], model=model, verbosity_level=LogLevel.OFF).run("hi")
_, user, empty, error = model.sent[1]
assert "user" == user["role"].value
assert ("assistant", [{"type": "text", "text": ""}]) == (empty["role"].value, empty["content"])
assert "user" == error["role"].value
print("the second request holds an empty assistant message")
