"""The codes that instructions name."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from auscult.codes.tabular import CodeRange, parse_ranges

# Every shape in which the Tabular List names codes, with what a reader takes from it.
_SHAPES = {
    "x (A05.-)": ["A05"],
    "x (J65)": ["J65"],
    "x (M1A.-, M10.-)": ["M1A", "M10"],
    "x (QA0.1)": ["QA0.1"],
    "x (J09.X3, J10.2)": ["J09.X3", "J10.2"],
    "x (P03.82 )": ["P03.82"],
    "x (K50.014, K50.914,)": ["K50.014", "K50.914"],
    "x (D29.2.-)": ["D29.2"],
    "x (O10-O11, O13-O16)": ["O10-O11", "O13-O16"],
    "x (J00-J06; J20-J22)": ["J00-J06", "J20-J22"],
    "x (A00-R94 and T80-T88.6, T88.8)": ["A00-R94", "T80-T88.6", "T88.8"],
    "x (M05.00 to M05.8A)": ["M05.00-M05.8A"],
    "x (I01.0 -I01.9)": ["I01.0-I01.9"],
    "x (P28.3- - P28.4-)": ["P28.3-P28.4"],
    "x (I70.2--I70.7-)": ["I70.2-I70.7"],
    "x (F10.-F19.-)": ["F10-F19"],
    "x (F10.--F19.-)": ["F10-F19"],
    "x (F10.- -F19.-)": ["F10-F19"],
    "x (S12.0--S12.6.-)": ["S12.0-S12.6"],
    "x (I69.81- I69.91-)": ["I69.81", "I69.91"],
    "x (I60.-. I61.-, I62.-)": ["I60", "I61", "I62"],
    "x (Z68.1-Z68.45) or pediatrics (Z68.5-)": ["Z68.1-Z68.45", "Z68.5"],
    "x (E08-E13 with .65)": ["E08-E13 with .65"],
    "x (E08-E13 with .62-)": ["E08-E13 with .62"],
    "x (E08-E13 with .51-.52)": ["E08-E13 with .51", "E08-E13 with .52"],
    "x (F10-F19, with .17, .27)": ["F10-F19 with .17", "F10-F19 with .27"],
    "x (F11-F19 with .15. .25)": ["F11-F19 with .15", "F11-F19 with .25"],
    "x (E08, E09 with final characters .00 or .01)": [
        "E08 with .00",
        "E08 with .01",
        "E09 with .00",
        "E09 with .01",
    ],
    "x (I69. with final characters -23)": ["I69 with final characters 23"],
    "x (T36-T50 with final character 6)": ["T36-T50 with final characters 6"],
    "x (F11-F19 with fifth to sixth characters 51)": ["F11-F19 with final characters 51"],
    "x (T36-T50 with fifth or sixth character 5)": ["T36-T50 with character 5 or 6 in 5"],
    "x (T36-T50 with fifth or six character 5)": ["T36-T50 with character 5 or 6 in 5"],
    "x (T36-T65 with fifth or sixth character 1-4 or 6)": [
        "T36-T65 with character 5 or 6 in 12346"
    ],
    "x (T39.0-, with sixth character 1-4)": ["T39.0 with character 6 in 1234"],
    "x (A37 with fifth-character 1)": ["A37 with character 5 in 1"],
    "x (F10-F19 with 5th character .6)": ["F10-F19 with character 5 in 6"],
    "x (S92.-with 7th character B)": ["S92 with character 7 in B"],
    "x (S42.- with 7th character B or C)": ["S42 with character 7 in BC"],
    "x (S06.0X- with seventh character A)": ["S06.0X with character 7 in A"],
    "x (T51-T65 with fifth or sixth character to indicate intent)": ["T51-T65"],
    "x (S52.- with open fracture 7th character)": [],
    "x - see categories E08-E10, E13 with ketoacidosis": [],
    "code from category O08 to identify": ["O08"],
    "jaw pain R68.84": ["R68.84"],
    "knee prosthesis (Z89.52-": ["Z89.52"],
    "classified in S06.1- to S06.6-, code to it": ["S06.1-S06.6"],
    "any type in A15 (J65)": ["J65"],
    "vitamin B12 deficiency anemia": [],
    "vitamin B12 deficiency (E53.8)": ["E53.8"],
    "glucose-6-phosphate dehydrogenase (G6PD) deficiency": [],
    "with acute (C3) disease, type 2": [],
}


@pytest.mark.parametrize("text", _SHAPES)
def test_every_shape_of_the_book(text: str) -> None:
    assert [str(codes) for codes in parse_ranges(text)] == _SHAPES[text]


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("(O10-O11)", "O10 O10.011 O11.9 o119", "O12 O09.1 O1"),
        ("(T82.6-T82.7)", "T82.6XXA T82.7 T82.79XD", "T82 T82.5 T82.8"),
        ("(C76-C80)", "C7A.1 C80.1", "C81 C75"),
        ("(E08-E13 with .65)", "E11.65 E08.65 E11.65X", "E11 E11.6 E11.9 E14.65"),
        ("(E08-E13 with .9)", "E11.9", "E11.49"),
        ("(I69. with final characters -23)", "I69.023 I69.923", "I69.230 I69.02 I70.023"),
        ("(T36-T50 with final character 6)", "T36.0X6A T36.0X6 T50.906A T36.96XA", "T36.0X1A"),
        ("(S42.- with 7th character B or C)", "S42.001B S42.001C", "S42.001A S42.001 S42"),
        # The fifth character of T43.651A is the substance's, and of T36.95XA the intent.
        (
            "(T36-T50 with fifth or sixth character 5)",
            "T36.0X5A T36.95XA T36.95 T43.655D",
            "T43.651A T36.0X1A T51.0X5A T36.0 T36",
        ),
        ("(B27.0-B27.9 with fifth character 1)", "B27.01 B27.91", "B27.02 B27.0 B27.1"),
    ],
)
def test_what_is_inside(text: str, inside: str, outside: str) -> None:
    ranges = parse_ranges(text)
    assert [c for c in inside.split() if not any(r.contains(c) for r in ranges)] == []
    assert [c for c in outside.split() if any(r.contains(c) for r in ranges)] == []


_CODES = st.from_regex(r"[A-Z][0-9][0-9AB](\.[0-9A-Z]{1,4})?", fullmatch=True)


@given(_CODES, _CODES)
@settings(max_examples=examples(100))
def test_a_range_holds_its_ends_and_what_is_below(one: str, other: str) -> None:
    first, last = sorted((one, other))
    (found,) = parse_ranges(f"some disease ({first}-{last})")
    assert found == CodeRange(first, last)
    for end in (first, last):
        assert found.contains(end)
        assert found.contains(end.lower() + ("0" if "." in end else ".0"))


@given(_CODES, _CODES)
@settings(max_examples=examples(100))
def test_one_code_holds_what_begins_with_it(code: str, other: str) -> None:
    (found,) = parse_ranges(f"some disease ({code}-)")
    plain, given_plain = other.replace(".", ""), code.replace(".", "")
    assert found.contains(other) == plain.startswith(given_plain)


@given(st.text(max_size=60) | st.text(alphabet="A0159.- ,;()[]withfinalcharacter", max_size=60))
@settings(max_examples=examples(300))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for found in parse_ranges(text):
        assert found.first
        assert isinstance(found.contains("T36.0X5A"), bool)
        assert str(found)
