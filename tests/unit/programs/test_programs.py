"""Plain async functions under many schedules: what is found, shown and replayed."""

from __future__ import annotations

import asyncio
import contextlib
import time

import pytest

from simharness import programs
from simharness.programs import Outside, ProgramFailed, explored
from simharness.programs.simulate import REPLAY


async def loses_an_update(outside: Outside) -> None:
    """Two tasks read a number, wait for the outside, and write it back."""
    number = 0

    async def add(name: str) -> None:
        nonlocal number
        seen = number
        await outside.arrival(name)
        number = seen + 1

    await asyncio.gather(add("credit"), add("debit"))
    assert number == 2, f"{number} of 2"


def loses_an_item(*, careful: bool) -> programs.simulate.Program:  # type: ignore[name-defined]
    """A worker that takes an item and can be cancelled before it has done it."""

    async def worker(outside: Outside) -> None:
        todo: asyncio.Queue[str] = asyncio.Queue()
        done: list[str] = []

        async def work() -> None:
            item = await todo.get()
            try:
                await outside.arrival("work")
            except asyncio.CancelledError:
                if careful:
                    todo.put_nowait(item)
                raise
            done.append(item)

        task = asyncio.create_task(work())
        outside.call("put", lambda: todo.put_nowait("item"))
        outside.cancel(task)
        with contextlib.suppress(asyncio.CancelledError):
            await task
        if not done and todo.empty():
            await outside.arrival("put is seen")
        assert done or not todo.empty(), "the item is lost"

    return worker


def failure(program: object, **options: object) -> str:
    """The text of a program that is broken."""
    with pytest.raises(ProgramFailed) as caught:
        explored(program, **options)  # type: ignore[arg-type]
    return str(caught.value)


def code_in(text: str) -> str:
    """The replay code of a failure."""
    return text.split(f"{REPLAY}=")[1].split(maxsplit=1)[0]


def test_a_lost_update_is_found_on_the_default_schedule() -> None:
    """Both read before either writes; what came in stands in the text."""
    text = failure(loses_an_update)
    assert "AssertionError: 1 of 2" in text
    assert "0.000 s  credit" in text
    assert "least (proved): broken on the default schedule" in text
    assert "seen + 1" not in text
    assert "assert number == 2" in text  # the traceback begins in the program


def test_a_cancel_is_placed_where_it_hurts() -> None:
    """Only a cancel between the taking of an item and its end loses it."""
    text = failure(loses_an_item(careful=False))
    assert "the item is lost" in text
    assert "1 deviation" in text
    assert "cancel, instead of" in text


def test_a_sound_program_is_explored_to_the_end() -> None:
    """It says how much was tried."""
    done = explored(loses_an_item(careful=True))
    assert done.trials >= done.interleavings > 1
    assert "nothing is left" in done.coverage or "is finished" in done.coverage


def test_the_same_code_shows_the_same_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    """A replay of the same program is exact."""
    monkeypatch.setenv(REPLAY, code_in(failure(loses_an_update)))
    assert "replay: exact" in failure(loses_an_update)


def with_a_background_task(*, fixed: bool, arrivals: int) -> object:
    """The program above beside something that has nothing to do with it."""

    async def loses_an_update(outside: Outside) -> None:
        async def unrelated() -> None:
            for number in range(arrivals):
                await outside.arrival(f"heartbeat {number}")

        beside = asyncio.create_task(unrelated())
        if not fixed:
            await globals()["loses_an_update"](outside)
        await beside

    loses_an_update.__module__ = __name__
    loses_an_update.__qualname__ = "loses_an_update"
    return loses_an_update


@pytest.mark.parametrize("arrivals", [0, 1, 3])
def test_a_changed_program_never_passes_silently_for_the_same(
    monkeypatch: pytest.MonkeyPatch, arrivals: int
) -> None:
    """With a task added, the replay is exact or says that it drifted; and that the text changed."""
    monkeypatch.setenv(REPLAY, code_in(failure(loses_an_update)))
    text = failure(with_a_background_task(fixed=False, arrivals=arrivals))
    expected = "replay: exact" if arrivals == 0 else "replay: drifted"
    assert expected in text
    assert "the program has changed" in text


def test_a_replay_that_took_another_way_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It fails though nothing broke, because it is another trial."""
    broken = loses_an_item(careful=False)
    monkeypatch.setenv(REPLAY, code_in(failure(broken)))

    async def other(outside: Outside) -> None:
        await asyncio.gather(*(outside.arrival(name) for name in "abcdefgh"))

    other.__module__, other.__qualname__ = broken.__module__, broken.__qualname__
    assert "Nothing broke, but this is not the trial" in failure(other)


def test_a_mended_program_no_longer_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """The options are the same, and the end is not."""
    monkeypatch.setenv(REPLAY, code_in(failure(loses_an_item(careful=False))))
    mended = loses_an_item(careful=True)
    assert explored(mended).coverage.startswith("replay: no longer fails")


def test_what_a_program_leaves_is_named() -> None:
    """Tasks that outlive it, and waits that nothing can end."""

    async def leaves() -> None:
        asyncio.create_task(asyncio.sleep(100), name="nobody waits")  # noqa: RUF006

    async def hangs() -> None:
        await asyncio.Event().wait()

    assert "leaked-task" in failure(leaves)
    assert "deadlock" in failure(hangs)


def test_time_is_virtual() -> None:
    """An hour passes at once, and the clocks agree."""
    before = time.perf_counter()

    async def waits(outside: Outside) -> None:
        start = time.monotonic()
        await asyncio.sleep(3600)
        assert 3600 == round(time.monotonic() - start)
        assert 3600.0 == round(outside.time)

    explored(waits)
    assert time.perf_counter() - before < 3600


def test_relaxed_mode_also_permutes_ready_tasks() -> None:
    """Two tasks that only yield race in relaxed mode and never on a stock loop."""

    async def races() -> None:
        order: list[str] = []

        async def step(name: str) -> None:
            await asyncio.sleep(0)
            order.append(name)

        await asyncio.gather(step("a"), step("b"))
        assert ["a", "b"] == order

    assert 1 == explored(races).interleavings
    assert "['b', 'a']" in failure(races, mode="relaxed")


@programs.simulate(budget=20)
async def test_the_decorator_hands_over_the_outside_and_fixtures(
    outside: Outside, tmp_path: object
) -> None:
    """The first parameter is the outside, the others are fixtures."""
    await outside.arrival("something")
    assert tmp_path is not None


@programs.simulate
async def test_a_program_needs_no_parameter() -> None:
    """Queues and timers of its own are enough."""
    await asyncio.sleep(1)


def test_the_fixture_takes_a_program_too(simulate: object) -> None:
    """A coroutine function alone is run under many schedules."""
    with pytest.raises(ProgramFailed, match="1 of 2"):
        simulate(loses_an_update)  # type: ignore[operator]


def test_a_plain_function_is_refused() -> None:
    """The text says what a program is."""
    with pytest.raises(TypeError, match="an `async def`"):
        explored(lambda: None)  # type: ignore[arg-type,return-value]
