"""What once showed: places, hospitals, ages and numbers in writings that no template has."""

from __future__ import annotations

import pytest

from auscult.core import Note
from auscult.deid import DeidOptions, PhiKind, PhiSpan, builtin, detect
from auscult.deid.patients import PatientNotes
from auscult.deid.scrub import Scrubber


def found_in(text: str) -> list[PhiSpan]:
    (found,) = detect([Note("n", "c", text=text, time="2020-03-01")], builtin())
    return found


HIDDEN = [
    ("MGH", PhiKind.HOSPITAL, "MGH"),
    ("transferred from BIDMC for cath", PhiKind.HOSPITAL, "BIDMC"),
    ("seen at BWH ED", PhiKind.HOSPITAL, "BWH"),
    ("TRANSFERRED FROM KESTREL GENERAL HOSPITAL", PhiKind.HOSPITAL, "KESTREL GENERAL HOSPITAL"),
    ("Transferred from St. Elizabeth's;", PhiKind.HOSPITAL, "St. Elizabeth's"),
    ("Fort Hood veteran", PhiKind.LOCATION, "Fort Hood"),
    ("lives near FT Bragg with his wife", PhiKind.LOCATION, "FT Bragg"),
    ("stationed at FT Kestrel", PhiKind.LOCATION, "FT Kestrel"),
    ("came from FT Bragg", PhiKind.LOCATION, "FT Bragg"),
    ("SOLDIER FROM FT BRAGG", PhiKind.LOCATION, "FT BRAGG"),
    ("moved to ft. bragg in spring", PhiKind.LOCATION, "ft. bragg"),
    ("found down on Main St.", PhiKind.LOCATION, "Main St"),
    ("Main St", PhiKind.LOCATION, "Main St"),
    ("struck on Kestrel Avenue", PhiKind.LOCATION, "Kestrel Avenue"),
    ("attends First Baptist Church", PhiKind.LOCATION, "First Baptist Church"),
    ("attends Lincoln High School in town", PhiKind.LOCATION, "Lincoln High School"),
    ("LIVES IN KESTREL FALLS WITH WIFE", PhiKind.LOCATION, "KESTREL FALLS"),
    ("LIVES IN BOSTON, MA", PhiKind.LOCATION, "BOSTON"),
    ("turned 91 in May", PhiKind.AGE, "91"),
    ("her aunt, aged ninety, died", PhiKind.AGE, "ninety"),
    ("celebrated her 95th birthday", PhiKind.AGE, "95"),
    ("Health plan ID XKJ882211", PhiKind.ID, "XKJ882211"),
    ("license plate 4XZ 992", PhiKind.ID, "4XZ 992"),
    ("VIN 1HGCM82633A004352", PhiKind.ID, "1HGCM82633A004352"),
    ("car WBA3A5C50CF256985 towed", PhiKind.ID, "WBA3A5C50CF256985"),
    ("SN-88123-AB", PhiKind.ID, "88123-AB"),
    ("call x4-5567", PhiKind.PHONE, "4-5567"),
    ("from 10.2.3.4.", PhiKind.URL, "10.2.3.4"),
    ("f/u 3/10", PhiKind.DATE, "3/10"),
    ("return 3/10", PhiKind.DATE, "3/10"),
]


@pytest.mark.parametrize(("text", "kind", "words"), HIDDEN)
def test_it_is_hidden(text: str, kind: PhiKind, words: str) -> None:
    hidden = [text[f.begin : f.end] for f in found_in(text) if f.kind is kind and f.hide]
    assert words in hidden


@pytest.mark.parametrize(("text", "words"), [(text, words) for text, _, words in HIDDEN])
def test_and_nothing_of_it_shows_afterwards(text: str, words: str) -> None:
    note = Note("n", "c", "p", text=text, time="2020-03-01")
    for seed in ("one", "two"):
        scrubbed = Scrubber(DeidOptions(seed=seed), builtin()).scrub(PatientNotes("p", (note,)))
        assert words.lower() not in (scrubbed.notes[0].text or "").lower()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("From Guatemala", "Guatemala"),
        ("Transferred from LMNH for care.", "LMNH"),
        ("hemochromatosis, Wilson, autoimmune hepatitis", "Wilson"),
        ("BORN IN ZORBA, SHE", "ZORBA"),
        ("Veteran, FT Kestrel", "FT Kestrel"),
    ],
)
def test_what_no_rule_can_tell_is_in_doubt(text: str, words: str) -> None:
    (found,) = [f for f in found_in(text) if text[f.begin : f.end] == words]
    assert found.doubt
    assert not found.hide


