"""Schemas of what the user does: the actions under `run:` and where they are placed."""

from __future__ import annotations

from typing import Any

from simharness.agent import CancelWay
from simharness.scenario.anchors import RELATIONS
from simharness.scenario.schema.forms import (
    COUNT,
    FLAG,
    NOTHING,
    SECONDS,
    TEXT,
    choice,
    listed,
    mapping,
    ref,
    words,
)
from simharness.scenario.schema.hovers import HOVERS
from simharness.scenario.vocabulary import VERBS

__all__ = ["action"]

Schema = dict[str, Any]

_PLACING: dict[str, Schema] = {
    **{relation: TEXT for relation in RELATIONS if relation != "at"},
    "at": SECONDS,
    "as": TEXT,
}
_FREE: dict[str, Schema] = {"from": words(["inside"]), "anywhere": FLAG}
_READS = {
    "text": TEXT,
    "seconds": SECONDS,
    "drain": choice(SECONDS, {"const": "nan"}),
    "count": COUNT,
    "flag": FLAG,
    "actions": choice(ref("action"), listed(ref("action"))),
}


def action() -> Schema:
    """A bare verb, or a mapping with one verb whose options stand beside or below it."""
    bare = {"enum": [name for name, verb in VERBS.items() if not verb.required]}
    forms = [bare, {"enum": ["cancel", "continue"]}]
    prompt = {"text": TEXT, "model": ref("model"), "meanwhile": FLAG, **_PLACING}
    forms += [_verb(name, prompt, TEXT) for name in ("prompt", "ephemeral")]
    again = {key: form for key, form in prompt.items() if key != "text"}
    forms.append(_verb("continue", again, NOTHING))
    cancel = {
        "reason": TEXT,
        "way": words(CancelWay),
        "queue": words(["run", "drop", "park"]),
        **_FREE,
        **_PLACING,
    }
    forms.append(_verb("cancel", cancel, words(["anywhere"]), NOTHING))
    for name, verb in VERBS.items():
        if name == "on_settle":
            about = {"description": HOVERS["actions"][name]}
            forms.append(mapping({name: about | _READS["actions"]}, required=[name]))
            continue
        options = {option: _READS[how] for option, how in verb.reads.items()}
        value = [options[verb.value]] if verb.value else []
        forms.append(_verb(name, options | _FREE | _PLACING, NOTHING, *value))
    return choice(*forms)


def _verb(name: str, options: dict[str, Schema], *values: Schema) -> Schema:
    """A mapping with the verb, its value or its options under it, and options beside it."""
    said = HOVERS["options"]
    described = {key: {"description": said[key], **form} for key, form in options.items()}
    under = {"description": HOVERS["actions"][name], **choice(*values, mapping(described))}
    return {"title": f"action {name}", **mapping({name: under, **described}, required=[name])}
