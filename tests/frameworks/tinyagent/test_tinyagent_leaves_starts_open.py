"""tiny-agent-os 1.2.29: a provider that raises leaves turn_start and message_start open.

The stream raises after its first delta. The consumer gets agent_end at once: no message_end for
the message it has seen the start of, no turn_end. Run this file to see the events.
"""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("tinyagent")

from tests.frameworks.tinyagent.tinyagent_provider import Provider, agent_of, event, text

pytestmark = pytest.mark.framework


async def events_of_a_raising_stream() -> list[str]:
    """The types of all events of a run whose stream raises in the middle."""
    shown = text("Let me")
    broken = RuntimeError("connection lost")
    provider = Provider([event("start", text("")), event("text_delta", shown), broken])
    return [item.type async for item in agent_of(provider).stream("hi")]


async def events_of_an_abort_at_the_end() -> list[str]:
    """The types of all events of a run whose stream just ends, aborted when its end is reported."""
    provider = Provider([event("start", text(""))])
    agent = agent_of(provider)
    seen: list[str] = []
    async for item in agent.stream("hi"):
        seen.append(item.type)
        if item.type == "agent_end":
            agent.abort()
    return seen


def test_an_abort_at_the_end_of_a_run_ends_it_once_more() -> None:
    """What was left of the message is looked at behind agent_end, and there the abort raises."""
    events = asyncio.run(events_of_an_abort_at_the_end())
    assert (1, 2) == (events.count("agent_start"), events.count("agent_end"))
    assert ["agent_end", "agent_end"] == events[-2:]


def test_a_raising_stream_leaves_its_turn_and_message_open() -> None:
    """Two messages start and one ends; a turn starts and none ends; the agent ends."""
    events = asyncio.run(events_of_a_raising_stream())
    assert (2, 1) == (events.count("message_start"), events.count("message_end"))
    assert (1, 0) == (events.count("turn_start"), events.count("turn_end"))
    assert "agent_end" == events[-1]


if __name__ == "__main__":
    print(*asyncio.run(events_of_a_raising_stream()), sep="\n")
    print("aborted at its end:", *asyncio.run(events_of_an_abort_at_the_end()))
