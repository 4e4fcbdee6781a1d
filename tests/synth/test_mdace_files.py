"""The MDACE files: the shape of the real ones, and evidence that is where it says."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.synth.conftest import Hospital

from auscult.codes import is_well_formed
from auscult.core import Code
from auscult.corpus import formats
from auscult.synth.clinical_tables import ClinicalTables

Span = tuple[int, int, int, str]


def _spans(chart: dict[str, Any]) -> set[Span]:
    return {
        (note["note_id"], a["begin"], a["end"], a["code"])
        for note in chart["notes"]
        for a in note["annotations"]
    }


@pytest.mark.real
@pytest.mark.parametrize("part", ["Inpatient", "Profee"])
@pytest.mark.parametrize("version", ["ICD-10", "ICD-9"])
def test_keys_are_those_of_the_real_files(
    hospital: Hospital, shared_data: Path, part: str, version: str
) -> None:
    folder = shared_data / "mdace" / "data" / part / version / "1.0"

    def shape(charts: list[dict[str, Any]]) -> set[tuple[str, ...]]:
        found = {tuple(chart) for chart in charts}
        found |= {tuple(note) for chart in charts for note in chart["notes"]}
        return found | {
            tuple(f"{key}:{type(value).__name__}" for key, value in a.items())
            for chart in charts
            for note in chart["notes"]
            for a in note["annotations"]
        }

    real = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.iterdir())]
    ours = list(hospital.mdace(part, version))
    assert shape(ours) == shape(real)
    types = {a["type"] for c in real for n in c["notes"] for a in n["annotations"]}
    assert {a["type"] for c in ours for n in c["notes"] for a in n["annotations"]} <= types
    assert {path.name.split("-", 1)[1] for path in folder.iterdir()} == {f"{version}.json"}


@pytest.mark.real
def test_split_files_have_the_real_names(hospital: Hospital, shared_data: Path) -> None:
    for part in ("Inpatient", "Profee"):
        real = {path.name for path in (shared_data / "mdace" / "splits" / part).iterdir()}
        ours = {path.name for path in (hospital.path / "mdace" / "splits" / part).iterdir()}
        assert ours == real


def test_evidence_is_one_of_the_rows_phrases(hospital: Hospital, known: ClinicalTables) -> None:
    truth = {
        (line["note_id"], *line["spans"][0]): line["meta"]
        for line in hospital.lines("truth/annotations.jsonl")
    }
    spans = 0
    for part in ("Inpatient", "Profee"):
        for chart in hospital.mdace(part, "ICD-10"):
            for note in chart["notes"]:
                text = hospital.texts[str(note["note_id"])]
                assert note["category"] == hospital.categories[str(note["note_id"])]
                for a in note["annotations"]:
                    spans += 1
                    meta = truth[str(note["note_id"]), a["begin"], a["end"]]
                    assert meta["assertion"] == "present"
                    covered = text[a["begin"] : a["end"]].replace("\n", " ").lower()
                    assert covered[0] == meta["phrase"][0].lower()
                    assert abs(len(covered) - len(meta["phrase"])) <= 1
                    assert _code_fits(a, meta, known)
    assert spans > 10_000


def _code_fits(annotation: dict[str, Any], meta: dict[str, str], known: ClinicalTables) -> bool:
    """Whether the code is the row's, or that of the less specific one a vague chart supports."""
    row = meta["row"]
    if meta["kind"] == "procedure":
        done = known.procedures[row]
        return annotation["code"] in (done.icd10, done.cpt)
    if meta["kind"] == "symptom":
        return known.symptoms[row].icd10 == str(annotation["code"])
    if meta["kind"] == "external":
        return known.externals[row].icd10 == str(annotation["code"])
    condition = known.conditions[row]
    codes = [condition.icd10]
    if condition.less_specific and meta["form"] == "vague":
        codes.append(known.conditions[condition.less_specific].icd10)
    return annotation["code"] in codes


def test_sufficient_evidence_is_part_of_the_complete(hospital: Hospital) -> None:
    complete = {chart["hadm_id"]: _spans(chart) for chart in hospital.mdace("Profee", "ICD-10")}
    few = many = 0
    for chart in hospital.mdace("Inpatient", "ICD-10"):
        diagnoses = {
            (note["note_id"], a["begin"], a["end"], a["code"])
            for note in chart["notes"]
            for a in note["annotations"]
            if a["code_system"] == "ICD-10-CM"
        }
        assert diagnoses <= complete[chart["hadm_id"]]
        few += len(diagnoses)
        many += len(complete[chart["hadm_id"]])
    assert many > 4 * few


