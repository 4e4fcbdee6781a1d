"""The copy with names: every secret marked, and nothing else."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date, timedelta

import pytest
from tests.synth.conftest import Hospital

from auscult.corpus import formats
from auscult.synth.identity import age, day
from auscult.synth.identity import hospital as hospital_name
from auscult.synth.note_parts import HiddenIdentifier
from auscult.synth.patients import make_patient


@pytest.fixture(scope="module")
def notes(hospital: Hospital) -> dict[str, dict[str, str]]:
    return {line["note_id"]: line for line in hospital.lines("phi/notes.jsonl")}


def test_it_is_the_same_notes_without_masks(
    hospital: Hospital, notes: dict[str, dict[str, str]]
) -> None:
    assert list(notes) == [row["ROW_ID"] for row in hospital.table("NOTEEVENTS")]
    for note_id, masked in list(hospital.texts.items())[:400]:
        real = notes[note_id]["text"]
        assert "[**" not in real
        parts = re.split(r"\[\*\*.*?\*\*\]", " ".join(masked.split()))
        at = 0
        flat = " ".join(real.split())
        for part in parts:
            at = flat.find(part, at)
            assert at >= 0
            at += len(part)


def test_spans_cover_secrets(hospital: Hospital, notes: dict[str, dict[str, str]]) -> None:
    patterns = {
        "PHONE": r"\(?\d{3}\)?[- \n]*555[- \n]\d{4}",
        "EMAIL": r"[a-z.]+\d+@[a-z.]+",
        "AGE": r"9\d",
        "DATE": r"\d{4}-\d\d-\d\d|\d\d/\d\d/\d{4}|\d{1,2}/\d{1,2}|\d{4}|"
        r"[A-Z][a-z]+\s\d{1,2},\s\d{4}",
    }
    kinds: Counter[str] = Counter()
    for line in hospital.lines("phi/annotations.jsonl"):
        assert line["system"] == "PHI"
        [(begin, end)] = line["spans"]
        covered = notes[line["note_id"]]["text"][begin:end]
        kinds[line["code"]] += 1
        assert covered.strip() == covered != ""
        pattern = patterns.get(line["code"])
        if pattern is not None:
            assert re.fullmatch(pattern, covered), (line["code"], covered)
    assert set(kinds) == {
        "NAME", "DATE", "AGE", "PHONE", "LOCATION", "HOSPITAL", "ID", "EMAIL",
    }  # fmt: skip


def test_names_are_found_wherever_they_stand(
    hospital: Hospital, notes: dict[str, dict[str, str]]
) -> None:
    marked: dict[str, list[tuple[int, int]]] = {}
    for line in hospital.lines("phi/annotations.jsonl"):
        marked.setdefault(line["note_id"], []).append(tuple(line["spans"][0]))
    for index in range(60):
        patient = make_patient(hospital.summary.seed, index)
        own = [n for n in notes.values() if n["subject_id"] == str(patient.subject_id)]
        assert own
        for note in own:
            for secret in (patient.street, patient.phone, patient.email, patient.record_number):
                for found in re.finditer(re.escape(secret).replace(r"\ ", r"\s"), note["text"]):
                    assert found.span() in marked[note["note_id"]]


def test_dates_are_real_ones_behind_the_masks(notes: dict[str, dict[str, str]]) -> None:
    years = Counter(note["time"][:4] for note in notes.values())
    assert all("2000" < year < "2030" for year in years)


def test_look_alikes_are_not_marked(hospital: Hospital, notes: dict[str, dict[str, str]]) -> None:
    marked: set[tuple[str, int]] = set()
    for line in hospital.lines("phi/annotations.jsonl"):
        begin, end = line["spans"][0]
        marked |= {(line["note_id"], at) for at in range(begin, end)}
    as_word: Counter[str] = Counter()
    as_name: Counter[str] = Counter()
    for note in notes.values():
        for found in re.finditer(
            r"\b(Foley|Parkinson|Bell|FT|Swan|Glasgow|May|Brown)\b", note["text"]
        ):
            inside = (note["note_id"], found.start()) in marked
            (as_name if inside else as_word)[found.group()] += 1
    assert {"Foley", "Bell", "FT", "Swan", "Glasgow"} <= as_word.keys()
    assert {"Foley", "Bell", "Swan", "Glasgow"} & as_name.keys()


def test_ages_identify_from_ninety_on() -> None:
    assert age(89) == "89"
    assert age(90) == HiddenIdentifier("[**Age over 90 **]", "90", "AGE")


@pytest.mark.parametrize(
    ("style", "mask", "real"),
    [
        ("numeric", "[**2151-3-4**]", "2011-03-04"),
        ("us", "[**2151-3-4**]", "03/04/2011"),
        ("words", "[**2151-3-4**]", "March 4, 2011"),
        ("short", "[**3-4**]", "3/4"),
    ],
)
def test_dates_in_every_style(style: str, mask: str, real: str) -> None:
    shift = date(2151, 3, 4) - date(2011, 3, 4)
    assert day(date(2151, 3, 4), shift, style) == HiddenIdentifier(mask, real, "DATE")
    assert isinstance(shift, timedelta)


def test_the_same_name_has_the_same_mask() -> None:
    assert hospital_name("Northam").mask == hospital_name("Northam").mask
    assert hospital_name("Northam").mask != hospital_name("Kestrel Bay").mask


def test_the_reader_reads_it(hospital: Hospital) -> None:
    corpus = formats.read("jsonl", hospital.path / "phi")
    assert corpus.notes.height == hospital.summary.notes
    assert corpus.annotations.height == hospital.summary.phi_annotations
