"""Smaller cases: valid, written back, and never another meaning."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from simharness.scenario.annotated import annotated
from simharness.scenario.load import load_text
from simharness.scenario.model import Case
from simharness.scenario.smaller import smaller
from simharness.strategies import cases

WHOLE = """scenario: whole
case: {on_cancel: error}
about: Everything that can be left out.
model:
  - stream: ["First point. ", {reasoning: "Hm hm"}, {call: {name: search, args: {q: x}, pieces: 3}}]
    on_cancel: {report: error, latency: 50ms}
    every: 10ms
  - ["Done with it."]
tools: {search: {returns: "3 hits", takes: 200ms, effects: 2}}
agent: {second_prompt: queue, tools: sequential}
contract: {second_prompt: queue}
run:
  - prompt: Look it up
  - wait: 1s
  - cancel: {anywhere: true, way: api}
  - prompt: {text: More, meanwhile: true}
epilogue: {prompt: And now?}
expect: {requests: 2}
tags: [x]
"""


def one_case(text: str) -> Case:
    """The only case of a text."""
    (case,) = load_text(text).cases
    return case


def texts(text: str) -> list[str]:
    """The sources of all smaller forms of the one case in `text`."""
    return [case.source for case in smaller(one_case(text))]


def least(text: str, holds: str) -> Case:
    """Go down from `text` to a case of which no smaller form contains the text `holds`."""
    case = one_case(text)
    while True:
        found = next((one for one in smaller(case) if holds in one.source), None)
        if found is None:
            return case
        case = found


@settings(max_examples=40)
@given(cases())
def test_each_form_is_a_valid_case_that_its_own_text_gives_again(case: Case) -> None:
    """On drawn cases; none of them is the case itself, and none comes twice."""
    forms = list(smaller(case))
    assert forms == [load_text(form.source, "<shrunk>").cases[0] for form in forms]
    sources = [form.source for form in forms]
    assert len(set(sources)) == len(sources)
    assert case.source not in sources


def test_all_that_only_describes_goes_first() -> None:
    """Id words, sentences, expectations and tags make no trial another one."""
    first = next(smaller(one_case(WHOLE)))
    assert "whole" == first.id
    assert not {"about:", "case:", "expect:", "tags:"} & set(first.source.split())
    assert one_case(WHOLE).actions == first.actions


@pytest.mark.parametrize(
    ("part", "gone"),
    [
        ("an action", "- wait: 1s"),
        ("an answer", "Done with it."),
        ("a chunk", "First point. "),
        ("a step", "reasoning: "),
        ("a key of a tool", "effects: 2"),
        ("a tool", "search: {returns"),
        ("a reaction", "on_cancel: {report"),
        ("a key of a reaction", "latency: 50ms"),
        ("a pause", "every: 10ms"),
        ("a setting", "tools: sequential"),
        ("a way", "way: api"),
        ("the closing prompt's text", "And now?"),
        ("an option of a prompt", "meanwhile: true"),
    ],
)
def test_each_part_can_go(part: str, gone: str) -> None:
    """Some smaller form lacks it."""
    assert gone in one_case(WHOLE).source, part
    assert any(gone not in text for text in texts(WHOLE)[1:])


def test_a_setting_goes_only_together_with_what_the_contract_says_of_it() -> None:
    """Alone, each would make the agent break a promise that nobody gave."""
    both = [("second_prompt: queue" in text.partition("contract:")[2]) for text in texts(WHOLE)]
    settings = ["{second_prompt: queue" in text.partition("agent:")[2] for text in texts(WHOLE)]
    assert {True, False} == set(both)
    assert both == settings


def test_a_mode_a_profile_and_a_patience_stay() -> None:
    """They decide what is a failure at all."""
    kept = 'scenario: kept\nmodel: ["Hi."]\nrun: [{prompt: go}]\nmode: relaxed\npatience: 5s\n'
    assert all("mode: relaxed" in text and "patience: 5s" in text for text in texts(kept))


def test_a_cancel_that_the_search_places_stays_or_gets_a_place() -> None:
    """It is never moved to right behind the prompt: the schedule would have to delay it."""
    cancels = [text.partition("- cancel: ")[2].partition("\n")[0] for text in texts(WHOLE)]
    placed = {words for words in cancels if words} - {"{anywhere: true, way: api}"}
    assert "{way: api, after: chunk 1 of request 1}" in placed
    assert "{way: api, during: tool search}" in placed
    assert all("anywhere: true" in w or "after: " in w or "during: " in w for w in placed)


def test_long_forms_texts_and_numbers_get_short() -> None:
    """What has to stay is said as briefly as the language allows."""
    text = (
        "scenario: long\n"
        'model: [{stream: ["A long text", {call: {name: search, pieces: 2}}]}]\n'
        "run: [{prompt: {text: A long question}}, {cancel: {after: chunk 3}}]\n"
    )
    forms = " ".join(texts(text))
    assert 'model: [["A long text"' in forms
    assert "{prompt: A long question}" in forms
    assert "{prompt: {text: a}}" in forms
    assert "after: chunk 1" in forms
    assert "after: chunk 2" in forms


def test_going_down_ends_with_nothing_but_what_must_stay() -> None:
    """A scenario that only has to hold a cancel keeps a prompt and no more."""
    small = least(WHOLE, "- cancel:")
    assert ["prompt", "cancel after chunk 1", "closing prompt"] == [
        action.label for action in small.actions
    ]
    assert len(small.source) < len(one_case(WHOLE).source) / 4


def test_a_schedule_in_words_is_written_and_read_back() -> None:
    """A file holds what is taken and where, and searches no further if it is told so."""
    text = (
        "scenario: told\nmodel: [[a, b]]\nrun: [{prompt: go}, {cancel: anywhere}]\n"
        "schedule: [{take: cancel anywhere, before: chunk 2 of request 1, place: 3}]\n"
    )
    case = one_case(text)
    written = annotated(case, case.schedule, about="Breaks x: y", strategy="schedule")
    (again,) = load_text(written).cases
    assert (case.schedule, "Breaks x: y", "schedule") == (
        again.schedule,
        again.about,
        again.explore.strategy,
    )
    assert "cancel anywhere before chunk 2 of request 1, place 3" == str(again.schedule[0])
    assert "schedule" not in annotated(case, ())
