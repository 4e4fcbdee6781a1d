"""Creating a project from a corpus."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from typing import Any

import polars as pl
import sqlalchemy as sa

from auscult.core import Annotation, Note
from auscult.core.names import require_known, shown
from auscult.core.progress import track
from auscult.corpus import Corpus
from auscult.corpus.schema import dump_meta
from auscult.server.accounts.secrets import now
from auscult.server.database.tables import chart, given, note, project
from auscult.server.errors import RefusedError

_ROWS = 500
DEFAULT_SYSTEMS = ("ICD-10-CM", "ICD-10-PCS", "CPT")


class Evidence(StrEnum):
    """How much evidence coders are asked for."""

    SUFFICIENT = "sufficient"
    """One span per code, enough to bill it."""
    COMPLETE = "complete"
    """Every supporting span."""


@dataclass(frozen=True, slots=True)
class Schema:
    """What coders of a project are asked to do.

    `coders_per_chart` is 1 for single coding, 2 for double coding, which is blind. `guidelines`
    are Markdown. `pre_annotator` is the model whose suggestions coders start from: a ready-made one
    or the folder of one.
    """

    name: str
    systems: tuple[str, ...] = DEFAULT_SYSTEMS
    evidence: Evidence = Evidence.SUFFICIENT
    coders_per_chart: int = 1
    guidelines: str = ""
    about: str = ""
    logs_suggestions: bool = False
    vocabulary: str | None = None
    pre_annotator: str | None = None


def create_project(
    connection: sa.Connection,
    corpus: Corpus,
    schema: Schema,
    *,
    billed: Collection[str] | None = None,
    pre_annotators: Collection[str] = (),
    charts: Sequence[str] | None = None,
    is_sample: bool = False,
) -> int:
    """Copy the charts of a corpus into a new project; gives its id.

    Codes that the corpus has for whole charts become the charts' billed codes, those of the
    annotators in `billed` or, without it, all. Of its annotations with evidence only those of
    `pre_annotators` are taken, as pre-annotations: others may be what is to be found.
    """
    part = corpus if charts is None else corpus.select(charts=charts)
    if not schema.name.strip():
        raise RefusedError("A project needs a name.")
    if not schema.systems:
        raise RefusedError("A project needs at least one code system.")
    _check_annotators(part, [*(billed or ()), *pre_annotators])
    key = _insert(
        connection,
        project,
        {
            "name": schema.name.strip(),
            "about": schema.about,
            "systems": list(schema.systems),
            "evidence": schema.evidence.value,
            "coders_per_chart": schema.coders_per_chart,
            "guidelines": schema.guidelines,
            "logs_suggestions": schema.logs_suggestions,
            "vocabulary": schema.vocabulary,
            "pre_annotator": schema.pre_annotator,
            "manifest": _about_corpus(corpus),
            "is_sample": is_sample,
            "is_archived": False,
            "last_seq": 0,
            "created": now(),
        },
    )
    chart_keys = _add_charts(connection, part, key)
    note_keys = _add_notes(connection, part, key, chart_keys)
    wanted = pl.col("note_id").is_null()
    if billed is not None:
        wanted &= pl.col("annotator").is_in(list(billed))
    wanted |= pl.col("note_id").is_not_null() & pl.col("annotator").is_in(list(pre_annotators))
    taken = Corpus(part.lazy_notes, part.lazy_annotations.filter(wanted))
    add_given(connection, key, taken.iter_annotations(), chart_keys, note_keys)
    return key


def add_given(
    connection: sa.Connection,
    key: int,
    annotations: Iterable[Annotation],
    chart_keys: dict[str, int],
    note_keys: dict[str, int],
) -> int:
    """Add pre-annotations; gives how many. Those on charts that are not there are left out."""

    def rows() -> Iterator[dict[str, Any]]:
        for one in annotations:
            if one.chart_id not in chart_keys:
                continue
            if one.note_id is not None and one.note_id not in note_keys:
                continue
            yield {
                "project": key,
                "source": one.annotator[:200],
                "chart": chart_keys[one.chart_id],
                "note": None if one.note_id is None else note_keys[one.note_id],
                "system": one.code.system[:100],
                "code": one.code.value[:200],
                "spans": [[span.begin, span.end] for span in sorted(one.spans)],
                "score": one.score,
                "meta": dump_meta(one.meta),
            }

    return _insert_all(connection, given, rows())


def keys_of(connection: sa.Connection, key: int) -> tuple[dict[str, int], dict[str, int]]:
    """The ids of a project's charts and notes, by those they have in the corpus."""
    charts = connection.execute(
        sa.select(chart.c.chart_id, chart.c.id).where(chart.c.project == key)
    )
    notes = connection.execute(sa.select(note.c.note_id, note.c.id).where(note.c.project == key))
    return {row[0]: row[1] for row in charts}, {row[0]: row[1] for row in notes}


def _add_charts(connection: sa.Connection, corpus: Corpus, key: int) -> dict[str, int]:
    counted = (
        corpus.lazy_notes.group_by("chart_id", maintain_order=True)
        .agg(pl.len(), pl.col("text").str.len_chars().fill_null(0).sum().alias("characters"))
        .collect()
    )
    if not len(counted):
        raise RefusedError("The corpus has no notes to code.")
    rows = (
        {
            "project": key,
            "chart_id": chart_id,
            "position": at,
            "notes": notes,
            "characters": characters,
        }
        for at, (chart_id, notes, characters) in enumerate(counted.iter_rows())
    )
    _insert_all(connection, chart, rows)
    return keys_of(connection, key)[0]


def _add_notes(
    connection: sa.Connection, corpus: Corpus, key: int, chart_keys: dict[str, int]
) -> dict[str, int]:
    def rows() -> Iterator[dict[str, Any]]:
        for at, one in enumerate(track(corpus.iter_notes(), "copying notes")):
            _check_note(one)
            yield {
                "project": key,
                "chart": chart_keys[one.chart_id],
                "note_id": one.note_id,
                "position": at,
                "subject_id": one.subject_id,
                "category": one.category,
                "time": one.time,
                "split": one.split,
                "characters": len(one.text or ""),
                "text": one.text,
                "meta": dump_meta(one.meta),
            }

    _insert_all(connection, note, rows())
    return keys_of(connection, key)[1]


def _check_note(one: Note) -> None:
    if one.text is not None and "\0" in one.text:
        raise RefusedError(
            f"Note {shown(one.note_id)} contains a NUL character. Remove it and import "
            "the note again."
        )


def _check_annotators(corpus: Corpus, named: Sequence[str]) -> None:
    if named:
        known = (
            corpus.lazy_annotations.select("annotator").unique().collect()["annotator"].to_list()
        )
        for name in named:
            require_known(name, sorted(known), "annotator in the corpus")


def _about_corpus(corpus: Corpus) -> dict[str, Any]:
    manifest = corpus.manifest
    return manifest.model_dump(
        include={"name", "description", "license", "source", "access"}, exclude_none=True
    )


def _insert(connection: sa.Connection, table: sa.Table, values: dict[str, Any]) -> int:
    key = connection.execute(sa.insert(table).values(values)).inserted_primary_key
    assert key is not None  # an insert of one row has one
    return int(key[0])


def _insert_all(connection: sa.Connection, table: sa.Table, rows: Iterator[dict[str, Any]]) -> int:
    count = 0
    while some := list(islice(rows, _ROWS)):
        connection.execute(sa.insert(table), some)
        count += len(some)
    return count
