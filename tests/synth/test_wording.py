"""Wordings: many, sure of what they mean, and new in charts not seen before."""

from __future__ import annotations

from collections import defaultdict

import pytest
from tests.synth.conftest import Hospital

from auscult.synth.clinical_tables import ClinicalTables
from auscult.synth.note_author import AuthorContext
from auscult.synth.note_parts import PhraseKind
from auscult.synth.wording import reworded


@pytest.mark.parametrize(("form", "wording"), [
    ("chronic kidney disease", "renal dz, chronic"),
    ("fracture of the left hip", "L hip fx"),
    ("pneumonia due to aspiration", "PNA 2/2 aspiration"),
    ("chronic kidney disease stage 3", "chronic kidney disease stage III"),
    ("history of deep vein thrombosis", "h/o deep venous clot"),
    ("toxic-metabolic encephalopathy", "toxic metabolic encephalopathy"),
])  # fmt: skip
def test_wordings_are_those_people_use(form: str, wording: str) -> None:
    assert wording in reworded(form)


@pytest.mark.parametrize("form", ["hypertension", "shortness of breath", "gout"])
def test_some_phrases_stay_as_they_are(form: str) -> None:
    assert reworded(form) == ()


def test_a_wording_means_one_code(known: ClinicalTables, world: AuthorContext) -> None:
    codes: dict[str, set[str]] = defaultdict(set)
    names: dict[str, set[str]] = defaultdict(set)
    for row in known.conditions.values():
        for form in (row.name, *row.synonyms, *row.abbreviations):
            names[form.lower()].add(row.icd10)
        for form in (row.name, *row.synonyms):
            for wording in world.wordings.of(PhraseKind.CONDITION, row.id, form):
                codes[wording.lower()].add(row.icd10)
    assert len(codes) > 4000
    for wording, meant in codes.items():
        assert len(meant | names.get(wording, set())) == 1, wording


def test_a_vague_phrase_stays_vague_and_an_exact_one_exact(
    known: ClinicalTables, world: AuthorContext
) -> None:
    def all_of(row: str, forms: set[str]) -> set[str]:
        found = {w.lower() for f in forms for w in world.wordings.of(PhraseKind.CONDITION, row, f)}
        return found | {form.lower() for form in forms}

    checked = 0
    for row in known.conditions.values():
        named = {row.name, *row.synonyms}
        vague = set(row.vague) - named
        exact = {*(short.lower() for short in row.abbreviations), *(f.lower() for f in named)}
        shared = all_of(row.id, named) & all_of(row.id, vague)
        assert not shared - {form.lower() for form in vague & set(row.abbreviations)}, row.id
        for form in vague:
            for wording in world.wordings.of(PhraseKind.CONDITION, row.id, form):
                checked += 1
                assert wording.lower() not in exact
                assert not any(f"({short})" in wording for short in row.abbreviations)
    assert checked > 300


def test_charts_not_seen_before_have_evidence_in_words_not_seen_before(
    hospital: Hospital,
) -> None:
    """The fewer charts a coder has seen, the more is new; of 1,000 patients it is an eighth."""
    patients = {row["SUBJECT_ID"]: at for at, row in enumerate(hospital.table("PATIENTS"))}
    owner = {row["HADM_ID"]: patients[row["SUBJECT_ID"]] for row in hospital.table("ADMISSIONS")}
    seen: set[tuple[str, str]] = set()
    later = []
    for chart in hospital.mdace("Inpatient", "ICD-10"):
        for note in chart["notes"]:
            text = hospital.texts[str(note["note_id"])]
            for a in note["annotations"]:
                words = " ".join(text[a["begin"] : a["end"]].lower().split())
                if owner[str(chart["hadm_id"])] < 0.7 * len(patients):
                    seen.add((a["code"], words))
                else:
                    later.append((a["code"], words))
    assert 0.2 < sum(item not in seen for item in later) / len(later) < 0.5
