"""`contract:` of a scenario: overrides of what the agent declares, checked word for word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from simharness.contract import FAMILIES, UNSPECIFIED, VALUES, Contract
from simharness.scenario.problems import did_you_mean, listed

if TYPE_CHECKING:
    from simharness.scenario.fields import Reader
    from simharness.scenario.nodes import Node

__all__ = ["read_contract"]

_FIELDS = (*VALUES, "reports")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")


def read_contract(reader: Reader, node: Node | None) -> Contract:
    """Read the overrides; fields that are not named stay unspecified."""
    if node is None:
        return UNSPECIFIED
    keys = reader.keys(node, '"contract"', _FIELDS)
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


def _value(reader: Reader, node: Node, field: str) -> str:
    text = reader.text(node, f'"{field}"')
    if text and not any(_fits(text, form) for form in VALUES[field]):
        known = [form.replace("()", "(...)") for form in VALUES[field]]
        guess = did_you_mean(text, known)
        reader.wrong(node, f'"{field}" cannot be "{text}"{guess} Known: {listed(known)}')
    return text


def _fits(text: str, form: str) -> bool:
    if form == "a number":
        return _NUMBER.fullmatch(text) is not None
    if form.endswith("()"):
        return text.startswith(form[:-1]) and text.endswith(")") and len(text) > len(form)
    return text == form
