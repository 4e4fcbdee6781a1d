"""Who read which notes and charts: without that, a note in which nothing is annotated says nothing.

A chart was read by an annotator who gave it a code, or one of its notes; or who is named as a
reader of one of its notes (`read_by`), and found nothing to say.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from auscult.core import Status, UnreadWarning
from auscult.core.deferred import polars as pl
from auscult.core.option_names import option

if TYPE_CHECKING:
    from auscult.core import Note
    from auscult.corpus.corpus import Corpus


ChartChoice = Literal["annotated", "all"]
"""Which charts or notes are counted: those that the annotators have read, or all."""


def readings(corpus: Corpus) -> pl.LazyFrame:
    """Each annotator and chart that was read, once: the columns annotator and chart_id."""
    said = corpus.lazy_annotations.select("annotator", "chart_id")
    named = corpus.lazy_notes.select(pl.col("read_by").alias("annotator"), "chart_id")
    return pl.concat([said, named.drop_nulls().explode("annotator")]).unique()


def read_charts(corpus: Corpus, annotators: Collection[str] | None = None) -> frozenset[str]:
    """The charts that one of the annotators has read, or anybody."""
    found = readings(corpus)
    if annotators is not None:
        found = found.filter(pl.col("annotator").is_in(list(annotators)))
    return frozenset(found.select("chart_id").unique().collect()["chart_id"])


def warn_of_unread(
    read: int,
    every: int,
    annotators: Collection[str] | None,
    flag: str | None,
    what: str = "charts",
    argument: str | None = None,
) -> None:
    """Say how many charts or notes count, where not all do, and how to count the others.

    `flag` is the option for it, and `argument` what that is in Python if it has another name.
    Without one they can be marked as read.
    """
    if read < every:
        who = " or ".join(annotators) if annotators else "any annotator"
        if flag is not None:
            how = f"To count them as {what} without codes, pass {option(flag, argument)}."
        else:
            how = (
                "If they were read and have no code, mark them as read first: auscult corpus "
                "mark-read"
            )
        warnings.warn(
            f"Only {read:,} of {every:,} {what} were read by {who}; the others are left out. {how}",
            UnreadWarning,
            stacklevel=3,
        )


def read_notes(corpus: Corpus, annotators: Collection[str] | None = None) -> frozenset[str]:
    """The notes that one of the annotators has read, or anybody.

    A code of a whole chart, such as a billing code, says of none of its notes that it was read.
    """
    said = corpus.lazy_annotations.select("annotator", "note_id")
    named = corpus.lazy_notes.select(pl.col("read_by").alias("annotator"), "note_id")
    found = pl.concat([said, named.explode("annotator")]).drop_nulls()
    if annotators is not None:
        found = found.filter(pl.col("annotator").is_in(list(annotators)))
    return frozenset(found.select("note_id").unique().collect()["note_id"])


def only_read(corpus: Corpus, annotator: str) -> Corpus:
    """The charts that the annotator has read; it is said how many are left out."""
    every = corpus.chart_ids()
    read = read_charts(corpus, [annotator])
    if all(chart in read for chart in every):
        return corpus
    kept = [chart for chart in every if chart in read]
    warn_of_unread(len(kept), len(every), [annotator], None)
    return corpus.select(charts=kept)


def mark_read(corpus: Corpus, annotator: str, charts: Collection[str]) -> Corpus:
    """The corpus, in which the annotator has read all notes of these charts.

    Notes with an annotation of theirs need no mark.
    """
    said = corpus.lazy_annotations.filter(pl.col("annotator") == annotator).select("note_id")
    here = pl.col("chart_id").is_in(list(charts)) & ~pl.col("note_id").is_in(
        said.drop_nulls().unique().collect()["note_id"].implode()
    )
    both = pl.concat_list(pl.col("read_by").fill_null([]), pl.lit([annotator]))
    notes = corpus.lazy_notes.with_columns(
        read_by=pl.when(here).then(both.list.unique(maintain_order=True)).otherwise("read_by")
    )
    return replace(corpus, lazy_notes=notes, path=None)


def is_read(note: Note, annotators: Collection[str] | None = None) -> bool:
    """Whether one of the annotators, or anybody, is named as a reader of a note."""
    return any(annotators is None or name in annotators for name in note.read_by)


def with_readers(notes: pl.LazyFrame, gone: pl.LazyFrame, kept: pl.LazyFrame) -> pl.LazyFrame:
    """The notes, marked as read by those who annotated them or their charts with what is gone.

    A code of a whole chart says that its notes were read only if it is somebody's who never
    annotates single notes, such as a biller. What is kept shows by itself who read.
    """
    pair = ["annotator", "chart_id", "note_id"]
    given = [part.filter(pl.col("status") == Status.GIVEN).select(pair) for part in (gone, kept)]
    hidden = given[0].join(given[1], on=pair, how="anti", nulls_equal=True).unique()
    of_notes = pl.concat(given).drop_nulls("note_id").select("annotator").unique()
    whole = hidden.filter(pl.col("note_id").is_null()).join(of_notes, on="annotator", how="anti")
    on_notes, on_charts = pl.collect_all([hidden.drop_nulls("note_id"), whole])
    # Ids are looked up rather than joined: a join would hold the text of all notes in memory.
    marks = [pl.col("read_by")]
    for column, table in (("note_id", on_notes), ("chart_id", on_charts)):
        for annotator, ids in table.group_by("annotator", maintain_order=True):
            is_here = pl.col(column).is_in(ids[column].implode())
            marks.append(pl.when(is_here).then(pl.lit(list(annotator), pl.List(pl.String))))
    if len(marks) == 1:
        return notes
    every = pl.concat_list(mark.fill_null([]) for mark in marks).list.unique(maintain_order=True)
    return notes.with_columns(read_by=pl.when(every.list.len() > 0).then(every))
