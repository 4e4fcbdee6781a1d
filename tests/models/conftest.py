"""A small made-up corpus in which the right answer is known."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from auscult.core import Annotation, Code, Note, Span
from auscult.corpus.corpus import Corpus

SYSTEM = "ICD-10-CM"
PHRASES = {
    "I10": ("hypertension", "high blood pressure"),
    "J18.9": ("pneumonia", "lower lobe pneumonia"),
    "E11.9": ("type 2 diabetes", "diabetes mellitus"),
    "N17.9": ("acute kidney failure", "acute renal failure"),
}
FRAMES = (
    "The patient was admitted with {} and sent to the ward.",
    "Today there is {} which is treated.",
    "Known for {} since years; no complaints of the skin.",
)
DENIED = ("There is no {} on examination.", "Family: father had {} at old age.")


@pytest.fixture(scope="session")
def toy() -> Callable[..., Corpus]:
    """Makes the corpus, of so many charts, with evidence or without."""
    return _toy


def _toy(charts: int = 60, *, evidence: bool = True) -> Corpus:
    """Charts with two codes that hold and one that is denied, every tenth in split dev."""
    notes: list[Note] = []
    annotations: list[Annotation] = []
    codes = list(PHRASES)
    for number in range(charts):
        chart = f"c{number}"
        text = f"Chart of person {number % 7}. "
        for turn in range(2):
            code = codes[(number + turn) % len(codes)]
            phrase = PHRASES[code][(number // 4 + turn) % 2]
            frame = FRAMES[(number + turn) % len(FRAMES)]
            begin = len(text) + frame.index("{}")
            text += frame.format(phrase) + " "
            spans = (Span(begin, begin + len(phrase)),) if evidence else ()
            annotations.append(Annotation("gold", Code(SYSTEM, code), chart, f"n{number}", spans))
        denied = codes[(number + 2) % len(codes)]
        text += DENIED[number % 2].format(PHRASES[denied][number // 4 % 2])
        split = "dev" if number % 10 == 9 else "train"
        notes.append(
            Note(f"n{number}", chart, f"p{number}", text=text, split=split, read_by=("gold",))
        )
    return Corpus.of(notes, annotations)
