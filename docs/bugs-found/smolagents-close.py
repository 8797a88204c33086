"""smolagents: closing a streamed run raises "generator ignored GeneratorExit".

`_run_stream` yields the step in a `finally`, so it yields again when it is closed. Whoever leaves a
run by `close()`, or by `contextlib.closing`, gets a RuntimeError.
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


class Scripted(Model):
    def generate(self, messages: Any, **options: Any) -> ChatMessage:
        function = ChatMessageToolCallFunction({}, "search")
        return ChatMessage(
            MessageRole.ASSISTANT, "Let me look.", [ChatMessageToolCall(function, "c1", "function")]
        )


@tool
def search() -> str:
    """Search."""
    return "3 hits"


agent = ToolCallingAgent(tools=[search], model=Scripted(), verbosity_level=LogLevel.OFF)
run = agent.run("hi", stream=True)
print("left at", type(next(run)).__name__)
raised = ""
try:
    run.close()
except RuntimeError as error:
    raised = str(error)
assert "generator ignored GeneratorExit" == raised, raised or "close() is clean"
print("close() raised:", raised)
