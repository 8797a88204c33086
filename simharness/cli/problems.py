"""Mistakes of the user, as one message that says what exists."""

from __future__ import annotations

from difflib import get_close_matches
from typing import IO, TYPE_CHECKING, Any, Final

import click

from simharness.exitcodes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["BadInput", "did_you_mean", "some_of"]

_LISTED: Final = 12  # of many names; more would hide the message


class BadInput(click.ClickException):
    """Something that the user gave does not exist or cannot be used."""

    exit_code = ExitCode.BAD_INPUT

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message to the standard error, whole and without a stack."""
        click.echo(f"simharness: {self.message}", file=file, err=file is None)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean "x"?` where there is a likely x, else a full stop."""
    near = get_close_matches(word, list(known), n=1)
    return f'; did you mean "{near[0]}"?' if near else "."


def some_of(known: Sequence[str]) -> str:
    """The names, or the first of many and how many more there are."""
    more = len(known) - _LISTED
    return ", ".join(known[:_LISTED]) + (f" and {more} more" if more > 0 else "")
