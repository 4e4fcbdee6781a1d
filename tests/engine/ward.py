"""A ward of charts with two notes each, and a model that learned some of them."""

from __future__ import annotations

from pathlib import Path

from auscult.core import Annotation, Code, Note, Span
from auscult.corpus.corpus import Corpus
from auscult.models.fitting import fit

PHRASES = {"I10": "hypertension", "J18.9": "pneumonia", "E11.9": "type 2 diabetes"}
OUTCOME = Code("ICD-10-CM", "I10")


def ward(charts: int, *, scattered: bool = False) -> Corpus:
    """Charts with a code in each note; `scattered`, all first notes come before all second ones."""
    notes: list[Note] = []
    annotations: list[Annotation] = []
    for number in range(charts):
        for turn in range(2):
            code, phrase = list(PHRASES.items())[(number + turn) % len(PHRASES)]
            text = f"Chart {number} of é: known for {phrase}, seen on day {turn}."
            begin = text.index(phrase)
            note = Note(
                f"n{number}-{turn}", f"c{number}", f"p{number}", "ward", text=text,
                split="train" if number % 2 else "test",
            )  # fmt: skip
            spans = (Span(begin, begin + len(phrase)),)
            notes.append(note)
            annotations.append(
                Annotation("gold", Code("ICD-10-CM", code), note.chart_id, note.note_id, spans)
            )
    if scattered:
        notes.sort(key=lambda note: note.note_id[-1])
    return Corpus.of(notes, annotations)


def make(folder: Path, charts: int = 40) -> tuple[Path, Path]:
    """A corpus and a model on disk."""
    corpus = ward(charts)
    corpus.write(folder / "corpus")
    fit(corpus, "lexicon", {}).save(folder / "model")
    return folder / "corpus", folder / "model"
