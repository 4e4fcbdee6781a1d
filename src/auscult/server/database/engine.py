"""Opening a database, and transactions on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, OperationalError, SQLAlchemyError

from auscult.core import AuscultError, MissingExtraError, OptionError

_BUSY_MS = 30_000
_CONNECTIONS = 44
"""More than there are worker threads, so that no request waits for a connection."""


Row: TypeAlias = sa.Row[*tuple[Any, ...]]
"""A row of whatever columns."""


class DatabaseError(AuscultError):
    """A database that cannot be reached, or is of another version."""


class Database:
    """Transactions on one database. What a block of `writing` did is on disk when it is left."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine
        # SQLite has one writer at a time, and the others look again now and then: some wait for
        # seconds. Threads of this process queue up instead; other processes are few.
        self._turn: AbstractContextManager[object] = Lock() if self.is_sqlite else nullcontext()

    @property
    def is_sqlite(self) -> bool:
        """Whether this is a file, with one writer at a time."""
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection that changes nothing, and sees one moment however often it asks."""
        reader = self.engine.connect()
        if not self.is_sqlite:  # where a transaction that reads is a snapshot anyway
            reader = reader.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
        with reader as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction, committed at the end of the block and undone by an error in it."""
        with self._turn, self._writer() as connection, connection.begin():
            yield connection

    @contextmanager
    def trying(self) -> Iterator[sa.Connection]:
        """A transaction of which nothing is kept."""
        with self._turn, self._writer() as connection, connection.begin() as transaction:
            try:
                yield connection
            finally:
                transaction.rollback()

    def _writer(self) -> sa.Connection:
        return self.engine.connect().execution_options(auscult_writes=True)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def sqlite_url(file: Path) -> str:
    """The address of a database in a file."""
    return sa.URL.create("sqlite", database=str(file)).render_as_string(hide_password=False)


def connect(url: str) -> Database:
    """The database at an address: `sqlite:///FILE` or `postgresql://USER:PASSWORD@HOST/NAME`."""
    try:
        parsed = sa.make_url(url)
    except ArgumentError as error:
        raise OptionError(
            "Invalid database address. Expected sqlite:///FILE or "
            "postgresql://USER:PASSWORD@HOST/NAME."
        ) from error
    if parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise OptionError(f"The workbench supports SQLite and PostgreSQL, not {parsed.drivername}.")
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+psycopg")
    options: dict[str, Any] = {
        "hide_parameters": True,
        "pool_size": _CONNECTIONS // 2,
        "max_overflow": _CONNECTIONS // 2,
    }
    if parsed.get_backend_name() == "postgresql":
        options |= {"pool_pre_ping": True}
    try:
        engine = sa.create_engine(parsed, **options)
    except NoSuchModuleError as error:
        raise OptionError(f"No driver for {parsed.drivername} is installed.") from error
    except ImportError as error:
        raise MissingExtraError("PostgreSQL", "postgresql") from error
    if engine.dialect.name == "sqlite":
        _prepare_sqlite(engine)
    _check(engine, parsed)
    return Database(engine)


def _check(engine: sa.Engine, url: sa.URL) -> None:
    try:
        with engine.connect() as connection:
            connection.execute(sa.text("SELECT 1"))
    except (OperationalError, SQLAlchemyError) as error:
        where = url.render_as_string(hide_password=True)
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise DatabaseError(
            f"The database at {where} cannot be opened: {reason}. Check the address, and that "
            "the database is running."
        ) from error


def _prepare_sqlite(engine: sa.Engine) -> None:
    """Write-ahead log, flushed at every commit; transactions that write say so when they begin."""

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.close()

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        # One that begins by reading and writes later would fail when another writes in between.
        writes = connection.get_execution_options().get("auscult_writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
