"""Every line of the scenario reference: a slip in the key and a wrong value are one clear message.

The lines are those of docs/scenario-reference.md, which come from the schema, so a new key without
a place in these tables fails here.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simharness.cli import main
from tests.docs.reference import sections
from tests.unit.scenario.sheets import sheet

CALLING = "[{stream: [{call: search}]}, [done]]"
TOOLS = "{search: {takes: 1s}}"

Row = tuple[str, str, str]
ROWS: list[Row] = [
    (name, key, takes) for name, rows in sections().items() for key, takes, _ in rows
]

SETTINGS: dict[str, str] = {
    "answer": "model: [{%}]",
    "attempts": "model: [{%}]",
    "wire": "model: [{stream: a, wire: {%}}]",
    "step": "model: [[{%}]]",
    "delta": "model: [[{text: {%}}]]",
    "call": "model: [[{call: {%}}]]",
    "usage": "model: [[{usage: {%}}]]",
    "error": "model: [[{error: {%}}]]",
    "raised": "model: [[{raise: {%}}]]",
    "reaction": "model: [{stream: a, on_cancel: {%}}]",
    "close": "model: [{stream: a, on_cancel: {close: {%}}}]",
    "tool": "tools: {search: {%}}",
    "hooks": "hooks: {%}",
    "store": "store: {%}",
    "fault": "store: {fails: {%}}",
    "actions": "run: [prompt: hi, {%}]",
    "placing": "run: [prompt: hi, {cancel: {%}}]",
    "epilogue": "epilogue: {%}",
    "expect": "expect: {%}",
    "message": "expect: {history: [{%}]}",
    "records": "expect: {timeline: [{%}]}",
    "contract": "contract: {%}",
    "explore": "explore: {%}",
    "schedule entry": "schedule: [{%}]",
    "log": "log: {%}",
}
"""Where a section stands; % is the line that the mistake is in."""

COMPANY = {
    "answer": "stream: a",
    "delta": "text: a",
    "call": "name: search",
    "fault": "write: 1",
    "schedule entry": "take: x",
    "message": "user: hi",
    "options of prompt": "text: x",
}
"""What a section needs beside the line."""

VERBS = {
    "text": "prompt",
    "model": "prompt",
    "meanwhile": "prompt",
    "drain": "shutdown",
    "abandon": "quiesce",
    "tool": "approve",
    "turn": "fork",
    "seconds": "wait",
}
"""Of which verb an option is; of a cancel unless said."""

FREE = {
    ("file", "agent"): "7",
    ("file", "for_each"): "7",
    ("call", "args"): "[1]",
    ("tool", "schema"): "7",
}
"""What the loader passes on as it is, and of what kind it must not be."""

ROLES = {"system", "user", "assistant", "tool"}

ANYTHING = {"hooks"}
"""Sections whose values are the agent's business: it says what it cannot script."""


def written(section: str, key: str, line: str) -> str:
    """A scenario that is right but for `line`, which stands for `key` of `section`."""
    if section == "file":
        blocks = {"model": "[[hello]]", "run": "[prompt: hi]", key: ""}
        return sheet(**({"scenario": "plain"} | blocks)) + f"{line}\n"
    setting = SETTINGS.get(section)
    company = COMPANY.get(section, "")
    if section == "options":
        verb = VERBS.get(key, "cancel")
        setting = f"run: [prompt: hi, {{{verb}: {{%}}}}]"
        company = COMPANY.get(f"options of {verb}", "")
    assert setting is not None, f"say in SETTINGS where {section} stands"
    if section == "message" and key in ROLES:
        company = ""
    if company and not company.startswith(f"{key}:"):
        line = f"{company}, {line}"
    top, _, value = setting.replace("%", line).partition(": ")
    blocks = {"model": CALLING, "tools": TOOLS, "store": "{}"}
    return sheet(**(blocks | {top: value}))


def said(text: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The problems that the command shows for a file: nothing else, and exit code 3."""
    Path("wrong.sim.yaml").write_text(text, encoding="utf-8")
    assert 3 == main(["run", "wrong.sim.yaml"]), text
    out, err = capsys.readouterr()
    assert "" == out
    assert "Traceback" not in err
    problems = re.findall(r"^wrong\.sim\.yaml:\d+:\d+: error: (.*)$", err, re.MULTILINE)
    assert 1 <= len(problems) <= 2, err  # two if something that is needed is missing now
    return problems


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("section", "key", "_"), ROWS)
def test_a_slip_in_a_key_is_mended(
    section: str, key: str, _: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names the key that was meant."""
    problems = said(written(section, key, f"{key}{key[-1]}: 1"), capsys)
    assert [problem for problem in problems if f'did you mean "{key}"?' in problem], problems


def mistaken(section: str, key: str, takes: str) -> tuple[str, tuple[str, ...]]:
    """A value that the line does not take, and what has to be said about it: one of these."""
    if (section, key) in FREE:
        return FREE[section, key], ("must be a mapping",)
    if section == "records":
        field = takes.partition(",")[0].strip("`")
        return f"{{{field}{field[-1]}: 1}}", (
            "Known keys: " if takes == "nothing" else f'did you mean "{field}"?',
        )
    if section == "store" and "always" in takes:
        return "often", ("must be the number of a write, always, or {write: 2, always: true}",)
    if "duration" in takes:
        return "soon", ("must be a duration such as 50ms",)
    if takes == "a number":
        return "many", ("must be a whole number",)
    if takes == "`true` or `false`":
        return "perhaps", ("must be true or false",)
    word = re.match(r"`([a-z_-]+)`", takes)
    if word and "true" not in takes:
        return word[1] + word[1][-1], (f'did you mean "{word[1]}"?',)
    if takes in {"text", "nothing or text", "text, or a list"} and section != "actions":
        return "{wrong: 1}", ("must be text", 'unknown key "wrong"')
    needed = ("needs a text", "needs a value", "needs the actions")
    kinds = ("must be", "takes no value", "a list of steps", "there is no tool")
    return "{wrong: [1]}", ('unknown key "wrong"', *needed, *kinds)


@pytest.mark.parametrize(
    ("section", "key", "takes"), [row for row in ROWS if row[0] not in ANYTHING]
)
def test_a_wrong_value_is_said(
    section: str, key: str, takes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what would be right, or with the word that was meant."""
    value, wanted = mistaken(section, key, takes)
    problems = said(written(section, key, f"{key}: {value}"), capsys)
    assert any(words in problem for words in wanted for problem in problems), problems


def test_the_tables_name_only_what_there_is() -> None:
    """And every section has its place."""
    names = {section for section, _, _ in ROWS}
    assert names == set(SETTINGS) | {"file", "options"}
    assert set(FREE) <= {(section, key) for section, key, _ in ROWS}
    assert set(VERBS) <= {key for section, key, _ in ROWS if section == "options"}
    assert names > ANYTHING