@pytest.mark.parametrize(
    "text",
    [
        "10/12 ROS negative", "12-point ROS: 10/12 systems negative", "titre 1/1280",
        "Braxton Hicks contractions", "having Braxton-Hicks", "Clark level III melanoma",
        "with Bivona placed", "Bivona trach changed", "R-CHOP given", "CHOP x 6 cycles",
        "Born FT by NSVD. Walks 50 FT. With walker.", "FT Infant, FT Female, works FT At a bank",
        "FT BABY GIRL", "walked 50 ft lee way", "completed High School",
        "Left temple pain; St. Jude valve", "HR 90, turned to the left", "sats almost 95%",
        "x 1000 ml, x3 days, x10", "Transferred to ICU, then to CVICU", "seen in ED",
        "Medical School exam",
    ],
)  # fmt: skip
def test_what_is_none_stays(text: str) -> None:
    assert [text[f.begin : f.end] for f in found_in(text) if f.hide] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        # A name and an initial, then a surname that is a word or that no list has.
        ("James T. Cook remains intubated.", ["James", "Cook"]),
        ("James T. Cook 45M with cough", ["James", "Cook"]),
        ("Dressed James T. Cook's wound.", ["James", "Cook"]),
        ("Mary A. Young presents with pain.", ["Mary", "Young"]),
        ("Susan B. Long complains of itching.", ["Susan", "Long"]),
        ("See Dr. S. Green's note.", ["Green"]),
        ("f/u w/ Dr. S. Green next week", ["Green"]),
        ("Dr. B. Brown - cardiology", ["Brown"]),
        ("Dr. B. White Phone 555 0100", ["White"]),
        ("Dr. B. Brown & Dr. C. Green met.", ["Brown", "Green"]),
        ("Seen by Dr. S. Green\nPlan", ["Green"]),
        ("Dr. A. Kiraly saw him.", ["Kiraly"]),
        ("Dr. A. Kipling saw him.", ["Kipling"]),
        ("Dr. A. Ganguly saw him.", ["Ganguly"]),
        ("Dr. A. Elsayed saw him.", ["Elsayed"]),
        ("Dr. S. Can Yilmaz saw him.", ["Can", "Yilmaz"]),
        ("Dr. X. He, MD", ["He"]),
        # The same behind a title, a label, a given name.
        ("Mr. John Kiraly was seen.", ["John", "Kiraly"]),
        ("Name: John Kiraly", ["John", "Kiraly"]),
        ("John Kiraly, seen in clinic", ["John", "Kiraly"]),
        ("Anna Kiraly was admitted.", ["Anna", "Kiraly"]),
        ("Mr. Can Yilmaz was seen.", ["Can", "Yilmaz"]),
        ("Dr. Last was paged.", ["Last"]),
        ("Dr. Most was paged.", ["Most"]),
        # Names alone, among words of tests and drugs, in capitals.
        ("Pain score reviewed by Hernandez.", ["Hernandez"]),
        ("Type and screen drawn by Maria.", ["Maria"]),
        ("John 10 mg given", ["John"]),
        ("told Linda 5 mg", ["Linda"]),
        ("Seen by Evans & Evans.", ["Evans & Evans"]),
        ("England, Thomas", ["England", "Thomas"]),
        ("Spoke with Israel today.", ["Israel"]),
        ("Spoke with Goldberg.", ["Goldberg"]),
        ("Humphrey was paged.", ["Humphrey"]),
        ("Carina was at bedside.", ["Carina"]),
        ("Childs, Mary", ["Childs", "Mary"]),
        ("WILL SMITH IS A 54 YO M", ["WILL", "SMITH"]),
        ("MAY JOHNSON", ["MAY", "JOHNSON"]),
        ("Spoke with DEBORAH about the plan.", ["DEBORAH"]),
        ("the Garcia daughter called", ["Garcia"]),
        # Ages and dates beside words of results.
        ("He died at the age of 93.", ["93"]),
        ("COVID positive 11/12.", ["11/12"]),
        ("PPD negative 10/2003.", ["10/2003"]),
        ("Blood cultures negative 3/14.", ["3/14"]),
        ("BCx positive 3/14.", ["3/14"]),
        ("EF 55% 3/14.", ["3/14"]),
        ("EF 55% (3/14).", ["3/14"]),
        ("Seen OCT 3.", ["OCT 3"]),
        ("DOB 15 may", ["15 may"]),
        ("admitted 15 may", ["15 may"]),
        ("MI approx 2001", ["2001"]),
        # Hospitals with names that are words.
        ("Transferred from Providence Medical Center.", ["Providence"]),
        ("Transferred from Flushing Medical Center.", ["Flushing"]),
        ("Transferred from Resurrection Medical Center.", ["Resurrection"]),
        ("Seen at Redemption Clinic.", ["Redemption"]),
    ],
)
def test_words_that_identify_are_hidden(text: str, words: list[str]) -> None:
    covered = {at for one in found_in(text) if one.hide for at in range(one.begin, one.end)}
    for word in words:
        begin = text.index(word)
        letters = [at for at in range(begin, begin + len(word)) if text[at].isalnum()]
        assert covered.issuperset(letters), word
