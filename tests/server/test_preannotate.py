"""A model pre-annotates a project in the background, and leaves alone what people work on."""

from __future__ import annotations

import io
import json
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import sqlalchemy as sa
from tests.server.world import TEXT, World

from auscult.core import Annotation, AuscultError, Code, Note, OptionError, Span
from auscult.models.ready_made import READY_MADE
from auscult.server.access import Role, Viewer
from auscult.server.database.tables import given, note, project
from auscult.server.event_stream import messages
from auscult.server.preannotate.background import PreAnnotation
from auscult.server.preannotate.choice import CODEBOOK, default_choice, named_choice
from auscult.server.preannotate.model_process import EndedError, ModelProcess, UnreadableError


class Fake:
    """A model that finds fever in every note, and remembers which charts it read."""

    def __init__(self, _choice: str = "", source: str = CODEBOOK) -> None:
        self.source = source
        self.read: list[str] = []
        self.is_closed = False
        self.before: Callable[[str], None] = lambda _: None

    def predict(self, notes: Sequence[Note]) -> list[Annotation]:
        self.read.append(notes[0].chart_id)
        self.before(notes[0].chart_id)
        code = Code("ICD-10-CM", "R50.9")
        why = {"why": "description: Fever → R50.9"}
        said = [
            Annotation(self.source, code, n.chart_id, n.note_id, (Span(0, 5),), 0.7, meta=why)
            for n in notes
        ]
        # A coder could not accept either: of a whole chart, and of a system of another project.
        said.append(Annotation(self.source, code, notes[0].chart_id))
        other = Code("MeSH", "D005334")
        said.append(
            Annotation(self.source, other, notes[0].chart_id, notes[0].note_id, (Span(0, 5),))
        )
        return said

    def close(self) -> None:
        self.is_closed = True


def _switch(world: World, to: str = "codebook", key: int | None = None) -> None:
    path = f"/api/projects/{key or world.own}"
    assert world.browser("sue").client.patch(path, json={"pre_annotate": to}).status_code == 200


def _run(world: World, model: Fake | None = None) -> Fake:
    """Pre-annotate until nothing is left."""
    fake = model or Fake()
    work = PreAnnotation(world.server.database, world.server.bell, lambda *_: fake)
    while work._round():
        pass
    return fake


def _given(world: World) -> dict[str, int]:
    """How many suggestions of the code book each note has."""
    query = (
        sa.select(note.c.note_id, sa.func.count())
        .join(given, given.c.note == note.c.id)
        .where(given.c.source == CODEBOOK)
        .group_by(note.c.note_id)
    )
    with world.server.database.reading() as connection:
        return {row[0]: row[1] for row in connection.execute(query)}


def _progress(world: World) -> dict[str, Any]:
    found: dict[str, Any] = world.browser("sue").get(f"/projects/{world.own}/pre-annotation").json()
    return found


def test_every_note_is_pre_annotated_once(world: World) -> None:
    assert _run(world).read == []  # it was not asked for
    _switch(world)
    assert _run(world).read == ["c0", "c1"]
    assert _given(world) == {"n0": 1, "n1": 1, "n2": 1, "n3": 1}
    assert _run(world).read == []  # as after a restart
    assert _progress(world) == {
        "model": "codebook",
        "notes": 4,
        "done": 4,
        "skipped": 0,
        "failed": 0,
        "suggestions": 4,
        "problem": None,
    }


def test_a_suggestion_says_why_and_is_accepted_by_one_key(world: World) -> None:
    _switch(world)
    _run(world)
    ann = world.browser("ann")
    offered = ann.note(world.notes[1])["sheet"]["given"]
    assert [(o["source"], o["code"], o["score"], o["why"]) for o in offered] == [
        ("codebook", "R50.9", 0.7, "description: Fever → R50.9")
    ]
    origin = {"by": "given", "given": offered[0]["id"]}
    assert ann.step(world.add("R50.9", (0, 5), note=1, origin=origin)).status_code == 201
    assert ann.note(world.notes[1])["sheet"]["given"][0]["verdict"] == "accepted"


def test_what_somebody_works_on_is_left_alone(world: World) -> None:
    ann, bob = world.browser("ann"), world.browser("bob")
    ann.step(world.add("I10", (38, 50)))
    ann.back("undo")  # they have worked on it all the same
    bob.step({"op": "finish", "chart": world.charts[1], "finished": True})
    _switch(world)
    fake = _run(world)
    assert fake.read == ["c0"]
    assert _given(world) == {"n1": 1}
    found = _progress(world)
    assert (found["done"], found["skipped"]) == (1, 3)


