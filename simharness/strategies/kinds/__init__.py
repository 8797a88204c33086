"""A generator for each kind of public report: cases in which a loop may break in that way.

The kinds are those of `scenarios/field/`, whose scenarios are examples of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hypothesis import strategies as st

from simharness.scenario.model import Case
from simharness.strategies.kinds.answering import KEEPING, RETRYING, TERMINALS
from simharness.strategies.kinds.kind import Kind
from simharness.strategies.kinds.leaving import LEAVING, SETTLING
from simharness.strategies.kinds.sessions import RECOVERY, SAVING
from simharness.strategies.kinds.stopping import IDLING, STEERING, STOPPING
from simharness.strategies.kinds.streaming import COUNTING, EVENTS, SILENCE
from simharness.strategies.kinds.tooling import PAIRING, PARITY, RUNNING_ON, TWICE

__all__ = ["KINDS", "Kind", "of_kind"]

_ALL = (
    PAIRING,
    TERMINALS,
    RUNNING_ON,
    EVENTS,
    SAVING,
    TWICE,
    STOPPING,
    LEAVING,
    SETTLING,
    KEEPING,
    RETRYING,
    RECOVERY,
    STEERING,
    PARITY,
    IDLING,
    COUNTING,
    SILENCE,
)
KINDS: Mapping[str, Kind] = MappingProxyType({kind.name: kind for kind in _ALL})
"""All kinds by name, those with most reports first."""


def of_kind(*names: str) -> st.SearchStrategy[Case]:
    """Cases of one of these kinds, or of any if none is named. Raises ValueError for others."""
    unknown = [name for name in names if name not in KINDS]
    if unknown:
        raise ValueError(f"unknown kind {unknown[0]!r}; kinds: {', '.join(KINDS)}")
    return st.one_of([KINDS[name].cases for name in names or KINDS])
