"""`simharness rules`: the list of rules, and the page of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from tabulate import tabulate

from simharness.cli.completing import rule_ids
from simharness.cli.loudness import loudness_options
from simharness.cli.problems import BadInput, did_you_mean
from simharness.cli.verb import Verb
from simharness.recorded.rule import FormatRule

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simharness.rules import Rule

__all__ = ["command"]


@click.command(
    name="rules",
    cls=Verb,
    examples=(
        "simharness rules",
        "simharness rules tool-pairing",
        "simharness rules agui-tool-result",
    ),
)
@click.argument("rule_id", required=False, metavar="[ID]", shell_complete=rule_ids)
@loudness_options("Their ids only.", "The whole page of every rule.")
def command(*, rule_id: str | None, quiet: bool, verbose: bool) -> int:
    """List the rules, or explain one: those that judge any agent, then those of `check` alone."""
    from simharness.recorded.formats import FORMAT_RULES
    from simharness.rules import RULES

    if rule_id is None:
        click.echo(_all(RULES, quiet=quiet, verbose=verbose))
        click.echo(_of_formats(FORMAT_RULES.values(), quiet=quiet, verbose=verbose))
        return 0
    by_id: dict[str, Rule | FormatRule] = {rule.id: rule for rule in RULES}
    by_id |= FORMAT_RULES
    if rule_id not in by_id:
        near = did_you_mean(rule_id, by_id)
        raise BadInput(f'unknown rule "{rule_id}"{near} Rules: {", ".join(by_id)}')
    rule = by_id[rule_id]
    if quiet:
        click.echo(f"{rule.id}: {rule.sentence}")
    else:
        click.echo(_format_page(rule) if isinstance(rule, FormatRule) else _page(rule))
    return 0


def _all(rules: Sequence[Rule], *, quiet: bool, verbose: bool) -> str:
    if quiet:
        return "\n".join(rule.id for rule in rules)
    return "\n\n\n".join(map(_page, rules)) if verbose else _table(rules)


def _of_formats(rules: Iterable[FormatRule], *, quiet: bool, verbose: bool) -> str:
    """The rules of recorded formats in the same three ways."""
    if quiet:
        return "\n".join(rule.id for rule in rules)
    if verbose:
        return "\n\n" + "\n\n\n".join(map(_format_page, rules))
    rows = [(rule.id, rule.sentence) for rule in rules]
    heads = ["rule of a recorded format", "what it demands"]
    return "\n" + tabulate(rows, heads, tablefmt="simple", maxcolwidths=[None, 76])


def _format_page(rule: FormatRule) -> str:
    parts = [rule.id, rule.sentence, rule.why, f"Asked for by: {rule.source}."]
    parts += [f"Good:\n{_indented(rule.good)}", f"Bad:\n{_indented(rule.bad)}"]
    return "\n\n".join(parts)


def _table(rules: Sequence[Rule]) -> str:
    rows = [(rule.id, rule.tier, rule.family, rule.sentence) for rule in rules]
    heads = ["rule", "tier", "family", "what it demands"]
    return tabulate(rows, heads, tablefmt="simple", maxcolwidths=[None, None, None, 64])


def _page(rule: Rule) -> str:
    parts = [f"{rule.id} ({rule.tier}, {rule.family})", rule.sentence, rule.why]
    if rule.needs:
        parts.append(f"Judges only agents that declare: {', '.join(rule.needs)}.")
    if rule.reports:
        parts.append(f"Judges only agents that report: {', '.join(rule.reports)}.")
    if rule.timed:
        parts.append("Judges only trials in which no delivery was made late.")
    parts += [f"Good:\n{_indented(rule.good)}", f"Bad:\n{_indented(rule.bad)}"]
    return "\n\n".join(part for part in parts if part)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.strip().splitlines())
