"""The server itself: headers, logs, the audit log, migrations, pages."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from fastapi.testclient import TestClient
from sqlalchemy.exc import DBAPIError
from tests.server.world import TEXT, World, make_world

from auscult.core import AuscultError, OptionError
from auscult.server.accounts.secrets import now
from auscult.server.app import make_app
from auscult.server.database.engine import Database, DatabaseError, connect, sqlite_url
from auscult.server.database.migrate import migrate
from auscult.server.database.tables import (
    audit,
    change,
    decision,
    event,
    finding,
    finding_decision,
    metadata,
)
from auscult.server.settings import ServerSettings
from auscult.server.shapes.coding import NoteOut
from auscult.server.shapes.search import Search
from auscult.server.start import open_database, open_server


def test_the_migrations_make_the_tables(database: Database) -> None:
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_migrating_twice_changes_nothing_and_a_newer_database_is_refused(
    database: Database,
) -> None:
    migrate(database)
    with database.writing() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseError, match="newer Auscult"):
        migrate(database)


def test_a_database_of_an_earlier_version_keeps_what_is_in_it(url: str, tmp_path: Path) -> None:
    database = connect(url)
    migrate(database, "0001")
    with database.writing() as connection:
        values = {"time": now(), "name": "ann", "action": "login", "detail": "", "address": ""}
        connection.execute(sa.insert(audit).values(values))
    migrate(database)
    world = make_world(database, tmp_path)
    with database.reading() as connection:
        kept = connection.execute(sa.select(audit.c.id, audit.c.name)).all()
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    assert [tuple(row) for row in kept] == [(1, "ann")]
    assert world.browser("ann").step(world.add("I10", (38, 50))).status_code == 201
    database.close()


@pytest.mark.parametrize("table", [event, change, decision, finding, finding_decision, audit])
def test_what_is_appended_is_not_changed_nor_removed(database: Database, table: sa.Table) -> None:
    """Not even by a program with a mistake in it."""
    column = table.c[0]
    for statement in (sa.update(table).values({column: column}), sa.delete(table)):
        with database.trying() as connection:
            _insert_anything(connection, table)
            with pytest.raises(DBAPIError, match="append-only"):
                connection.execute(statement)


def _insert_anything(connection: sa.Connection, table: sa.Table) -> None:
    """SQLite asks its triggers for each row, so there has to be one."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        values: dict[str, Any] = {
            one.name: now() if one.name == "time" else [] if one.name == "edit" else 1
            for one in table.c
            if not one.nullable
        }
        connection.execute(sa.insert(table).values(values))


def test_a_workbench_is_told_from_others_at_the_same_address(tmp_path: Path) -> None:
    """What a browser has not saved yet belongs to one of them, and is not sent to another."""
    found = []
    for name in ("one", "other", "one"):
        database = open_database(tmp_path / name)
        server = open_server(ServerSettings(tmp_path / name), database)
        client = TestClient(make_app(server), base_url="http://127.0.0.1")
        client.get("/enter", params={"token": server.settings.token})
        found.append(client.get("/api/me").json()["workbench"])
        database.close()
    assert found[0] == found[2] != found[1]


def test_sqlite_flushes_every_commit(lite: World) -> None:
    with lite.server.database.reading() as connection:
        found = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
    assert found == ["wal", 2, 1]


@pytest.mark.parametrize(
    "url",
    [
        "mysql://x/y",
        "nonsense",
        "postgresql://nobody:secret@127.0.0.1:1/none",
        "sqlite:////no/where",
    ],
)
def test_a_database_that_cannot_be_opened_is_an_error_without_the_password(url: str) -> None:
    with pytest.raises(AuscultError) as error:
        connect(url)
    assert "secret" not in str(error.value)