def test_what_somebody_begins_while_the_model_reads_is_left_alone(world: World) -> None:
    _switch(world)
    fake, ann = Fake(), world.browser("ann")

    def begin(chart_id: str) -> None:
        if chart_id == "c0":
            assert ann.step(world.add("I10", (38, 50))).status_code == 201

    fake.before = begin
    _run(world, fake)
    assert _given(world) == {"n1": 1, "n2": 1, "n3": 1}
    assert ann.said(world.notes[0]) == {("I10", "[[38, 50]]")}


def test_charts_that_wait_for_a_coder_come_first(world: World) -> None:
    sue, people = world.browser("sue"), [world.people["ann"], world.people["bob"]]
    for person in people:
        body = {"client_id": f"{person:08}", "person": person, "charts": [world.charts[0]]}
        assert sue.post(f"/projects/{world.own}/assignments/withdraw", body).status_code == 201
    _switch(world)
    assert _run(world).read == ["c1", "c0"]


def test_new_notes_are_pre_annotated_too(world: World) -> None:
    _switch(world)
    _run(world)
    with world.server.database.writing() as connection:
        values = {
            "project": world.own,
            "chart": world.charts[1],
            "note_id": "new",
            "position": 9,
            "characters": len(TEXT),
            "text": TEXT,
        }
        connection.execute(sa.insert(note).values(values))
    assert _run(world).read == ["c1"]
    assert _given(world) == {"n0": 1, "n1": 1, "n2": 1, "n3": 1, "new": 1}


def test_it_is_switched_off_and_goes_on_where_it_stopped(world: World) -> None:
    _switch(world)
    fake = Fake()
    fake.before = lambda chart_id: _switch(world, "none") if chart_id == "c1" else None
    _run(world, fake)
    assert _given(world) == {"n0": 1, "n1": 1}
    assert _progress(world)["model"] is None
    _switch(world)
    assert _run(world).read == ["c1"]
    assert len(_given(world)) == 4


def test_imported_suggestions_of_the_same_model_are_not_doubled(lite: World) -> None:
    line = {
        "note_id": "n0",
        "chart_id": "c0",
        "annotator": "codebook",
        "system": "ICD-10-CM",
        "code": "R50.9",
        "spans": [[0, 5]],
        "text": TEXT,
    }
    file = {"file": ("said.jsonl", io.BytesIO(json.dumps(line).encode()))}
    path = f"/api/projects/{lite.own}/given"
    sent = lite.browser("sue").client.post(path, files=file, data={"format": "jsonl"})
    assert sent.status_code == 201, sent.text
    _switch(lite)
    _run(lite)
    assert _given(lite) == {"n0": 1, "n1": 1, "n2": 1, "n3": 1}


def test_a_chart_that_the_model_cannot_read_stops_nothing(
    lite: World, caplog: pytest.LogCaptureFixture
) -> None:
    _switch(lite)
    fake = Fake()

    def fail(chart_id: str) -> None:
        if chart_id == "c0":
            raise UnreadableError("ValueError")

    fake.before = fail
    _run(lite, fake)
    assert _given(lite) == {"n2": 1, "n3": 1}
    assert _progress(lite)["failed"] == 2
    assert "Fever" not in caplog.text


def test_a_model_that_dies_is_started_again_and_gives_up_on_one_chart_only(lite: World) -> None:
    _switch(lite)
    fake = Fake()

    def die(chart_id: str) -> None:
        if chart_id == "c0":
            raise EndedError("ended")

    fake.before = die
    _run(lite, fake)
    assert fake.read == ["c0", "c0", "c1"]
    assert _given(lite) == {"n2": 1, "n3": 1}


def test_a_model_that_cannot_be_loaded_says_so(lite: World) -> None:
    def load(*_: str) -> Fake:
        raise AuscultError("The model codebook cannot be loaded: no tables.")

    _switch(lite)
    work = PreAnnotation(lite.server.database, lite.server.bell, load)
    assert not work._round()
    assert work.problem(lite.own) == "The model codebook cannot be loaded: no tables."
    assert _given(lite) == {}
    work.wake()
    assert work.problem(lite.own) is None


