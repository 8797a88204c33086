"""The matrix: which cases a file makes, what they are called, and that their text is enough."""

from __future__ import annotations

from pathlib import Path

import pytest

from simharness.scenario.load import load_file, load_text
from simharness.scenario.model import Case, Scenario
from tests.unit.scenario.sheets import problems_of, sheet

SUITE = Path(__file__).parents[3] / "scenarios"
FLAGSHIP = SUITE / "cancel" / "cancel-mid-text-keeps-prefix.sim.yaml"


def ids(text: str) -> list[str]:
    """The ids of a file's cases without the name."""
    return [case.id.removeprefix(case.scenario) for case in load_text(text).cases]


def test_the_flagship_scenario_makes_four_cases() -> None:
    """The example that the documentation opens with."""
    assert [
        "cancel-mid-text-keeps-prefix[on_cancel=aborted]",
        "cancel-mid-text-keeps-prefix[on_cancel=error]",
        "cancel-mid-text-keeps-prefix[on_cancel=close]",
        "cancel-mid-text-keeps-prefix[on_cancel=aborted+50ms]",
    ] == [case.id for case in load_file(FLAGSHIP).cases]


def test_a_file_without_choices_is_one_case_of_its_name() -> None:
    """No brackets where nothing was chosen."""
    assert [""] == ids(sheet())


def test_several_choices_multiply() -> None:
    """The last choice of the file varies fastest."""
    text = sheet(about="{each: [a, b]}", mode="{each: [strict, relaxed]}")
    assert [
        "[about=a,mode=strict]",
        "[about=a,mode=relaxed]",
        "[about=b,mode=strict]",
        "[about=b,mode=relaxed]",
    ] == ids(text)


def test_a_choice_is_named_after_the_nearest_key() -> None:
    """A step of a list is a choice of the list; a second of the same name gets a number."""
    text = sheet(model="[[a, {each: [close, hang]}], {stream: {each: [x, y]}}]")
    assert "[model=close,stream=x]" == ids(text)[0]
    text = sheet(model="[{stream: [{each: [a, b]}]}, {stream: [{each: [c, d]}]}]")
    assert "[stream=b,stream2=c]" == ids(text)[2]


def test_structured_values_have_compact_words() -> None:
    """Values of a mapping are joined, true flags are their keys, lists are joined."""
    values = (
        "{each: [close, {report: error, latency: 50ms}, {close: {raises: true}},"
        " {report: close, late: [x, y]}]}"
    )
    assert [
        "[on_cancel=close]",
        "[on_cancel=error+50ms]",
        "[on_cancel=raises]",
        "[on_cancel=close+x+y]",
    ] == ids(sheet(model=f"[{{stream: a, on_cancel: {values}}}]"))


def test_values_that_look_alike_are_told_apart() -> None:
    """Keys are added where the values alone are equal, numbers where that is not enough."""
    values = "{each: [{latency: 1s}, {ends_after: 1s}]}"
    assert ["[on_cancel=latency:1s]", "[on_cancel=ends_after:1s]"] == ids(
        sheet(model=f"[{{stream: a, on_cancel: {values}}}]")
    )
    assert ["[about=a_b]", "[about=a_b~2]"] == ids(sheet(about="{each: [a b, 'a,b']}"))


def test_values_can_be_named() -> None:
    """A mapping under `each` names its values."""
    text = sheet(model="{each: {short: [[a]], long: [[a, b, c]]}}")
    assert ["[model=short]", "[model=long]"] == ids(text)


def test_choices_can_be_nested() -> None:
    """A choice inside a value exists only where that value was chosen."""
    text = sheet(model="[{stream: a, on_cancel: {each: [close, {report: {each: [error, hang]}}]}}]")
    found = ids(text)
    assert 3 == len(found)
    assert "[on_cancel=close]" == found[0]
    assert found[1].endswith(",report=error]")


def test_a_shared_value_is_the_same_everywhere() -> None:
    """`for_each` names a value once and `$name` uses it in several places."""
    text = sheet(
        for_each="{shape: {one: a, two: b}}", model="[[$shape], [$shape, '$shape']]", about="$shape"
    )
    cases = load_text(text).cases
    assert ["plain[shape=one]", "plain[shape=two]"] == [case.id for case in cases]
    texts = [[getattr(s, "text", "") for s in m.steps][:-1] for m in cases[1].prompts[0].model]
    assert [["b"], ["b", "$shape"]] == texts
    assert "b" == cases[1].about


def test_a_shared_value_can_use_those_before_it() -> None:
    """And none that come later, which would have to be known first."""
    text = sheet(for_each="{end: [error, close], said: [[a, $end]]}", model="[$said]")
    ends = [case.prompts[0].model[0].steps[-1] for case in load_text(text).cases]
    assert ["error", "close"] == [getattr(end, "kind", "") for end in ends]
    text = sheet(for_each="{said: [[a, $end]], end: [error, close]}", model="[$said]")
    assert any('unknown variable "$end"' in problem for problem in problems_of(text))


