"""Places on a PostgreSQL server: databases, and schemas of one, which are quicker to make."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa

_numbers = itertools.count()


def new_postgres_schema(server: str) -> str:
    """The address of an empty schema."""
    name = f"auscult_{next(_numbers)}"
    with _commanding(server) as connection:
        connection.execute(sa.text(f"CREATE SCHEMA {name}"))
    return _shown(_url(server).update_query_dict({"options": f"-csearch_path={name}"}))


def new_postgres_database(
    server: str, name: str | None = None, *, copied_from: str = "template0"
) -> str:
    """The address of a new database, a copy of another that nobody is connected to."""
    name = name or f"auscult_{next(_numbers)}"
    with _commanding(server) as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name} TEMPLATE {copied_from}"))
    return _shown(_url(server).set(database=name))


def drop_postgres_database(address: str) -> None:
    """Remove a database."""
    name = _url(address).database
    with _commanding(_shown(_url(address).set(database="postgres"))) as connection:
        connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))


@contextmanager
def _commanding(server: str) -> Iterator[sa.Connection]:
    engine = sa.create_engine(_url(server), isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    with engine.connect() as connection:
        yield connection


def _url(address: str) -> sa.URL:
    return sa.make_url(address).set(drivername="postgresql+psycopg")


def _shown(address: sa.URL) -> str:
    return address.render_as_string(hide_password=False)
