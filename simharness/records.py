"""What all records have in common, and how a run may have ended. `trace` has the records.

A record is built without position; the trace stamps number, virtual time and run when it is added,
exactly once.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar

import attrs

__all__ = ["Outcome", "Projection", "Record", "Reported", "Witnessed", "record"]

if TYPE_CHECKING:
    from attrs import frozen as record
else:
    # Records are frozen for the type checker only: a run makes some sixty of them, and the
    # run-time guard of attrs.frozen costs a microsecond each, a third of a small trial.
    record = attrs.define(unsafe_hash=True)


class Outcome(enum.StrEnum):
    """How a run ended."""

    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"
    LIMIT = "limit"
    REJECTED = "rejected"


@record
class Record:
    """Base of all records. `n`, `time` (virtual seconds) and `run` are stamped by `Trace.add`.

    `run` is the number of the prompt in whose context the thing happened, from 1; 0 is outside any.
    """

    n: int = attrs.field(init=False, eq=False, repr=False)
    time: float = attrs.field(init=False, eq=False, repr=False)
    run: int = attrs.field(init=False, eq=False, repr=False)

    # filled in on first use: the template and the getter that write one line of a trace
    _form: ClassVar[tuple[str, Callable[[object], object]] | None] = None

    @classmethod
    def form(cls) -> tuple[str, Callable[[object], object]]:
        """The %-template of one trace line and the getter of its values."""
        made = cls.__dict__.get("_form")
        if made is None:
            names = [a.name for a in attrs.fields(cls) if a.name not in {"n", "time", "run"}]
            fields = "".join(f" {name}=%r" for name in names)
            made = (f"%d r%d {cls.__name__}{fields}", attrgetter("n", "run", *names))
            cls._form = made
        return made

    def line(self) -> str:
        """The record as one line of text, without time, addresses or wall clocks."""
        template, getter = self.form()
        return template % getter(self)


@record
class Witnessed(Record):
    """Made by the harness at its own seams."""


@record
class Reported(Record):
    """What the agent says about itself. `derived`: made up by an adapter from the wire."""

    family: ClassVar[str] = ""
    derived: bool = attrs.field(default=False, kw_only=True, eq=False)


Projection = Callable[[Sequence[Record]], list[str]]
"""Writes records in a system's own words. A pure function: it sees no agent and no contract."""
