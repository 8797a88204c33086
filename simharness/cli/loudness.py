"""`--quiet` and `--verbose`, the same two options for every verb that says how things went."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from simharness.cli.problems import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["loudness_options"]


def loudness_options(less: str, more: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """The two options; the command gets both as flags, of which at most one is set.

    `less` and `more` say what they do to this verb.
    """

    def added(command: Callable[..., int]) -> Callable[..., int]:
        @functools.wraps(command)
        def bundled(*, quiet: bool, verbose: bool, **words: Any) -> int:
            if quiet and verbose:
                raise BadInput("--quiet and --verbose exclude each other: give one of them")
            return command(quiet=quiet, verbose=verbose, **words)

        options = (
            click.option("--quiet", "-q", is_flag=True, help=less),
            click.option("--verbose", "-v", is_flag=True, help=more),
        )
        for option in reversed(options):
            bundled = option(bundled)
        return bundled

    return added
