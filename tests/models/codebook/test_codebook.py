"""The model `codebook`, as it comes: no training, the Tabular List and our own table alone."""

from __future__ import annotations

from pathlib import Path

import pytest

import auscult
from auscult.core import Annotation, Code, Note, Status
from auscult.models.codebook.scoring import shipped

NOTE = """History of CHF, HTN and DM2. Admitted with acute on chronic systolic heart failure.
No pneumonia. Rule out pulmonary embolism. Mother had breast cancer.
Impression: fracture of the shaft of the left femur."""


@pytest.fixture(scope="module")
def model() -> auscult.Model:
    return auscult.load_model("codebook")


def given(found: list[Annotation]) -> set[str]:
    return {one.code.value for one in found if one.status is Status.GIVEN}


def test_it_codes_a_note_without_training(model: auscult.Model) -> None:
    codes = given(model.predict(NOTE))
    assert {"I50.23", "E11.9"} <= codes
    assert any(code.startswith("S72.302") for code in codes)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Laceration of the left hand.", "S61.412A"),
        ("Broken right wrist.", "S62.101A"),
        ("Displaced fracture of the left distal radius.", "S52.502A"),
        ("Former smoker.", "Z87.891"),
        ("Cataracts in the right and left eyes.", "H26.9"),
        ("The patient was hypotensive and dyspneic.", "I95.9"),
        ("A loss of 8 kg of weight.", "R63.4"),
    ],
)
def test_words_lead_to_the_specific_code(model: auscult.Model, text: str, code: str) -> None:
    assert code in given(model.predict(text))


def test_what_the_patient_does_not_have_is_not_coded(model: auscult.Model) -> None:
    codes = given(model.predict(NOTE))
    assert not codes & {"J18.9", "C50.919"}


def test_evidence_is_exact_and_says_how_it_led_to_the_code(model: auscult.Model) -> None:
    [found] = [one for one in model.predict(NOTE) if one.code.value == "I50.23"]
    assert [NOTE[s.begin : s.end] for s in found.spans] == [
        "acute on chronic systolic heart failure"
    ]
    assert found.meta["why"].endswith("→ I50.23")
    assert "heart" not in repr(found)


def test_words_apart_are_spans_apart(model: auscult.Model) -> None:
    text = "Ulcer, deep and painful, of the duodenum. Ulcer of a bleeding duodenum."
    for one in model.predict(text):
        assert "deep" not in "".join(text[s.begin : s.end] for s in one.spans)


def test_a_chart_of_several_notes_points_into_each(model: auscult.Model) -> None:
    notes = [Note("a", "c", text="Gout."), Note("b", "c", text="Acute gout, and asthma.")]
    found = model.predict(notes)
    assert {one.note_id for one in found if one.code.value == "M10.9"} >= {"a"}
    assert all(one.chart_id == "c" for one in found)


def test_codes_below_the_threshold_can_be_ranked_and_asked_for(model: auscult.Model) -> None:
    strict = model.with_thresholds(code=0.999)
    assert strict.predict("Gout.") == []
    [ranked] = strict.predict("Gout.", ranked=1)
    assert ranked.status is Status.RANKED
    [asked] = strict.predict("Gout.", also={"text-1": [Code("ICD-10-CM", "M10.9")]})
    assert asked.status is Status.ASKED
    [best] = strict.predict("Gout.", never_empty=True)
    assert best.status is Status.GIVEN


def test_it_is_saved_and_loaded(model: auscult.Model, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    again = auscult.load_model(tmp_path / "model")
    assert again.predict(NOTE) == model.predict(NOTE)


def test_scores_are_probabilities_and_the_shipped_weights_say_what_they_rest_on() -> None:
    for which in ("plain", "fitted"):
        scoring = shipped(which)
        assert 0 < scoring.threshold < 1
        assert scoring.about
        assert 0 < scoring.probability({"words 3": 1.0, "gap": 1.0}) < 1


def test_the_audit_reads_its_scores(model: auscult.Model) -> None:
    gout = Code("ICD-10-CM", "M10.9")
    notes = [Note("a", "c", text="Gout.")], [Note("b", "d", text="No gout.")]
    (there,), (not_there,) = model.scores((note, [gout]) for note in notes)
    assert there > 0.2 > not_there == 0
