"""The whole way: a model suggests, a coder decides, and the next model learns what was accepted."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from fastapi.testclient import TestClient

from auscult.cli.main import auscult
from auscult.cli.serve import open_workbench
from auscult.core import Note, Status
from auscult.corpus import Corpus
from auscult.models.model import Model
from auscult.server.app import make_app
from auscult.server.database.tables import given
from auscult.server.preannotate.pending import progress

FINDINGS = ("pneumonia", "type 2 diabetes mellitus", "gout", "atrial fibrillation")
CHARTS = 12
REJECTED = "M10.9"
"""Gout, of which the coder of these tests wants to hear nothing."""


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project as it was exported: ten of twelve charts finished, suggestions decided on."""
    folder = tmp_path_factory.mktemp("active")
    notes = [Note(f"n{at}", f"c{at:02}", f"p{at}", text=_text(at)) for at in range(CHARTS)]
    Corpus.of(notes).described(name="small").write(folder / "charts")
    server = open_workbench(
        folder / "work", None, host="127.0.0.1", port=0, corpus=folder / "charts",
        systems=("ICD-10-CM",),
    )  # fmt: skip
    web = TestClient(make_app(server), base_url="http://127.0.0.1")
    web.get("/enter", params={"token": server.settings.token})
    web.headers["x-csrf-token"] = web.get("/api/me").json()["csrf"]
    assert web.get("/api/projects/1").json()["pre_annotator"] == "codebook"
    background = server.pre_annotation
    assert background is not None
    try:
        while background._round():
            pass
        assert web.get("/api/projects/1/pre-annotation").json()["done"] == CHARTS
        charts = web.get("/api/projects/1/charts").json()["charts"]
        # The later charts first: the order of the work is not that of the corpus.
        for chart in reversed(charts):
            _code(web, chart["id"], is_finished=chart["chart_id"] > "c01")
        path = "/api/projects/1/export?format=corpus&finished=true&suggestions=true"
        (folder / "export.zip").write_bytes(web.get(path).content)
    finally:
        background.close()
        server.sources.close()
        server.database.close()
    with zipfile.ZipFile(folder / "export.zip") as archive:
        archive.extractall(folder)
    return folder / "small"


def _text(at: int) -> str:
    first, second = FINDINGS[at % 4], FINDINGS[(at + 1) % 4]
    return f"The patient has {first}. She also has {second}, and was seen by Dr. A."


def _code(web: TestClient, chart: int, *, is_finished: bool) -> None:
    """Accept the suggestions of a chart, but for gout; leave an unfinished one undecided."""
    opened = web.get(f"/api/projects/1/charts/{chart}").json()
    (listed,) = opened["notes"]
    note = web.get(f"/api/projects/1/notes/{listed['id']}").json()
    changes: list[dict[str, Any]] = []
    for one in note["sheet"]["given"][: None if is_finished else 1]:
        if one["code"] == REJECTED:
            changes.append({"op": "judge", "given": one["id"], "verdict": "rejected"})
            continue
        new = {
            "id": str(uuid4()),
            **{key: one[key] for key in ("chart", "note", "spans", "system", "code")},
            "origin": {"by": "given", "given": one["id"]},
        }
        changes.append({"op": "add", "annotation": new})
    seen = [{"chart": chart, "note": listed["id"], "version": note["sheet"]["version"]}]
    if is_finished:
        changes.append({"op": "finish", "chart": chart, "finished": True})
        seen.append({"chart": chart, "note": None, "version": 0})
    step = {"client_id": str(uuid4()), "seen": seen, "changes": changes}
    done = web.post("/api/projects/1/steps", json=step)
    assert done.status_code == 201, done.text
    if not is_finished:  # finished and reopened is not finished
        for version, to in enumerate((True, False)):
            step = {
                "client_id": str(uuid4()),
                "seen": [{"chart": chart, "note": None, "version": version}],
                "changes": [{"op": "finish", "chart": chart, "finished": to}],
            }
            assert web.post("/api/projects/1/steps", json=step).status_code == 201


