"""The whole schema: the keys at the top of a file, and the definitions that they use."""

from __future__ import annotations

import json
from typing import Any

from simharness.scenario.cases import FILE_KEYS
from simharness.scenario.model import LogFault
from simharness.scenario.schema import answers, doings, expectations
from simharness.scenario.schema.forms import (
    COUNT,
    SECONDS,
    TEXT,
    choice,
    listed,
    matrix,
    one_or_more,
    ref,
    section,
    words,
)
from simharness.scenario.vocabulary import HOOKS

__all__ = ["as_text", "schema"]

Schema = dict[str, Any]


def schema() -> Schema:
    """The schema as JSON data, draft-07."""
    forms = _keys()
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        **section("file", {key: forms[key] for key in FILE_KEYS}, required=["scenario", "run"]),
        "definitions": {
            "matrix": matrix(),
            "step": answers.step(),
            "stream": answers.stream(),
            "reaction": answers.reaction(),
            "answer": answers.answer(),
            "model": listed(ref("answer")),
            "tool": answers.tool(),
            "action": doings.action(),
            "message": expectations.message(),
            "record": expectations.record(),
            "expect": expectations.expect(),
        },
    }


def as_text() -> str:
    """The schema as the text of its file."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def _keys() -> dict[str, Schema]:
    """The form of each key at the top of a file."""
    epilogue = section("epilogue", {"prompt": TEXT, "model": ref("model")})
    explore = section("explore", {"bound": COUNT, "budget": COUNT, "strategy": TEXT})
    deviation = section(
        "schedule entry",
        {"take": TEXT, "before": TEXT, "after": TEXT, "place": COUNT},
        required=["take"],
    )
    # A choice is named by its word or, as in the matrix, by the value itself.
    when = {"type": "object"}
    return {
        "scenario": {"type": "string", "pattern": r"^[A-Za-z0-9][A-Za-z0-9._-]*$"},
        "about": TEXT,
        "case": {"type": "object", "additionalProperties": TEXT},
        "model": ref("model"),
        "tools": {"type": "object", "additionalProperties": ref("tool")},
        "run": listed(ref("action"), least=1),
        "epilogue": choice({"type": "boolean"}, {"type": "string"}, epilogue),
        "agent": {"type": "object"},
        "hooks": choice(section("hooks", {position: {} for position in HOOKS})),
        "expect": ref("expect"),
        "expect_for": words(["reference", "any"]),
        "violates": TEXT,
        "waive": {"type": "object", "additionalProperties": TEXT},
        "needs": one_or_more(TEXT),
        "explore": choice(explore),
        "schedule": listed(deviation),
        "mode": words(["strict", "relaxed"]),
        "profile": TEXT,
        "mutant": TEXT,
        "contract": expectations.contract(),
        "log": choice(section("log", {"fails": words(LogFault)}, required=["fails"])),
        "model_client": words(["renew"]),
        "store": answers.store(),
        "patience": SECONDS,
        "tags": one_or_more(TEXT),
        "for_each": {"type": "object", "additionalProperties": {"type": ["array", "object"]}},
        "expect_if": {
            "type": "array",
            "items": {"type": "object", "required": ["when"], "properties": {"when": when}},
        },
    }
