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
    mapping,
    matrix,
    one_or_more,
    ref,
    words,
)
from simharness.scenario.vocabulary import HOOKS

__all__ = ["as_text", "schema"]

Schema = dict[str, Any]

_ABOUT = {
    "scenario": "The name of the scenario; the file is called NAME.sim.yaml.",
    "about": "What happens, in a sentence.",
    "model": "The answers to the first prompt's requests, in order.",
    "tools": "The tools by name, and what their bodies do.",
    "run": "What the user does, in order; the first action is a prompt.",
    "epilogue": "The closing prompt: false for none, or its text, or {prompt, model}.",
    "agent": "Settings of the agent.",
    "hooks": "Scripted hooks, by position.",
    "expect": "What the reference loop does.",
    "expect_if": "What differs in some cases of the matrix.",
    "for_each": "Values that several places of the file share, as $name.",
    "violates": "A rule that is known to be broken: at least one schedule must break it.",
    "waive": "Rules that may be broken, each with a reason.",
    "needs": "Rules that must have something to judge.",
}
"""What an editor shows beside a key."""


def schema() -> Schema:
    """The schema as JSON data, draft-07."""
    forms = _keys()
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "simharness scenario",
        **mapping(
            {key: _described(key, forms[key]) for key in FILE_KEYS}, required=["scenario", "run"]
        ),
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


def _described(key: str, form: Schema) -> Schema:
    return {"description": _ABOUT[key], **form} if key in _ABOUT else form


def _keys() -> dict[str, Schema]:
    """The form of each key at the top of a file."""
    epilogue = mapping({"prompt": TEXT, "model": ref("model")})
    explore = mapping({"bound": COUNT, "budget": COUNT, "strategy": TEXT})
    deviation = mapping(
        {"take": TEXT, "before": TEXT, "after": TEXT, "place": COUNT}, required=["take"]
    )
    when = {"type": "object", "additionalProperties": one_or_more(TEXT)}
    return {
        "scenario": {"type": "string", "pattern": r"^[A-Za-z0-9][A-Za-z0-9._-]*$"},
        "about": TEXT,
        "case": {"type": "object", "additionalProperties": TEXT},
        "model": ref("model"),
        "tools": {"type": "object", "additionalProperties": ref("tool")},
        "run": listed(ref("action"), least=1),
        "epilogue": choice({"type": "boolean"}, {"type": "string"}, epilogue),
        "agent": {"type": "object"},
        "hooks": choice(mapping({position: {} for position in HOOKS})),
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
        "log": choice(mapping({"fails": words(LogFault)}, required=["fails"])),
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
