"""Checks that need the tables but not the text: ids, codes, systems, splits."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from auscult.codes import family, is_known, is_well_formed
from auscult.core import Code
from auscult.corpus.corpus import Corpus
from auscult.corpus.doctor.finding import Finding, Severity

# A code system this rare beside another revision of the same classification is a slip.
_STRAY_SHARE = 0.01


def check_tables(corpus: Corpus) -> Iterator[Finding]:
    """Everything that can be told without reading a note."""
    yield from _ids(corpus)
    yield from _notes_without_text(corpus)
    yield from _duplicates(corpus)
    yield from _codes(corpus)
    yield from _stray_systems(corpus)
    yield from _splits(corpus)


def _ids(corpus: Corpus) -> Iterator[Finding]:
    repeated = corpus.notes.group_by("note_id").len().filter(pl.col("len") > 1).collect()
    if len(repeated):
        yield Finding(
            "duplicate-note",
            Severity.ERROR,
            len(repeated),
            "note ids that several notes have",
            f"note {repeated['note_id'].sort()[0]}",
            "Give every note an id of its own, or remove the copies; spans cannot tell them apart.",
        )
    orphans = (
        corpus.annotations.filter(pl.col("note_id").is_not_null())
        .join(corpus.notes.select("note_id"), on="note_id", how="anti")
        .select("note_id", "annotator")
        .collect()
    )
    if len(orphans):
        yield Finding(
            "unknown-note",
            Severity.ERROR,
            len(orphans),
            "annotations on a note that is not in the corpus",
            f"note {orphans['note_id'][0]} by {orphans['annotator'][0]}",
            "Import the missing notes, or drop these annotations.",
        )
    lost = (
        corpus.annotations.filter(pl.col("note_id").is_null())
        .join(corpus.notes.select("chart_id"), on="chart_id", how="anti")
        .select("chart_id")
        .collect()
    )
    if len(lost):
        yield Finding(
            "chart-without-notes",
            Severity.REMARK,
            len(lost),
            "annotations on a chart that has no notes",
            f"chart {lost['chart_id'][0]}",
            "Nothing, if the notes are elsewhere; a coder has nothing to read for these.",
        )
    astray = (
        corpus.annotations.filter(pl.col("note_id").is_not_null())
        .join(corpus.notes.select("note_id", of="chart_id"), on="note_id")
        .filter(pl.col("of") != pl.col("chart_id"))
        .select("note_id", "chart_id")
        .collect()
    )
    if len(astray):
        yield Finding(
            "chart-mismatch",
            Severity.ERROR,
            len(astray),
            "annotations that name another chart than their note does",
            f"note {astray['note_id'][0]}, annotation says chart {astray['chart_id'][0]}",
            "Correct the chart_id of the annotation.",
        )


def _notes_without_text(corpus: Corpus) -> Iterator[Finding]:
    blank = pl.col("text").is_null() | (pl.col("text").str.strip_chars() == "")
    empty = corpus.notes.filter(blank).select("note_id").collect()
    if len(empty):
        yield Finding(
            "no-text",
            Severity.WARNING,
            len(empty),
            "notes without text",
            f"note {empty['note_id'][0]}",
            "Give the text at import (for MDACE: --noteevents FILE), or leave these notes out.",
        )


def _duplicates(corpus: Corpus) -> Iterator[Finding]:
    columns = ["annotator", "system", "code", "chart_id", "note_id", "meta", "spans"]
    edge = pl.element().struct
    written = edge.field("begin").cast(pl.String) + "–" + edge.field("end").cast(pl.String)
    counted = corpus.annotations.select(
        *columns[:-1], spans=pl.col("spans").list.eval(written).list.join(", ")
    )
    repeated = counted.group_by(columns).len().filter(pl.col("len") > 1).collect()
    if len(repeated):
        first = repeated.sort(columns, nulls_last=True).row(0, named=True)
        where = f"note {first['note_id']}" if first["note_id"] else f"chart {first['chart_id']}"
        yield Finding(
            "duplicate-annotation",
            Severity.WARNING,
            int(repeated["len"].sum() - len(repeated)),
            "annotations that repeat another exactly",
            f"{first['system']} {first['code']} on {where} {first['spans']}",
            "Remove the copies; measures count sets, so they change nothing but your totals.",
        )


def _codes(corpus: Corpus) -> Iterator[Finding]:
    counted = corpus.annotations.group_by("system", "code").len().sort("system", "code").collect()
    malformed: list[tuple[Code, int]] = []
    unknown: list[tuple[Code, int]] = []
    for system, value, count in counted.iter_rows():
        code = Code(system, value)
        if not is_well_formed(code):
            malformed.append((code, count))
        elif is_known(code) is False:
            unknown.append((code, count))
    if malformed:
        yield Finding(
            "malformed-code",
            Severity.ERROR,
            sum(count for _, count in malformed),
            f"annotations with one of {len(malformed)} codes that do not look like their system's",
            str(malformed[0][0]),
            "Correct the code or the system; auscult.codes.normalise writes codes as published.",
        )
    if unknown:
        yield Finding(
            "unknown-code",
            Severity.WARNING,
            sum(count for _, count in unknown),
            f"annotations with one of {len(unknown)} codes that are not in their system's table",
            str(unknown[0][0]),
            "They may be of another year or another country's edition; they are kept as they are.",
        )


def _stray_systems(corpus: Corpus) -> Iterator[Finding]:
    counted = corpus.annotations.group_by("annotator", "system").len().collect()
    for (annotator,), rows in counted.sort("annotator", "system").group_by(
        "annotator", maintain_order=True
    ):
        total = int(rows["len"].sum())
        revisions: dict[str, int] = {}
        for system, count in rows.select("system", "len").iter_rows():
            revisions[family(system)] = revisions.get(family(system), 0) + count
        for system, count in rows.select("system", "len").iter_rows():
            kin = [f for f in revisions if f[:4] == family(system)[:4] and f != family(system)]
            alone = revisions[family(system)]
            if kin and alone < _STRAY_SHARE * total:
                yield Finding(
                    "stray-system",
                    Severity.WARNING,
                    count,
                    f"annotations in {system}, where {annotator} otherwise uses {kin[0]}",
                    _first(corpus, annotator, system),
                    "Map them (auscult codes map) or drop them; left in, they are codes nobody "
                    "predicts.",
                )


def _first(corpus: Corpus, annotator: str, system: str) -> str:
    row = (
        corpus.annotations.filter((pl.col("annotator") == annotator) & (pl.col("system") == system))
        .select("code", "note_id", "chart_id")
        .head(1)
        .collect()
        .row(0, named=True)
    )
    where = f"note {row['note_id']}" if row["note_id"] else f"chart {row['chart_id']}"
    return f"{system} {row['code']} on {where}"


def _splits(corpus: Corpus) -> Iterator[Finding]:
    placed = corpus.notes.filter(pl.col("split").is_not_null())
    for column, what in (("subject_id", "patients"), ("chart_id", "charts")):
        torn = (
            placed.filter(pl.col(column).is_not_null())
            .group_by(column)
            .agg(pl.col("split").unique().sort())
            .filter(pl.col("split").list.len() > 1)
            .sort(column)
            .collect()
        )
        if len(torn):
            yield Finding(
                f"{what[:-1]}-in-two-splits",
                Severity.ERROR,
                len(torn),
                f"{what} with notes in more than one split",
                f"{what[:-1]} {torn[column][0]} in {' and '.join(torn['split'][0])}",
                "Split by patient (auscult corpus split --by subject): a coder that has seen the "
                "patient is not being tested.",
            )
            return
