"""Bringing a database to the tables this version knows."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from auscult.server.database.engine import Database, DatabaseError

_LOCK = 4_602_519_873_311
"""Of PostgreSQL's advisory locks: two servers that start together migrate one after the other."""


def migrate(database: Database, to: str = "head") -> None:
    """Make the tables, or change those of an earlier version; all or nothing."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    with database.writing() as connection:
        if not database.is_sqlite:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
        current = MigrationContext.configure(connection).get_current_revision()
        if current is not None and current not in known:
            raise DatabaseError(
                f"The database was written by a newer Auscult (revision {current}). Upgrade: "
                "pip install -U 'auscult[server]'"
            )
        config.attributes["connection"] = connection
        command.upgrade(config, to)
