"""The schema of scenario files: valid, in step with the loader, and as strict as it can be."""

from __future__ import annotations

import json
import random
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from simharness.scenario.find import find_files
from simharness.scenario.load import ScenarioError, load_text
from simharness.scenario.problems import Problem
from simharness.scenario.schema import as_text, schema
from simharness.scenario.steps import STEP_NAMES
from simharness.scenario.vocabulary import VERBS

SCENARIOS = Path(__file__).parents[3] / "scenarios"
FILES = find_files([SCENARIOS])
VALIDATOR = Draft7Validator(schema())
MUTATIONS = 200


class _Yaml(yaml.CSafeLoader):
    """YAML as the language reads it: only true and false are flags, and there are no dates."""


_Yaml.yaml_implicit_resolvers = {
    letter: [(tag, form) for tag, form in found if not tag.endswith((":bool", ":timestamp"))]
    for letter, found in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
_Yaml.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))


def read(text: str) -> Any:
    """The data of a scenario."""
    return yaml.load(text, _Yaml)


def accepts(data: Any) -> bool:
    """Whether the schema accepts the data."""
    return bool(VALIDATOR.is_valid(data))


def test_it_is_a_schema_of_draft_07() -> None:
    """Editors take no other by default."""
    Draft7Validator.check_schema(schema())
    assert schema()["$schema"].startswith("http://json-schema.org/draft-07/")


def test_the_file_beside_the_scenarios_is_the_generated_one() -> None:
    """`simharness schema -o scenarios/scenario.schema.json` writes it anew."""
    assert as_text() == (SCENARIOS / "scenario.schema.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.removesuffix(".sim.yaml"))
def test_every_shipped_scenario_validates(file: Path) -> None:
    """And its first line names the schema by the path that leads there."""
    text = file.read_text(encoding="utf-8")
    assert accepts(read(text)), [e.message[:300] for e in VALIDATOR.iter_errors(read(text))]
    named = re.match(r"# yaml-language-server: \$schema=(\S+)\n", text)
    assert named is not None
    assert (SCENARIOS / "scenario.schema.json") == (file.parent / named[1]).resolve()


def test_every_step_and_verb_is_in_it() -> None:
    """What the loader reads an editor can complete."""
    text = json.dumps(schema())
    assert [] == [word for word in (*STEP_NAMES, *VERBS) if f'"{word}"' not in text]


def mutated(data: Any, chance: random.Random) -> Any:
    """The data with one thing in it made wrong."""
    data = deepcopy(data)
    places = [(holder, key) for holder, key in _places(data) if key not in {"scenario", "about"}]
    holder, key = chance.choice(places)
    how = chance.choice(["rename", "nest", "unknown", "empty"])
    if how == "rename" and isinstance(holder, dict):
        holder[f"{key}x"] = holder.pop(key)
    elif how == "nest":
        holder[key] = {"nonsense": [holder[key]]}
    elif how == "empty":
        holder[key] = []
    else:
        holder[key] = {"unknown-word": 1}
    return data


def _places(data: Any) -> list[tuple[Any, Any]]:
    """Every mapping or list in the data with each of its keys."""
    if isinstance(data, dict):
        inner = [place for value in data.values() for place in _places(value)]
        return [(data, key) for key in data] + inner
    if isinstance(data, list):
        inner = [place for value in data for place in _places(value)]
        return [(data, number) for number in range(len(data))] + inner
    return []


def loads(data: Any) -> bool:
    """Whether the loader takes the data; what it refuses it has a place for."""
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True)
    problems: tuple[Problem, ...] = ()
    try:
        load_text(text)
    except ScenarioError as error:
        problems = tuple(error.problems)
    lines = range(1, len(text.splitlines()) + 1)
    assert all(problem.line in lines and problem.column > 0 for problem in problems)
    return not problems


def test_what_is_made_wrong_is_refused() -> None:
    """By the loader, with a place. What it takes is still a scenario, also to the schema."""
    chance = random.Random(7)
    refused = drawn = 0
    while refused < MUTATIONS:
        drawn += 1
        text = chance.choice(FILES).read_text(encoding="utf-8")
        wrong = mutated(read(text), chance)
        if loads(wrong):
            assert accepts(wrong), f"the loader takes what the schema refuses: {wrong}"
        else:
            refused += 1
    assert drawn < 2 * MUTATIONS


def test_a_choice_is_named_by_its_value_as_well_as_by_its_word() -> None:
    """Both take either, alone or in a list."""
    text = "scenario: s\nmodel: [{stream: [{each: [{finish: length}, hang]}]}]\nrun: [prompt: hi]\n"
    for when in ("length", "{finish: length}", "[hang, {finish: length}]"):
        conditional = f"{text}expect_if: [{{when: {{stream: {when}}}, requests: 1}}]\n"
        assert accepts(read(conditional))
        load_text(conditional)


def test_a_misspelt_key_is_refused_by_both() -> None:
    """The schema is as strict about keys as the loader."""
    wrong = "scenario: s\nmodel: [hi]\nrun: [{prompt: hi, meanwile: true}]\n"
    assert not accepts(read(wrong))
    with pytest.raises(ScenarioError, match="meanwhile"):
        load_text(wrong)
