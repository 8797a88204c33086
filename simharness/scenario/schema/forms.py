"""The small forms that schemas are built of. Every value may also be chosen by the matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from simharness.scenario.schema.hovers import HOVERS

__all__ = [
    "COUNT",
    "FLAG",
    "NAME",
    "NOTHING",
    "SECONDS",
    "TEXT",
    "choice",
    "listed",
    "mapping",
    "matrix",
    "one_or_more",
    "ref",
    "section",
    "words",
]

Schema = dict[str, Any]

NOTHING: Schema = {"type": "null"}


def choice(*forms: Schema) -> Schema:
    """One of several forms, or what the matrix will put there."""
    return {"anyOf": [*forms, ref("matrix")]}


def matrix() -> Schema:
    """`$name`, or `each` with a list or a mapping of values.

    What the values are is left to the loader: to say it here as well would make the schema many
    times as long.
    """
    each = {"anyOf": [{"type": "array", "minItems": 1}, {"type": "object", "minProperties": 1}]}
    return {
        "anyOf": [
            {"type": "string", "pattern": r"^\$[A-Za-z_][A-Za-z0-9_]*$"},
            mapping({"each": each}, required=["each"]),
        ]
    }


def words(known: Iterable[str]) -> Schema:
    """One of the known words; YAML may read some of them as other scalars."""
    return choice({"enum": [_as_yaml(word) for word in known]})


def _as_yaml(word: str) -> object:
    """A word as YAML gives it to a schema: a number that is written bare is one."""
    return int(word) if word.isdecimal() else word


def mapping(properties: Mapping[str, Schema], *, required: Iterable[str] = ()) -> Schema:
    """A mapping with these keys and no others."""
    made: Schema = {
        "type": "object",
        "additionalProperties": False,
        "properties": dict(properties),
    }
    needed = list(required)
    return made | ({"required": needed} if needed else {})


def section(name: str, properties: Mapping[str, Schema], *, required: Iterable[str] = ()) -> Schema:
    """A mapping that is a section of the language: each key with the sentence that is about it."""
    said = HOVERS[name]
    assert set(said) == set(properties), f"{name}: {sorted(set(said) ^ set(properties))}"
    described = {key: {"description": said[key], **form} for key, form in properties.items()}
    return {"title": name, **mapping(described, required=required)}


def listed(item: Schema, *, least: int = 0) -> Schema:
    """A list."""
    return choice({"type": "array", "items": item, "minItems": least})


def one_or_more(item: Schema) -> Schema:
    """One, or a list."""
    return choice(item, {"type": "array", "items": item})


def ref(name: str) -> Schema:
    """A definition of the document."""
    return {"$ref": f"#/definitions/{name}"}


TEXT = choice({"type": ["string", "number", "boolean"]})
"""A text; numbers and flags that are written bare are taken as they stand."""

NAME: Schema = {"type": ["string", "number"]}
FLAG = choice({"type": "boolean"})
COUNT = choice({"type": "integer", "minimum": 0})
SECONDS = choice(
    {"type": "number", "minimum": 0},
    {"type": "string", "pattern": r"^([0-9]+(\.[0-9]+)?|\.[0-9]+)(ms|s|m)?$"},
)
