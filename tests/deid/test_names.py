"""Names in capitals, in small letters and in other scripts: hidden, or at least seen by people."""

from __future__ import annotations

import random

import pytest

from auscult.core import Note
from auscult.deid import PhiKind, PhiSpan, builtin, detect


def found_in(text: str) -> list[PhiSpan]:
    (found,) = detect([Note("n", "c", text=text, time="2020-03-01")], builtin())
    return found


def names_in(text: str) -> list[str]:
    return [text[f.begin : f.end] for f in found_in(text) if f.kind is PhiKind.NAME and f.hide]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("JOHN SMITH was admitted.", ["JOHN", "SMITH"]),
        ("ROBERT JOHNSON IS A 54 YEAR OLD MALE.", ["ROBERT", "JOHNSON"]),
        ("MARIA GONZALEZ WAS SEEN.", ["MARIA", "GONZALEZ"]),
        ("HISTORY: MARIA GONZALEZ IS A 54 YEAR OLD", ["MARIA", "GONZALEZ"]),
        ("MARIA ELENA LOPEZ GARCIA", ["MARIA", "ELENA", "LOPEZ", "GARCIA"]),
        ("THOMAS Q. WALTERS FELL.", ["THOMAS", "Q", "WALTERS"]),
        ("NURSE LINDA", ["LINDA"]),
        ("HIS WIFE, GRACE, CALLED.", ["GRACE"]),
        ("PATIENT JONES IS STABLE", ["JONES"]),
        ("DR. KUMAR AND MRS. PEREZ", ["KUMAR", "PEREZ"]),
        ("SMITH, JOHN ADMITTED WITH FEVER", ["SMITH", "JOHN"]),
        ("LINDA ATE.", ["LINDA"]),
        ("seen by maria gonzalez", ["maria", "gonzalez"]),
        ("pt john smith c/o chest pain", ["john", "smith"]),
        ("maria gonzalez, fever", ["maria", "gonzalez"]),
        ("dictated by: kumar, s md", ["kumar", "s"]),
        ("spoke with nurse linda", ["linda"]),
        ("her daughter maria called", ["maria"]),
        ("mr smith and dr. jones agree", ["smith", "jones"]),
        ("Mr. 李 came.", ["李"]),
        ("Seen with 李小龙 and Иванов today.", ["李小龙", "Иванов"]),
        ("Nguyễn Thị Minh Khai", ["Nguyễn", "Thị", "Minh", "Khai"]),
        ("Seen by Nguyễn Thị Minh Khai.", ["Nguyễn", "Thị", "Minh", "Khai"]),
        ("Ms. Jose\u0301 Núñez slept.", ["Jose\u0301", "Núñez"]),
    ],
)
def test_names_however_they_are_written(text: str, names: list[str]) -> None:
    assert names_in(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "CHIEF COMPLAINT: CHEST PAIN. ART LINE IN PLACE. LONG TERM USE.",
        "SON FELL FROM BED, MOTHER STATES HE HIT HIS HEAD ON THE FLOOR.",
        "R KNEE PAIN, PT STATES 2 HRS AGO. EVAL OF LAC TO L THUMB 30 MIN PTA, PT CUT.",
        "TWISTED LEFT FOOT IN GYM. LIVES IN A MOBILE HOME. BACK PAIN IN LOWER BACK.",
        "ANA NEGATIVE. MARK THE SITE. WILL ROSE TO STAND. FOLEY CATHETER PLACED.",
        "PARKINSON'S DISEASE, BELL'S PALSY, CROHN DISEASE, GRAM STAIN, GLASGOW COMA SCALE 15.",
        "mark the site, grant access, will rose to stand, frank hematuria, rich diet.",
        "seen by nurse, called md, per rn, pt in pain, wife at bedside, by mouth.",
        "β-blocker, Δ MS, 5 µg, naïve, Ménière, Sjögren and Guillain-Barré.",
    ],
)
def test_words_in_capitals_and_small_letters_stay(text: str) -> None:
    assert names_in(text) == []


def test_a_note_in_another_script_is_not_all_names() -> None:
    assert names_in("Больной жалуется на боль. Mr. Иванов.") == ["Иванов"]


GIVEN = ["MARIA", "JOHN", "ROBERT", "LINDA", "PATRICIA", "JAMES", "SUSAN", "CARLOS", "DEBORAH"]
SURNAMES = ["GONZALEZ", "SMITH", "JOHNSON", "HERNANDEZ", "NGUYEN", "KOWALSKI", "PATEL", "OBRIEN"]
CLINICAL = [
    "{} IS A 54 YEAR OLD WITH CHEST PAIN AND SHORTNESS OF BREATH.",
    "HISTORY OF PRESENT ILLNESS: {} PRESENTED TO THE EMERGENCY ROOM AFTER A FALL.",
    "THE PATIENT, {}, WAS GIVEN ASPIRIN AND MORPHINE BY THE TEAM.",
    "DISCUSSED WITH {} WHO AGREES WITH THE PLAN.",
    "{} DENIES FEVER, CHILLS, NAUSEA OR VOMITING. ABDOMEN SOFT, NON TENDER.",
]


@pytest.mark.parametrize("case", ["upper", "lower"])
def test_whole_notes_in_one_case(case: str) -> None:
    """Planted names: nearly all are hidden or in the queue, and little else is."""
    draw = random.Random(7)
    planted = met = taken = right = 0
    for _ in range(60):
        lines, places = [], []
        at = 0
        for line in CLINICAL:
            name = f"{draw.choice(GIVEN)} {draw.choice(SURNAMES)}"
            begin = at + line.index("{}")
            places.append((begin, begin + len(name)))
            lines.append(line.format(name))
            at += len(lines[-1]) + 1
        text = "\n".join(lines)
        text = text if case == "upper" else text.lower()
        found = [one for one in found_in(text) if one.kind is PhiKind.NAME]
        covered = {at for one in found for at in range(one.begin, one.end)}
        for begin, end in places:
            planted += 1
            met += all(at in covered or text[at] == " " for at in range(begin, end))
        taken += len(found)
        right += sum(any(b <= f.begin and f.end <= e for b, e in places) for f in found)
    assert met / planted >= 0.99
    assert right / taken >= 0.95