def test_it_runs_beside_the_server_and_is_woken(lite: World) -> None:
    fake = Fake()
    work = PreAnnotation(lite.server.database, lite.server.bell, lambda *_: fake)
    work.start()
    _switch(lite)
    work.wake()
    _until(lambda: len(_given(lite)) == 4)
    _until(lambda: fake.is_closed)  # nothing is left: its memory is freed
    work.close()
    assert not any(t.name == "auscult-pre-annotate" for t in threading.enumerate())


def test_browsers_hear_of_suggestions_in_charts_they_may_see(world: World) -> None:
    with world.server.database.writing() as connection:
        connection.execute(sa.text("DELETE FROM assignment WHERE chart = :c"), {"c": 2})
    _switch(world)
    _run(world)

    def heard(name: str, role: Role) -> list[int]:
        viewer = Viewer(world.people[name], name, world.own, role)
        with world.server.database.reading() as connection:
            told = messages(connection, viewer, 0)[1]
        return sorted(key for one in told if one["kind"] == "give" for key in one["charts"])

    assert heard("sue", Role.SUPERVISOR) == world.charts
    assert heard("ann", Role.CODER) == world.charts[:1]
    rows = world.browser("sue").get(f"/audit?project={world.own}").json()["rows"]
    assert ("codebook", "pre-annotations imported") in {(r["person"], r["action"]) for r in rows}


@pytest.mark.parametrize(
    ("systems", "coders", "pre_annotators", "expected"),
    [
        (["ICD-10-CM", "CPT"], 1, [], "codebook"),
        (["ICD-9-CM"], 1, [], None),
        (["ICD-10-CM"], 2, [], None),
        (["ICD-10-CM"], 1, ["model"], None),
    ],
)
def test_the_default_is_the_code_book_for_single_coding_with_icd_10_cm(
    systems: list[str], coders: int, pre_annotators: list[str], expected: str | None
) -> None:
    assert default_choice(systems, coders, pre_annotators) == expected


def _new(world: World, **wanted: Any) -> dict[str, Any]:
    line = b'{"note_id": "1", "chart_id": "1", "text": "Fever"}\n'
    sent = world.browser("adam").client.post(
        "/api/projects",
        files={"file": ("notes.jsonl", io.BytesIO(line))},
        data={"format": "jsonl", "project": json.dumps({"name": "new", **wanted})},
    )
    assert sent.status_code == 201, sent.text
    found: dict[str, Any] = sent.json()
    return found


def test_a_project_made_in_the_browser_has_the_default_or_what_was_chosen(lite: World) -> None:
    assert _new(lite)["pre_annotator"] == "codebook"
    assert _new(lite, pre_annotate="none")["pre_annotator"] is None
    assert _new(lite, coders_per_chart=2)["pre_annotator"] is None
    assert _new(lite, coders_per_chart=2, pre_annotate="codebook")["pre_annotator"] == "codebook"
    # Paths are for the command line: a browser must not have the server open folders.
    path = f"/api/projects/{lite.own}"
    refused = lite.browser("sue").client.patch(path, json={"pre_annotate": "/etc"})
    assert refused.status_code == 422
    with lite.server.database.reading() as connection:
        kept = connection.execute(
            sa.select(project.c.pre_annotator).where(project.c.id == lite.own)
        )
        assert kept.scalar() is None


def test_what_is_no_model(tmp_path: Any) -> None:
    assert CODEBOOK in READY_MADE
    assert named_choice("none") is None
    with pytest.raises(OptionError, match="is no model"):
        named_choice(str(tmp_path))


def test_a_model_works_in_a_process_of_its_own(tmp_path: Any) -> None:
    model = ModelProcess("codebook", "codebook")
    notes = [Note("n", "c", text="Pneumonia. She has type 2 diabetes mellitus.")]
    try:
        found = model.predict(notes)
        assert found == model.predict(notes)
    finally:
        model.close()
    assert {str(one.code) for one in found} >= {"ICD-10-CM E11.9"}
    assert all(one.annotator == "codebook" and one.meta["why"] for one in found)
    with pytest.raises(EndedError):
        model.predict(notes)
    with pytest.raises(AuscultError, match="cannot be loaded"):
        ModelProcess(str(tmp_path), "nothing")


def _until(is_so: Callable[[], bool]) -> None:
    for _ in range(300):
        if is_so():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen")
