"""Cases stop where one more trial would cost too much."""

from __future__ import annotations

import attrs
import pytest

from simharness.campaign.stopping import KILLED, Stopping, costly, fatal
from simharness.trace import LeftBehind, LimitHit, Record, Trace
from simharness.verdict import Verdict
from tests.tiny import verdict as tiny_verdict


def seen(*records: Record) -> Verdict:
    """The verdict of a trial with these records."""
    trace = Trace()
    for record in records:
        trace.add(record, time=0.0, run=0)
    return attrs.evolve(tiny_verdict((), "hash"), trace=trace)


@pytest.mark.parametrize(
    ("limit", "detail", "stops", "dies"),
    [
        ("deadlock", "", False, False),
        ("livelock", "", False, False),
        ("agent-exit", "", False, False),
        ("wall-limit", "busy", True, False),
        ("wall-limit", KILLED, True, True),
        ("memory-limit", "", True, True),
        ("process-death", "exit code 5", True, True),
    ],
)
def test_limits_that_cost_real_time_or_a_process_stop_a_case(
    limit: str, detail: str, stops: bool, dies: bool
) -> None:
    """One example is enough of them; those of virtual time cost nothing."""
    verdict = seen(LimitHit(limit, detail))
    stopping = Stopping()

    assert stops is stopping.after(verdict)
    assert (f"stopped at the first {limit}" if stops else "") == stopping.reason
    assert (limit if stops else "") == costly(verdict)
    assert dies is fatal(verdict)


def test_threads_left_behind_add_up() -> None:
    """They stay in the process, one for each trial."""
    stopping = Stopping()
    left = seen(LeftBehind("leaked-thread", "worker", final=True))

    assert [False] * 19 + [True] == [stopping.after(left) for _ in range(20)]
    assert "stopped with 20 threads left behind" == stopping.reason


def test_a_verdict_without_a_trace_stops_nothing() -> None:
    """Programs of the search tests have none."""
    assert not Stopping().after(tiny_verdict((), "hash"))
