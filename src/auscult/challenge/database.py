"""The SQLite file of a challenge: opened, read, and changed in one transaction.

What is kept in it is appended and never changed: each table has triggers that see to it. The
write-ahead log needs a local disk: SQLite's locks do not work on network file systems.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from auscult.challenge.errors import ChallengeError

_WAIT = 60.0


def create(path: Path, schema: str) -> None:
    """A new file with these tables."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=FULL")
        database.executescript(f"BEGIN; {schema} COMMIT;")


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection for reading."""
    if not path.exists():
        raise ChallengeError(f"{path} is missing; restore the challenge from a copy.")
    try:
        with closing(sqlite3.connect(path, timeout=_WAIT, isolation_level=None)) as database:
            database.execute("PRAGMA synchronous=FULL")
            yield database
    except sqlite3.Error as error:
        raise ChallengeError(
            f"{path} cannot be read or written: {error}. Nothing was changed; check "
            "the free disk space and that the file is undamaged, then try again."
        ) from error


@contextmanager
def changing(path: Path) -> Iterator[sqlite3.Connection]:
    """A transaction that holds the only right to write from its beginning."""
    with opened(path) as database:
        database.execute("BEGIN IMMEDIATE")
        try:
            yield database
        except BaseException:
            database.execute("ROLLBACK")
            raise
        database.execute("COMMIT")
