"""Every rule of every format: its good example keeps it, its bad one breaks it."""

import pytest

from simharness.recorded.checking import check
from simharness.recorded.format import Format
from simharness.recorded.formats import FORMAT_RULES, FORMATS
from simharness.recorded.rule import FormatRule
from simharness.rules import RULES
from tests.unit.recorded.recordings import broken, checked

EVERY = [pytest.param(form, rule, id=rule.id) for form in FORMATS.values() for rule in form.rules]


@pytest.mark.parametrize(("form", "rule"), EVERY)
def test_the_good_example_keeps_the_rule(form: Format, rule: FormatRule) -> None:
    """It breaks no other rule either, and the rule had something to judge."""
    done = checked(form.name, rule.good)
    assert set() == broken(done)
    assert done.tally.occasions[rule.id]


@pytest.mark.parametrize(("form", "rule"), EVERY)
def test_the_bad_example_breaks_the_rule(form: Format, rule: FormatRule) -> None:
    """What else it breaks follows from the same fault."""
    done = checked(form.name, rule.bad)
    assert rule.id in broken(done)
    assert 3 >= len(broken(done))


@pytest.mark.parametrize(("form", "rule"), EVERY)
def test_every_rule_explains_itself(form: Format, rule: FormatRule) -> None:
    """An id that says its format, a sentence, a reason, and who asks for it."""
    assert rule.id.startswith(f"{form.name}-") or form.name == "simharness"
    assert rule.sentence.endswith(".")
    assert rule.why.endswith(".")
    assert rule.source
    assert rule.good != rule.bad


def test_ids_are_unique_over_all_rules() -> None:
    """A finding names exactly one rule, of a format or universal."""
    count = sum(len(form.rules) for form in FORMATS.values())
    assert count == len(FORMAT_RULES)
    assert FORMAT_RULES.keys().isdisjoint(rule.id for rule in RULES)


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_every_format_says_what_it_cannot_show(form: Format) -> None:
    """And names universal rules that exist, none of them twice."""
    known = {rule.id for rule in RULES}
    assert form.cannot_show
    assert set(form.universal) <= known
    assert len(form.universal) == len(set(form.universal))


def test_what_a_format_cannot_show_is_counted() -> None:
    """The rest of the universal rules is listed, so that nobody takes silence for a pass."""
    done = checked("agui", FORMAT_RULES["agui-run-ends"].good)
    assert {rule.id for rule in RULES} == {*done.unjudged, *done.format.universal}
    assert "tool-pairing" in done.unjudged


def test_checks_are_equal_for_equal_traces() -> None:
    """The same bytes give the same findings in the same order."""
    bad = FORMAT_RULES["agui-chunk"].bad
    assert check_twice(bad)[0] == check_twice(bad)[1]


def check_twice(text: str) -> list[list[object]]:
    import io

    return [list(check(io.BytesIO(text.encode()), "x", FORMATS["agui"]).findings) for _ in range(2)]
