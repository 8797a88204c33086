"""The list of pins, read from the file that ships with the package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import attrs
import yaml

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["PINS_FILE", "SCENARIOS", "Pin", "load_pins"]

_HERE: Final = Path(__file__).parent
PINS_FILE: Final = _HERE / "pins.yaml"
SCENARIOS: Final = _HERE / "scenarios"


def _words(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(words)


@attrs.frozen(kw_only=True)
class Pin:
    """One bug of a released package, and how to see it.

    `buggy` is a release that has it, `fixed` the first one that does not, "" if there is none yet.
    `needs` is what pip installs beside either. `rule` must be broken on the one and hold on the
    other when `agent` is searched with the scenario called `scenario`. A pin that cannot be shown
    says why in `not_shown`, and names neither agent nor scenario.
    """

    id: str
    about: str
    report: str
    package: str
    rule: str
    buggy: str
    fixed: str = ""
    needs: tuple[str, ...] = attrs.field(converter=_words, default=())
    agent: str = ""
    scenario: str = ""
    not_shown: str = ""

    def requirements(self, version: str) -> tuple[str, ...]:
        """What pip is to install to get that version of the package."""
        name, bracket, extras = self.package.partition("[")
        return (f"{name}{bracket}{extras}=={version}", *self.needs)

    @property
    def file(self) -> Path:
        """The scenario that shows it."""
        return SCENARIOS / f"{self.scenario}.sim.yaml"


def load_pins(path: Path = PINS_FILE) -> tuple[Pin, ...]:
    """All pins, in the order of the file."""
    document: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return tuple(Pin(id=name, **words) for name, words in document["pins"].items())
