"""Any case with a store that fails, lies and tears, killed anywhere: no rule is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from simharness.scenario.model import OtherAction, PromptAction
from simharness.scenario.stores import Store, StoreFault
from simharness.search import Deviate, Uniform
from simharness.search.sampler import Drawn
from simharness.strategies import cases
from simharness.testing import play
from simharness.trace import LimitHit
from simharness.world.run import batch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simharness.choices import Chooser
    from simharness.scenario.model import Case

DRAWN_SLOWLY = [HealthCheck.too_slow, HealthCheck.data_too_large]
"""As for the reference loop without a store."""

_FAULTS = st.one_of(st.none(), st.none(), st.builds(StoreFault, st.integers(1, 12), st.booleans()))
stores = st.builds(
    Store,
    slow_s=st.sampled_from([0.0, 0.01]),
    fails=_FAULTS,
    drops=_FAULTS,
    torn=_FAULTS,
    buffered=st.booleans(),
)


@pytest.fixture(autouse=True, scope="module")
def one_batch() -> Iterator[None]:
    """Play all examples in one batch of trials."""
    with batch():
        yield


def killed(case: Case, store: Store, *, kills: int) -> Case:
    """The case with a store, kills that the search places, and two more behind everything."""
    first = next(n for n, one in enumerate(case.actions) if isinstance(one, PromptAction))
    anywhere = OtherAction("kill", anywhere=True, label="kill anywhere")
    idle = OtherAction("kill", label="kill")
    last = case.actions[-1]
    closing = isinstance(last, PromptAction) and last.epilogue
    middle = case.actions[first + 1 : len(case.actions) - closing]
    actions = (*case.actions[: first + 1], *middle, *[anywhere] * kills, idle, idle)
    return attrs.evolve(case, store=store, actions=(*actions, *case.actions[-1:] * closing))


def chooser(seed: int) -> Chooser:
    """One that deviates now and then, or one that takes any option alike."""
    strategy = Uniform(seed=seed) if seed % 2 else Deviate(seed=seed)
    return Drawn(strategy, 0).chooser()


@settings(max_examples=100, suppress_health_check=DRAWN_SLOWLY)
@given(cases(), stores, st.integers(0, 2), st.integers(0, 2**32 - 1))
def test_no_kill_and_no_fault_of_a_store_breaks_a_rule(
    case: Case, store: Store, kills: int, seed: int
) -> None:
    """Memory, disk and what is loaded agree, whatever the model, the user and the disk do."""
    played = play("reference", killed(case, store, kills=kills), chooser(seed))
    assert "" == played.broken
    assert played.verdict.trace is not None
    limits = {hit.limit for hit in played.verdict.trace.of(LimitHit)}
    assert limits <= {"deadlock"}
    assert not limits or "hang" in case.source
