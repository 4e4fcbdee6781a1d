"""The parts of the normaliser: what each retriever finds, and when nothing fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from auscult.coders.concepts.coder import ConceptCoder
from auscult.coders.concepts.fitting import fit_concepts
from auscult.core import Note, Span
from auscult.corpus.corpus import Corpus


@pytest.fixture(scope="module")
def normaliser(corpus: Corpus, place: Path) -> ConceptCoder:
    return fit_concepts(corpus, "normaliser", {"vocabulary": str(place)})


def meant(coder: ConceptCoder, text: str, said: str) -> list[str]:
    at = text.index(said)
    note = Note("x", "x", text=text)
    found = coder.annotate([note], {"x": [(Span(at, at + len(said)),)]})
    return sorted(a.code.value for a in found)


@pytest.mark.parametrize(
    ("text", "said", "value"),
    [
        ("Seen for pneumonia.", "pneumonia", "C0032285"),  # marked so in training
        ("Seen for lung inflammation.", "lung inflammation", "C0032285"),  # a name
        ("Inflammations of the lungs.", "Inflammations of the lungs", "C0032285"),  # its stems
        ("Old renal abscesses.", "renal abscesses", "C0022646"),  # a name but for an ending
        ("Severe pnuemonia.", "pnuemonia", "C0032285"),  # a slip
        ("Lung inflammation (LIF). LIF again.", "LIF", "C0032285"),  # spelt out
    ],
)
def test_each_way_to_a_concept(normaliser: ConceptCoder, text: str, said: str, value: str) -> None:
    assert meant(normaliser, text, said) == [value]


def test_a_coordination_means_both(normaliser: ConceptCoder) -> None:
    said = "breast and ovarian cancer"
    assert meant(normaliser, f"Family history of {said}.", said) == ["C0006142", "C0029925"]


def test_what_nothing_fits_is_cui_less(normaliser: ConceptCoder) -> None:
    assert meant(normaliser, "Known wobbly sock syndrome.", "wobbly sock syndrome") == ["CUI-less"]
    counts = normaliser.about.tuning["cui_less"]
    assert counts["f1"] > 0.9


def test_parts_can_be_left_out(corpus: Corpus, place: Path) -> None:
    everything = ["lookup", "abbreviations", "stems", "trigrams", "context", "ranker"]
    bare = fit_concepts(corpus, "normaliser", {"vocabulary": str(place), "without": everything})
    assert meant(bare, "Seen for pneumonia.", "pneumonia") == ["C0032285"]
    assert meant(bare, "Severe pnuemonia.", "pnuemonia") == ["CUI-less"]


def test_types_keep_other_concepts_out(corpus: Corpus, place: Path) -> None:
    # Nobody marks a table, so its type is not one the corpus is about.
    found = fit_concepts(corpus, "vocabulary", {"vocabulary": str(place)})
    notes = list(corpus.iter_notes())
    assert "C9999999" not in {a.code.value for a in found.annotate(notes)}
