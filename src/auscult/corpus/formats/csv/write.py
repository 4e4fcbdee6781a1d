"""A corpus as CSV tables."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from auscult.corpus import schema
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import Loss, Losses
from auscult.corpus.formats.csv.annotations import BETWEEN
from auscult.corpus.formats.shared import name_lists


def write(corpus: Corpus, folder: Path) -> list[Loss]:
    """Write notes.csv, annotations.csv and, if there are records, records.csv."""
    losses = Losses()
    columns = [name for name in schema.NOTES.names() if name != "text"] + ["text"]
    readers = pl.col("read_by").map_elements(_joined, pl.String, skip_nulls=True)
    _sink(corpus.lazy_notes.with_columns(readers).select(columns), folder / "notes.csv", losses)
    ends = pl.col("spans").list

    def joined(name: str) -> pl.Expr:
        numbers = ends.eval(pl.element().struct.field(name).cast(pl.String)).list.join(BETWEEN)
        return pl.when(ends.len() > 0).then(numbers).alias(name)

    order = ("note_id", "chart_id", "annotator", "system", "code", "begin", "end", "score")
    annotations = corpus.lazy_all_annotations.with_columns(joined("begin"), joined("end")).select(
        *order, "status", "meta"
    )
    _sink(annotations, folder / "annotations.csv", losses)
    if corpus.lazy_records is not None:
        _sink(_flat(corpus.lazy_records, losses), folder / "records.csv", losses)
    return losses.list()


def _joined(names: pl.Series) -> str | None:
    return name_lists.join(names.to_list())


def _flat(records: pl.LazyFrame, losses: Losses) -> pl.LazyFrame:
    """The records with every column a string."""
    kinds = records.collect_schema()
    nested = [name for name, kind in kinds.items() if kind.is_nested() or kind == pl.Binary]
    other = [name for name, kind in kinds.items() if kind != pl.String and name not in nested]
    losses.add("records", "columns of records with nested values", "left out", len(nested))
    losses.add("records", "columns of records that are not text", "written as text", len(other))
    return records.drop(nested).with_columns(pl.col(other).cast(pl.String))


def _sink(table: pl.LazyFrame, file: Path, losses: Losses) -> None:
    strings = [name for name, kind in table.collect_schema().items() if kind == pl.String]
    nul = pl.col(strings).str.count_matches("\0", literal=True)
    count = table.select(pl.sum_horizontal(nul.sum())).collect(engine="streaming").item()
    if count:
        losses.add("notes.text", "NUL characters in a text, id or meta", "written as U+FFFD", count)
        table = table.with_columns(pl.col(strings).str.replace_all("\0", "\ufffd", literal=True))
    table.sink_csv(file)
