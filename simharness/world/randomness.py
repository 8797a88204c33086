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
PID = 4_200_042
"""Above what any system gives out: a signal sent to it must not reach a stranger."""
NODE = 0x0242_AC11_0002
"""A made-up network address for uuid1."""

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


class _Generation:
    """What was drawn in the trial in progress."""

    active = False
    seeded = False  # the module's own generator was reset in this trial
    blocks = 0  # blocks of bytes handed out
    generators = 0  # unseeded generators made
    uuids = 0  # uuid1 calls


_drawn = _Generation()
_real_urandom = os.urandom
_real_getpid = os.getpid
_real_uuid1 = uuid.uuid1
_real_seed = random.Random.seed
_module_generator: random.Random = random._inst


def enter() -> None:
    """Begin a trial."""
    _drawn.active = True
    _drawn.seeded = False
    _drawn.blocks = _drawn.generators = _drawn.uuids = 0


def leave() -> None:
    """Go back to real randomness."""
    _drawn.active = False


def urandom(size: int) -> bytes:
    """`os.urandom`: bytes that depend only on how many were drawn before in this trial."""
    if not _drawn.active:
        return _real_urandom(size)
    _drawn.blocks += 1
    return hashlib.shake_128(f"{SEED}:{_drawn.blocks}".encode()).digest(size)


def getpid() -> int:
    """`os.getpid`: a number that is the same in every process."""
    return PID if _drawn.active else _real_getpid()


def uuid1(node: int | None = None, clock_seq: int | None = None) -> uuid.UUID:
    """`uuid.uuid1` without the machine's address and clock."""
    if not _drawn.active:
        return _real_uuid1(node, clock_seq)
    _drawn.uuids += 1
    return uuid.UUID(fields=(_drawn.uuids, 0, 0x1000, 0x80, clock_seq or 0, node or NODE))


def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
    """`Random.seed`: what would be seeded from the machine is seeded from the trial."""
    if a is None and _drawn.active:
        _drawn.generators += 1
        a = f"{SEED}:{_drawn.generators}"
    _real_seed(self, a, version)


def _module_function(name: str) -> tuple[Any, Any]:
    real = getattr(random, name)

    def draw(*args: Any, **options: Any) -> Any:
        if _drawn.active and not _drawn.seeded:
            _drawn.seeded = True
            _real_seed(_module_generator, SEED)
        return real(*args, **options)

    return real, draw


def _module_seed(a: Any = None, version: int = 2) -> None:
    """`random.seed`: explicit seeds count; a seed from the machine becomes ours."""
    _drawn.seeded = True
    seed(_module_generator, a, version)


_REPLACEMENTS: list[tuple[Any, Any]] = [
    (_real_urandom, urandom),
    (_real_getpid, getpid),
    (_real_uuid1, uuid1),
    (random.seed, _module_seed),
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
