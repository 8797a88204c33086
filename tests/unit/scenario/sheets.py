"""Small scenario texts for the loader's tests."""

from __future__ import annotations

from simharness.scenario.load import ScenarioError, load_text
from simharness.scenario.model import Case

FILE = "sheet.sim.yaml"

PLAIN = """\
scenario: plain
model:
  - [hello]
run:
  - prompt: hi
"""


def sheet(**blocks: str) -> str:
    """A scenario of top-level blocks; those not given are the plain ones."""
    defaults = {"scenario": "plain", "model": "[[hello]]", "run": "[prompt: hi]"}
    given = {key: value for key, value in (defaults | blocks).items() if value}
    return "".join(f"{key}: {value}\n" for key, value in given.items())


def one_case(**blocks: str) -> Case:
    """The only case of a sheet."""
    (case,) = load_text(sheet(**blocks), FILE).cases
    return case


def problems_of(text: str) -> tuple[str, ...]:
    """The problems of a text as `line:column: message`."""
    try:
        load_text(text, FILE)
    except ScenarioError as exc:
        return tuple(f"{p.line}:{p.column}: {p.message}" for p in exc.problems)
    return ()
