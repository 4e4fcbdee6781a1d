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
        "does not have the form of its code system",
        "do not have the form of their code system",
        "Correct the code or the system; auscult.codes.normalize puts codes into their "
        "published form.",
    ),
    "unknown-code": (
        Severity.WARNING,
        "is not in the table of its code system",
        "are not in the table of their code system",
        "They may be from another year or another national edition; they are kept unchanged.",
    ),
    "heading-code": (
        Severity.REMARK,
        "is a category, too general to be billed",
        "are categories, too general to be billed",
        "Nothing to do if this is intended or the code was billable at the time; auscult codes "
        "show lists the codes below it.",
    ),
}


def check_tables(corpus: Corpus, *, examples: int) -> Iterator[Finding]:
    """All checks that do not need the text of the notes."""
    yield from _ids(corpus, examples)
    yield from _notes_without_text(corpus, examples)
    yield from _duplicates(corpus, examples)
    yield from _codes(corpus, examples)
    yield from _stray_systems(corpus, examples)
    yield from _splits(corpus, examples)


def _ids(corpus: Corpus, most: int) -> Iterator[Finding]:
    repeated = corpus.lazy_notes.group_by("note_id").len().filter(pl.col("len") > 1).collect()
    if count := len(repeated):
        yield Finding(
            "duplicate-note",
            Severity.ERROR,
            count,
            "note_id that several notes share"
            if count == 1
            else "note_ids that several notes share",
            tuple(f"note {note_id}" for note_id in repeated["note_id"].sort().head(most)),
            "Give every note a unique id, or remove the copies; otherwise spans are ambiguous.",
        )
    orphans = (
        corpus.lazy_all_annotations.filter(pl.col("note_id").is_not_null())
        .join(corpus.lazy_notes.select("note_id"), on="note_id", how="anti")
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
        corpus.lazy_all_annotations.filter(pl.col("note_id").is_null())
        .join(corpus.lazy_notes.select("chart_id"), on="chart_id", how="anti")
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
            "Nothing to do if the notes are elsewhere; a model has no text to read for these.",
        )
    astray = (
        corpus.lazy_all_annotations.filter(pl.col("note_id").is_not_null())
        .join(corpus.lazy_notes.select("note_id", of="chart_id"), on="note_id")
        .filter(pl.col("of") != pl.col("chart_id"))
        .select("note_id", "chart_id")
        .collect()
    )
    if count := len(astray):
        names = "has a different chart_id than its note"
        name = "have a different chart_id than their note"
        yield Finding(
            "chart-mismatch",
            Severity.ERROR,
            count,
            f"{_annotations(count)} that {names if count == 1 else name}",
            tuple(
                f"note {note}, annotation has chart {chart}"
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
    empty = corpus.lazy_notes.filter(blank).select("note_id").collect()
    if count := len(empty):
        yield Finding(
            "no-text",
            Severity.WARNING,
            count,
            "note without text" if count == 1 else "notes without text",
            tuple(f"note {note}" for (note,) in _places(empty, most)),
            "Provide the text at import (for MDACE: --noteevents FILE), or leave these notes out.",
        )


def _duplicates(corpus: Corpus, most: int) -> Iterator[Finding]:
    columns = ["annotator", "system", "code", "chart_id", "note_id", "spans"]
    edge = pl.element().struct
    written = edge.field("begin").cast(pl.String) + "–" + edge.field("end").cast(pl.String)
    repeated = (
        corpus.lazy_annotations.with_columns(
            spans=pl.col("spans").list.eval(written).list.join(", ")
        )
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
            "Remove the copies; metrics are computed on sets, so copies only change your totals.",
        ),
        (
            "near-duplicate-annotation",
            Severity.REMARK,
            pl.col("different") - 1,
            "except for its score or its meta",
            "Nothing to do if the source repeats it on purpose; metrics count it once.",
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
    counted = (
        corpus.lazy_annotations.group_by("system", "code").len().sort("system", "code").collect()
    )
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
    counted = corpus.lazy_annotations.group_by("annotator", "system").len().collect()
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
                    "Map them (auscult codes map) or drop them; otherwise they are codes that "
                    "no model predicts.",
                )


def _first(corpus: Corpus, annotator: str, system: str, most: int) -> tuple[str, ...]:
    rows = (
        corpus.lazy_annotations.filter(
            (pl.col("annotator") == annotator) & (pl.col("system") == system)
        )
        .select("code", "note_id", "chart_id")
        .head(most)
        .collect()
    )
    return tuple(f"{system} {row['code']} on {_where(row)}" for row in rows.iter_rows(named=True))


def _splits(corpus: Corpus, most: int) -> Iterator[Finding]:
    placed = corpus.lazy_notes.filter(pl.col("split").is_not_null())
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
                "Split by patient (auscult corpus split --by subject): otherwise test results "
                "are inflated by patients seen in training.",
            )
            return