def test_too_many_cases_are_a_mistake() -> None:
    """The number of cases is bounded, also where the product would be astronomic."""
    many = "{each: [" + ", ".join(f"v{number}" for number in range(20)) + "]}"
    text = sheet(tags=f"[{many}, {many}, {many}, {many}, {many}]")
    assert ("1:1: this makes more than 2000 cases",) == problems_of(text)


def test_expectations_can_differ_by_case() -> None:
    """`expect_if` replaces single keys where its words were chosen; the last one that fits wins."""
    text = sheet(
        model="[{stream: a, on_cancel: {each: [aborted, error, {report: close, latency: 1s}]}}]",
        mode="{each: [strict, relaxed]}",
        expect="{requests: 1, outcome: [completed, completed]}",
        expect_if="[{when: {on_cancel: [error, {report: close, latency: 1s}]}, requests: 2},"
        " {when: {on_cancel: close+1s, mode: relaxed}, requests: 3}]",
    )
    cases = load_text(text).cases
    assert [1, 1, 2, 2, 2, 3] == [case.expect.requests for case in cases]
    assert {("completed", "completed")} == {case.expect.outcome for case in cases}


def test_an_override_that_fits_no_case_is_a_mistake() -> None:
    """A combination that never occurs would be an expectation that is never checked."""
    text = sheet(
        model="[{stream: a, on_cancel: {each: [close, {report: {each: [error, hang]}}]}}]",
        expect_if="[{when: {on_cancel: close, report: error}, requests: 1}]",
    )
    assert 1 == len(problems_of(text))
    assert "no case has this combination" in problems_of(text)[0]


# --- the text of a case -------------------------------------------------------------------------

RICH = """\
scenario: rich
about: "A case that uses most of the language: quotes, colons and # signs."
for_each: {shape: {plain: "yes", close: [a, close]}}
model:
  - stream: [a, 'close', "hang", {text: "x\\ny\\t\\u00e9"}, {call: {name: s, args: {q: "1s"}}}]
    on_cancel: {each: [aborted, {report: close, latency: 50ms}]}
  - stream: $shape
  - |
    A block
    of text.
tools:
  s: {returns: {each: ["", "null", "42", "true", "$x", "{a: b}", " lead"]}, takes: 1s}
run:
  - prompt: >
      A folded
      prompt
  - cancel: {after: chunk 2}
  - cancel:
hooks: {before_turn: {wait: 1s, text: "1s", empty: , no: null, list: []}}
expect:
  requests: 2
expect_if:
  - when: {shape: close}
    requests: 3
"""


def again(case: Case) -> Case:
    """The case that the text of `case` gives."""
    (loaded,) = load_text(case.source, "again").cases
    return loaded


def suite() -> list[Scenario]:
    """Every scenario file there is, and one with everything in it."""
    return [load_text(RICH), *(load_file(path) for path in sorted(SUITE.rglob("*.sim.yaml")))]


def test_the_text_of_a_case_gives_the_same_case() -> None:
    """Id, values and meaning survive, for every case of every scenario file."""
    for scenario in suite():
        for case in scenario.cases:
            assert case == again(case)


def test_the_text_of_a_case_is_free_of_choices() -> None:
    """It holds its words under `case`, and neither `each` nor variables nor overrides."""
    for case in load_text(RICH).cases:
        assert "each" not in case.source
        assert "expect_if" not in case.source
        assert "$shape" not in case.source


def test_a_rich_file_has_different_cases() -> None:
    """The round trip above is no comparison of equals by accident."""
    cases = load_text(RICH).cases
    assert 28 == len({case.id for case in cases})
    assert 28 == len({case.source for case in cases})
    assert {2, 3} == {case.expect.requests for case in cases}


def test_choices_beside_a_fixed_case_are_a_mistake() -> None:
    """A text that says which case it is makes no others."""
    text = sheet(case="{about: a}", about="{each: [a, b]}")
    assert any('"each" cannot stand here' in problem for problem in problems_of(text))


@pytest.mark.parametrize("word", ["null", "~", "", "$x", "1s", "a: b", "'", "- a", "#", "on", "😀"])
def test_any_word_can_name_a_case(word: str) -> None:
    """Words that mean something to YAML survive the trip through the text of a case."""
    quoted = "'" + word.replace("'", "''") + "'"
    text = sheet(tools="{a: {returns: {each: [x, " + quoted + "]}}}")
    case = load_text(text).cases[1]
    assert case == again(case)
    assert word == again(case).tools[0].returns
