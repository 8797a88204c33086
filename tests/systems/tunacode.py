"""TunaCode, driven by its own `process_request` as its UI drives it. Runs in TunaCode's own venv.

Up to 0.1.61 it stands on pydantic-ai, later on tinyagent: the adapters of those two play the model,
TunaCode is put in front of them. Only the factory of its inner agent is replaced; what it shows,
keeps and cleans up is its own doing. A cancel is that of the task, as its UI does it.
"""

from __future__ import annotations

import importlib
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from simharness.agent import CancelWay, Style
from simharness.contract import Contract

if TYPE_CHECKING:
    from simharness.agent import World
    from simharness.trace import Message

__all__ = ["new", "old"]

# What the fix of its interrupted streams is for (0.1.49), and the clean-up beside it:
_CONTRACT = Contract(
    cut_message="text-only",
    cut_mark="text([INTERRUPTED]\n\n)",
    unstarted_call="dropped",
    error_content="dropped",
    streaming="streaming-only",
)


class TunaCode:
    """One session of TunaCode; `inner` is the adapter that plays its model."""

    name = "tunacode"
    version = version("tunacode-cli")
    contract = _CONTRACT
    seam = "stream"
    style = Style.ASYNC
    cancel_ways = frozenset({CancelWay.TASK})

    def __init__(self, world: World, inner: Any, messages: Any, model: str, states: str) -> None:
        self._world = world
        self._messages = messages
        self._model = model
        self._main: Any = importlib.import_module("tunacode.core.agents.main")
        self._state = importlib.import_module(states).StateManager()
        self._state.session.conversation.max_tokens = 100_000
        self._main.ac.get_or_create_agent = lambda *_: inner._agent

    async def prompt(self, text: str) -> None:
        """Process one request, as the UI does."""
        await self._main.process_request(
            message=text,
            model=self._model,
            state_manager=self._state,
            streaming_callback=self._see,
        )

    async def _see(self, chunk: str) -> None:
        self._world.shown(chunk)

    def history(self) -> list[Message]:
        """The messages of the session."""
        kept: list[Message] = self._messages(self._state.session.conversation.messages)
        return kept


def old(world: World) -> TunaCode:
    """0.1.48 to 0.1.61, on pydantic-ai."""
    base: Any = importlib.import_module("simharness.agents.pydantic_ai")
    states = "tunacode.core.state"
    return TunaCode(world, base.PydanticAI(world), base._messages, "function:x", states)


def new(world: World) -> TunaCode:
    """0.2.3, on tinyagent."""
    base: Any = importlib.import_module("simharness.agents.tinyagent")

    def messages(kept: Any) -> list[Message]:
        return [base._message(one) for one in kept]

    return TunaCode(world, base.TinyAgent(world), messages, "x:y", "tunacode.core.session")
