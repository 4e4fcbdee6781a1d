"""The code book model with a vocabulary instead of ICD-10-CM."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import auscult
from auscult.codes.concept import Concept, Synonym
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Annotation, Code, Note, Span, Status

_SYSTEM = "CIE-10"
_TERMS = {
    "J45": "asma bronquial",
    "M10": "gota",
    "G43": "migraña",
    "L40": "psoriasis",
    "H40": "glaucoma",
    "K80": "colelitiasis",
    "N20": "cálculo renal",
    "A15": "tuberculosis pulmonar",
    "B02": "herpes zóster",
}
_RARE = {
    f"Q{10 + at}": name
    for at, name in enumerate(
        ("vitíligo", "bronquiectasia", "osteoporosis", "endometriosis", "escoliosis", "sarampión",
         "lumbalgia", "otitis media", "rosácea", "varicocele", "neumotórax", "apendicitis aguda")
    )
}  # fmt: skip
"""Each in one note."""
_ALL = _TERMS | _RARE
_NEVER_GIVEN = "B02"
"""Stands in no training note."""


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    place = tmp_path_factory.mktemp("vocabulary") / "cie"
    concepts = [Concept(Code(_SYSTEM, v), name, (Synonym(name),)) for v, name in _ALL.items()]
    return Vocabulary.build(concepts, place, language="spanish")


def ward(charts: int) -> auscult.Corpus:
    draw = random.Random(1)
    known = sorted(set(_TERMS) - {_NEVER_GIVEN})
    notes, given = [], []
    for at in range(charts):
        codes = draw.sample(known, 3) + sorted(_RARE)[at : at + 1]
        text = "El paciente tiene " + ", ".join(_ALL[code] for code in codes) + " de la familia."
        notes.append(Note(f"n{at}", f"c{at}", f"p{at}", text=text))
        given += [Annotation("gold", Code(_SYSTEM, code), f"c{at}") for code in codes]
    return auscult.Corpus.of(notes, given)


@pytest.mark.parametrize("kind", ["codebook", "ensemble"])
def test_a_concept_that_no_training_chart_has_is_given(
    vocabulary: Vocabulary, kind: str, tmp_path: Path
) -> None:
    model = auscult.fit(ward(60), kind, {"vocabulary": vocabulary.path}, dev_split="none")
    text = "Ingresa por gota y herpes zóster."
    new = Code(_SYSTEM, _NEVER_GIVEN)
    assert new not in model.labels.index
    [found] = [one for one in model.predict(text) if one.code == new]
    assert found.status is Status.GIVEN
    assert found.spans == (Span(text.index("herpes"), len(text) - 1),)
    model.save(tmp_path / "model")
    again = auscult.load_model(tmp_path / "model")
    assert again.predict(text) == model.predict(text)


def test_without_training_it_finds_what_the_vocabulary_names(vocabulary: Vocabulary) -> None:
    model = auscult.load_model("codebook", vocabulary=vocabulary.path)
    found = {one.code for one in model.predict("Colelitiasis. Asma bronquial.")}
    assert found == {Code(_SYSTEM, "K80"), Code(_SYSTEM, "J45")}
