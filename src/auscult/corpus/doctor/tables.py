"""Checks that need the tables but not the text: ids, codes, systems, splits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from auscult.codes import family, is_well_formed, table_of
from auscult.core import Code
from auscult.corpus.corpus import Corpus
from auscult.corpus.doctor.finding import Finding, Severity

# A code system this rare beside another revision of the same classification is a slip.
_STRAY_SHARE = 0.01


_CODE_CHECKS = {
    "malformed-code": (
        Severity.ERROR,
        "does not look like its system's",
        "do not look like their system's",
        "Correct the code or the system; auscult.codes.normalise writes codes as published.",
    ),
    "unknown-code": (
        Severity.WARNING,
        "is not in its system's table",
        "are not in their system's table",
        "They may be of another year or another country's edition; they are kept as they are.",
    ),
    "heading-code": (
        Severity.REMARK,
        "is a heading, too general to be billed",
        "are headings, too general to be billed",
        "Nothing, if it was meant so or was billable then; auscult codes show lists what is below.",
    ),
}


def check_tables(corpus: Corpus, *, examples: int) -> Iterator[Finding]:
    """Everything that can be told without reading a note."""
    yield from _ids(corpus, examples)
    yield from _notes_without_text(corpus, examples)
    yield from _duplicates(corpus, examples)
    yield from _codes(corpus, examples)
    yield from _stray_systems(corpus, examples)
    yield from _splits(corpus, examples)


def _ids(corpus: Corpus, most: int) -> Iterator[Finding]:
    repeated = corpus.notes.group_by("note_id").len().filter(pl.col("len") > 1).collect()
    if count := len(repeated):
        yield Finding(
            "duplicate-note",
            Severity.ERROR,
            count,
            "note id that several notes have" if count == 1 else "note ids that several notes have",
            tuple(f"note {note_id}" for note_id in repeated["note_id"].sort().head(most)),
            "Give every note an id of its own, or remove the copies; spans cannot tell them apart.",
        )
    orphans = (
        corpus.all_annotations.filter(pl.col("note_id").is_not_null())
        .join(corpus.notes.select("note_id"), on="note_id", how="anti")
        .select("note_id", "annotator")
        .collect()
    )
    if count := len(orphans):
        yield Finding(
            "unknown-note",
            Severity.ERROR,
            count,
            f"{_annotations(count)} on a note that is not in the corpus",
            tuple(f"note {note} by {who}" for note, who in _places(orphans, most)),
            "Import the missing notes, or drop these annotations.",
        )
    lost = (
        corpus.all_annotations.filter(pl.col("note_id").is_null())
        .join(corpus.notes.select("chart_id"), on="chart_id", how="anti")
        .select("chart_id")
        .collect()
    )
    if count := len(lost):
        yield Finding(
            "chart-without-notes",
            Severity.REMARK,
            count,
            f"{_annotations(count)} on a chart that has no notes",
            tuple(f"chart {chart}" for (chart,) in _places(lost, most)),
            "Nothing, if the notes are elsewhere; a coder has nothing to read for these.",
        )
    astray = (
        corpus.all_annotations.filter(pl.col("note_id").is_not_null())
        .join(corpus.notes.select("note_id", of="chart_id"), on="note_id")
        .filter(pl.col("of") != pl.col("chart_id"))
        .select("note_id", "chart_id")
        .collect()
    )
    if count := len(astray):
        names = "names another chart than its note does"
        name = "name another chart than their note does"
        yield Finding(
            "chart-mismatch",
            Severity.ERROR,
            count,
            f"{_annotations(count)} that {names if count == 1 else name}",
            tuple(
                f"note {note}, annotation says chart {chart}"
                for note, chart in _places(astray, most)
            ),
            "Correct the chart_id of the annotation.",
        )


def _annotations(count: int) -> str:
    return "annotation" if count == 1 else "annotations"


def _places(table: pl.DataFrame, most: int) -> list[tuple[Any, ...]]:
    """The first different rows."""
    return table.unique(maintain_order=True).head(most).rows()


def _notes_without_text(corpus: Corpus, most: int) -> Iterator[Finding]:
    blank = pl.col("text").is_null() | (pl.col("text").str.strip_chars() == "")
    empty = corpus.notes.filter(blank).select("note_id").collect()
    if count := len(empty):
        yield Finding(
            "no-text",
            Severity.WARNING,
            count,
            "note without text" if count == 1 else "notes without text",
            tuple(f"note {note}" for (note,) in _places(empty, most)),
            "Give the text at import (for MDACE: --noteevents FILE), or leave these notes out.",
        )


def _duplicates(corpus: Corpus, most: int) -> Iterator[Finding]:
    columns = ["annotator", "system", "code", "chart_id", "note_id", "spans"]
    edge = pl.element().struct
    written = edge.field("begin").cast(pl.String) + "–" + edge.field("end").cast(pl.String)
    repeated = (
        corpus.annotations.with_columns(spans=pl.col("spans").list.eval(written).list.join(", "))
        .group_by(columns)
        .agg(pl.len(), different=pl.struct("meta", "score").n_unique())
        .filter(pl.col("len") > 1)
        .sort(columns, nulls_last=True)
        .collect()
    )
    for check, severity, copies, how, advice in (
        (
            "duplicate-annotation",
            Severity.WARNING,
            pl.col("len") - pl.col("different"),
            "exactly",
            "Remove the copies; measures count sets, so they change nothing but your totals.",
        ),
        (
            "near-duplicate-annotation",
            Severity.REMARK,
            pl.col("different") - 1,
            "but for its score or its meta",
            "Nothing, if the source says the same twice on purpose; measures count it once.",
        ),
    ):
        found = repeated.with_columns(copies=copies).filter(pl.col("copies") > 0)
        if count := int(found["copies"].sum()):
            repeats = "repeats" if count == 1 else "repeat"
            yield Finding(
                check,
                severity,
                count,
                f"{_annotations(count)} that {repeats} another {how}",
                tuple(
                    f"{row['system']} {row['code']} on {_where(row)} {row['spans']}".rstrip()
                    for row in found.head(most).iter_rows(named=True)
                ),
                advice,
            )


def _where(row: dict[str, Any]) -> str:
    return f"note {row['note_id']}" if row["note_id"] else f"chart {row['chart_id']}"


def _codes(corpus: Corpus, most: int) -> Iterator[Finding]:
    counted = corpus.annotations.group_by("system", "code").len().sort("system", "code").collect()
    found: dict[str, list[tuple[Code, int]]] = {}
    for system, value, count in counted.iter_rows():
        code = Code(system, value)
        table = table_of(system)
        if not is_well_formed(code):
            found.setdefault("malformed-code", []).append((code, count))
        elif table is not None and value not in table:
            found.setdefault("unknown-code", []).append((code, count))
        elif table is not None and not table.is_billable(value):
            found.setdefault("heading-code", []).append((code, count))
    for check, (severity, one, several, advice) in _CODE_CHECKS.items():
        if codes := found.get(check):
            total = sum(count for _, count in codes)
            which = (
                f"a code that {one}"
                if len(codes) == 1
                else f"one of {len(codes):,} codes that {several}"
            )
            yield Finding(
                check,
                severity,
                total,
                f"{_annotations(total)} with {which}",
                tuple(str(code) for code, _ in codes[:most]),
                advice,
            )


def _stray_systems(corpus: Corpus, most: int) -> Iterator[Finding]:
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
                    f"{_annotations(count)} in {system}, where {annotator} otherwise uses {kin[0]}",
                    _first(corpus, annotator, system, most),
                    "Map them (auscult codes map) or drop them; left in, they are codes nobody "
                    "predicts.",
                )


def _first(corpus: Corpus, annotator: str, system: str, most: int) -> tuple[str, ...]:
    rows = (
        corpus.annotations.filter((pl.col("annotator") == annotator) & (pl.col("system") == system))
        .select("code", "note_id", "chart_id")
        .head(most)
        .collect()
    )
    return tuple(f"{system} {row['code']} on {_where(row)}" for row in rows.iter_rows(named=True))


def _splits(corpus: Corpus, most: int) -> Iterator[Finding]:
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
                f"{what[:-1] if len(torn) == 1 else what} with notes in more than one split",
                tuple(
                    f"{what[:-1]} {name} in {' and '.join(splits)}"
                    for name, splits in torn.select(column, "split").head(most).iter_rows()
                ),
                "Split by patient (auscult corpus split --by subject): a coder that has seen the "
                "patient is not being tested.",
            )
            return
