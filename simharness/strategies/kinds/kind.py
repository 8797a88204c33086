"""What a generator of one kind of public report is: a name, a sentence and a strategy of cases."""

from __future__ import annotations

import attrs
from hypothesis import strategies as st

from simharness.scenario.model import Case
from simharness.strategies.cases import Ground, cases_on

__all__ = ["Kind", "kind"]


@attrs.frozen
class Kind:
    """Cases in which a loop may break in one way.

    `name` is that of its folder below `scenarios/field/`; `draws` says what is drawn.
    """

    name: str
    draws: str
    cases: st.SearchStrategy[Case]


def kind(name: str, draws: str, *grounds: Ground) -> Kind:
    """A kind whose cases stand on any of these grounds, the simplest first."""
    return Kind(name, draws, st.one_of([cases_on(ground) for ground in grounds]))
