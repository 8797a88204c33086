"""Schemas of what is expected: histories, timelines, outcomes, and the contract's words."""

from __future__ import annotations

from typing import Any, get_args

from simharness.contract import FAMILIES, VALUES
from simharness.scenario.expects import EXPECT_KEYS, OUTCOMES
from simharness.scenario.schema.forms import (
    COUNT,
    FLAG,
    NOTHING,
    TEXT,
    choice,
    listed,
    mapping,
    one_or_more,
    ref,
    section,
    words,
)
from simharness.scenario.vocabulary import RECORDS
from simharness.trace import Role

__all__ = ["contract", "expect", "message", "record"]

Schema = dict[str, Any]

_ROLES = get_args(Role)


def message() -> Schema:
    """A role, `...`, or a mapping with one role and details."""
    details = {
        "text": TEXT,
        "reasoning": TEXT,
        "interrupted": FLAG,
        "is_error": FLAG,
        "calls": one_or_more(TEXT),
        "blocks": listed({"type": ["string", "object"]}),
    }
    full = {role: choice(NOTHING, TEXT) for role in _ROLES} | details
    return choice({"enum": [*_ROLES, "..."]}, section("message", full))


def record() -> Schema:
    """A record's name, `...`, a mapping of one record, or the words of a profile."""
    fields = {name: {"type": "object"} for name in RECORDS}
    return choice(TEXT, mapping(fields) | {"minProperties": 1, "maxProperties": 1})


def expect() -> Schema:
    """What the reference loop does."""
    forms: dict[str, Schema] = {
        "outcome": one_or_more(words(OUTCOMES)),
        "cause": one_or_more(TEXT),
        "history": listed(ref("message")),
        "timeline": listed(ref("record")),
        "requests": COUNT,
        "sent": listed(listed(ref("message"))),
        "settled": one_or_more(TEXT),
        "bodies": {"type": "object", "additionalProperties": COUNT},
        "usage": choice(
            {"type": "array", "items": COUNT, "minItems": 2, "maxItems": 2},
            section("usage", {"input": COUNT, "output": COUNT}),
        ),
        "notices": one_or_more(TEXT),
        "rejects": one_or_more(TEXT),
        "one_of": listed(ref("expect"), least=2),
    }
    return choice(section("expect", {key: forms[key] for key in EXPECT_KEYS}))


def contract() -> Schema:
    """Overrides of what the agent declares."""
    fields = {field: _said(forms) for field, forms in VALUES.items()}
    fields["reports"] = one_or_more(words(sorted(FAMILIES)))
    return choice(section("contract", fields))


def _said(forms: tuple[str, ...]) -> Schema:
    """The words of a field; `word()` has something between its brackets."""
    said: list[Schema] = []
    for form in forms:
        if form == "a number":
            said.append({"type": "number", "minimum": 0})
        elif form.endswith("()"):
            said.append({"type": "string", "pattern": rf"^{form[:-2]}\(.+\)$"})
        elif form.isdecimal():
            said.append({"enum": [form, int(form)]})
        elif form in {"yes", "no"}:  # YAML 1.1 readers make flags of them
            said.append({"enum": [form, form == "yes"]})
        else:
            said.append({"const": form})
    return choice(*said)
