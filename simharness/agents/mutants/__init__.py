"""Mutants: the reference loop with one seeded fault each. They prove that the rules bite.

A mutant overrides one small method of one part of the loop; where a fault needs two, both are the
same mistake. Its docstring says what it does wrong, and its rule must turn red.
"""

from __future__ import annotations

from simharness.agents.mutants import (
    answers,
    connectome,
    consumers,
    deepseek_harness,
    endings,
    going_on,
    history,
    hooks,
    lateness,
    leaving,
    pairing,
    promises,
    queues,
    recording,
    reporting,
    runs,
    saving,
    sessions,
    settling,
    stops,
    tools,
    tunacode,
    unruled,
    unrun,
    yoagent,
)
from simharness.agents.mutants.mutant import Mutant

__all__ = ["MUTANTS", "Mutant", "find_mutant"]

MUTANTS: tuple[Mutant, ...] = (
    *history.MUTANTS,
    *answers.MUTANTS,
    *tools.MUTANTS,
    *runs.MUTANTS,
    *hooks.MUTANTS,
    *queues.MUTANTS,
    *promises.MUTANTS,
    *endings.MUTANTS,
    *consumers.MUTANTS,
    *sessions.MUTANTS,
    *stops.MUTANTS,
    *settling.MUTANTS,
    *saving.MUTANTS,
    *recording.MUTANTS,
    *going_on.MUTANTS,
    *unruled.MUTANTS,
    *unrun.MUTANTS,
    *pairing.MUTANTS,
    *reporting.MUTANTS,
    *leaving.MUTANTS,
    *lateness.MUTANTS,
    *yoagent.MUTANTS,
    *tunacode.MUTANTS,
    *deepseek_harness.MUTANTS,
    *connectome.MUTANTS,
)


def find_mutant(mutant_id: str) -> Mutant:
    """A mutant by its id; raises KeyError."""
    return {mutant.id: mutant for mutant in MUTANTS}[mutant_id]
