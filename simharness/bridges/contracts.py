"""The contract that a child declares, in plain words: checked against the words that exist."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

from simharness.bridges.lines import BadLine
from simharness.contract import FAMILIES, VALUES, Contract

__all__ = ["contract_of", "words_of"]


def contract_of(words: Mapping[str, Any]) -> Contract:
    """The contract of `words`; `reports` is a list. Raises `BadLine` with the field."""
    declared: dict[str, Any] = {}
    for field, value in words.items():
        if field == "reports":
            declared[field] = frozenset(_family(one) for one in _list(value))
        elif field not in VALUES:
            raise _wrong(field, field, sorted(VALUES))
        elif not isinstance(value, str) or not _allowed(field, value):
            raise _wrong(field, value, VALUES[field])
        else:
            declared[field] = value
    return Contract(**declared)


def words_of(contract: Contract) -> dict[str, Any]:
    """The words of a contract, for the other direction."""
    words: dict[str, Any] = dict(contract.spoken())
    if contract.reports:
        words["reports"] = sorted(contract.reports)
    return words


def _allowed(field: str, value: str) -> bool:
    words = VALUES[field]
    if "a number" in words and re.fullmatch(r"\d+(\.\d+)?", value):
        return True
    return re.sub(r"\(.*\)$", "()", value, flags=re.DOTALL) in words


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise _wrong("reports", value, ["a list"])
    return value


def _family(one: Any) -> str:
    if not isinstance(one, str) or one not in FAMILIES:
        raise _wrong("reports", one, sorted(FAMILIES))
    return one


def _wrong(field: str, found: object, known: Any) -> BadLine:
    near = difflib.get_close_matches(str(found), known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return BadLine(
        f"line 1: contract.{field}: found {found!r}, expected one of {', '.join(known)}{hint}"
    )
