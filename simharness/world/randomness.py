"""Seeded replacements of the sources of randomness.

A trial begins a new generation; whatever is drawn in it is a function of how much was drawn before
in the same trial, and of nothing else.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
import uuid
from collections.abc import Iterator
from typing import Any

SEED = 20_231_114
PID = 4242

_real_urandom = os.urandom
_real_getpid = os.getpid
_real_uuid1 = uuid.uuid1
_real_seed = random.Random.seed
_module_generator: random.Random = random._inst  # type: ignore[attr-defined]
_MODULE_FUNCTIONS = (
    "betavariate",
    "choice",
    "choices",
    "expovariate",
    "gammavariate",
    "gauss",
    "getrandbits",
    "getstate",
    "lognormvariate",
    "normalvariate",
    "paretovariate",
    "randbytes",
    "randint",
    "random",
    "randrange",
    "sample",
    "shuffle",
    "triangular",
    "uniform",
    "vonmisesvariate",
    "weibullvariate",
)
_active = False
_fresh = False  # the module's generator was reset in this trial
_drawn = 0  # blocks of bytes handed out in this trial
_made = 0  # unseeded generators made in this trial
_counted = 0  # uuid1 calls in this trial


def enter() -> None:
    """Begin a trial."""
    global _active, _fresh, _drawn, _made, _counted
    _active = True
    _fresh = False
    _drawn = _made = _counted = 0


def leave() -> None:
    """Go back to real randomness."""
    global _active
    _active = False


def urandom(size: int) -> bytes:
    """`os.urandom`: bytes that depend only on how many were drawn before in this trial."""
    global _drawn
    if not _active:
        return _real_urandom(size)
    _drawn += 1
    seed = f"{SEED}:{_drawn}".encode()
    return hashlib.shake_128(seed).digest(size)


def getpid() -> int:
    """`os.getpid`: a number that is the same in every process."""
    return PID if _active else _real_getpid()


def uuid1(node: int | None = None, clock_seq: int | None = None) -> uuid.UUID:
    """`uuid.uuid1` without the machine's address and clock."""
    global _counted
    if not _active:
        return _real_uuid1(node, clock_seq)
    _counted += 1
    return uuid.UUID(fields=(_counted, 0, 0x1000, 0x80, clock_seq or 0, node or 0x0242AC110002))


def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
    """`Random.seed`: what would be seeded from the machine is seeded from the trial."""
    global _made
    if a is None and _active:
        _made += 1
        a = f"{SEED}:{_made}"
    _real_seed(self, a, version)


def _module_function(name: str) -> tuple[Any, Any]:
    real = getattr(_module_generator, name)

    def draw(*args: Any, **options: Any) -> Any:
        global _fresh
        if _active and not _fresh:
            _fresh = True
            _real_seed(_module_generator, SEED)
        return real(*args, **options)

    return getattr(random, name), draw


_REPLACEMENTS: list[tuple[Any, Any]] = [
    (_real_urandom, urandom),
    (_real_getpid, getpid),
    (_real_uuid1, uuid1),
    *[_module_function(name) for name in _MODULE_FUNCTIONS],
]


def replacements() -> dict[int, tuple[Any, Any]]:
    """By id of the original: the original and what stands for it."""
    return {id(real): (real, seeded) for real, seeded in _REPLACEMENTS}


@contextlib.contextmanager
def seeded_classes() -> Iterator[None]:
    """Make new unseeded `random.Random()` objects seeded, and keep the module generator's state."""
    state = _module_generator.getstate()
    random.Random.seed = seed  # type: ignore[method-assign]
    try:
        yield
    finally:
        random.Random.seed = _real_seed  # type: ignore[method-assign]
        _module_generator.setstate(state)
