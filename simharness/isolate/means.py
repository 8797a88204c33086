"""Where the batches of a campaign can run apart from this process: here, or on a Dask cluster."""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor
from typing import TYPE_CHECKING, Final

from simharness.batches.means import Means
from simharness.isolate import duties
from simharness.isolate.executor import Workers
from simharness.isolate.process import UnusableError
from simharness.isolate.remote import apart, likeness

if TYPE_CHECKING:
    from distributed import Client

    from simharness.isolate.settings import Setup

__all__ = ["cluster", "processes"]

_AHEAD: Final = 2  # batches per worker: one that runs and one that waits
_AHEAD_FAR: Final = 4  # over a network it takes longer until the next one is there
_CONNECT_S: Final = 30  # as Dask itself: a busy machine takes its time


def processes(setup: Setup) -> Means:
    """Worker processes on this machine."""
    return Means(lambda: Workers(setup), duties.batch, _AHEAD * setup.isolation.jobs)


@contextlib.contextmanager
def cluster(address: str, setup: Setup) -> Iterator[Means]:
    """The workers of the Dask scheduler at `address`. Raises UnusableError if there are none.

    Dask itself runs a batch again whose worker is gone; it gives up after several times.
    """
    with _connected(address) as client:
        from distributed import KilledWorker
        from distributed.comm.core import CommClosedError

        threads = sum(client.nthreads().values())
        if not threads:
            raise UnusableError(f"the Dask scheduler at {address} has no workers")
        means = Means(
            lambda: client.get_executor(pure=False),
            functools.partial(apart, likeness(), setup, duties.batch),
            _AHEAD_FAR * threads,
            _leave,
            (BrokenExecutor, KilledWorker),
        )
        try:
            yield means
        except (CancelledError, CommClosedError) as error:  # what it does to what was submitted
            how = f": {error}" if str(error) else ""
            raise UnusableError(f"the Dask scheduler at {address} has gone{how}") from None


def _connected(address: str) -> Client:
    try:
        from distributed import Client
        from distributed.comm.addressing import parse_address
        from distributed.comm.registry import get_backend
    except ImportError:
        raise UnusableError("--dask needs an extra: pip install 'simharness[dask]'") from None
    # What Dask logs about a connection that ends says less than the error that it raises.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        get_backend(
            parse_address(address)[0]
        )  # a client that cannot even begin ends after a minute
        return Client(address, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UnusableError(f"no Dask scheduler answers at {address}: {error}") from None


def _leave(executor: Executor) -> None:
    executor.shutdown(wait=False)  # which cancels what runs; the scheduler goes on
