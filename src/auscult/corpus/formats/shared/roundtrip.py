"""What a written corpus does not give back, found by reading it: for formats of visits."""

from __future__ import annotations

from collections import Counter

import polars as pl

from auscult.core.names import shown
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import Losses
from auscult.corpus.schema import ANNOTATIONS, NOTES, RECORD_KEY

_ANNOTATIONS = (
    "annotations that the format cannot represent (annotator, system, code, chart_id, note_id, "
    "spans, score or meta)"
)


def count_losses(corpus: Corpus, back: Corpus, losses: Losses) -> None:
    """Count everything of a corpus that is not, or not so, in what was read back."""
    before, after = corpus.lazy_notes.collect(), back.lazy_notes.collect()
    for column in NOTES:  # a row is a note, in the same order
        if column == "read_by":
            continue  # counted for every format that does not hold it
        count = int(before[column].ne_missing(after[column]).sum())
        losses.add(
            f"notes.{column}",
            f"notes whose {column} the format cannot represent",
            f"{column} read back changed",
            count,
        )
    said, kept = (
        Counter(map(repr, one.lazy_annotations.select(ANNOTATIONS.names()).collect().rows()))
        for one in (corpus, back)
    )
    losses.add("annotations", _ANNOTATIONS, "left out", (said - kept).total())
    if corpus.lazy_records is not None:
        _count_records(corpus.lazy_records.collect(), back.lazy_records, losses)


def _count_records(before: pl.DataFrame, back: pl.LazyFrame | None, losses: Losses) -> None:
    if back is None:
        losses.add("records", "records", "left out", before.height)
        return
    after = back.collect()
    again = {name: f"{name} again" for name in after.columns if name != RECORD_KEY}
    before = before.with_columns(pl.col(RECORD_KEY).cast(pl.String))
    both = before.join(after.rename(again), on=RECORD_KEY, how="inner")
    gone = before.join(after, on=RECORD_KEY, how="anti").height
    losses.add("records", "records whose id is no note's id", "left out", gone)
    losses.add("records", "notes without a record", "read back with an empty record",
               after.join(before, on=RECORD_KEY, how="anti").height)  # fmt: skip
    for column in (name for name in before.columns if name != RECORD_KEY):
        if column not in after.columns:
            losses.add(f"records.{column}", f"the column {shown(column)} of records", "left out")
        elif before[column].dtype != after[column].dtype:
            losses.add(
                f"records.{column}",
                f"the column {shown(column)} of records",
                "read back as another type",
            )
        else:
            other = pl.col(column).ne_missing(pl.col(f"{column} again"))
            count = both.filter(other).height
            losses.add(
                f"records.{column}",
                f"values of {shown(column)} in records",
                "read back changed",
                count,
            )
