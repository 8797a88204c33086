"""The language reference: every example loads, and every word of the language is in it."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import pytest

from simharness.agent import CancelWay
from simharness.scenario.cases import FILE_KEYS
from simharness.scenario.load import load_text
from simharness.scenario.model import Expect, Report, Tool, ToolReaction
from simharness.scenario.steps import FINISH_REASONS, STEP_NAMES
from simharness.scenario.vocabulary import HOOKS, VERBS, WAITS

DOCS = (Path(__file__).parents[3] / "docs" / "scenarios.md").read_text("utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```", DOCS, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_loads(example: str) -> None:
    """Each block is a scenario, or becomes one with a name and a prompt."""
    for key, line in (("scenario", "scenario: example\n"), ("run", "run: [prompt: hi]\n")):
        if not re.search(rf"^{key}:", example, re.MULTILINE):
            example = line + example
    assert load_text(example).cases


def test_there_are_examples() -> None:
    """The pattern that finds them has not gone stale."""
    assert len(EXAMPLES) >= 8


WORDS = [
    *FILE_KEYS,
    *STEP_NAMES,
    *FINISH_REASONS,
    *VERBS,
    *HOOKS,
    *WAITS,
    *Report,
    *ToolReaction,
    *CancelWay,
    *(field.name.removesuffix("_s") for field in attrs.fields(Tool)),
    *(field.name for field in attrs.fields(Expect)),
]
NOT_WRITTEN = {"any_agent", "places", "key", "place"}  # of the model, not of the language


def test_every_word_of_the_language_is_documented() -> None:
    """Keys, steps, verbs, hooks, waits and reactions: nothing works that is not written down."""
    missing = [w for w in WORDS if w not in NOT_WRITTEN and not re.search(rf"\b{w}\b", DOCS)]
    assert [] == missing
