"""Validate additions to a corpus: new notes and annotations on existing notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auscult.core import CorpusError
from auscult.core.deferred import polars as pl
from auscult.core.names import shown

if TYPE_CHECKING:
    from auscult.corpus.corpus import Corpus


def check_addition(corpus: Corpus, added: Corpus) -> None:
    """Raise an error for additions that contradict the corpus."""
    ids = added.lazy_notes.select("note_id").collect()["note_id"]
    again = ids.filter(ids.is_duplicated())
    if len(again):
        raise CorpusError(
            f"Note {shown(again[0])} appears {int((ids == again[0]).sum())} times among the "
            "notes to append. A note_id must be unique."
        )
    there = corpus.lazy_notes.filter(pl.col("note_id").is_in(ids.implode()))
    clash = there.select("note_id").collect()["note_id"]
    if len(clash):
        raise CorpusError(
            f"{len(clash)} of the notes to append are already in the corpus, the first is "
            f"{shown(clash[0])}. Existing notes are never overwritten."
        )
    _check_annotations(corpus, added)


def _check_annotations(corpus: Corpus, added: Corpus) -> None:
    on_notes = added.lazy_all_annotations.filter(pl.col("note_id").is_not_null()).select(
        "note_id", "chart_id", last=pl.col("spans").list.eval(pl.element().struct["end"]).list.max()
    )
    about = [
        part.lazy_notes.select(
            "note_id", of="chart_id", characters=pl.col("text").str.len_chars()
        ).join(on_notes.select("note_id"), on="note_id", how="semi")
        for part in (corpus, added)
    ]
    found = on_notes.join(pl.concat(about), on="note_id", how="left").collect()
    unknown = found.filter(pl.col("of").is_null())
    if len(unknown):
        raise CorpusError(
            f"{_annotations(unknown)} on a note that is not in the corpus, the first on "
            f"{shown(unknown['note_id'][0])}. Append the note together with its annotations."
        )
    astray = found.filter(pl.col("of") != pl.col("chart_id"))
    if len(astray):
        raise CorpusError(
            f"{_annotations(astray)} assigned to a different chart than their note, the first "
            f"on {shown(astray['note_id'][0])}: the note belongs to chart "
            f"{shown(astray['of'][0])}, the annotation to {shown(astray['chart_id'][0])}."
        )
    past = found.filter(pl.col("last") > pl.col("characters"))
    if len(past):
        note_id, last, characters = past.select("note_id", "last", "characters").row(0)
        raise CorpusError(
            f"{_annotations(past)} past the end of the text, the first on note "
            f"{shown(note_id)}: end {last} is past its {characters} characters. Offsets count "
            "Unicode code points."
        )


def _annotations(rows: pl.DataFrame) -> str:
    return "1 annotation is" if len(rows) == 1 else f"{len(rows):,} annotations are"
