"""Hostile input: whatever the text, nothing but a ScenarioError comes out of the loader."""

from __future__ import annotations

import random
import string
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import example, given, settings, strategies as st

from simharness.scenario import yamltext
from simharness.scenario.cases import FILE_KEYS
from simharness.scenario.load import ScenarioError, load_file, load_text
from simharness.scenario.model import Place
from simharness.scenario.nodes import ScalarNode, same
from simharness.scenario.problems import Problems, closest
from simharness.scenario.words import words_of
from tests.unit.scenario.sheets import problems_of, sheet
from tests.unit.scenario.test_matrix import FLAGSHIP, RICH

if TYPE_CHECKING:
    from pathlib import Path

LOADERS = [yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)]


def outcome(text: str) -> str:
    """How loading ends: fine or refused. Everything else is an error of the test."""
    try:
        load_text(text)
    except ScenarioError as exc:
        return "refused" if str(exc) else "refused without a word"
    return "fine"


def test_aliases_that_multiply_are_bounded() -> None:
    """Nine levels of nine aliases stop at the bound, not at the memory."""
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    (problem,) = problems_of("\n".join(levels))
    assert "more than 50000 values" in problem


def test_an_alias_of_itself_is_refused() -> None:
    """A cycle is an alias without an anchor before it."""
    assert "has no anchor" in problems_of("scenario: &a [*a]\n")[0]


@pytest.mark.parametrize(
    "model",
    [
        f"[[{{each: [{', '.join(f'v{n}' for n in range(1000))}]}}, {', '.join(['a'] * 1000)}]]",
        f"[[{{each: [{', '.join(f'v{n}' for n in range(1000))}]}}, {'x' * 40_000}]]",
        "[[$n29]]\nfor_each:\n  n0: [a]\n"
        + "".join(f"  n{n}: [[$n{n - 1}, $n{n - 1}]]\n" for n in range(1, 30)),
    ],
    ids=["many", "long", "names-of-names"],
)
def test_cases_that_multiply_the_file_are_bounded(model: str) -> None:
    """Each case is a copy of the file: many cases of a long file would fill the memory."""
    problem, *_ = problems_of(f"scenario: big\nmodel: {model}\nrun: [prompt: hi]")
    assert "the cases hold more than 500000 values together" in problem


def test_values_that_are_all_the_same_are_numbered_at_once() -> None:
    """The word of each is one more, and is not looked for from the beginning."""
    words = words_of([ScalarNode(Place("x"), "a")] * 2000)
    assert ("a", "a~2", "a~2000") == (*words[:2], words[-1])


def test_nobody_looks_for_a_word_that_a_long_text_is_like() -> None:
    """Comparing it with each known word takes long, and no slip is that long."""
    assert "error" == closest("erorr", ["error"])
    assert closest("erorr" * 13, ["error" * 13]) is None


