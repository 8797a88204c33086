"""Determinism: virtual clocks and seeded randomness for a batch of trials, and a socket guard.

Patches are installed once per batch, not per trial (saving and seeding `random` alone costs more
than a small trial); a trial only starts a new generation, and each generator is reset on first use
in it. Every replacement falls back to the real thing outside a trial and in other threads' modules
that keep an alias, so nothing has to be undone in code imported meanwhile.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from simharness.world import clocks, ctrl_c, randomness
from simharness.world.blocking import virtual_waits
from simharness.world.network import guard_sockets
from simharness.world.pools import virtual_pools
from simharness.world.printing import printing_to
from simharness.world.watchdog import WALL_S, watched

if TYPE_CHECKING:
    from simharness.world.eventloop import SimLoop

COLLECT_EVERY = 500
"""Trials between two garbage collections, which bound memory."""

THAW_EVERY = 20
"""Collections between two that look at everything; the others look at what is new since the last:
cases and kept traces outlive a batch, and walking them each time costs a tenth of all time."""

_SKIP = (
    "_pytest",
    "asyncio",
    "click",
    "concurrent",
    "coverage",
    "execnet",
    "hypothesis",
    "importlib",
    "logging",
    "multiprocessing",
    "pluggy",
    "pytest",
    "queue",
    "selectors",
    "simharness",
    "subprocess",
    "threading",
    "tqdm",
    "xdist",
)
"""Modules that must keep real time: they serve the harness, not the agent."""


class _Batches:
    """How many batches are open, the trials so far, and those up to the last collection."""

    depth = 0
    trials = 0
    collected = 0


_batches = _Batches()


@contextlib.contextmanager
def batch(*, output: TextIO | None = None, wall_s: float = WALL_S) -> Iterator[None]:
    """Install the patches around many trials. Nested batches are one batch.

    What agents print goes to `output`; without one it is dropped. A trial ends after `wall_s` real
    seconds, see `watchdog`.
    """
    _batches.depth += 1
    if _batches.depth > 1:
        try:
            yield
        finally:
            _batches.depth -= 1
        return
    with contextlib.ExitStack() as stack:
        replaced = {**clocks.replacements(), **randomness.replacements()}
        stack.enter_context(_everywhere(replaced))
        stack.enter_context(randomness.seeded_classes())
        stack.enter_context(guard_sockets())
        stack.enter_context(virtual_waits())
        stack.enter_context(virtual_pools())
        stack.enter_context(_no_automatic_collection())
        stack.enter_context(printing_to(output))
        stack.enter_context(ctrl_c.noted())
        stack.enter_context(watched(wall_s))
        try:
            yield
        finally:
            _batches.depth -= 1
            clocks.leave()
            randomness.leave()


def new_trial(loop: SimLoop) -> None:
    """Begin a trial: its clock is the clock, and every generator starts anew."""
    clocks.enter(loop)
    randomness.enter()
    _batches.trials += 1
    if _batches.depth and _is_time():
        _collect(whole=_batches.trials // COLLECT_EVERY % THAW_EVERY == 0)


@contextlib.contextmanager
def _everywhere(replaced: dict[int, tuple[Any, Any]]) -> Iterator[None]:
    """Put replacements wherever a module holds the original, aliases included."""
    done: list[tuple[dict[str, Any], str, Any]] = []
    for module_name, module in list(sys.modules.items()):
        if module is None or module_name.partition(".")[0] in _SKIP:
            continue
        names = getattr(module, "__dict__", None)
        if names is None:
            continue
        for name, value in list(names.items()):
            found = replaced.get(id(value))
            if found is not None and found[0] is value:
                names[name] = found[1]
                done.append((names, name, value))
    try:
        yield
    finally:
        for names, name, value in done:
            names[name] = value


def _is_time() -> bool:
    return _batches.trials - _batches.collected >= COLLECT_EVERY


def _collect(*, whole: bool) -> None:
    """Drop the garbage of the trials so far; what is left is not looked at before a whole one."""
    if whole:
        gc.unfreeze()
    gc.collect()
    gc.freeze()
    _batches.collected = _batches.trials


@contextlib.contextmanager
def _no_automatic_collection() -> Iterator[None]:
    """A collection at a random moment would close generators at a random moment.

    Not every batch begins with one: that costs more than many a small batch, and is in vain.
    """
    was = gc.isenabled()
    gc.disable()
    if _is_time():
        _collect(whole=False)
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        if was:
            gc.enable()
