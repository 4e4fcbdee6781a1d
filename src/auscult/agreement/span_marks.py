"""The spans of a corpus on the notes that two annotators annotated, as input of α for unitizing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from auscult.agreement.annotation_table import AnnotationTable, read_place
from auscult.agreement.unitizing import Marks
from auscult.agreement.units import past_text_error
from auscult.core import Span


def marks_of(table: AnnotationTable, annotators: Sequence[int]) -> Marks:
    """The spans of some annotators, by place, in the notes with text of charts two of them saw."""
    seen = table.seen[:, list(annotators)]
    shared = np.flatnonzero(seen.sum(axis=1) > 1)
    counted = table.notes.filter(pl.col("chart").is_in(shared.tolist()))
    lengths = (
        table.corpus.lazy_notes.filter(pl.col("text").is_not_null())
        .select("note_id", length=pl.col("text").str.len_chars().cast(pl.Int64))
        .join(counted.lazy(), on="note_id", maintain_order="right")
        .select("note", "note_id", "chart", "length")
        .collect()
    )
    place_of = {note: at for at, note in enumerate(lengths["note"])}
    order = {annotator: at for at, annotator in enumerate(annotators)}
    given: dict[tuple[int, int, int], list[Span]] = {}
    marked = table.rows.filter(
        (pl.col("place") != "") & pl.col("annotator").is_in(list(annotators))
    )
    for annotator, note, code, place in marked.select(
        "annotator", "note", "code", "place"
    ).iter_rows():
        if (at := place_of.get(note)) is not None:
            spans = read_place(place)
            if spans[-1].end > lengths["length"][at]:
                raise past_text_error(
                    table.annotators[annotator],
                    lengths["note_id"][at],
                    spans[-1].end,
                    lengths["length"][at],
                )
            given.setdefault((order[annotator], at, code), []).extend(spans)
    chart = np.unique(lengths["chart"].to_numpy(), return_inverse=True)[1]
    notes = list(zip(lengths["length"].to_list(), chart.tolist(), strict=True))
    return Marks.of(len(annotators), notes, given, seen[lengths["chart"].to_numpy()])
