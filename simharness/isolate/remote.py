"""On another machine: a batch is handed on to a worker process there.

So it is the same in a thread of some service as at home: nothing else runs in its process, trials
have limits, the hash seed is ours, and what ends the process ends nothing else.
"""

from __future__ import annotations

import functools
import os
import platform
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import attrs

import simharness
from simharness.isolate.executor import Workers
from simharness.isolate.process import UnusableError

if TYPE_CHECKING:
    from simharness.isolate.settings import Setup

__all__ = ["Likeness", "apart", "likeness"]

_JOBS_MOST: Final = 256  # a worker is started for each thread of the service that has work for it


@attrs.frozen
class Likeness:
    """What must be the same on all machines for the same trials to leave the same traces."""

    simharness: str
    python: str
    hash_seed: str


def likeness() -> Likeness:
    """That of this process and the workers it starts."""
    python = ".".join(platform.python_version_tuple()[:2])
    return Likeness(simharness.__version__, python, os.environ.get("PYTHONHASHSEED", "0"))


def apart(wanted: Likeness, setup: Setup, duty: Callable[..., Any], *words: Any) -> Any:
    """Do a duty in a worker process of this machine. Raises what `Workers` raises."""
    if likeness() != wanted:
        raise UnusableError(
            f"a worker of the cluster is {likeness()}, this process is {wanted}; "
            "they must be the same"
        )
    return _workers(setup).submit(duty, *words).result()


@functools.lru_cache(maxsize=1)  # a campaign has one setup; the workers of the last one end
def _workers(setup: Setup) -> Workers:
    limits = attrs.evolve(setup.isolation, jobs=_JOBS_MOST)
    return Workers(attrs.evolve(setup, isolation=limits))
