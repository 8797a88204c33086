"""Adapter of smolagents: its `ToolCallingAgent`, which blocks its thread, and its `Model` seam.

The framework runs unpatched. Its model asks the world for a stream and reads it to its end, as its
models do unless they stream to a console. The harness consumes `agent.run(..., stream=True)`, which
yields calls, outputs and steps.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import smolagents as sa
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    Model,
    parse_json_if_needed,
    tool_role_conversions,
)
from smolagents.monitoring import LogLevel

from simharness import trace
from simharness.agent import (
    Aborted,
    CallDelta,
    CancelWay,
    Failed,
    Finish,
    ProviderError,
    Request,
    Style,
    TextDelta,
)
from simharness.contract import Contract
from simharness.provider.wire.dialect import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from simharness.agent import ToolSpec, World

__all__ = ["make"]

_CONTRACT = Contract(
    # it yields steps, and what is in them is text; no pairs are promised
    reports=frozenset(),
)

_FINAL = "final_answer"
"""The tool by whose call a model ends a run."""

_Ids = defaultdict[tuple[str, str], deque[str]]
"""Ids of calls that were not made yet, by name and arguments: a tool is not told its id."""


class SmolAgents:
    """One `ToolCallingAgent`."""

    name = "smolagents"
    version = version("smolagents")
    contract = _CONTRACT
    seam = "stream"
    style = Style.SYNC
    # MultiStepAgent.interrupt sets a switch that `_run_stream` looks at in front of each step
    cancel_ways = frozenset({CancelWay.API_AFTER_TURN})

    def __init__(self, world: World) -> None:
        self._world = world
        ids: _Ids = defaultdict(deque)
        self._agent = sa.ToolCallingAgent(
            tools=[_Tool(spec, ids) for spec in world.tools()],
            model=_Model(world, ids),
            verbosity_level=LogLevel.OFF,
        )
        self.configure({})

    def configure(self, settings: Mapping[str, object]) -> set[str]:
        """Set the system prompt and the limit of steps; no more is its own in these words."""
        # in place of its own, which is a long one about how to call tools
        self._agent.prompt_templates["system_prompt"] = str(settings.get("system", "Use tools."))
        limit = settings.get("turn_limit")
        self._agent.max_steps = limit if isinstance(limit, int) else 20
        return set(settings) - {"system", "turn_limit"}

    def prompt(self, text: str) -> _Steps:
        """Give what one run yields."""
        return _Steps(self, self._agent.run(text, stream=True, reset=False))

    def cancel(self, way: CancelWay, reason: str) -> None:  # noqa: ARG002 - it takes no reason
        """Interrupt the run in progress."""
        self._agent.interrupt()

    def history(self) -> list[trace.Message]:
        """The messages that its memory makes, as a model is sent them."""
        return _sent(self._agent.write_memory_to_messages())

    def outcome_of(self, error: BaseException | None) -> trace.Outcome | None:
        """What its exception says, or the last step of its memory, as in a `RunResult`."""
        if error is None:
            last = getattr(self._agent.memory.steps[-1], "error", None)
            limited = isinstance(last, sa.AgentMaxStepsError)
            return trace.Outcome.LIMIT if limited else trace.Outcome.COMPLETED
        interrupted = str(error) == "Agent interrupted."  # it has no class of its own
        stopped = interrupted or isinstance(error, KeyboardInterrupt)
        return trace.Outcome.CANCELLED if stopped else trace.Outcome.FAILED

    def look(self, item: object) -> None:
        """Say what `item` shows: the text of a step when it is over."""
        if isinstance(item, sa.ActionStep) and item.model_output:
            self._world.shown(str(item.model_output))


class _Steps:
    """The items of one run, each looked at on its way out."""

    def __init__(self, agent: SmolAgents, items: Any) -> None:
        self._agent = agent
        self._items = items

    def __iter__(self) -> Iterator[object]:
        return self

    def __next__(self) -> object:
        item: object = next(self._items)
        self._agent.look(item)
        return item

    def close(self) -> None:
        """Close the framework's generator."""
        self._items.close()


