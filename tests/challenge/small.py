"""A small corpus of documents whose codes are letters, to make a challenge of."""

from __future__ import annotations

from auscult.core import Annotation, Code, Note
from auscult.corpus import Corpus

SYSTEM = "ICD-9-CM"
TRAIN = {"t1": "A", "t2": "AB", "t3": "C", "t4": ""}
TEST = {"d1": "A", "d2": "AB", "d3": "C", "d4": ""}
HUMAN = {"d1": "A", "d2": "A", "d3": "C", "d4": "B"}


def coded(train: dict[str, str] = TRAIN, test: dict[str, str] = TEST) -> Corpus:
    """Documents whose codes are letters, by gold and by a person."""
    notes = [
        Note(name, name, category="CR", text=f"Report {name}.", split=split, read_by=("gold",))
        for split, part in (("train", train), ("test", test))
        for name in part
    ]
    said = [
        Annotation(who, Code(SYSTEM, letter), name, name)
        for who, part in (("gold", {**train, **test}), ("ann", HUMAN))
        for name, letters in part.items()
        for letter in letters
    ]
    return Corpus.of(notes, said)
