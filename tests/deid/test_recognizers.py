"""What the recognizers find in a letter that no template wrote, kind by kind."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.core import Note
from auscult.deid import PhiKind, PhiPart, PhiSpan, builtin, detect
from auscult.deid.phi_span import resolved

LETTER = """\
PATIENT NAME: O'MALLEY, KATHLEEN J.     MRN: 00-12-34-56
DOB: 04/17/1932 (93 y/o)   Acct #: V00123456789  SSN 123-45-6789
Attending Physician: Rajesh K. Venkataraman, M.D.
Referring: Dr. Ruth-Ann Van der Berg (Fax 1-800-555-0199)

Dear Dr. Smith,
I saw Mrs. O'Malley on Tuesday, 12 Jan 2025 at St. Mary's Hospital, Springfield, IL 62704.
She lives at 1425 N. Oak Park Ave., Apt 3B with her husband, Seamus, and her daughter Siobhan
Kelly-Reyes (cell 312.555.0147). She was transferred to Northwestern Memorial Hospital on 1/3/25.
Her son, Patrick O'Malley, writes from p.omalley+mum@lawfirm.com, see www.lawfirm.com/omalley.
Mother died at 97 of CHF; father at age 64. Worked for Caterpillar Inc. until 1994.
Seen with Drs. Chen and Okonkwo. Spoke w/ Nurse Jackie. Case d/w Jim Halpert from ortho.
F/u with Dr. Wu 2/14 at 10:30 AM, call (217) 555-0123 x45. pager 4471.
mrs. o'malley tolerated it. Kathleen's BP 120/80.
Dictated by: A. Patel, PA-C   D: 01/12/25 T: 01/13/25 Job #: 887766
cc: Thomas Nguyen, DO; Maria Lopez-Garcia, NP
"""
EXPECTED = {
    PhiKind.NAME: [
        "O'MALLEY", "KATHLEEN", "J", "Rajesh", "K", "Venkataraman", "Ruth-Ann", "Van der Berg",
        "Smith", "O'Malley", "Seamus", "Siobhan", "Kelly-Reyes", "Patrick", "O'Malley", "Chen",
        "Okonkwo", "Jackie", "Jim", "Halpert", "Wu", "o'malley", "Kathleen", "A", "Patel",
        "Thomas", "Nguyen", "Maria", "Lopez-Garcia",
    ],
    PhiKind.DATE: [
        "04/17/1932", "Tuesday, 12 Jan 2025", "1/3/25", "1994", "2/14", "01/12/25", "01/13/25",
    ],
    PhiKind.AGE: ["93", "97"],
    PhiKind.PHONE: ["1-800-555-0199", "312.555.0147", "(217) 555-0123 x45", "4471"],
    PhiKind.ID: ["00-12-34-56", "V00123456789", "123-45-6789", "887766"],
    PhiKind.EMAIL: ["p.omalley+mum@lawfirm.com"],
    PhiKind.URL: ["www.lawfirm.com/omalley"],
    PhiKind.LOCATION: [
        "Springfield", "IL", "62704", "1425 N. Oak Park Ave., Apt 3B", "Caterpillar Inc",
    ],
    PhiKind.HOSPITAL: ["St. Mary's Hospital", "Northwestern Memorial Hospital"],
}  # fmt: skip


def found_in(text: str, time: str | None = "2025-01-13") -> list[PhiSpan]:
    (found,) = detect([Note("n", "c", text=text, time=time)], builtin())
    return found


@pytest.mark.parametrize("kind", list(PhiKind))
def test_a_letter(kind: PhiKind) -> None:
    found = [LETTER[f.begin : f.end] for f in found_in(LETTER) if f.kind is kind and f.hide]
    assert found == EXPECTED[kind]


def test_which_part_of_a_name_it_is() -> None:
    parts = {LETTER[f.begin : f.end]: f.part for f in found_in(LETTER) if f.kind is PhiKind.NAME}
    assert parts["KATHLEEN"] is PhiPart.GIVEN
    assert parts["O'MALLEY"] is PhiPart.SURNAME
    assert parts["Van der Berg"] is PhiPart.SURNAME
    assert parts["Ruth-Ann"] is PhiPart.GIVEN
    assert parts["J"] is PhiPart.INITIAL


def test_a_name_told_in_one_note_is_found_in_the_others() -> None:
    notes = [
        Note("1", "c", text="Mr. Oyelowo was admitted."),
        Note("2", "c", text="Visited Oyelowo at home; oyelowo slept. OYELOWO ate."),
    ]
    _, second = detect(notes, builtin())
    assert [notes[1].text[f.begin : f.end] for f in second] == ["Oyelowo", "oyelowo", "OYELOWO"]  # type: ignore[index]  # it has a text


def test_a_name_that_the_record_tells_is_found() -> None:
    note = Note("1", "c", text="Zzyzx slept well.")
    assert detect([note], builtin()) == [[]]
    (found,) = detect([note], builtin(), known={"zzyzx": PhiPart.SURNAME})
    assert [(f.begin, f.end) for f in found] == [(0, 5)]


def test_fort_full_term_and_feet() -> None:
    text = "Born FT. Stationed, lives in Ft. Bragg. Walks 50 FT."
    assert [text[f.begin : f.end] for f in found_in(text)] == ["Ft. Bragg"]


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        (
            "in Kestrel Falls, MA 02139-1234",
            PhiKind.LOCATION,
            ["Kestrel Falls", "MA", "02139-1234"],
        ),
        ("Mrs. Lee of Cincinnati, going to Boston", PhiKind.LOCATION, ["Cincinnati", "Boston"]),
        ("P.O. Box 1234", PhiKind.LOCATION, ["P.O. Box 1234"]),
        ("moved here from Houston, Texas", PhiKind.LOCATION, ["Houston", "Texas"]),
        ("Transferred from Mercy of Dunwich for care", PhiKind.HOSPITAL, ["Mercy of Dunwich"]),
        ("Virginia visited her in Virginia", PhiKind.LOCATION, ["Virginia"]),
        ("Age: 101. 92F here. ninety-four years old", PhiKind.AGE, ["101", "92", "ninety-four"]),
        ("call +44 20 7946 0958", PhiKind.PHONE, ["+44 20 7946 0958"]),
        ("IP 192.168.10.1 logged", PhiKind.URL, ["192.168.10.1"]),
        ("number 8823991045 on file", PhiKind.ID, ["8823991045"]),
    ],
)  # fmt: skip
def test_other_shapes(text: str, kind: PhiKind, words: list[str]) -> None:
    assert [text[f.begin : f.end] for f in found_in(text) if f.kind is kind] == words


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200))
def test_any_text_can_be_read_and_findings_lie_apart_in_it(text: str) -> None:
    found = found_in(text)
    assert all(0 <= f.begin < f.end <= len(text) for f in found)
    assert all(a.end <= b.begin for a, b in pairwise(found))


_WORDS = st.sampled_from(
    ["Dr.", "Mr.", "Grace", "Foley", "Hernandez,", "RN", "MD", "12/6", "3/14/2149", "May", "St.",
     "Hospital", "in", "from", "sister", "Name:", "lives", "617", "555-0123", "(", ")", "#", "Van",
     "de", "J.", "\n", "\n\n", "O'Brien", "Smith-Jones", "2149", "the", "14th", "91", "yo", "@",
     "-",
     "Street", "12", "MA", "02139", "'s", "É", "İ", "ß", "👍"]
)  # fmt: skip


@given(st.lists(_WORDS, max_size=30), st.sampled_from([" ", "", "\n", "  "]))
def test_any_jumble_of_cues_can_be_read(words: list[str], gap: str) -> None:
    text = gap.join(words)
    found = found_in(text)
    assert all(0 <= f.begin < f.end <= len(text) for f in found)


@st.composite
def findings(draw: st.DrawFn) -> list[PhiSpan]:
    made = []
    for _ in range(draw(st.integers(0, 8))):
        begin = draw(st.integers(0, 20))
        end = draw(st.integers(begin + 1, begin + 10))
        doubt = draw(st.sampled_from(["", "why"]))
        hide = True if not doubt else draw(st.booleans())
        made.append(PhiSpan(begin, end, draw(st.sampled_from(PhiKind)), doubt=doubt, hide=hide))
    return made


@given(findings())
def test_resolving_overlaps_shows_nothing_that_was_to_be_hidden(found: list[PhiSpan]) -> None:
    settled = resolved(found)
    assert all(a.end <= b.begin for a, b in pairwise(settled))
    hidden = {at for f in settled if f.hide for at in range(f.begin, f.end)}
    assert hidden == {at for f in found if f.hide for at in range(f.begin, f.end)}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Transferred from St. Elizabeth's;", "Transferred from ;"),
        ("Seen at St. Mary's.", "Seen at ."),
        ("Seen at St. Mary's Hospital.", "Seen at ."),
        ("patient lived near Mr. Roger's neighborhood", "patient lived near Mr. 's neighborhood"),
    ],
)
def test_what_is_found_twice_is_one_and_no_rest_of_a_word_is_left(text: str, left: str) -> None:
    shown = list(text)
    for one in found_in(text):
        shown[one.begin : one.end] = [""] * (one.end - one.begin)
    assert "".join(shown) == left
    for before, after in pairwise(found_in(text)):
        assert text[before.end : after.begin]


@given(findings())
def test_hidden_findings_of_a_kind_that_overlapped_are_one(found: list[PhiSpan]) -> None:
    same = [one._replace(kind=PhiKind.NAME, doubt="", hide=True) for one in found]
    settled = resolved(same)
    assert all(a.end < b.begin or not _touched(a, b, same) for a, b in pairwise(settled))


def _touched(a: PhiSpan, b: PhiSpan, found: list[PhiSpan]) -> bool:
    return any(one.begin < a.end and b.begin < one.end for one in found)