def test_an_export_tells_what_was_accepted_from_what_was_only_suggested(export: Path) -> None:
    corpus = Corpus.open(export)
    said = list(corpus.iter_annotations())
    (coder,) = {one.annotator for one in said}
    assert coder != "codebook"
    assert all(one.meta["origin"] == "given" for one in said)
    assert REJECTED not in {one.code.value for one in said}
    assert {one.chart_id for one in said} == {f"c{at:02}" for at in range(2, CHARTS)}
    suggested = [
        one for one in corpus.iter_annotations(every_status=True) if one.annotator == "codebook"
    ]
    assert {one.status for one in suggested} == {Status.RANKED}
    verdicts = {(one.code.value, one.meta.get(f"verdict of {coder}")) for one in suggested}
    assert (REJECTED, "rejected") in verdicts
    assert (REJECTED, "accepted") not in verdicts
    assert any(code == "E11.9" and verdict == "accepted" for code, verdict in verdicts)
    finished = [note for note in corpus.iter_notes() if f"finished by {coder}" in note.meta]
    assert {note.chart_id for note in finished} == {one.chart_id for one in said}


def test_the_next_model_learns_what_was_accepted_and_nothing_else(
    export: Path, tmp_path: Path
) -> None:
    words = ["train", str(export), str(tmp_path / "model"), "--model", "linear"]
    done = CliRunner().invoke(auscult, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    model = Model.load(tmp_path / "model")
    accepted = {one.code for one in Corpus.open(export).iter_annotations()}
    assert set(model.labels.codes) == accepted
    assert model.about.source.charts == CHARTS - 2  # not those that were begun
    found = {str(one.code) for one in model.predict("She has gout and type 2 diabetes mellitus.")}
    assert f"ICD-10-CM {REJECTED}" not in found
    # And it pre-annotates the next project.
    server = open_workbench(
        tmp_path / "next", None, host="127.0.0.1", port=0, corpus=export.parent / "charts",
        systems=("ICD-10-CM",), pre_annotate=str(tmp_path / "model"),
    )  # fmt: skip
    assert server.pre_annotation is not None
    while server.pre_annotation._round():
        pass
    with server.database.reading() as connection:
        rows = connection.execute(sa.select(given.c.source, given.c.code).distinct()).all()
        far = progress(connection, 1, problem=server.pre_annotation.problem(1))
    server.pre_annotation.close()
    server.database.close()
    assert (far.model, far.done, far.problem) == ("model", CHARTS, None)
    assert {tuple(row) for row in rows} <= {("model", code.value) for code in accepted}
    assert rows


def test_the_learning_curve_over_batches(export: Path, tmp_path: Path) -> None:
    out = tmp_path / "curve.html"
    words = [
        "curve",
        str(export),
        str(out),
        "--model",
        "linear",
        "--charts-per-batch",
        "4",
        "--json",
    ]
    done = CliRunner().invoke(auscult, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    first, second = found["batches"]
    assert (first["charts"], first["trained_on"]) == (4, 0)
    assert (second["charts"], second["trained_on"]) == (6, 4)
    assert first["trained"]["undefined"] == "no chart was finished before"
    assert second["trained"]["value"] > 0
    # The coder took from the code book all but gout: it finds all codes, and that one too much.
    for batch in (first, second):
        assert batch["suggestions"] == batch["accepted"] + batch["rejected"]
        precision = batch["accepted"] / batch["suggestions"]
        f1 = 2 * precision / (precision + 1)
        assert batch["codebook"]["value"] == pytest.approx(f1, abs=0.02)
    page = out.read_text(encoding="utf-8")
    assert "<svg" in page
    assert f"{second['trained']['value']:.3f}" in page
    assert "Dr. A." not in page
    again = CliRunner().invoke(auscult, words)
    assert "exists already" in str(again.exception)


def test_a_curve_needs_to_know_when_charts_were_finished(tmp_path: Path) -> None:
    Corpus.of([Note("n", "c", text="Fever.")]).write(tmp_path / "corpus")
    words = ["curve", str(tmp_path / "corpus"), str(tmp_path / "curve.html")]
    done = CliRunner().invoke(auscult, words)
    assert "with its suggestions" in str(done.exception)
    assert not (tmp_path / "curve.html").exists()
