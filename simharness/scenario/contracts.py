"""`contract:` of a scenario: overrides of what the agent declares, checked word for word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from simharness.contract import FAMILIES, UNSPECIFIED, VALUES, Contract
from simharness.scenario.problems import did_you_mean, listed

if TYPE_CHECKING:
    from simharness.scenario.fields import Reader
    from simharness.scenario.nodes import Node

__all__ = ["FIELDS", "mistake_in", "read_contract"]

FIELDS = (*VALUES, "reports")
"""What `contract:` may override."""

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def read_contract(reader: Reader, node: Node | None) -> Contract:
    """Read the overrides; fields that are not named stay unspecified."""
    if node is None:
        return UNSPECIFIED
    keys = reader.keys(node, '"contract"', FIELDS)
    words: dict[str, Any] = {}
    for field in VALUES:
        value = keys.get(field)
        if value is not None:
            words[field] = _value(reader, value, field)
    reports = keys.get("reports")
    if reports is None:
        return Contract(**words)
    named = (reader.word(item, "record family", sorted(FAMILIES)) for item in reader.some(reports))
    return Contract(**words, reports=frozenset(name for name in named if name))


def mistake_in(field: str, text: str) -> str:
    """Say what is wrong with `text` as the value of `field`; an empty text if nothing is."""
    if any(_fits(text, form) for form in VALUES[field]):
        return ""
    known = [form.replace("()", "(...)") for form in VALUES[field]]
    guess = did_you_mean(text, known)
    return f'"{field}" cannot be "{text}"{guess} Known: {listed(known)}'


def _value(reader: Reader, node: Node, field: str) -> str:
    text = reader.text(node, f'"{field}"')
    wrong = mistake_in(field, text) if text else ""
    if wrong:
        reader.wrong(node, wrong)
    return text


def _fits(text: str, form: str) -> bool:
    if form == "a number":
        return _NUMBER.fullmatch(text) is not None
    if form.endswith("()"):
        return text.startswith(form[:-1]) and text.endswith(")") and len(text) > len(form)
    return text == form
