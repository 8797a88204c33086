"""Kinds of values that options take: one of several words, a file to be written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from simharness.cli.problems import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["OUT_FILE", "Words", "json_option"]

OUT_FILE: Final = click.Path(dir_okay=False, allow_dash=True)
"""A file to be written; a folder is refused before any work is done. - is standard output."""


def json_option(command: Callable[..., int]) -> Callable[..., int]:
    """`--json`, as `json_file`."""
    return click.option(
        "--json",
        "json_file",
        metavar="F",
        type=OUT_FILE,
        help="Write JSON to a file; - is standard output.",
    )(command)


class Words(click.Choice[str]):
    """One of several words; a mistake says which one may have been meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word, or fail with a suggestion and all words."""
        if value not in self.choices:
            near = did_you_mean(str(value), self.choices)
            self.fail(f'"{value}" is unknown{near} Known: {", ".join(self.choices)}', param, ctx)
        return str(value)