def test_every_answer_has_the_security_headers(lite: World) -> None:
    ann = lite.browser("ann")
    for answer in (
        ann.get("/me"),
        ann.get("/nowhere"),
        ann.client.get("/"),
        lite.client().get("/"),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
    assert ann.get("/me").headers["cache-control"] == "no-store"


def test_note_text_is_never_logged_nor_in_an_address(
    lite: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    ann = lite.browser("ann")
    ann.note(lite.notes[0])
    ann.step(lite.add("I10", (38, 50)))
    ann.post(f"/projects/{lite.own}/suggest", {"note": lite.notes[0], "spans": [[38, 50]]})
    ann.post(f"/projects/{lite.own}/charts/{lite.charts[0]}/search", {"words": "hypertension"})
    ann.post(f"/projects/{lite.own}/codes", {"words": "hypertension"})
    ann.step(lite.add("I10", (38, 50), comment="hypertension", more="hypertension"))
    own = [r.getMessage() for r in caplog.records if r.name == "auscult.server"]
    assert any("/notes/{note} 200" in line for line in own)
    assert "hypertension" not in caplog.text.lower()
    assert lite.notes
    assert all(str(TEXT[:5]) not in line for line in own)


def test_what_goes_over_the_wire_does_not_show_text(lite: World) -> None:
    note = NoteOut.model_validate(lite.browser("ann").note(lite.notes[0]))
    assert note.text == TEXT
    search = Search(words="hypertension")
    for said in (repr(note), str(note), f"{[note]}", repr(search), str(search)):
        assert "hypertension" not in said.lower()


def test_a_defect_is_logged_without_what_was_sent(
    lite: World, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError(TEXT)

    monkeypatch.setattr("auscult.server.routes.charts.open_note", broken)
    ann = lite.browser("ann")
    assert lite.app is not None
    # What gets out of the application is logged, message and all, by the server that runs it.
    strict = TestClient(lite.app, base_url="http://127.0.0.1", cookies=ann.client.cookies)
    answer = strict.get(f"/api/projects/{lite.own}/notes/{lite.notes[0]}")
    assert (answer.status_code, answer.json()["kind"]) == (500, "defect")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "ValueError in broken" in caplog.text
    assert "Fever" not in caplog.text
    assert "Fever" not in answer.text


def test_every_read_of_a_chart_is_in_the_audit_log(world: World) -> None:
    ann = world.browser("ann")
    ann.get(f"/projects/{world.own}/charts/{world.charts[0]}")
    ann.note(world.notes[1])
    ann.post(f"/projects/{world.own}/charts/{world.charts[0]}/search", {"words": "fever"})
    world.browser("sue").get(f"/projects/{world.own}/export?format=jsonl")
    ann.get(f"/projects/{world.own}/notes/{world.foreign_note}")  # not seen, so not read
    rows = world.browser("sue").get(f"/audit?project={world.own}").json()["rows"]
    assert [(r["person"], r["action"], r["chart_id"], r["note_id"]) for r in reversed(rows)] == [
        ("ann", "chart read", "c0", None),
        ("ann", "note read", "c0", "n1"),
        ("ann", "chart searched", "c0", None),
        ("sue", "project exported", None, None),
        ("sue", "audit log read", None, None),
    ]
    everything = world.browser("adam").get("/audit?limit=1000").json()["rows"]
    assert len(everything) > len(rows)
    assert world.browser("sue").get("/audit").status_code == 403
    with world.server.database.reading() as connection:
        count = connection.execute(sa.select(sa.func.count()).select_from(audit)).scalar()
    assert count is not None
    assert count >= len(everything)


def test_words_of_a_note_that_come_with_suggestions_are_a_read(world: World) -> None:
    rita, path = world.browser("rita"), f"/projects/{world.own}/suggest"
    body = {"note": world.notes[0], "spans": [[0, 17]]}
    for _ in range(2):
        assert rita.post(path, body).json()["words"].startswith("Fever")
    rows = world.browser("sue").get(f"/audit?project={world.own}").json()["rows"]
    assert [(r["person"], r["action"], r["note_id"]) for r in rows[1:]] == [
        ("rita", "note read", "n0")
    ]


def test_pages_of_the_application(lite: World, tmp_path: Path) -> None:
    def client(folder: Path) -> TestClient:
        server = replace(lite.server, settings=ServerSettings(tmp_path, static=folder))
        return TestClient(make_app(server), base_url="http://127.0.0.1")

    assert "make web" in client(tmp_path / "none").get("/projects/1").text
    (tmp_path / "static" / "assets").mkdir(parents=True)
    (tmp_path / "static" / "index.html").write_text("<title>app</title>")
    (tmp_path / "static" / "assets" / "a.js").write_text("x")
    (tmp_path / "secret.txt").write_text("secret")
    browser = client(tmp_path / "static")
    assert browser.get("/").text == browser.get("/projects/1/charts/2").text == "<title>app</title>"
    asset = browser.get("/assets/a.js")
    assert (asset.text, "immutable" in asset.headers["cache-control"]) == ("x", True)
    for path in ("/../secret.txt", "/..%2fsecret.txt", "/assets/../../secret.txt"):
        assert "secret" not in browser.get(path).text
    assert browser.get("/api/nothing").status_code == 404
    assert browser.post("/somewhere").status_code == 405


def test_a_file_is_no_workbench(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OptionError, match="is a file"):
        open_database(tmp_path / "file")
    assert sqlite_url(tmp_path / "a b.db").endswith("a b.db")
