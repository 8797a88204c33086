"""The benchmarks still run: nobody looks at them every day. What they measure is not asserted."""

import pytest

from simharness.world.run import batch
from tests.benchmarks import __main__ as bench


def test_every_part_of_a_trial_is_weighed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The world, the rules and the hash have a cost each, and the shares add up."""
    monkeypatch.setattr(bench, "PAIRS", 1)
    with batch():
        rows = bench.trial_table()
    assert ["world and agent", "rules", "trace hash", "one judged trial"] == [
        row[0] for row in rows
    ]
    shares = [int(row[2].rstrip("%")) for row in rows[:-1]]
    assert 98 <= sum(shares) <= 102
