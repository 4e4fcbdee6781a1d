"""Spans compared without the punctuation at their ends.

"fever" and "fever." are the same evidence. Cheng et al. 2023 (MDACE, section 3.4) disregard
punctuation when they compute agreement, and so does Auscult, unless exact spans are asked for.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from auscult.agreement.annotation_table import ORDER, AnnotationTable, read_place, write_place
from auscult.core import Span

_MARKS = frozenset(".,;:!?…'\"()[]{}‘’‚“”„«»‹›¿¡")
"""Punctuation. Other characters that Unicode calls so can be a finding: HIV -, 5%, #2."""


def bare(span: Span, text: str) -> Span:
    """The span without punctuation and white space at its ends.

    A span of punctuation alone stays as it is, and so does one that ends past the text. Signs such
    as +, - and % stay: they can be the finding.

    >>> text = "(Fever, chills). Guaiac -"
    >>> [bare(span, text).of(text) for span in (Span(0, 7), Span(8, 16), Span(17, 25), Span(6, 8))]
    ['Fever', 'chills', 'Guaiac -', ', ']
    """
    begin, end = span.begin, span.end
    if end > len(text):
        return span
    while begin < end and _is_no_word(text[begin]):
        begin += 1
    while end > begin and _is_no_word(text[end - 1]):
        end -= 1
    return Span(begin, end) if begin < end else span


def without_punctuation(table: AnnotationTable) -> AnnotationTable:
    """The table with bare spans; where a note's text is not there, its spans stay as they are."""
    marked = table.rows.filter(pl.col("place") != "").select("note", "place").unique()
    places: dict[str, list[tuple[int, str]]] = {}
    named = marked.join(table.notes.select("note", "note_id"), on="note")
    for note, place, note_id in named.select("note", "place", "note_id").iter_rows():
        places.setdefault(note_id, []).append((note, place))
    texts = table.corpus.lazy_notes.select("note_id", "text").filter(
        pl.col("note_id").is_in(list(places)), pl.col("text").is_not_null()
    )
    changed = [
        (note, place, other)
        for batch in texts.collect_batches(chunk_size=500)
        for note_id, text in batch.iter_rows()
        for note, place in places[note_id]
        if (other := _bare_place(place, text)) != place
    ]
    if not changed:
        return table
    columns = {"note": pl.Int64, "place": pl.String, "bare": pl.String}
    bared = pl.DataFrame(changed, schema=columns, orient="row")
    rows = table.rows.join(bared, on=["note", "place"], how="left", maintain_order="left")
    rows = rows.with_columns(place=pl.coalesce("bare", "place")).drop("bare")
    return replace(table, rows=rows.unique().sort(ORDER, nulls_last=False))


def _bare_place(place: str, text: str) -> str:
    return write_place([bare(span, text) for span in read_place(place)])


def _is_no_word(character: str) -> bool:
    return character.isspace() or character in _MARKS
