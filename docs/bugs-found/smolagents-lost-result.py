"""smolagents: a tool that fails takes the results of its siblings with it.

Of two calls of one step one tool returns and the other raises. The step ends with the error of the
one; what the other has done and said is in no later request, and the model will ask for it again.
"""

from __future__ import annotations

from typing import Any

from smolagents import ToolCallingAgent, tool
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    Model,
)
from smolagents.monitoring import LogLevel

done: list[str] = []


@tool
def pay() -> str:
    """Pay."""
    done.append("paid")
    return "receipt 4711"


@tool
def mail() -> str:
    """Mail."""
    raise OSError("no network")


def call(name: str, key: str, **args: Any) -> ChatMessageToolCall:
    return ChatMessageToolCall(ChatMessageToolCallFunction(args, name), key, "function")


class Scripted(Model):
    def __init__(self) -> None:
        super().__init__(model_id="m")
        self.sent: list[str] = []

    def generate(self, messages: Any, **options: Any) -> ChatMessage:
        self.sent.append(str(self._prepare_completion_kwargs(messages=messages, **options)))
        calls = [call("pay", "c1"), call("mail", "c2")]
        last = [call("final_answer", "c3", answer="ok")]
        return ChatMessage(MessageRole.ASSISTANT, "", calls if 1 == len(self.sent) else last)


model = Scripted()
ToolCallingAgent(tools=[pay, mail], model=model, verbosity_level=LogLevel.OFF).run("hi")
assert ["paid"] == done
assert "no network" in model.sent[1]
assert "receipt 4711" not in model.sent[1]
print("the tool that returned is not in the next request")
