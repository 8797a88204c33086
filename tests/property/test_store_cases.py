"""Drawn cases with a store: every fault of it, and kills at every kind of place."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, settings

from simharness.scenario.load import load_text
from simharness.scenario.model import Case, OtherAction
from simharness.strategies import cases


def test_stores_fail_and_agents_are_killed() -> None:
    """With and without a place; what is drawn loads again from its source."""
    found: list[Case] = []

    @settings(max_examples=300, phases=[Phase.generate], suppress_health_check=[*HealthCheck])
    @given(cases(store=True))
    def collect(case: Case) -> None:
        found.append(case)

    collect()
    assert found == [load_text(case.source).cases[0] for case in found]
    stores = [case.store for case in found if case.store is not None]
    assert len(found) == len(stores)
    promised = frozenset[str]().union(*(store.promised() for store in stores))
    assert {"store: fails", "store: drops", "store: torn"} == promised
    assert {True, False} == {store.buffered for store in stores}
    actions = (a for case in found for a in case.actions if isinstance(a, OtherAction))
    kills = [action for action in actions if action.verb == "kill"]
    assert any(kill.anywhere for kill in kills)
    assert any(kill.anchor for kill in kills)
    assert any(not kill.anywhere and kill.anchor is None for kill in kills)
