"""What a shell may offer for a word: names that exist.

Each function is a `shell_complete` of click: it gets the beginning of a word, returns whole ones,
and imports what it lists only then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import click

__all__ = ["agent_names", "format_names", "mutant_ids", "pin_ids", "profile_names", "rule_ids"]


def agent_names(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """The agents that ship."""
    from simharness.agents import names

    return _beginning(begun, names())


def profile_names(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """The profiles of the reference loop."""
    from simharness.agents.profiles import PROFILES

    return _beginning(begun, (profile.name for profile in PROFILES))


def rule_ids(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """All rules."""
    from simharness.recorded.formats import FORMAT_RULES
    from simharness.rules import RULES

    return _beginning(begun, [*(rule.id for rule in RULES), *FORMAT_RULES])


def format_names(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """The formats of recorded traces."""
    from simharness.recorded.formats import FORMATS

    return _beginning(begun, FORMATS)


def mutant_ids(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """All written mutants."""
    from simharness.agents.mutants import MUTANTS

    return _beginning(begun, (mutant.id for mutant in MUTANTS))


def pin_ids(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """All pins."""
    from simharness.field.pins import load_pins

    return _beginning(begun, (pin.id for pin in load_pins()))


def _beginning(begun: str, known: Iterable[str]) -> list[str]:
    return [name for name in known if name.startswith(begun)]
