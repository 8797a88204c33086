"""Clocks and randomness inside a batch: virtual or seeded, and real again afterwards."""

from __future__ import annotations

import asyncio
import datetime
import gc
import os
import random
import secrets
import socket
import time
import uuid
from collections.abc import Callable
from datetime import datetime as aliased_datetime
from time import monotonic as aliased_monotonic

import pytest

from simharness.choices import ScheduleChooser
from simharness.world.clocks import EPOCH_S
from simharness.world.determinism import batch, new_trial
from simharness.world.eventloop import SimLoop
from simharness.world.refusals import NotSimulatedError


def in_trial(read: Callable[[], object], at_s: float = 5.0) -> object:
    """What `read` gives at virtual time `at_s` of a fresh trial."""
    loop = SimLoop(ScheduleChooser())
    new_trial(loop)
    with loop:
        loop.clock.now = at_s
        return read()


CLOCKS: dict[str, tuple[Callable[[], object], object]] = {
    "time.time": (lambda: time.time(), EPOCH_S + 5.0),
    "time.time_ns": (lambda: time.time_ns(), (EPOCH_S + 5) * 10**9),
    "time.monotonic": (lambda: time.monotonic(), 1005.0),
    "time.monotonic_ns": (lambda: time.monotonic_ns(), 1005 * 10**9),
    "time.perf_counter": (lambda: time.perf_counter(), 5.0),
    "time.perf_counter_ns": (lambda: time.perf_counter_ns(), 5 * 10**9),
    "datetime.now": (lambda: datetime.datetime.now().isoformat(), "2023-11-14T22:13:25"),
    "datetime.now(UTC)": (
        lambda: datetime.datetime.now(datetime.UTC).isoformat(),
        "2023-11-14T22:13:25+00:00",
    ),
    "datetime.today": (lambda: datetime.datetime.today().isoformat(), "2023-11-14T22:13:25"),
    "datetime.utcnow": (
        lambda: datetime.datetime.utcnow().isoformat(),
        "2023-11-14T22:13:25",
    ),
    "date.today": (lambda: datetime.date.today().isoformat(), "2023-11-14"),
    "an alias of monotonic": (lambda: aliased_monotonic(), 1005.0),
    "an alias of datetime": (lambda: aliased_datetime.now().isoformat(), "2023-11-14T22:13:25"),
}


@pytest.mark.parametrize("name", CLOCKS)
def test_a_clock_reads_virtual_time_in_a_trial(name: str) -> None:
    """Every wall clock shows a fixed start plus the virtual seconds."""
    read, expected = CLOCKS[name]
    with batch():
        assert expected == in_trial(read)


DRAWS: dict[str, Callable[[], object]] = {
    "random.random": lambda: random.random(),
    "random.randint": lambda: random.randint(0, 10**9),
    "random.getrandbits": lambda: random.getrandbits(64),
    "random.shuffle": lambda: random.sample(range(100), 5),
    "Random()": lambda: random.Random().random(),
    "SystemRandom": lambda: random.SystemRandom().random(),
    "uuid1": lambda: uuid.uuid1(),
    "uuid4": lambda: uuid.uuid4(),
    "os.urandom": lambda: os.urandom(8),
    "secrets.token_hex": lambda: secrets.token_hex(8),
    "secrets.randbelow": lambda: secrets.randbelow(10**9),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_draw_is_the_same_in_every_trial_and_new_within_one(name: str) -> None:
    """Two trials draw the same two values; the two values differ."""
    draw = DRAWS[name]
    with batch():
        first = in_trial(lambda: (draw(), draw()))
        second = in_trial(lambda: (draw(), draw()))
    assert first == second
    assert isinstance(first, tuple)
    assert first[0] != first[1]


def test_getpid_is_the_same_in_every_process() -> None:
    """The process number is a constant in a trial."""
    with batch():
        assert 4_200_042 == in_trial(os.getpid)
    assert 4_200_042 != os.getpid()


def test_a_signal_to_its_own_process_reaches_nobody() -> None:
    """The made-up process id is one that no process can have, a stranger least of all."""
    with batch(), pytest.raises(ProcessLookupError):
        in_trial(lambda: os.kill(os.getpid(), 0))


def test_everything_is_real_again_after_the_batch() -> None:
    """Clocks, classes, generators and sockets are put back."""
    before = (time.time, datetime.datetime, random.random, os.urandom, socket.getaddrinfo)
    state = random.getstate()
    with batch():
        in_trial(random.random)
    assert before == (
        time.time,
        datetime.datetime,
        random.random,
        os.urandom,
        socket.getaddrinfo,
    )
    assert state == random.getstate()
    assert gc.isenabled()
    assert abs(time.time() - EPOCH_S) > 1000


def test_the_replaced_datetime_keeps_isinstance() -> None:
    """Real instances are instances of the replacement, and it makes real instances."""
    real = datetime.datetime(2020, 1, 1)
    with batch():
        made = in_trial(lambda: datetime.datetime(2020, 1, 1))
        assert isinstance(real, datetime.datetime)
        assert issubclass(type(real), datetime.datetime)
    assert real == made
    assert type(made) is type(real)


def sleep_a_minute() -> float:
    """Block for a minute and read the clock."""
    time.sleep(60)
    return time.time()


def test_sleeping_on_the_loop_thread_moves_virtual_time() -> None:
    """time.sleep advances the clock instead of the wall."""
    with batch():
        assert EPOCH_S + 65.0 == in_trial(sleep_a_minute)


def test_no_code_reaches_a_network_in_a_batch() -> None:
    """connect and name look-ups raise an error that says what to use."""
    with batch():
        with pytest.raises(NotSimulatedError, match=r"world\.stream"):
            socket.getaddrinfo("example.org", 80)
        connection = socket.socket()
        try:
            with pytest.raises(NotSimulatedError, match=r"world\.stream"):
                connection.connect(("127.0.0.1", 9))
        finally:
            connection.close()


def test_sets_of_tasks_iterate_in_creation_order() -> None:
    """Tasks hash by number: asyncio.wait hands out its results alike in every process."""

    async def names() -> list[str]:
        tasks = [asyncio.create_task(asyncio.sleep(1), name=str(n)) for n in range(6)]
        done, _ = await asyncio.wait(set(tasks))
        return [task.get_name() for task in done]

    from simharness.world.kernel import play

    assert list("012345") == play(lambda _: names()).result


def test_a_trial_leaves_no_task_in_the_set_that_asyncio_keeps() -> None:
    """Tasks of all trials hash alike, so thousands of dead ones would slow every new one down."""
    from simharness.world.kernel import play

    name = "_all_tasks" if hasattr(asyncio.tasks, "_all_tasks") else "_scheduled_tasks"
    kept: list[object] = []

    async def waits() -> None:
        kept.append(asyncio.create_task(asyncio.Event().wait()))
        await asyncio.sleep(0)

    play(lambda _: waits())
    assert 1 == len(kept)
    assert kept[0] not in set(getattr(asyncio.tasks, name))
