"""The code book trained on charts: its own weights, and codes that no training chart has."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import auscult
from auscult.core import Annotation, Code, Note, Status
from auscult.models.chart_text import read_chart
from auscult.models.codebook import Codebook
from auscult.models.codebook.assigning import CodeAssigner, FoundCode
from auscult.models.codebook.experience import Experience

_TERMS = {
    "Gout.": "M10.9",
    "Asthma.": "J45.909",
    "Hypothyroidism.": "E03.9",
    "Migraine.": "G43.909",
    "Psoriasis.": "L40.9",
    "Glaucoma.": "H40.9",
    "Anemia.": "D64.9",
    "Constipation.": "K59.00",
}
_NEVER = "Constipation."
"""Stands in many notes, and its code was never given."""
_RARE = {
    "Osteoporosis.": "M81.0",
    "Sarcoidosis.": "D86.9",
    "Rosacea.": "L71.9",
    "Epistaxis.": "R04.0",
    "Bronchiectasis.": "J47.9",
    "Celiac disease.": "K90.0",
    "Endometriosis.": "N80.9",
    "Scoliosis.": "M41.9",
    "Nephrolithiasis.": "N20.0",
    "Cholelithiasis.": "K80.20",
    "Tinea pedis.": "B35.3",
    "Vertigo.": "R42",
}
"""Each in one note, so that a code that no other chart has is nothing unheard of."""


def ward(charts: int, *, seed: int = 0, rare: bool = True) -> auscult.Corpus:
    """Charts of three terms each and perhaps a rare one. All are coded, but for one term."""
    draw = random.Random(seed)
    notes, given = [], []
    for at in range(charts):
        said = draw.sample(sorted(_TERMS), 3)
        said += sorted(_RARE)[at : at + 1] if rare else []
        notes.append(Note(f"n{at}", f"c{at}", f"p{at}", text=" ".join(said)))
        given += [
            Annotation("gold", Code("ICD-10-CM", (_TERMS | _RARE)[term]), f"c{at}")
            for term in said
            if term != _NEVER
        ]
    return auscult.Corpus.of(notes, given)


@pytest.fixture(scope="module")
def model() -> auscult.Model:
    return auscult.fit(ward(150), "codebook", dev_split="none")


def codes(found: list[Annotation]) -> set[str]:
    return {one.code.value for one in found if one.status is Status.GIVEN}


def test_it_learns_which_of_its_codes_are_given(model: auscult.Model) -> None:
    assert codes(model.predict("Gout. Constipation. Asthma.")) == {"M10.9", "J45.909"}


def test_a_code_that_no_training_chart_has_can_be_given(model: auscult.Model) -> None:
    shingles = Code("ICD-10-CM", "B02.9")
    assert shingles not in model.labels.index
    [found] = [one for one in model.predict("Gout. Shingles.") if one.code == shingles]
    assert found.status is Status.GIVEN
    assert found.spans


def test_where_every_code_is_on_many_charts_none_is_given_that_is_on_none() -> None:
    model = auscult.fit(ward(60, rare=False), "codebook", dev_split="none")
    assert codes(model.predict("Gout. Shingles.")) == {"M10.9"}
    assert "B02.9" in {one.code.value for one in model.predict("Gout. Shingles.", ranked=9)}


def test_a_few_charts_are_enough_to_see_that_codes_of_no_chart_are_right() -> None:
    model = auscult.fit(ward(10), "codebook", dev_split="none")
    assert "B02.9" in codes(model.predict("Gout. Shingles."))


def test_it_is_saved_with_what_it_learned(model: auscult.Model, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    again = auscult.load_model(tmp_path / "model")
    text = "Gout. Constipation. Shingles."
    assert again.predict(text, ranked=5) == model.predict(text, ranked=5)


def test_an_ensemble_gives_codes_outside_its_label_space(tmp_path: Path) -> None:
    config = {"members": ["linear", "codebook"], "folds": 2}
    model = auscult.fit(ward(60), "ensemble", config, dev_split="none")
    assert "B02.9" in codes(model.predict("Gout. Shingles."))
    model.save(tmp_path / "model")
    again = auscult.load_model(tmp_path / "model")
    assert "B02.9" in codes(again.predict("Gout. Shingles."))


def test_a_default_ensemble_drops_it_where_its_codes_are_wrong(tmp_path: Path) -> None:
    notes = [Note(f"n{at}", f"c{at}", f"p{at}", text="Asthma. Gout.") for at in range(24)]
    given = [Annotation("gold", Code("ICD-10-CM", "I10"), f"c{at}") for at in range(0, 24, 2)]
    read = [replace(note, read_by=("gold",)) for note in notes]
    model = auscult.fit(auscult.Corpus.of(read, given), "ensemble", {"folds": 2}, dev_split="none")
    model.save(tmp_path / "model")
    assert not (tmp_path / "model" / "codebook").exists()
    assert not {"J45.909", "M10.9"} & codes(model.predict("Asthma. Gout."))


def test_in_notes_in_another_language_it_says_nothing() -> None:
    text = "El paciente refiere asma y gota con dolor en la rodilla. Diabetes mellitus."
    notes = [Note(f"n{at}", f"c{at}", f"p{at}", text=text) for at in range(30)]
    given = [Annotation("gold", Code("ICD-10-CM", "J45.909"), f"c{at}") for at in range(30)]
    model = auscult.fit(auscult.Corpus.of(notes, given), "codebook", dev_split="none")
    assert all(one.score == 0 for one in model.predict(text, ranked=9))


def test_in_other_systems_it_says_nothing() -> None:
    notes = [Note(f"n{at}", f"c{at}", f"p{at}", text="Asthma.") for at in range(30)]
    given = [Annotation("gold", Code("UMLS", "C0004096"), f"c{at}") for at in range(30)]
    model = auscult.fit(auscult.Corpus.of(notes, given), "codebook", dev_split="none")
    assert model.predict("Asthma. Gout.") == []


def test_icd9_charts_get_icd9_codes() -> None:
    notes = [Note(f"n{at}", f"c{at}", f"p{at}", text="Asthma.") for at in range(30)]
    given = [Annotation("gold", Code("ICD-9-CM", "493.90"), f"c{at}") for at in range(30)]
    model = auscult.fit(auscult.Corpus.of(notes, given), "codebook", dev_split="none")
    found = {one.code for one in model.predict("Asthma. Gout.")}
    assert Code("ICD-9-CM", "493.90") in found
    assert all(code.system == "ICD-9-CM" for code in found)


def test_procedures_are_found_by_their_descriptions_beside_the_book() -> None:
    both = [Code("ICD-9-CM", "493.90"), Code("ICD-9-PCS", "51.23")]
    text = "Asthma. Laparoscopic cholecystectomy."
    notes = [Note(f"n{at}", f"c{at}", f"p{at}", text=text) for at in range(30)]
    given = [Annotation("gold", code, f"c{at}") for at in range(30) for code in both]
    model = auscult.fit(auscult.Corpus.of(notes, given), "codebook", dev_split="none")
    found = {one.code for one in model.predict(text) if one.spans}
    assert found == set(both)


def test_a_chart_is_judged_by_the_charts_of_other_patients() -> None:
    gout, asthma = Code("ICD-10-CM", "M10.9"), Code("ICD-10-CM", "J45.909")
    charts = [([gout], [gout, asthma]), ([asthma], [asthma]), ([asthma], [])]
    every, own = Experience.of(charts), Experience.of(charts[:1])
    assert every.features(gout, own)["unseen"] == 1
    assert "seen" in every.features(gout)
    # Two other charts have asthma, and it was found in one of them; in one it is wrong.
    without, whole = every.features(asthma, own), every.features(asthma)
    assert without["seen"] == whole["seen"]
    assert without["reliability"] > whole["reliability"]


def test_its_held_out_scores_know_nothing_of_codes_of_one_chart() -> None:
    corpus = ward(40).merge(
        auscult.Corpus.of(
            [Note("x", "x", "x", text="Shingles.")],
            [Annotation("gold", Code("ICD-10-CM", "B02.9"), "x")],
        )
    )
    model = auscult.fit(corpus, "codebook", dev_split="none")
    assert isinstance(model.architecture, Codebook)
    [alone] = [one for one in model.architecture.held_out if one.text.chart_id == "x"]
    assert alone.scores.max() == 0
    assert [one.code.value for one in alone.beyond] == ["B02.9"]


@pytest.mark.filterwarnings("ignore")
def test_an_ensemble_looks_the_terms_of_a_chart_up_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = auscult.fit(ward(60), "codebook", dev_split="none")
    book = model.architecture
    assert isinstance(book, Codebook)
    read: list[str] = []
    look_up = CodeAssigner.candidates

    def counted(assigner: CodeAssigner, notes: Sequence[Note]) -> list[FoundCode]:
        read.append(notes[0].note_id)
        return look_up(assigner, notes)

    monkeypatch.setattr(CodeAssigner, "candidates", counted)
    texts = [read_chart(chart.chart_id, chart.notes) for chart in ward(160, seed=1).charts()]
    every = np.arange(len(book.labels))
    # As an ensemble does: the scores of a batch, then its evidence under other chart numbers.
    for batch in (texts[:64], texts[64:128], texts[128:]):
        scored = list(book.read(batch, lambda _text, _scores: np.array([], np.int64)))
        assert not any(one.evidence for one in scored)
        numbered = [replace(text, chart_id=str(at)) for at, text in enumerate(batch)]
        assert any(one.evidence for one in book.read(numbered, lambda _text, _scores: every))
    assert read == [text.notes[0].note_id for text in texts]
    assert len(book._recent) == 128, "no more than some charts stay in memory"