def make(world: World) -> SmolAgents:
    """Build a fresh agent for one trial."""
    return SmolAgents(world)


class _Model(Model):  # type: ignore[misc]
    """A model whose answers are the scripts.

    An answer that stops without a call is given as its models have to: by a call of `final_answer`.
    """

    def __init__(self, world: World, ids: _Ids) -> None:
        super().__init__(model_id="scripted")
        self._world = world
        self._ids = ids
        self._answers = 0

    def generate(self, messages: Any, **options: Any) -> ChatMessage:
        """Make one request and read its answer to the end."""
        tools = tuple(tool.name for tool in options.get("tools_to_call_from") or ())
        request = Request(tuple(_sent(messages)), tools, streaming=False)
        stream: Any = self._world.stream(request)
        try:
            text, calls, reason = _read(stream)
        finally:
            stream.close()
        if reason == "stop" and text and not calls and tools:
            self._answers += 1
            answer = json.dumps({"answer": text}, ensure_ascii=False)
            calls = [(f"final-{self._answers}", _FINAL, answer)]
        for key, name, args in calls:
            self._ids[name, _key(parse_json_if_needed(args) or {})].append(key)
        return ChatMessage(MessageRole.ASSISTANT, text, [_call(*one) for one in calls] or None)


def _read(stream: Any) -> tuple[str, list[tuple[str, str, str]], str]:
    """The text, the calls and the finish reason of an answer; raises what the provider reports."""
    text, reason = "", ""
    calls: dict[int, tuple[str, str, str]] = {}
    for chunk in stream:
        match chunk:
            case TextDelta():
                text += chunk.text
            case CallDelta(index=index):
                key, name, args = calls.get(index, ("", "", ""))
                calls[index] = (key or chunk.id, name or chunk.name, args + chunk.args)
            case Finish():
                reason = chunk.reason
                break
            case Failed(error=error):
                raise error
            case Aborted():
                raise ProviderError(f"the provider aborted the stream: {chunk.reason}")
    return text, [calls[index] for index in sorted(calls)], reason


def _call(key: str, name: str, args: str) -> ChatMessageToolCall:
    return ChatMessageToolCall(ChatMessageToolCallFunction(args, name), key, "function")


def _key(args: object) -> str:
    return json.dumps(args, sort_keys=True, ensure_ascii=False, default=str)


class _Inputs(dict[str, Any]):
    """A description of arguments that takes any: what a call passes is the script's business."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> dict[str, object]:
        return {"type": "any", "description": name, "nullable": True}


class _Tool(sa.Tool):  # type: ignore[misc]
    """A tool of the scenario."""

    output_type = "string"
    skip_forward_signature_validation = True
    name = description = "tool"  # its check of classes wants some; each tool has its own
    inputs: Any = _Inputs()

    def __init__(self, spec: ToolSpec, ids: _Ids) -> None:
        self.name = self.description = spec.name
        self._spec = spec
        self._ids = ids
        super().__init__()

    def forward(self, *words: object, **args: object) -> str:
        """Run the body; what it raises the framework tells the model as an error."""
        given: object = words[0] if words else args
        waiting = self._ids[self._spec.name, _key(given)]
        return self._spec.call_sync(given, call_id=waiting.popleft() if waiting else "")


def _sent(messages: Any) -> list[trace.Message]:
    """Messages as a provider is sent them: those of one role in a row are one, calls are text."""
    sent: list[trace.Message] = []
    for one in messages:
        role: Any = str(tool_role_conversions.get(one.role, one.role).value)
        text = text_of(one.content)
        calls = one.role is MessageRole.TOOL_CALL  # opaque, as the model did not say this text
        block = trace.Opaque(text) if calls else trace.Text(text)
        if sent and sent[-1].role == role:
            sent[-1] = trace.Message(role, (*sent[-1].blocks, block))
        else:
            sent.append(trace.Message(role, (block,)))
    return sent
