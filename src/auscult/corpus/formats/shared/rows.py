"""Notes and annotations as rows of a table that came from a file, checked and made a corpus's.

Formats that are tables themselves bring their rows here with the columns of `ANNOTATION`, null
where the file says nothing. A problem is the index of the first row that has one, and what to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from auscult.core import FormatError, Offsets, OffsetUnit, Status
from auscult.core.names import shown
from auscult.corpus import schema
from auscult.corpus.formats.shared.spans import past_end, to_span

ANNOTATION: dict[str, pl.DataType] = {
    **dict.fromkeys(("note_id", "chart_id", "annotator", "system", "code"), pl.String()),
    "spans": pl.List(pl.List(pl.Int64())),
    "score": pl.Float64(),
    "status": pl.String(),
    "meta": pl.String(),
}


NOTE: dict[str, pl.DataType] = {
    **dict.fromkeys(
        ("note_id", "chart_id", "subject_id", "category", "time", "text", "split"), pl.String()
    ),
    "read_by": pl.List(pl.String()),
    "meta": pl.String(),
}


def index(notes: pl.LazyFrame, *more: pl.Expr) -> pl.LazyFrame:
    """What annotations are checked against: of each note its ids and its length."""
    chars = pl.col("text").str.len_chars().cast(pl.Int64).alias("chars")
    return notes.select("note_id", "chart_id", chars, *more)


def note_problem(indexed: pl.DataFrame) -> tuple[int, str] | None:
    """The first note that cannot be, and why."""
    ids = indexed["note_id"]
    if (nameless := ids.is_null() | (ids == "")).any():
        return nameless.arg_true()[0], "a note needs a note_id"
    if (again := ~ids.is_first_distinct()).any():
        at = again.arg_true()[0]
        return at, f"duplicate note {shown(ids[at])}; a note_id must be unique"
    return None


def annotation_problem(
    read: pl.DataFrame, indexed: pl.DataFrame, unit: OffsetUnit
) -> tuple[int, str] | None:
    """The first annotation that cannot be, and why.

    Whether spans lie in their note is told here when they count code points, and otherwise when
    they are converted.
    """
    pair = pl.element()
    begin, end = pair.list.get(0, null_on_oob=True), pair.list.get(1, null_on_oob=True)
    whole = (pair.list.len() == 2) & begin.is_not_null() & end.is_not_null()
    ordered = (begin >= 0) & (begin <= end)
    spans = pl.col("spans")
    nowhere = pl.col("note_id").is_null()
    reasons = {
        "an annotation needs a note_id or a chart_id": nowhere & pl.col("chart_id").is_null(),
        "an annotation needs a system and a code": ~(
            (pl.col("system") != "") & (pl.col("code") != "")
        ).fill_null(False),
        f"status must be {', '.join(Status)}, or missing": ~pl.col("status").is_in(list(Status)),
        "spans must be a list of [begin, end] pairs of integers": ~spans.list.eval(
            whole.fill_null(False)
        )
        .list.all()
        .fill_null(True),
        "a span needs 0 ≤ begin ≤ end": ~spans.list.eval(ordered).list.all().fill_null(True),
        "an annotation with spans needs a note_id": nowhere & (spans.list.len() > 0),
    }
    found = read.select(pl.coalesce(pl.when(bad).then(pl.lit(why)) for why, bad in reasons.items()))
    if (wrong := found.to_series().is_not_null()).any():
        at = wrong.arg_true()[0]
        return at, str(found.item(at, 0))
    if unit is not OffsetUnit.CODEPOINT:
        return None
    last = read.select("note_id", end=spans.list.eval(end).list.max()).join(
        indexed, on="note_id", how="left", maintain_order="left"
    )
    if (past := (last["end"] > last["chars"]).fill_null(False)).any():
        at = past.arg_true()[0]
        return at, past_end(last["end"][at], last["chars"][at])
    return None


def as_codepoints(
    read: pl.DataFrame, rows: Sequence[int], notes: pl.LazyFrame, unit: OffsetUnit, file: Path
) -> pl.DataFrame:
    """The annotations with their spans counted in code points."""
    pointed = read.filter(pl.col("spans").list.len() > 0)["note_id"].unique()
    texts = notes.filter(pl.col("note_id").is_in(pointed.implode())).select("note_id", "text")
    by_note = {
        note_id: Offsets(text, unit)
        for note_id, text in texts.collect().iter_rows()
        if text is not None
    }
    converted: list[list[list[int]]] = []
    for row, note_id, spans in zip(rows, read["note_id"], read["spans"].to_list(), strict=True):
        if spans and note_id not in by_note:
            raise FormatError(
                f"offsets in {unit} need the text of note {shown(note_id)}, which is missing",
                file,
                row,
            )
        exact = (to_span(b, e, by_note[note_id], file, row, unit) for b, e in spans or ())
        converted.append([[span.begin, span.end] for span in exact])
    return read.with_columns(pl.Series("spans", converted, dtype=ANNOTATION["spans"]))


def finish_notes(notes: pl.LazyFrame) -> pl.LazyFrame:
    """The notes of sound rows, with the charts they leave out filled in."""
    named = pl.col("read_by").list.len() > 0
    filled = notes.with_columns(
        pl.col("chart_id").fill_null(pl.col("note_id")),
        pl.when(named).then(pl.col("read_by")),
    )
    return filled.select(pl.col(name).cast(kind) for name, kind in schema.NOTES.items())


def finish_annotations(read: pl.DataFrame, indexed: pl.DataFrame, annotator: str) -> pl.DataFrame:
    """The annotations of sound rows, with what they leave out filled in."""
    charts = indexed.select("note_id", known=pl.col("chart_id").fill_null(pl.col("note_id")))
    pair = pl.element()
    filled = read.join(charts, on="note_id", how="left", maintain_order="left").with_columns(
        pl.col("annotator").fill_null(annotator),
        pl.col("status").fill_null(Status.GIVEN),
        pl.coalesce("chart_id", "known", "note_id").alias("chart_id"),
        pl.col("spans")
        .list.eval(pl.struct(begin=pair.list.get(0), end=pair.list.get(1)))
        .fill_null([]),
    )
    return filled.select(pl.col(name).cast(kind) for name, kind in schema.ANNOTATIONS.items())