@pytest.mark.parametrize("text", ["[" * 5000, "{a: " * 5000, "- " * 5000, "? " * 3000])
@pytest.mark.parametrize("loader", LOADERS)
def test_deep_nesting_is_refused(
    text: str, loader: type[yaml.SafeLoader], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither parser overflows a stack."""
    monkeypatch.setattr(yamltext, "_LOADER", loader)
    assert 1 == len(problems_of(text))


def test_aliases_cannot_nest_deeper_either() -> None:
    """The depth of an alias counts where it is used."""
    levels = ["a0: &a0 [x]"]
    levels += [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 80)]
    assert "nested deeper than 50 levels" in problems_of("\n".join(levels))[-1]


VALUES = [
    "",
    "null",
    "true",
    "-1",
    "1e999",
    "0x",
    "9" * 5000,
    "''",
    "text",
    "[]",
    "{}",
    "[[[]]]",
    "[{}]",
    "[{each: []}]",
    "{each: }",
    "{each: {}}",
    "{each: {a: }}",
    "{each: {each: [a, b]}}",
    "{a: {b: {c: [d]}}}",
    "{? [a] : b}",
    "$x",
    "*x",
    "!!int x",
    "{prompt: }",
    "[prompt: , cancel: {}]",
    "[cancel: {after: chunk 99999999999}]",
    "[{stream: {each: [[], {}]}}]",
    "[{attempts: {a: b}}]",
    "[{call: {args: [a], cut: {}, pieces: -1}}]",
    "[{when: {a: {}}}, {when: }]",
    "{history: {}, timeline: {}, one_of: {}, bodies: [], usage: {}, outcome: {}}",
    "{history: [[], {}, {a: b}, null], timeline: [[], {}, {AgentEnd: 3}, null], one_of: [[], 1]}",
]


@pytest.mark.parametrize("key", FILE_KEYS)
def test_any_value_under_any_key_is_fine_or_refused(key: str) -> None:
    """A wrong type under a known key is a located problem."""
    for value in VALUES:
        assert outcome(sheet(**{key: value})) in {"fine", "refused"}, value


def test_any_key_of_a_rich_file_may_hold_anything() -> None:
    """Each line of two real files gets hostile values, all of them over the file."""
    tried = refused = 0
    for source in (FLAGSHIP.read_text("utf-8"), RICH):
        lines = source.splitlines()
        for number, line in enumerate(lines):
            head, colon, _ = line.partition(": ")
            for value in VALUES[number % 4 :: 4] if colon else []:
                changed = [*lines[:number], f"{head}: {value}", *lines[number + 1 :]]
                refused += outcome("\n".join(changed)) == "refused"
                tried += 1
    assert tried > 150
    assert tried // 2 < refused < tried


def test_damaged_files_are_fine_or_refused(tmp_path: Path) -> None:
    """Bytes lost, doubled and changed anywhere in a file never surprise the loader."""
    rng = random.Random(7)
    data = FLAGSHIP.read_bytes()
    path = tmp_path / "damaged.sim.yaml"
    results = set()
    for _ in range(300):
        damaged = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(damaged))
            kind = rng.randrange(3)
            if kind == 0:
                del damaged[place : place + rng.randint(1, 9)]
            elif kind == 1:
                damaged[place:place] = damaged[place : place + rng.randint(1, 40)]
            else:
                damaged[place] = rng.randrange(256)
        path.write_bytes(bytes(damaged))
        try:
            load_file(path)
            results.add("fine")
        except ScenarioError as exc:
            results.add("refused" if exc.problems else "refused without a problem")
    assert {"fine", "refused"} == results


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=200))
@example("\ufeffscenario: a")
@example("a: \x85b\u2028c")
@example("%YAML 9.9\n---\n")
@example("\ud800")
def test_any_text_is_fine_or_refused(text: str) -> None:
    """Random text, valid YAML or not."""
    assert outcome(text) in {"fine", "refused"}


PUNCTUATED = st.text(string.ascii_letters + string.digits + " :#'\"[]{},&*!|>%@`-?~.\\\n\té")
TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | PUNCTUATED,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(PUNCTUATED, inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(TREES, st.sampled_from(LOADERS), st.booleans(), st.booleans())
def test_a_tree_survives_being_written(
    value: object, loader: type[yaml.SafeLoader], flow: bool, wide: bool
) -> None:
    """What is parsed and written parses to the same again, whatever it holds, however styled."""
    text = yaml.safe_dump(
        value, default_flow_style=flow, allow_unicode=True, width=1000 if wide else 20
    )
    problems = Problems("a", text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yamltext, "_LOADER", loader)
        tree = yamltext.parse(text, problems)
        if tree is None or len(problems):  # dumped with a tag of YAML 1.1, or no document
            return
        written = yamltext.write(tree)
        twice = yamltext.parse(written, Problems("b", written))
    assert twice is not None
    assert same(tree, twice)
