"""A workbench to test: two projects, people of every role."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
from fastapi import FastAPI
from fastapi.testclient import TestClient

from auscult.challenge import Challenge, create
from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Corpus
from auscult.server.access import Role
from auscult.server.accounts.passwords import hash_password
from auscult.server.accounts.people import add_person
from auscult.server.app import make_app
from auscult.server.database.engine import Database
from auscult.server.projects.assign import write_assignments
from auscult.server.projects.create import Schema, create_project, keys_of
from auscult.server.projects.members import set_member
from auscult.server.server import Server
from auscult.server.settings import PasswordCost, ServerSettings
from auscult.server.start import open_server

PASSWORD = "correct horse battery"
CHEAP = PasswordCost(rounds=1, memory_kib=8, lanes=1)
TEXT = "Fever 🫀 and cough.\r\n\tNo fe\u0301ver since; hypertension. Hypertension again."


@dataclass
class Browser:
    """Somebody's browser: keeps the cookie, sends the CSRF token."""

    client: TestClient
    name: str
    project: int
    versions: dict[tuple[int, int | None], int] = field(default_factory=dict)

    def get(self, path: str, **more: Any) -> httpx2.Response:
        """GET below /api."""
        return self.client.get(f"/api{path}", **more)

    def post(self, path: str, body: Any = None, **more: Any) -> httpx2.Response:
        """POST JSON below /api."""
        return self.client.post(f"/api{path}", json=body, **more)

    def step(self, *changes: dict[str, Any], client_id: str | None = None) -> httpx2.Response:
        """Make changes, on the versions that this browser knows; learn the new ones."""
        body = {
            "client_id": client_id or str(uuid4()),
            "seen": [
                {"chart": chart, "note": note, "version": self.versions.get((chart, note), 0)}
                for chart, note in self._touched(changes)
            ],
            "changes": list(changes),
        }
        return self.learn(self.post(f"/projects/{self.project}/steps", body))

    def back(self, kind: str, seq: int | None = None) -> httpx2.Response:
        """Undo or redo what is next."""
        if seq is None:
            step = self.get(f"/projects/{self.project}/history").json()[kind]
            seq = 1 if step is None else step["seq"]
        body = {"client_id": str(uuid4()), "seq": seq}
        return self.learn(self.post(f"/projects/{self.project}/{kind}", body))

    def learn(self, answer: httpx2.Response) -> httpx2.Response:
        """Take over the versions of an answer."""
        if answer.status_code == 201:
            for sheet in answer.json()["sheets"]:
                self.versions[sheet["chart"], sheet["note"]] = sheet["version"]
        return answer

    def note(self, note: int) -> dict[str, Any]:
        """A note as it is now."""
        found: dict[str, Any] = self.get(f"/projects/{self.project}/notes/{note}").json()
        return found

    def said(self, note: int) -> set[tuple[str, str]]:
        """Codes and spans of the person's annotations on a note."""
        return {(a["code"], str(a["spans"])) for a in self.note(note)["sheet"]["annotations"]}

    def _touched(self, changes: tuple[dict[str, Any], ...]) -> set[tuple[int, int | None]]:
        touched: set[tuple[int, int | None]] = set()
        for change in changes:
            if "annotation" in change:
                touched.add((change["annotation"]["chart"], change["annotation"]["note"]))
            elif "on" in change:
                touched.add(change.pop("on"))
            elif change["op"] == "finish":
                touched.add((change["chart"], None))
        return touched


