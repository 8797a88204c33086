"""Writes a captured stream down as a scenario file, and makes sure that it loads.

Answers that a tool call follows belong to one prompt; behind any other answer a new prompt begins.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from simharness.recorded.capture import Stream, Take
from simharness.recorded.capture_readers import READERS, format_of
from simharness.recorded.reading import TraceError, payloads
from simharness.scenario.load import load_text
from simharness.scenario.model import Place
from simharness.scenario.nodes import ListNode, MapNode, Node, ScalarNode
from simharness.scenario.yamltext import write
from simharness.verdict import HarnessError

if TYPE_CHECKING:
    from typing import BinaryIO

__all__ = ["scenario_from", "taken"]

_HERE = Place()


def taken(file: BinaryIO, name: str, format_name: str | None = None) -> Take:
    """Read the capture `file`; without a format it is told by the first event.

    Raises TraceError where it cannot be read, or holds no provider's stream.
    """
    take = Take(name)
    for payload in payloads(file, name):
        take.spot = payload.spot
        if payload.value is None:
            continue
        format_name = format_name or format_of(payload.value, payload.name)
        if format_name not in READERS:
            what = f"this is no stream of a provider ({', '.join(READERS)})"
            raise TraceError(Place(name, *payload.spot), what)
        READERS[format_name](take, payload.value, payload.name)
    take.close()
    if not any(stream.steps for stream in take.streams):
        raise TraceError(Place(name, *take.spot), "nothing of an answer is in this capture")
    return take


def scenario_from(take: Take, name: str) -> str:
    """The text of a scenario called `name` that plays what was captured."""
    prompts = _prompts([stream for stream in take.streams if stream.steps])
    said: dict[str, Any] = {
        "scenario": name,
        "about": "A captured stream, chunk by chunk.",
        "model": [_answer(stream) for stream in prompts[0]],
    }
    tools = sorted(set(chain.from_iterable(s.calls.values() for s in take.streams)))
    if tools:
        said["tools"] = {tool: {"returns": "ok"} for tool in tools}
    said["run"] = [{"prompt": "Go on"}] + [
        {"prompt": "Go on", "model": [_answer(stream) for stream in more]} for more in prompts[1:]
    ]
    head = "# Made from a captured stream. To stop it midway, add an action behind the prompt:\n"
    head += "#   - cancel: {after: chunk 2}\n"
    lost = [f"# Left out: {what} ({count}).\n" for what, count in sorted(take.left_out.items())]
    text = head + "".join(lost) + write(_node(said, block=3))
    try:
        load_text(text, f"{name}.sim.yaml")
    except Exception as error:
        raise HarnessError(f"the scenario of a capture does not load: {error}") from error
    return text


def _prompts(streams: list[Stream]) -> list[list[Stream]]:
    found: list[list[Stream]] = [[]]
    for stream in streams:
        found[-1].append(stream)
        if not stream.calls:
            found.append([])
    return [group for group in found if group]


def _answer(stream: Stream) -> list[Any]:
    numbered = any("args" in step for step in stream.steps)  # pieces of calls that alternate
    return [_step(step, numbered=numbered) for step in stream.steps]


def _step(step: str | dict[str, Any], *, numbered: bool) -> Any:
    if isinstance(step, str):
        return _Word(step)
    if "call" in step and not numbered:
        return {"call": {key: said for key, said in step["call"].items() if key != "index"}}
    if "text" in step:
        return step["text"]
    if "finish" in step:
        return {"finish": _Word(step["finish"])}
    return step


class _Word(str):
    """A reserved word, which stands without quotes; every other text has them."""

    __slots__ = ()


def _node(value: Any, *, block: int) -> Node:
    """A tree of plain data; the outer `block` levels are written over several lines."""
    if isinstance(value, dict):
        pairs = tuple(
            (ScalarNode(_HERE, key), _node(one, block=block - 1)) for key, one in value.items()
        )
        return MapNode(_HERE, pairs, flow=block <= 0)
    if isinstance(value, list):
        items = tuple(_node(one, block=block - 1) for one in value)
        return ListNode(_HERE, items, flow=block <= 0)
    if isinstance(value, str) and not isinstance(value, _Word):
        return ScalarNode(_HERE, value, '"')
    return ScalarNode(_HERE, str(value))
