"""`[tool.simharness]` in pyproject.toml: what a project sets once for every command and session.

    [tool.simharness]
    agent = "mypackage.agent:make"
    budget = "quick"
    baseline = "simharness-baseline.json"
    contract = { cut_message = "kept" }

    [[tool.simharness.waivers]]
    rule = "no-leaked-tasks"
    reason = "ISSUE-12"
    expires = 2027-01-31

Reads and checks; what is done with the values is the business of the front ends.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, Final

import attrs

from simharness.campaign.budget import budget_of
from simharness.contract import FAMILIES, UNSPECIFIED, Contract
from simharness.project.tomltext import Toml
from simharness.rules import RULES
from simharness.scenario.contracts import FIELDS, mistake_in
from simharness.scenario.model import Place
from simharness.scenario.problems import Problems, did_you_mean, listed

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["NOTHING", "Settings", "Waiver", "load"]

_SECTION: Final = "tool.simharness"
_WAIVERS: Final = f"{_SECTION}.waivers"
_KEYS: Final = ("agent", "budget", "baseline", "contract", "waivers")
_WAIVER_KEYS: Final = ("rule", "reason", "expires", "case")


@attrs.frozen
class Waiver:
    """A rule that may be broken until the end of the day `expires`.

    `case` says in which cases: an id in which `*` stands for anything.
    """

    rule: str
    reason: str
    expires: dt.date
    case: str = "*"
    place: Place = attrs.field(default=Place(), eq=False)


@attrs.frozen
class Settings:
    """What the project says. None leaves a value to the front end's default.

    `folder` is where pyproject.toml lies; relative paths and the agent's module start there.
    """

    agent: str | None = None
    budget: str | None = None
    baseline: Path | None = None
    contract: Contract = UNSPECIFIED
    waivers: tuple[Waiver, ...] = ()
    folder: Path | None = None


NOTHING: Final = Settings()


def load(folder: Path) -> Settings:
    """The settings in the pyproject.toml of `folder` or of the nearest folder above that has one.

    Raises ScenarioError with every mistake in them, each with its line.
    """
    for place in (folder, *folder.parents):
        file = place / "pyproject.toml"
        if file.is_file():
            return _read(file)
    return NOTHING


def _read(file: Path) -> Settings:
    text = file.read_text(encoding="utf-8")
    if _SECTION not in text:
        return NOTHING
    problems = Problems(str(file), text)
    toml = Toml(text, problems)
    problems.raise_if_any()
    settings = _Reader(toml, problems).settings(file.parent)
    problems.raise_if_any()
    return settings


@attrs.frozen
class _Reader:
    """Reads the section and notes every mistake in it."""

    toml: Toml
    problems: Problems

    def settings(self, folder: Path) -> Settings:
        """All of it."""
        table = self._mapping(self.toml.table(_SECTION), _SECTION, _KEYS)
        baseline = self._text(table, "baseline", _SECTION)
        return Settings(
            agent=self._text(table, "agent", _SECTION),
            budget=self._budget(table),
            baseline=None if baseline is None else folder / baseline,
            contract=self._contract(table.get("contract", {})),
            waivers=self._waivers(table.get("waivers", [])),
            folder=folder,
        )

    def _mapping(self, value: Any, table: str, keys: Iterable[str], nth: int = 0) -> dict[str, Any]:
        """`value` as a mapping of which all keys are known."""
        if not isinstance(value, dict):
            self._wrong(f"{table} has to be a table", table)
            return {}
        for key in value:
            if key not in keys:
                near = did_you_mean(key, keys)
                self._wrong(f'unknown key "{key}"{near} Keys: {listed(keys)}', table, key, nth)
        return value

    def _text(self, table: dict[str, Any], key: str, name: str, nth: int = 0) -> str | None:
        value = table.get(key)
        if value is None or (isinstance(value, str) and value):
            return value
        self._wrong(f'"{key}" has to be a text that is not empty', name, key, nth)
        return None

    def _budget(self, table: dict[str, Any]) -> str | None:
        value = table.get("budget")
        if value is None:
            return None
        try:
            budget_of(str(value))
        except ValueError as error:
            self._wrong(str(error), _SECTION, "budget")
        return str(value)

    def _contract(self, value: Any) -> Contract:
        name = f"{_SECTION}.contract"
        words: dict[str, Any] = {}
        for field, said in self._mapping(value, name, FIELDS).items():
            if field == "reports":
                words[field] = self._families(said, name)
            elif field in FIELDS:
                words[field] = str(said)
                wrong = mistake_in(field, str(said))
                if wrong:
                    self._wrong(wrong, name, field)
        return Contract(**words)

    def _families(self, value: Any, name: str) -> frozenset[str]:
        said = value if isinstance(value, list) else [value]
        for family in said:
            if family not in FAMILIES:
                near = did_you_mean(str(family), sorted(FAMILIES))
                known = listed(sorted(FAMILIES))
                self._wrong(
                    f'unknown record family "{family}"{near} Known: {known}', name, "reports"
                )
        return frozenset(map(str, said))

    def _waivers(self, value: Any) -> tuple[Waiver, ...]:
        if not isinstance(value, list):
            self._wrong(f'waivers are tables of their own; write "[[{_WAIVERS}]]"', _WAIVERS)
            return ()
        read = [self._waiver(item, nth) for nth, item in enumerate(value)]
        return tuple(waiver for waiver in read if waiver is not None)

    def _waiver(self, value: Any, nth: int) -> Waiver | None:
        table = self._mapping(value, _WAIVERS, _WAIVER_KEYS, nth)
        rule = self._needed(table, "rule", nth)
        reason = self._needed(table, "reason", nth)
        expires = table.get("expires")
        if type(expires) is not dt.date:
            example = "expires = 2027-01-31"
            self._wrong(
                f'"expires" has to be a date; write for example {example}', _WAIVERS, "expires", nth
            )
            return None
        if rule and not _known(rule):
            near = did_you_mean(rule, [rule.id for rule in RULES])
            self._wrong(f'unknown rule "{rule}"{near}', _WAIVERS, "rule", nth)
        case = self._text(table, "case", _WAIVERS, nth) or "*"
        return Waiver(rule, reason, expires, case, self.toml.place(_WAIVERS, "rule", nth))

    def _needed(self, table: dict[str, Any], key: str, nth: int) -> str:
        if key not in table:
            self._wrong(f'a waiver needs "{key}"', _WAIVERS, "", nth)
        return self._text(table, key, _WAIVERS, nth) or ""

    def _wrong(self, message: str, table: str, key: str = "", nth: int = 0) -> None:
        """Note a mistake at `key` of a table, which may also be written within its parent."""
        place = self.toml.place(table, key, nth)
        if not place.line:
            parent, _, name = table.rpartition(".")
            place = self.toml.place(parent, key)
            place = place if place.column > 1 else self.toml.place(parent, name)
        self.problems.add(place, message)


def _known(rule: str) -> bool:
    return rule.startswith("expect.") or any(known.id == rule for known in RULES)
