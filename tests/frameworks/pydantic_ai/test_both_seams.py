"""The same scripts in process and over the wire: pydantic-ai is judged alike at both of its seams.

In process the scripts are played by its `FunctionModel`, over the wire by its own OpenAI model on a
client whose answers are the bytes of chat completions.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pydantic_ai")
pytest.importorskip("openai")

from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai import OpenAIProvider

from simharness.agent import AgentFactory, NotApplicable, World
from simharness.agents.pydantic_ai import PydanticAI, make
from simharness.agents.wired import openai_client
from simharness.choices import ScheduleChooser
from simharness.rules import judge
from simharness.scenario.load import load_file
from simharness.scenario.model import Case
from simharness.trace import RequestMade, RunSettled, Trace
from simharness.world.run import batch, run

pytestmark = pytest.mark.framework

DIFFERENT = {
    "cancel-mid-reasoning": "its OpenAI model sends no message that has reasoning only; a chat "
    "request has no place of its own for it",
}
"""Scenarios that do not mean the same at both seams, and why."""

SUITE = Path(__file__).parents[3] / "scenarios"
PARTS = ("cancel", "failure", "history", "stream", "tools", "turns")


STRICT = OpenAIModelProfile(supports_inline_system_prompts=False)
"""A server that takes system messages in front only, as those with a chat template of Qwen do.

OpenAI itself takes them anywhere, and there the framework tells a model to try again by one. For
other servers it does so in the name of the user: what a server takes, its profile says.
"""


class Wired(PydanticAI):
    """The same adapter with the framework's own OpenAI model of a strict server."""

    seam = "wire:openai-chat"

    def __init__(self, world: World) -> None:
        super().__init__(world)
        provider = OpenAIProvider(openai_client=openai_client(world))
        self._model = OpenAIChatModel("scripted", provider=provider, profile=STRICT)  # type: ignore[assignment]
        self._agent = self._build()


def cases() -> list[Case]:
    """The first case of each scenario of those parts of the suite that is for any agent."""
    files = sorted(path for part in PARTS for path in (SUITE / part).glob("*.sim.yaml"))
    return [case for path in files for case in load_file(path).cases[:1]]


def played(case: Case, factory: AgentFactory) -> Trace | None:
    """The default schedule of a case; None if the agent cannot do what it asks."""
    try:
        return run(case, factory, ScheduleChooser()).trace
    except NotApplicable:
        return None


def verdict(trace: Trace) -> dict[str, object]:
    """What became of each rule, how each run ended, and how many requests were made."""
    judged = judge(trace, PydanticAI.contract)
    return {
        "violated": sorted(rule for rule, found in judged.items() if found.violations),
        "ends": [(end.how, end.outcome) for end in trace.of(RunSettled)],
        "requests": len(trace.of(RequestMade)),
    }


def test_cases_are_judged_alike_in_process_and_over_the_wire() -> None:
    """What means the same at both seams has the same verdicts, ends and numbers of requests."""
    compared = 0
    different = {}
    with batch():
        for case in cases():
            inside, outside = played(case, make), played(case, Wired)
            if inside is None or outside is None:
                continue
            compared += 1
            here, there = verdict(inside), verdict(outside)
            if here != there:
                different[case.scenario] = (here, there)
    new = {name: found for name, found in different.items() if name not in DIFFERENT}
    assert {} == new
    assert DIFFERENT.keys() == different.keys(), "alike now"
    assert compared > 50
