"""The store: results of batches in an SQLite file, so that none is run or counted twice.

Each result is written in a transaction of its own, as soon as it is there. A process that is killed
loses the batches it was running and no other. Results are pickles of our own: a store is to be
trusted like the program that wrote it.
"""

from __future__ import annotations

import json
import pickle
import sqlite3
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self, cast

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from simharness.batches.batch import Batch, Done

__all__ = ["Store", "StoreError"]

_FORMAT: Final = "1"

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS campaign (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS batches (
    ledger INTEGER NOT NULL,  -- which case of the campaign, from 0
    number INTEGER NOT NULL,  -- which batch of that case, from 0
    case_id TEXT NOT NULL,
    key TEXT NOT NULL,  -- what was run
    trials INTEGER NOT NULL,
    findings INTEGER NOT NULL,  -- different causes
    result BLOB NOT NULL,
    PRIMARY KEY (ledger, number)
);
"""


class StoreError(Exception):
    """The file cannot be used; the text says why and what to do."""


class Store:
    """The results of one campaign; a context manager that closes the file.

    `about` says what the campaign is. A file that holds another one is not touched.
    """

    def __init__(self, path: Path, about: Mapping[str, str]) -> None:
        self._path = path
        self.restored = 0  # results that were there already
        self._connection = self._open()
        try:
            self._claim({"format": _FORMAT, **about})
        except sqlite3.DatabaseError as error:
            self._connection.close()
            raise StoreError(f"{path} cannot be used as a store: {error}") from None
        except StoreError:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        """It is open already."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        stack: TracebackType | None,
    ) -> None:
        """Close the file."""
        self._connection.close()

    @property
    def size(self) -> int:
        """How many results there are."""
        (count,) = self._connection.execute("SELECT count(*) FROM batches").fetchone()
        return int(count)

    def find(self, ledger: int, batch: Batch) -> Done | None:
        """The result of a batch, if it is there. Raises StoreError if another was run instead."""
        row = self._connection.execute(
            "SELECT case_id, key, result FROM batches WHERE ledger = ? AND number = ?",
            (ledger, batch.number),
        ).fetchone()
        if row is None:
            return None
        case_id, key, result = row
        if key != batch.key:
            raise StoreError(
                f"{self._path}: batch {batch.number} of case {case_id} is not what this command "
                f"would run as batch {batch.number} of case {batch.case.id}: the scenarios, the "
                "agent or simharness have changed. Begin a new store."
            )
        self.restored += 1
        return cast("Done", pickle.loads(result))  # noqa: S301 - our own, see above

    def keep(self, ledger: int, batch: Batch, done: Done) -> None:
        """Write a result, whole or not at all."""
        row = (
            ledger,
            batch.number,
            batch.case.id,
            batch.key,
            len(done.trials),
            len(done.tally.findings()),
            pickle.dumps(done, pickle.HIGHEST_PROTOCOL),
        )
        self._connection.execute("INSERT INTO batches VALUES (?, ?, ?, ?, ?, ?, ?)", row)

    def _open(self) -> sqlite3.Connection:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # Without an isolation level each statement is a transaction.
            return sqlite3.connect(self._path, isolation_level=None, timeout=0)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"cannot open the store {self._path}: {error}") from None

    def _claim(self, about: Mapping[str, str]) -> None:
        """Lock the file, and see that it is new or of this campaign."""
        run = self._connection.execute
        run("PRAGMA locking_mode = EXCLUSIVE")
        try:
            run("PRAGMA journal_mode = WAL")
            run("PRAGMA synchronous = NORMAL")
            run("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            raise StoreError(f"another campaign is writing to {self._path}") from None
        for statement in _SCHEMA.split(";\n"):
            run(statement)
        known = dict(run("SELECT key, value FROM campaign").fetchall())
        if not known:
            rows = list(about.items())
            self._connection.executemany("INSERT INTO campaign VALUES (?, ?)", rows)
        run("COMMIT")
        if known and known != about:
            raise StoreError(f"{self._path} is of another campaign: {_differences(known, about)}")


def _differences(known: Mapping[str, str], about: Mapping[str, str]) -> str:
    """What differs, and what to do."""
    keys = [key for key in {**known, **about} if known.get(key) != about.get(key)]
    pairs = [
        f"{key} was {json.dumps(known.get(key))} and is {json.dumps(about.get(key))}"
        for key in keys
    ]
    return "; ".join(pairs) + ". Give the same options again, or another file."
