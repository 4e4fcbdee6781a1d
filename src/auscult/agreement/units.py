"""The units of agreement: charts, notes, spans or words, each with a set of codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

import numpy as np
import polars as pl

from auscult.agreement.annotation_table import AnnotationTable, read_place
from auscult.agreement.ratings import MISSING, CodeSets, Ints, Ratings
from auscult.core import CorpusError, OptionError
from auscult.core.option_names import option
from auscult.core.progress import track

_WORD = re.compile(r"\w+")
_ROWS = {"unit": pl.Int64, "annotator": pl.Int64, "code": pl.Int64}


class AgreementUnit(StrEnum):
    """The unit to which a set of codes is assigned."""

    CHART = "chart"
    """A chart: the position of the evidence is ignored."""
    NOTE = "note"
    """A note; codes on a whole chart form a unit of their own."""
    SPAN = "span"
    """A span that at least one annotator marked, compared by its offsets."""
    TOKEN = "token"
    """A word of a note, with the codes of the spans that cover it; punctuation is ignored."""


def ratings_by(table: AnnotationTable, unit: AgreementUnit, *, blank: bool = True) -> Ratings:
    """The code sets that the annotators assigned to each unit of the charts they annotated.

    Units that nobody gave a code count as agreement on nothing, unless `blank` is false.
    """
    if unit in (AgreementUnit.SPAN, AgreementUnit.TOKEN) and not table.has_spans:
        raise OptionError(
            f"No annotator marked evidence spans, so there are no {unit}s to compare. Use "
            f"{option('--unit note')} or {option('--unit chart')}."
        )
    if unit is AgreementUnit.TOKEN:
        units, given = _words(table)
    else:
        units, given = _grouped(table, unit)
    ratings = _ratings(table, units, given)
    return ratings if blank else ratings.annotated()


def _grouped(table: AnnotationTable, unit: AgreementUnit) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Units as chart and copies, and what was given to each: unit, annotator, code."""
    rows = table.rows.with_columns(pl.col("note").fill_null(MISSING))
    if unit is AgreementUnit.SPAN:
        rows = rows.filter(pl.col("place") != "")
    key = {
        AgreementUnit.CHART: ["chart"],
        AgreementUnit.NOTE: ["chart", "note"],
        AgreementUnit.SPAN: ["chart", "note", "place"],
    }[unit]
    keys = rows.select(key)
    if unit is AgreementUnit.CHART:
        every = pl.DataFrame({"chart": np.arange(len(table.chart_ids))})
        keys = pl.concat([every, keys])
    elif unit is AgreementUnit.NOTE:
        keys = pl.concat([table.notes.select(key), keys])
    units = keys.unique(maintain_order=True).with_columns(pl.int_range(pl.len()).alias("unit"))
    given = rows.join(units, on=key).select(list(_ROWS)).unique()
    return units.select("chart", copies=pl.lit(1, pl.Int64)), given


def _words(table: AnnotationTable) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The words of every note as units; those of a note that nobody marked are one row."""
    charts: list[int] = []
    copies: list[int] = []
    rows: list[Ints] = []
    number = 0
    for note_id, chart, text, marks in _marked_notes(table):
        words = np.array([m.span() for m in _WORD.finditer(text)], dtype=np.int64).reshape(-1, 2)
        triples = []
        for annotator, code, place in marks:
            for span in read_place(place):
                if span.end > len(text):
                    raise past_text_error(table.annotators[annotator], note_id, span.end, len(text))
                first = np.searchsorted(words[:, 1], span.begin, side="right")
                last = np.searchsorted(words[:, 0], span.end, side="left")
                triples += [(at, annotator, code) for at in range(first, last)]
        touched = sorted({at for at, _, _ in triples})
        place_of = {at: number + n for n, at in enumerate(touched)}
        if triples:
            rows.append(
                np.array(
                    [(place_of[at], annotator, code) for at, annotator, code in triples], np.int64
                )
            )
        charts += [chart] * len(touched)
        copies += [1] * len(touched)
        number += len(touched)
        if rest := len(words) - len(touched):
            charts.append(chart)
            copies.append(rest)
            number += 1
    marked_words = np.concatenate(rows) if rows else np.zeros((0, 3), dtype=np.int64)
    units = pl.DataFrame(
        {"chart": charts, "copies": copies}, schema={"chart": pl.Int64, "copies": pl.Int64}
    )
    return units, pl.DataFrame(marked_words, schema=_ROWS, orient="row").unique()


def past_text_error(annotator: str, note_id: str, end: int, length: int) -> CorpusError:
    """The error for a span that ends past its note."""
    return CorpusError(
        f"A span of {annotator} in note {note_id} ends at {end}, past the note's {length} "
        "characters. "
        "Offsets count Unicode code points; find such spans with: auscult corpus doctor CORPUS"
    )


def _marked_notes(
    table: AnnotationTable,
) -> Iterator[tuple[str, int, str, list[tuple[int, int, str]]]]:
    """Each note of the charts that count: its id, chart and text, and annotator, code and place of
    what is marked in it."""
    marks: dict[int, list[tuple[int, int, str]]] = {}
    marked = table.rows.filter(pl.col("place") != "")
    for note, annotator, code, place in marked.select(
        "note", "annotator", "code", "place"
    ).iter_rows():
        marks.setdefault(note, []).append((annotator, code, place))
    known = {note_id: (note, chart) for note, note_id, chart in table.notes.iter_rows()}
    texts = table.corpus.lazy_notes.select("note_id", "text").filter(
        pl.col("note_id").is_in(list(known)), pl.col("text").is_not_null()
    )
    left = set(marks)
    for batch in track(texts.collect_batches(chunk_size=500, maintain_order=True), "reading notes"):
        for note_id, text in batch.iter_rows():
            note, chart = known[note_id]
            left.discard(note)
            yield note_id, chart, text, marks.get(note, [])
    if left:
        raise OptionError(
            f"Comparing words needs the text of the notes, and {len(left):,} annotated notes "
            f"have none. Import the notes with their text, or use {option('--unit span')}."
        )


def _ratings(table: AnnotationTable, units: pl.DataFrame, given: pl.DataFrame) -> Ratings:
    chart = units["chart"].to_numpy()
    groups = (
        given.sort("unit", "annotator", "code")
        .group_by("unit", "annotator", maintain_order=True)
        .agg("code")
        .with_columns(key=pl.col("code").cast(pl.List(pl.String)).list.join(","))
    )
    distinct = groups.select("key", "code").unique("key").sort("key").with_row_index("set", 1)
    placed = groups.join(distinct.select("key", "set"), on="key")
    empty = np.where(table.seen[chart], 0, MISSING) if len(chart) else np.zeros((0, 0))
    sets = empty.astype(np.int64).reshape(len(chart), len(table.annotators))
    sets[placed["unit"].to_numpy(), placed["annotator"].to_numpy()] = placed["set"].to_numpy()
    return Ratings(
        table.annotators,
        table.codes,
        sets,
        CodeSets.of([[], *distinct["code"].to_list()], len(table.codes)),
        chart.astype(np.int64),
        len(table.chart_ids),
        units["copies"].to_numpy().astype(np.int64),
    )
