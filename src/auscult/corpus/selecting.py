"""Parts of a corpus: by the names in its columns, by who annotated, by codes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from auscult.core import Code, OptionError
from auscult.core.deferred import polars as pl
from auscult.core.names import require_known
from auscult.corpus.corpus import Corpus
from auscult.corpus.readers import read_notes, with_readers


def require_names(
    corpus: Corpus,
    *,
    annotators: Collection[str] | None = None,
    systems: Collection[str] | None = None,
    categories: Collection[str] | None = None,
    splits: Collection[str] | None = None,
) -> None:
    """An error for the first name that the corpus does not have; it lists those that it has.

    An annotator is known by annotations of any status, or as the reader of a note.
    """
    said, notes = corpus.lazy_all_annotations, corpus.lazy_notes
    for names, table, column, what in (
        (annotators, said, "annotator", "annotator"),
        (systems, said, "system", "code system"),
        (categories, notes, "category", "note category"),
        (splits, notes, "split", "split"),
    ):
        if isinstance(names, str):
            raise OptionError(f"Pass a list of names for {what}, such as [{names!r}].")
        if not names:
            continue
        known = set(table.select(pl.col(column).unique()).collect()[column].drop_nulls())
        if column == "annotator" and not known.issuperset(names):
            readers = notes.select(pl.col("read_by").explode().unique()).collect()["read_by"]
            known.update(readers.drop_nulls())
        for name in names:
            require_known(name, known, what)


def matching(
    corpus: Corpus,
    *,
    annotators: Collection[str] | None = None,
    systems: Collection[str] | None = None,
    categories: Collection[str] | None = None,
    splits: Collection[str] | None = None,
    charts: Collection[str] | None = None,
) -> Corpus:
    """What `Corpus.select` selects, where a name that the corpus does not have matches nothing."""
    notes, annotations = corpus.lazy_notes, corpus.lazy_all_annotations
    records = corpus.lazy_records
    if isinstance(charts, str):
        raise OptionError(f"Pass a list of chart ids, such as [{charts!r}].")
    if annotators is not None:
        annotations = annotations.filter(pl.col("annotator").is_in(list(annotators)))
    if systems is not None:
        wanted = pl.col("system").is_in(list(systems))
        # Who gave codes of other systems read the note, and found none of these.
        notes = with_readers(notes, annotations.filter(~wanted), annotations.filter(wanted))
        annotations = annotations.filter(wanted)
    if charts is not None:
        notes = notes.filter(pl.col("chart_id").is_in(list(charts)))
        annotations = annotations.filter(pl.col("chart_id").is_in(list(charts)))
    for column, names in (("category", categories), ("split", splits)):
        if names is not None:
            notes = notes.filter(pl.col(column).is_in(list(names)))
    if splits is not None or categories is not None:
        numbered = annotations.with_row_index("_row")
        on_note = numbered.filter(pl.col("note_id").is_not_null()).join(
            notes.select("note_id"), on="note_id", how="semi"
        )
        on_chart = numbered.filter(pl.col("note_id").is_null()).join(
            notes.select("chart_id"), on="chart_id", how="semi"
        )
        annotations = pl.concat([on_chart, on_note]).sort("_row").drop("_row")
    is_narrowed = charts is not None or splits is not None or categories is not None
    if is_narrowed and records is not None and "chart_id" in records.collect_schema():
        records = records.join(
            notes.select("chart_id"), on="chart_id", how="semi", maintain_order="left"
        )
    return replace(
        corpus, lazy_notes=notes, lazy_all_annotations=annotations, lazy_records=records, path=None
    )


def only_annotated(corpus: Corpus) -> Corpus:
    """The notes that somebody annotated or read, with what is said of them and of their charts.

    Notes that nobody looked at say nothing, and to learn or to measure from them as if they said
    "nothing is here" is wrong. An annotation that names a chart and no note, such as a billing
    code, says of none of its notes that it was read.
    """
    # Of those who annotate notes: a biller, who annotates charts, is named as a reader of their
    # notes where the codes were selected away.
    of_notes = corpus.lazy_annotations.filter(pl.col("note_id").is_not_null())
    names = of_notes.select("annotator").unique().collect()["annotator"].to_list()
    read = pl.LazyFrame({"note_id": sorted(read_notes(corpus, names))}, {"note_id": pl.String})
    notes = corpus.lazy_notes.join(read, on="note_id", how="semi", maintain_order="left")
    of_chart = pl.col("note_id").is_null()
    charts = notes.select("chart_id").unique()
    numbered = corpus.lazy_all_annotations.with_row_index("_row")
    kept = [
        numbered.filter(~of_chart),
        numbered.filter(of_chart).join(charts, on="chart_id", how="semi"),
    ]
    annotations = pl.concat(kept).sort("_row").drop("_row")
    records = corpus.lazy_records
    if records is not None and "chart_id" in records.collect_schema():
        records = records.join(charts, on="chart_id", how="semi", maintain_order="left")
    return replace(
        corpus, lazy_notes=notes, lazy_all_annotations=annotations, lazy_records=records, path=None
    )


def only_codes(corpus: Corpus, codes: Collection[Code]) -> Corpus:
    """The corpus with these codes only. Notes that lose all of theirs are marked as read."""
    pairs = [(code.system, code.value) for code in codes]
    table = pl.LazyFrame(pairs, {"system": pl.String, "code": pl.String}, orient="row")
    on = ["system", "code"]
    kept = corpus.lazy_all_annotations.join(table, on=on, how="semi", maintain_order="left")
    gone = corpus.lazy_all_annotations.join(table, on=on, how="anti")
    notes = with_readers(corpus.lazy_notes, gone, kept)
    return replace(corpus, lazy_notes=notes, lazy_all_annotations=kept, path=None)
