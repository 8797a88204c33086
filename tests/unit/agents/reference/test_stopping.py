"""Stopping, quiescing, restarting and the streak: the parts, on stock asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Callable, Coroutine

import pytest

from simharness.agent import Style
from simharness.agents.reference import make
from simharness.agents.reference.cancelling import Cancellation
from simharness.agents.reference.gate import Gate
from simharness.agents.reference.loop import ReferenceAgent
from simharness.agents.reference.quiescing import window_s
from simharness.agents.reference.restarting import Restart
from simharness.agents.reference.stopping import GoneError, Stops
from simharness.agents.reference.streak import Streak
from simharness.contract import Contract
from tests.unit.agents.fake_world import FakeWorld

Program = Callable[[], Coroutine[None, None, object]]


def run(program: Program) -> object:
    """What a program comes to on the stock loop."""
    return asyncio.run(program())


# --- whose stop it was --------------------------------------------------------------------------


@pytest.mark.parametrize("first", ["mark", "caller"])
@pytest.mark.parametrize(("outrank", "cause"), [(True, "shutdown"), (False, "")])
def test_a_mark_outranks_callers_or_whoever_was_first_counts(
    first: str, outrank: bool, cause: str
) -> None:
    """As the contract declares; either way the run is marked."""

    async def program() -> object:
        cancellation = Cancellation()
        cancellation.marks_outrank = outrank
        for who in (first, "caller" if first == "mark" else "mark"):
            (cancellation.mark if who == "mark" else cancellation.set)(
                "shutdown" if who == "mark" else "budget"
            )
        return cancellation.reason, cancellation.marked

    wanted = cause or {"mark": "shutdown", "caller": "budget"}[first]
    assert (wanted, True) == run(program)


def test_of_two_marks_the_first_stays() -> None:
    """Who disposes of an agent that is shut down changes nothing."""

    async def program() -> object:
        cancellation = Cancellation()
        cancellation.mark("shutdown")
        cancellation.mark("disposed")
        return cancellation.reason

    assert "shutdown" == run(program)


def test_a_task_cancel_before_a_mark_was_first() -> None:
    """It is noticed when the mark is set, though nothing has awaited since."""

    async def program() -> object:
        cancellation = Cancellation()
        cancellation.marks_outrank = False
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        cancellation.mark("shutdown")
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0)
        task.uncancel()
        return cancellation.reason

    assert "user" == run(program)


def test_the_contract_says_whether_marks_outrank_callers() -> None:
    """The agent gives each of its runs what it has declared."""

    class First(ReferenceAgent):
        contract = Contract(cause_precedence="first")

    async def program() -> object:
        return First(FakeWorld([])).new_cancellation().marks_outrank

    assert False is run(program)


# --- gone -----------------------------------------------------------------------------------------


def test_an_agent_that_is_gone_refuses_and_says_why() -> None:
    """The first reason stays; asking to be let in raises."""

    async def program() -> object:
        stops = Stops()
        stops.leave("shutdown")
        stops.leave("disposed")
        with pytest.raises(GoneError, match="the agent is gone: shutdown"):
            stops.let_in()
        return stops.meant()

    assert None is run(program)


def test_a_cancel_means_the_conversation_and_else_the_oldest_run_beside_it() -> None:
    """Whoever was let in first; what has come back is meant no more."""

    async def program() -> object:
        stops, meant = Stops(), []
        asked = {"aside 1": True, "one": False, "aside 2": True, "two": False}
        over = {name: asyncio.Event() for name in asked}

        async def ask(name: str) -> None:
            stops.let_in(aside=asked[name])
            await over[name].wait()
            stops.came_back()

        tasks = [asyncio.create_task(ask(name), name=name) for name in asked]
        await asyncio.sleep(0)
        while (one := stops.meant()) is not None:
            meant.append(one.task.get_name())
            over[meant[-1]].set()
            await asyncio.sleep(0)
        await asyncio.wait(tasks)
        return meant

    assert ["one", "two", "aside 1", "aside 2"] == run(program)


def test_waiting_for_nothing_takes_no_time() -> None:
    """Nothing runs, so nobody waits, however long they would: not even for the loop."""
    with pytest.raises(StopIteration):
        Stops().idle(math.inf).send(None)


# --- the gate -------------------------------------------------------------------------------------


def test_a_closed_gate_lets_through_who_is_named_and_an_open_one_everybody() -> None:
    """Each while it is closed, all in their order when it opens; who gave up is passed over."""

    async def program() -> object:
        gate, passed = Gate(), []

        async def come(name: str) -> None:
            await gate.passed(name)
            passed.append(name)

        await come("early")
        gate.close()
        tasks = [asyncio.create_task(come(name)) for name in "abcd"]
        await asyncio.sleep(0)
        tasks[0].cancel()
        await asyncio.sleep(0)
        gate.let("c")
        await asyncio.sleep(0)
        assert ["early", "c"] == passed
        gate.open()
        await asyncio.wait(tasks)
        gate.let("c")  # nobody is there
        return passed

    assert ["early", "c", "b", "d"] == run(program)


# --- quiescing ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("drain_s", "wanted"),
    [
        (None, 30.0),
        (math.nan, 30.0),
        (0.0, 1.0),
        (-math.inf, 1.0),
        (5.0, 5.0),
        (601.0, 600.0),
        (math.inf, 600.0),
    ],
)
def test_a_window_is_clamped_and_no_number_is_the_default(
    drain_s: float | None, wanted: float
) -> None:
    """Within a second and ten minutes, whatever an operator asks for."""
    assert wanted == window_s(drain_s)


# --- restarting -----------------------------------------------------------------------------------


def test_a_stream_is_given_up_once_perhaps_before_it_is_read_and_not_behind_a_cancel() -> None:
    """A restart is word for one stream, and no stop. One that is asked for is read to be told."""

    async def program() -> object:
        cancellation = Cancellation()
        early, read = Restart(cancellation), Restart(cancellation)
        early.set("early")
        bounds = []
        for one in (early, read):
            async with asyncio.timeout(None) as scope:
                with one.within(scope, 60):
                    bounds.append(scope.when() is not None)
                    one.set("budget")
                    one.set("again")
        late = Restart(cancellation)
        async with asyncio.timeout(None) as scope:
            with late.within(scope, 60):
                cancellation.set()
                late.set("late")
        return bounds, [(one.reason, one.is_set()) for one in (early, read, late)]

    assert ([True, False], [("early", True), ("budget", True), ("", True)]) == run(program)


def test_a_cancel_that_meets_the_timeout_of_a_restart_raises_nothing() -> None:
    """The block is left for the restart, and the cancel counts all the same."""

    async def program() -> object:
        cancellation = Cancellation()
        restart = Restart(cancellation)
        asyncio.get_running_loop().call_soon(restart.set, "budget")
        async with cancellation.bounded(60) as scope:
            with restart.within(scope, 0):
                try:
                    await asyncio.Event().wait()
                finally:
                    cancellation.set("user")  # the scope is expiring now
        return restart.reason, cancellation.reason

    assert ("budget", "user") == run(program)


# --- the streak -----------------------------------------------------------------------------------


def test_the_third_failure_in_a_row_alerts_once() -> None:
    """A success begins anew; a fourth failure says nothing."""
    streak = Streak()
    assert [False, False, True, False] == [streak.failed() for _ in range(4)]
    streak.succeeded()
    assert [False, False, True] == [streak.failed() for _ in range(3)]


# --- the agent ------------------------------------------------------------------------------------


def test_a_run_beside_the_conversation_has_nothing_said_yet_and_shares_the_rest() -> None:
    """Settings, hooks, what stops it and the streak are those of the agent."""

    async def program() -> object:
        agent = make(FakeWorld([]))
        one = agent.aside()
        assert [] == one.history()
        shared = ("settings", "hooks", "stops", "quiescing")
        assert all(getattr(one, name) is getattr(agent, name) for name in shared)
        assert one.journal.streak is agent.journal.streak
        assert one.journal.history is not agent.journal.history
        return one.style

    assert Style.ASYNC is run(program)
