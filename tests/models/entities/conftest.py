"""A small ward whose notes are marked with concepts, nested ones too, and its vocabulary."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from auscult.codes.concept import Concept, Synonym
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Annotation, Code, Note, Span
from auscult.corpus.corpus import Corpus

SYSTEM = "UMLS"
DISEASE, TEST, PERSON = "Disease or Syndrome", "Laboratory Procedure", "Patient or Disabled Group"
CONCEPTS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "C0004096": ("asthma", DISEASE, ("bronchial asthma",)),
    "C0349790": ("asthma exacerbation", DISEASE, ()),
    "C0018801": ("heart failure", DISEASE, ("cardiac failure",)),
    "C0018802": ("congestive heart failure", DISEASE, ("CHF", "congestive cardiac failure")),
    "C0022660": ("acute kidney failure", DISEASE, ("acute renal failure",)),
    "C0035078": ("kidney failure", DISEASE, ("renal failure",)),
    "C0022646": ("kidney abscess", DISEASE, ("renal abscess",)),
    "C0268778": ("kidney atrophy", DISEASE, ("renal atrophy",)),
    "C0032285": ("pneumonia", DISEASE, ("lung inflammation",)),
    "C0006142": ("breast cancer", DISEASE, ("breast carcinoma",)),
    "C0029925": ("ovarian cancer", DISEASE, ("ovarian carcinoma",)),
    "C0033707": ("prothrombin time", TEST, ("PT",)),
    "C0949766": ("physical therapy", TEST, ("PT",)),
    "C0030705": ("patient", PERSON, ("pt",)),
    "C9999999": ("table", "Manufactured Object", ()),
}
# What is said, and the marks in it: (text, value); the whole or a part of what is said.
SAID: list[tuple[str, list[tuple[str, str]]]] = [
    ("asthma exacerbation", [("asthma exacerbation", "C0349790"), ("asthma", "C0004096")]),
    ("congestive heart failure",
     [("congestive heart failure", "C0018802"), ("heart failure", "C0018801")]),
    ("acute renal failure", [("acute renal failure", "C0022660"), ("renal failure", "C0035078")]),
    ("pneumonia", [("pneumonia", "C0032285")]),
    ("breast and ovarian cancer",
     [("breast and ovarian cancer", "C0006142"), ("breast and ovarian cancer", "C0029925")]),
    ("wobbly sock syndrome", [("wobbly sock syndrome", "CUI-less")]),
]  # fmt: skip
PT = [
    ("Labs: {} 14.2 seconds, INR 1.2, coagulation checked", "C0033707"),
    ("Consult {} for gait training and strength exercises", "C0949766"),
]


def ward(size: int = 60, seed: int = 0) -> Corpus:
    dice = random.Random(seed)
    notes, annotations = [], []
    for number in range(size):
        note_id, chart = f"n{number}", f"c{number}"
        text = "Admitted overnight. "
        marks: list[tuple[Span, str]] = []
        for said, inside in dice.sample(SAID, 3):
            lead = dice.choice(["Treated for ", "She has a history of ", "Known "])
            begin = len(text) + len(lead)
            for part, value in inside:
                at = begin + said.index(part)
                marks.append((Span(at, at + len(part)), value))
            text += f"{lead}{said}. "
        pattern, value = dice.choice(PT)
        at = len(text) + pattern.index("{}")
        marks.append((Span(at, at + 2), value))
        text += pattern.format("PT") + ". The table was moved. "
        split = "train" if number < 0.8 * size else "test"
        notes.append(Note(note_id, chart, chart, "Nursing", text=text, split=split))
        annotations += [
            Annotation("gold", Code(SYSTEM, code), chart, note_id, (span,)) for span, code in marks
        ]
    return Corpus.of(notes, annotations)


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    return ward()


@pytest.fixture(scope="session")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    made = [
        Concept(Code(SYSTEM, value), name, tuple(Synonym(s) for s in synonyms), (kind,))
        for value, (name, kind, synonyms) in CONCEPTS.items()
    ]
    return Vocabulary.build(made, tmp_path_factory.mktemp("vocabulary") / "small")


@pytest.fixture(scope="session")
def place(vocabulary: Vocabulary) -> Path:
    return vocabulary.path