@dataclass
class World:
    """A workbench with accounts.

    Project `own` has ann and bob (coders), rita (reviewer), sue (supervisor); its two charts are
    assigned to both coders. Project `foreign` has nobody of them but stan, its supervisor. adam is
    an admin and member of neither.
    """

    server: Server
    own: int
    foreign: int
    people: dict[str, int]
    charts: list[int]
    notes: list[int]
    foreign_chart: int
    foreign_note: int
    browsers: dict[str, Browser] = field(default_factory=dict)
    app: FastAPI | None = None

    def client(self) -> TestClient:
        """A browser that nobody is logged in to."""
        if self.app is None:
            self.app = make_app(self.server)
        return TestClient(self.app, base_url="http://127.0.0.1", raise_server_exceptions=False)

    def browser(self, name: str, *, fresh: bool = False) -> Browser:
        """Somebody's browser, logged in."""
        if fresh or name not in self.browsers:
            client = self.client()
            done = client.post("/api/login", json={"name": name, "password": PASSWORD})
            assert done.status_code == 200, done.text
            client.headers["x-csrf-token"] = done.json()["csrf"]
            made = Browser(client, name, self.foreign if name == "stan" else self.own)
            if fresh:
                return made
            self.browsers[name] = made
        return self.browsers[name]

    def add(
        self, code: str, *spans: tuple[int, int], note: int | None = 0, **more: Any
    ) -> dict[str, Any]:
        """An operation that adds an annotation to a note of the first chart, by its place."""
        return {
            "op": "add",
            "annotation": {
                "id": str(uuid4()),
                "chart": self.charts[0],
                "note": None if note is None else self.notes[note],
                "spans": [list(span) for span in spans],
                "system": "ICD-10-CM",
                "code": code,
                **more,
            },
        }


def corpus(prefix: str = "") -> Corpus:
    """Two charts of two notes, billed codes, and annotations of a model."""
    notes = [
        Note(f"{prefix}n{n}", f"{prefix}c{n // 2}", "p", "Nursing", "2101-01-01", TEXT)
        for n in range(4)
    ]
    said = [
        Annotation("billing", Code("ICD-10-CM", "I10"), f"{prefix}c0"),
        Annotation(
            "model", Code("ICD-10-CM", "R50.9"), f"{prefix}c0", f"{prefix}n0", (Span(0, 5),)
        ),
        Annotation(
            "gold", Code("ICD-10-CM", "R05.9"), f"{prefix}c0", f"{prefix}n0", (Span(12, 17),)
        ),
    ]
    return Corpus.of(notes, said)


def make_challenge(path: Path, **chosen: Any) -> Challenge:
    """A challenge of six documents to learn from and six to code, every one fever or cough."""
    notes, said = [], []
    for number in range(12):
        name = f"doc{number}"
        split = "train" if number < 6 else "test"
        notes.append(Note(name, name, category="Report", text=TEXT, split=split))
        code = Code("ICD-10-CM", "R50.9" if number % 2 else "R05.9")
        said.append(Annotation("majority", code, name, name))
        said.append(Annotation("a person", Code("ICD-10-CM", "R50.9"), name, name))
    path.parent.mkdir(exist_ok=True)
    return create(Corpus.of(notes, said), path, gold="majority", humans=("a person",), **chosen)


def make_world(database: Database, folder: Path, **settings: Any) -> World:
    """Fill an empty database."""
    names = ("ann", "bob", "rita", "sue", "adam", "stan")
    with database.writing() as connection:
        made = hash_password(PASSWORD, CHEAP)
        people = {
            name: add_person(connection, name, is_admin=name == "adam", password=made).id
            for name in names
        }
        schema = Schema("own", ("ICD-10-CM", "CPT", "UMLS"), coders_per_chart=2)
        own = create_project(connection, corpus(), schema, pre_annotators=["model"])
        foreign = create_project(connection, corpus("f"), Schema("foreign"))
        for name, role in (
            ("ann", Role.CODER),
            ("bob", Role.CODER),
            ("rita", Role.REVIEWER),
            ("sue", Role.SUPERVISOR),
        ):
            set_member(connection, own, people[name], role)
        set_member(connection, foreign, people["stan"], Role.SUPERVISOR)
        charts, notes = keys_of(connection, own)
        pairs = [(key, people[name]) for key in charts.values() for name in ("ann", "bob")]
        write_assignments(connection, own, pairs, "first")
        foreign_charts, foreign_notes = keys_of(connection, foreign)
    server = open_server(ServerSettings(folder, password=CHEAP, **settings), database)
    return World(
        server,
        own,
        foreign,
        people,
        [charts["c0"], charts["c1"]],
        [notes[f"n{n}"] for n in range(4)],
        foreign_charts["fc0"],
        foreign_notes["fn0"],
    )
