"""Opening a workbench, and serving it."""

from __future__ import annotations

import getpass
import logging
import socket
import sys
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa

from auscult.core import OptionError
from auscult.server.accounts.people import Person, add_person, find_person, has_accounts
from auscult.server.accounts.secrets import new_secret
from auscult.server.coding.sources import CodeSources
from auscult.server.database.engine import Database, connect, sqlite_url
from auscult.server.database.migrate import migrate
from auscult.server.database.tables import person, project, session, workbench
from auscult.server.event_stream import Bell
from auscult.server.preannotate.background import PreAnnotation
from auscult.server.server import Server
from auscult.server.settings import ServerSettings

DATABASE = "auscult.db"

_KEEP_ALIVE = 75
"""Seconds that an idle connection stays open: longer than a proxy's, and than a coder reads."""
_SWITCH = 0.0005
"""Seconds after which a thread lets another run. Every answer takes a dozen turns of the database
and the event loop; with Python's five milliseconds each may wait that long for a search."""


def open_database(folder: Path, url: str | None = None) -> Database:
    """The database of a workbench's folder, or the one at an address, with its tables made."""
    if url is None:
        if folder.exists() and not folder.is_dir():
            raise OptionError(f"{folder} is a file; a workbench is a directory.")
        folder.mkdir(parents=True, exist_ok=True)
        # What coders read is for nobody else on this machine.
        folder.chmod(0o700)
        url = sqlite_url(folder / DATABASE)
    database = connect(url)
    migrate(database)
    return database


def open_server(settings: ServerSettings, database: Database) -> Server:
    """The workbench on a database: for one person behind a token, or for people with accounts."""
    with database.writing() as connection:
        with_accounts = has_accounts(connection)
        if not with_accounts and not settings.is_local:
            raise OptionError(
                f"On {settings.host} others can reach the workbench, so it needs accounts. Invite "
                f"the first admin: auscult team invite {settings.folder} NAME --admin. Without "
                "accounts it runs on 127.0.0.1 only."
            )
        one = None if with_accounts else _the_one(connection)
        identity = connection.execute(sa.select(workbench.c.id)).scalar_one()
        if with_accounts:
            _end_sessions_without_password(connection)
    if one is not None and settings.token is None:
        settings = replace(settings, token=new_secret())
    sources = CodeSources(settings.folder, settings.vocabulary)
    bell = Bell()
    pre_annotation = PreAnnotation(database, bell)
    return Server(settings, database, sources, one, identity, bell, pre_annotation)


def systems_in_use(database: Database) -> list[str]:
    """The code systems of all projects."""
    with database.reading() as connection:
        rows = connection.execute(sa.select(project.c.systems)).scalars().all()
    return list(dict.fromkeys(system for systems in rows for system in systems))


def check_port(settings: ServerSettings) -> None:
    """An error when the address cannot be listened on."""
    try:
        family = socket.getaddrinfo(settings.host, settings.port)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((settings.host, settings.port))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OptionError(
            f"{settings.host} port {settings.port} cannot be listened on: {reason}. If a workbench "
            "runs there, open its address; otherwise choose another --port."
        ) from error


def serve(server: Server) -> None:
    """Answer requests until interrupted."""
    import uvicorn

    from auscult.server.app import make_app

    settings = server.settings
    sys.setswitchinterval(_SWITCH)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    systems = systems_in_use(server.database)
    server.sources.warm_up(systems)
    assert server.pre_annotation is not None  # open_server makes one
    server.pre_annotation.start()
    try:
        uvicorn.run(
            make_app(server),
            host=settings.host,
            port=settings.port,
            log_level="warning",
            access_log=False,  # it would log addresses; the guard logs routes
            server_header=False,
            proxy_headers=bool(settings.proxies),
            forwarded_allow_ips=settings.proxies or None,
            timeout_keep_alive=_KEEP_ALIVE,
            timeout_graceful_shutdown=5,
        )
    finally:
        server.pre_annotation.close()
        server.sources.close()


def _end_sessions_without_password(connection: sa.Connection) -> None:
    """Who came in by a token before there were accounts has to log in like everybody."""
    without = sa.select(person.c.id).where(person.c.password.is_(None))
    connection.execute(sa.delete(session).where(session.c.person.in_(without)))


def _the_one(connection: sa.Connection) -> Person:
    """The person of a workbench without accounts: who was here before, or this machine's user."""
    row = connection.execute(sa.select(person.c.name).order_by(person.c.id).limit(1)).first()
    if row is not None:
        found = find_person(connection, row.name)
        assert found is not None  # it was just read
        return found
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = "coder"
    return add_person(connection, name or "coder", is_admin=True)
