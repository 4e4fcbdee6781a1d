"""Parts of a corpus that are more than a column's values."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import polars as pl

from auscult.core import Code
from auscult.corpus.corpus import Corpus
from auscult.corpus.readers import read_notes, with_readers


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