def test_evidence_stands_mostly_in_the_summary_but_not_only(hospital: Hospital) -> None:
    inpatient: Counter[str] = Counter()
    profee: Counter[str] = Counter()
    for counts, part in ((inpatient, "Inpatient"), (profee, "Profee")):
        for chart in hospital.mdace(part, "ICD-10"):
            for note in chart["notes"]:
                counts[note["category"]] += len(note["annotations"])
    assert 0.83 < inpatient["Discharge summary"] / inpatient.total() < 0.92
    assert inpatient["Physician"] > inpatient["Echo"] > 0
    assert 0.25 < profee["Discharge summary"] / profee.total() < 0.5
    assert profee["Radiology"] > 0.05 * profee.total()
    assert not {"Nursing", "Nursing/other"} & {*inpatient, *profee}


def test_both_revisions_point_at_the_same_places(hospital: Hospital) -> None:
    for part in ("Inpatient", "Profee"):
        pairs = zip(hospital.mdace(part, "ICD-10"), hospital.mdace(part, "ICD-9"), strict=True)
        for new, old in pairs:
            places = [sorted(span[:3] for span in _spans(chart)) for chart in (new, old)]
            assert new["hadm_id"] == old["hadm_id"]
            assert len(set(places[1]) - set(places[0])) == 0


def test_systems_and_types(hospital: Hospital) -> None:
    systems = {
        (part, version): {
            a["code_system"]
            for chart in hospital.mdace(part, version)
            for note in chart["notes"]
            for a in note["annotations"]
        }
        for part in ("Inpatient", "Profee")
        for version in ("ICD-10", "ICD-9")
    }
    assert systems == {
        ("Inpatient", "ICD-10"): {"ICD-10-CM", "ICD-10-PCS"},
        ("Inpatient", "ICD-9"): {"ICD-9-CM", "ICD-9-PCS"},
        ("Profee", "ICD-10"): {"ICD-10-CM", "CPT"},
        ("Profee", "ICD-9"): {"ICD-9-CM", "CPT"},
    }
    types: Counter[str] = Counter()
    for chart in hospital.mdace("Inpatient", "ICD-9"):
        for note in chart["notes"]:
            for a in note["annotations"]:
                types[a["type"]] += 1
                assert is_well_formed(Code(a["code_system"], a["code"]))
    assert 0.55 < types["Human"] / types.total() < 0.85
    assert types["MapType.EXACT"] > 0
    assert types["MapType.APPROX"] > 0
    for chart in hospital.mdace("Profee", "ICD-10"):
        for note in chart["notes"]:
            for a in note["annotations"]:
                assert not (a["code_system"] == "CPT" and 99201 <= int(a["code"]) <= 99499)


def test_splits_keep_patients_apart(hospital: Hospital) -> None:
    patient = {row["HADM_ID"]: row["SUBJECT_ID"] for row in hospital.table("ADMISSIONS")}
    folder = hospital.path / "mdace" / "splits" / "Inpatient"
    split = {
        name: (folder / f"MDace-ev-{name}.csv").read_text().split()
        for name in ("train", "val", "test")
    }
    charts = [chart for charts in split.values() for chart in charts]
    assert sorted(charts) == sorted(patient)
    people = {name: {patient[chart] for chart in charts} for name, charts in split.items()}
    assert not people["train"] & people["val"]
    assert not people["train"] & people["test"]
    assert not people["val"] & people["test"]
    assert 0.5 < len(people["train"]) / hospital.summary.patients < 0.7


def test_a_phrase_alone_does_not_decide_a_code(hospital: Hospital, known: ClinicalTables) -> None:
    """A bag of words is not enough: many codes' own phrases stand in charts without the code."""
    coded: dict[str, set[str]] = {}
    for chart in hospital.mdace("Profee", "ICD-10"):
        for span in _spans(chart):
            coded.setdefault(span[3], set()).add(str(chart["hadm_id"]))
    named: dict[str, set[str]] = {}
    for line in hospital.lines("truth/annotations.jsonl"):
        if line["meta"]["kind"] == "condition":
            code = known.conditions[line["meta"]["row"]].icd10
            named.setdefault(code, set()).add(line["chart_id"])
    misleading = [
        code
        for code, charts in named.items()
        if len(charts - coded.get(code, set())) >= 5 and len(coded.get(code, ())) >= 3
    ]
    assert len(misleading) >= 30, len(misleading)


def test_some_evidence_stands_outside_the_summary_only(hospital: Hospital) -> None:
    alone: Counter[str] = Counter()
    for chart in hospital.mdace("Profee", "ICD-10"):
        places: dict[str, set[str]] = {}
        for note in chart["notes"]:
            for a in note["annotations"]:
                if a["code_system"] == "ICD-10-CM":
                    places.setdefault(a["code"], set()).add(note["category"])
        for categories in places.values():
            if len(categories) == 1:
                alone[next(iter(categories))] += 1
    assert alone["Radiology"] >= 15
    assert alone["Physician"] >= 15


def test_the_reader_reads_the_files(hospital: Hospital) -> None:
    folder = hospital.path / "mdace" / "data" / "Inpatient" / "ICD-10"
    corpus = formats.read("mdace", folder)
    assert corpus.annotations.height == hospital.summary.evidence_spans
