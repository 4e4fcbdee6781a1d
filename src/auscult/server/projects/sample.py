"""The sample projects of a first run, on charts of the synthetic hospital.

One is to be coded: some of its charts have pre-annotations. In the other, two simulated coders
have coded the same charts, and their disagreements wait for a decision.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import polars as pl
import sqlalchemy as sa

from auscult.codes.exclusions import Exclusions
from auscult.codes.sources import SourceOptions, read
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Annotation
from auscult.corpus import Corpus, formats
from auscult.server.access import Role, Viewer
from auscult.server.accounts.people import add_person, find_person
from auscult.server.coding.names import CodeNames
from auscult.server.database.engine import Database
from auscult.server.database.tables import person
from auscult.server.events.append import append_step
from auscult.server.projects.assign import assign_all
from auscult.server.projects.create import Schema, create_project, keys_of
from auscult.server.projects.members import set_member
from auscult.server.shapes.coding import Add, Finish, NewAnnotation, Seen, Step

VOCABULARY = "sample-vocabulary"
_PATIENTS = 8
_CHARTS = 10
_MODEL = "sample model"
_CODERS = ("coder_b", "coder_c")
_SYSTEMS = ("ICD-10-CM", "ICD-10-PCS", "ICD-9-CM", "ICD-9-PCS", "CPT", "UMLS")
_ABOUT = "Synthetic charts for trying out the workbench."
_GUIDELINES = """# Sample project

These charts are **synthetic**: no real patient is in them. Try anything.

1. Look through the notes of a chart to find the ones to code from.
2. Select the words that state a condition and assign a code to them. Evidence is *sufficient*: one
   span per code is enough, more are welcome.
3. The chart's billed codes are listed, those without evidence first.
4. If there is a definitive diagnosis, do not code its symptoms. Code external causes only with
   injuries.
5. You may also assign UMLS concepts from the vocabulary. If none matches, use `CUI-less`.
"""


def make_samples(database: Database, folder: Path, one: int) -> int:
    """Make the hospital, its vocabulary and the projects for one person; gives the first's id."""
    from auscult.synth import hospital

    with tempfile.TemporaryDirectory() as made:
        source = Path(made, "hospital")
        hospital.make_hospital(source, patients=_PATIENTS, seed=0)
        corpus = formats.read("mimic3", source / "mimic3").described(
            name="synthetic hospital",
            license="Apache-2.0, made by Auscult",
            access="anyone: no real patient is in it",
        )
        _build_vocabulary(source, folder)
        with database.writing() as connection:
            key = _to_code(connection, corpus, source, one)
        _to_review(database, corpus, source, one)
    return key


def _to_code(connection: sa.Connection, corpus: Corpus, source: Path, one: int) -> int:
    evidence = formats.read("mdace", source / "mdace" / "data" / "Inpatient" / "ICD-10")
    charts = corpus.chart_ids()[:_CHARTS]
    found = evidence.lazy_annotations.filter(pl.col("chart_id").is_in(charts[1::2]))
    with_model = replace(
        corpus,
        lazy_all_annotations=pl.concat(
            [corpus.lazy_all_annotations, found.with_columns(annotator=pl.lit(_MODEL))]
        ),
    )
    schema = Schema(
        name="Sample: the synthetic hospital",
        systems=_SYSTEMS,
        guidelines=_GUIDELINES,
        about=_ABOUT,
        logs_suggestions=True,
        vocabulary=VOCABULARY,
    )
    key = create_project(
        connection,
        with_model,
        schema,
        billed=["billing"],
        pre_annotators=[_MODEL],
        charts=charts,
        is_sample=True,
    )
    set_member(connection, key, one, Role.SUPERVISOR)
    assign_all(connection, key, one, "sample")
    return key


def _to_review(database: Database, corpus: Corpus, source: Path, one: int) -> int:
    charts = (source / "coders" / "charts.txt").read_text(encoding="utf-8").split()
    said = formats.read("jsonl", source / "coders" / "annotations.jsonl")
    schema = Schema(
        name="Sample: two coders to review",
        systems=_SYSTEMS,
        coders_per_chart=2,
        guidelines=_GUIDELINES,
        about="Two simulated coders have finished their charts: settle their disagreements.",
        vocabulary=VOCABULARY,
    )
    with database.writing() as connection:
        key = create_project(
            connection, corpus, schema, billed=["billing"], charts=charts, is_sample=True
        )
        set_member(connection, key, one, Role.SUPERVISOR)
        coders = [_coder(connection, key, name) for name in _CODERS]
        chart_keys, note_keys = keys_of(connection, key)
    for coder in coders:
        theirs = said.select(annotators=[coder.name])
        for chart in theirs.charts(charts):
            step = _step(chart.annotations, chart_keys, note_keys)
            append_step(database, coder, step, CodeNames(None))
            finish = Finish(op="finish", chart=chart_keys[chart.chart_id], finished=True)
            seen = [Seen(chart=chart_keys[chart.chart_id], version=0)]
            last = Step(client_id=str(uuid4()), seen=seen, changes=[finish])
            append_step(database, coder, last, CodeNames(None))
    return key


def _coder(connection: sa.Connection, key: int, name: str) -> Viewer:
    """A simulated person, who cannot log in."""
    found = find_person(connection, name) or add_person(connection, name)
    connection.execute(sa.update(person).where(person.c.id == found.id).values(is_active=False))
    set_member(connection, key, found.id, Role.CODER)
    assign_all(connection, key, found.id, "sample")
    return Viewer(found.id, found.name, key, Role.CODER)


def _step(
    said: tuple[Annotation, ...], chart_keys: dict[str, int], note_keys: dict[str, int]
) -> Step:
    changes = [
        Add(
            op="add",
            annotation=NewAnnotation(
                id=str(uuid4()),
                chart=chart_keys[one.chart_id],
                note=None if one.note_id is None else note_keys[one.note_id],
                spans=[(span.begin, span.end) for span in one.spans],
                system=one.code.system,
                code=one.code.value,
            ),
        )
        for one in said
    ]
    places = {(one.annotation.chart, one.annotation.note) for one in changes}
    seen = [Seen(chart=chart, note=note, version=0) for chart, note in sorted(places, key=str)]
    return Step(client_id=str(uuid4()), seen=seen, changes=changes)


def _build_vocabulary(source: Path, folder: Path) -> None:
    if (folder / VOCABULARY).exists():
        return
    exclusions = Exclusions()
    Vocabulary.build(
        read(source / "vocabulary", SourceOptions(), exclusions),
        folder / VOCABULARY,
        name="hospital",
        exclusions=exclusions,
    )
