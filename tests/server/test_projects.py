"""Projects: assignment in batches, progress, settings, the sample of a first run."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa
from tests.server.world import World

from auscult.corpus.formats import FORMATS
from auscult.server.database.engine import connect, sqlite_url
from auscult.server.database.migrate import migrate
from auscult.server.database.tables import assignment
from auscult.server.projects.assign import share_out
from auscult.server.projects.default_projects import first_project
from auscult.server.server import Server
from auscult.server.settings import ServerSettings
from auscult.server.start import open_server


def _assign(world: World, **body: Any) -> Any:
    sue = world.browser("sue")
    people = [world.people[name] for name in ("ann", "bob")]
    whole = {"client_id": str(uuid4()), "people": people, **body}
    return sue.post(f"/projects/{world.own}/assignments", whole)


def test_a_batch_is_assigned_once(world: World) -> None:
    with world.server.database.writing() as connection:
        connection.execute(sa.delete(assignment))
    name = str(uuid4())
    done = _assign(world, client_id=name, size=1, batch="monday").json()
    assert done == {"charts": 1, "assignments": 2, "batch": "monday"}
    assert _assign(world, client_id=name, size=1, batch="monday").json()["assignments"] == 0
    listed = world.browser("ann").get(f"/projects/{world.own}/charts?batch=monday").json()
    assert [chart["id"] for chart in listed["charts"]] == [world.charts[0]]
    assert _assign(world).json() == {"charts": 1, "assignments": 2, "batch": ""}
    assert _assign(world).json() == {"charts": 0, "assignments": 0, "batch": ""}


def test_double_coding_needs_two_who_are_members(world: World) -> None:
    assert _assign(world, people=[world.people["ann"]]).status_code == 422
    assert _assign(world, people=[world.people["ann"], world.people["stan"]]).status_code == 422
    assert _assign(world, charts=[world.foreign_chart]).status_code == 422


def test_everybody_gets_as_many_and_is_paired_with_everybody(lite: World) -> None:
    people = [11, 12, 13]
    with lite.server.database.trying() as connection:
        from auscult.server.database.tables import chart

        rows = [
            {"project": lite.own, "chart_id": f"x{n}", "position": n, "notes": 1, "characters": 1}
            for n in range(12)
        ]
        connection.execute(sa.insert(chart), rows)
        keys = list(
            connection.execute(sa.select(chart.c.id).where(chart.c.chart_id.like("x%"))).scalars()
        )
        pairs = share_out(connection, lite.own, people, 2, None, keys)
    assert Counter(person for _, person in pairs) == {11: 8, 12: 8, 13: 8}
    together = Counter(
        frozenset(person for key, person in pairs if key == one) for one in set(keys)
    )
    assert together == dict.fromkeys(map(frozenset, ((11, 12), (11, 13), (12, 13))), 4)


def test_progress_by_person(world: World) -> None:
    ann = world.browser("ann")
    ann.step(world.add("I10", (38, 50)), world.add("R50.9", (0, 5)))
    ann.step({"op": "finish", "chart": world.charts[0], "finished": True})
    rows = world.browser("sue").get(f"/projects/{world.own}/progress").json()
    found = {
        r["name"]: (r["assigned"], r["started"], r["finished"], r["annotations"]) for r in rows
    }
    assert found["ann"] == (2, 1, 1, 2)
    assert found["bob"] == (2, 0, 0, 0)
    assert [r["name"] for r in ann.get(f"/projects/{world.own}/progress").json()] == ["ann"]
    assert rows[0]["batches"] == {"first": [1, 2]}


def test_a_system_in_use_stays(world: World) -> None:
    world.browser("ann").step(world.add("I10", (38, 50)))
    sue, path = world.browser("sue").client, f"/api/projects/{world.own}"
    assert sue.patch(path, json={"systems": ["CPT"]}).status_code == 422
    done = sue.patch(path, json={"systems": ["ICD-10-CM"], "evidence": "complete"}).json()
    assert (done["systems"], done["evidence"]) == (["ICD-10-CM"], "complete")


def test_a_project_has_a_name(world: World) -> None:
    sue = world.browser("sue")
    path = f"/api/projects/{world.own}"
    assert sue.client.patch(path, json={"name": " \t "}).status_code == 422
    assert sue.client.patch(path, json={"name": " Charts "}).json()["name"] == "Charts"


def test_an_archived_project_is_read_and_not_changed(world: World) -> None:
    ann = world.browser("ann")
    ann.step(world.add("I10", (38, 50)))
    sue, path = world.browser("sue").client, f"/api/projects/{world.own}"
    assert sue.patch(path, json={"is_archived": True}).status_code == 200
    assert ann.step(world.add("R50.9", (0, 5))).status_code == 403
    assert ann.back("undo").status_code == 403
    assert len(ann.said(world.notes[0])) == 1
    assert sue.patch(path, json={"is_archived": False}).status_code == 200
    assert ann.step(world.add("R50.9", (0, 5))).status_code == 201


def test_the_chart_lists_billed_codes_and_the_evidence_given(world: World) -> None:
    ann = world.browser("ann")
    path = f"/projects/{world.own}/charts/{world.charts[0]}"
    codes = ann.get(path).json()["codes"]
    assert [(c["code"], c["billed"], c["evidence"]) for c in codes] == [("I10", True, 0)]
    ann.step(world.add("I10", (38, 50)), world.add("R05.9", (12, 17)))
    codes = ann.get(path).json()["codes"]
    found = {c["code"]: (c["billed"], c["evidence"]) for c in codes}
    assert found == {"I10": (True, 1), "R05.9": (False, 1)}


def test_gold_of_the_corpus_is_not_given_away(world: World) -> None:
    sources = world.browser("sue").get(f"/projects/{world.own}/given").json()
    assert [source["source"] for source in sources] == ["billing", "model"]


@pytest.mark.parametrize("form", ["corpus", *FORMATS])
def test_work_goes_out_in_every_format_or_the_reason_is_told(lite: World, form: str) -> None:
    lite.browser("ann").step(lite.add("I10", (38, 50)))
    done = lite.browser("sue").get(f"/projects/{lite.own}/export?format={form}")
    assert done.status_code in (200, 422), done.text
    if done.status_code == 200:
        assert len(done.content) > 100
    else:
        assert done.json()["message"]
    assert form in ("cas", "mimic3", "mimic4") or done.status_code == 200, done.text


def _samples(folder: Path) -> Server:
    database = connect(sqlite_url(folder / "auscult.db"))
    migrate(database)
    server = open_server(ServerSettings(folder), database)
    first_project(server, None, None, ())
    return server


def test_a_first_run_has_samples_to_code_and_to_review(tmp_path: Path) -> None:
    started = time.process_time()
    server = _samples(tmp_path)
    assert time.process_time() - started < 20
    world = World(server, 1, 2, {}, [], [], 0, 0)
    client = world.client()
    assert server.settings.token is not None
    client.get("/enter", params={"token": server.settings.token})
    projects = client.get("/api/projects").json()
    assert [p["is_sample"] for p in projects] == [True, True]
    assert projects[0]["assigned"] == projects[0]["charts"] > 5
    assert client.get("/api/projects/2/review").json()["states"]["open"] > 5
    charts = client.get("/api/projects/1/charts").json()["charts"]
    offered = client.get(f"/api/projects/1/charts/{charts[1]['id']}").json()
    assert sum(note["given"] for note in offered["notes"]) > 3
    assert any(code["billed"] for code in offered["codes"])
    assert first_project(server, None, None, ()) is None
    server.database.close()
