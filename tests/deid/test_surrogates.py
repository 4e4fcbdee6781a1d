"""What stands in a secret's place: like for like, the same each time, and never the secret."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.core import Annotation, Code, Note, Span
from auscult.corpus.formats.shared.quotes import QUOTE
from auscult.deid import DeidOptions, PhiKind, PhiPart, PhiSpan, ReplacementStyle, builtin
from auscult.deid.date_shift import KeyedRandom
from auscult.deid.lexicon import sexes
from auscult.deid.patients import PatientNotes
from auscult.deid.scrub import Scrubber
from auscult.deid.surrogates import Surrogates

NEAR = date(2003, 4, 1)


def surrogates(
    style: ReplacementStyle = ReplacementStyle.REALISTIC, patient: str = "p", secret: bytes = b"s"
) -> Surrogates:
    return Surrogates(KeyedRandom(secret), patient, timedelta(days=100), style=style)


def replaced(made: Surrogates, kind: PhiKind, words: str, part: PhiPart = PhiPart.WHOLE) -> str:
    return made.replaced(PhiSpan(0, len(words), kind, part), words, NEAR)


@pytest.mark.parametrize(
    ("words", "part", "after"),
    [
        ("Mary", PhiPart.GIVEN, "Jane"),
        ("ROBERT", PhiPart.GIVEN, "JOHN"),
        ("Hernandez", PhiPart.SURNAME, "Johnson"),
        ("hernandez", PhiPart.SURNAME, "johnson"),
        ("Van Dyke", PhiPart.SURNAME, "Johnson"),
    ],
)
def test_the_papers_names(words: str, part: PhiPart, after: str) -> None:
    assert replaced(surrogates(ReplacementStyle.PAPER), PhiKind.NAME, words, part) == after


def test_the_papers_places_are_general() -> None:
    made = surrogates(ReplacementStyle.PAPER)
    assert replaced(made, PhiKind.LOCATION, "Cincinnati", PhiPart.TOWN) == "Town"
    assert replaced(made, PhiKind.HOSPITAL, "Mercy General") == "Hospital"


def test_a_name_has_one_surrogate_in_all_its_writings() -> None:
    made = surrogates()
    plain = replaced(made, PhiKind.NAME, "Hernandez", PhiPart.SURNAME)
    assert plain != "Hernandez"
    assert replaced(made, PhiKind.NAME, "HERNANDEZ", PhiPart.SURNAME) == plain.upper()
    assert replaced(made, PhiKind.NAME, "hernandez", PhiPart.SURNAME) == plain.lower()


def test_two_names_never_share_a_surrogate_and_sex_is_kept() -> None:
    made = surrogates()
    women = ["Mary", "Linda", "Susan", "Karen", "Nancy", "Betty", "Helen", "Sandra"]
    drawn = [replaced(made, PhiKind.NAME, name, PhiPart.GIVEN) for name in women]
    assert len(set(drawn)) == len(women)
    assert all(sexes()[name.lower()] for name in drawn)
    assert not sexes()[replaced(made, PhiKind.NAME, "Robert", PhiPart.GIVEN).lower()]


def test_no_surrogate_is_a_name_of_the_patients_own_notes() -> None:
    first = replaced(surrogates(), PhiKind.NAME, "Hernandez", PhiPart.SURNAME)
    made = surrogates()
    made.avoid({first.lower()})
    assert replaced(made, PhiKind.NAME, "Hernandez", PhiPart.SURNAME) != first


def test_patients_and_secrets_get_different_surrogates() -> None:
    def names(patient: str, secret: bytes) -> list[str]:
        made = surrogates(patient=patient, secret=secret)
        return [
            replaced(made, PhiKind.NAME, n, PhiPart.SURNAME) for n in ("Hernandez", "Chen", "Kim")
        ]

    assert names("p", b"s") == names("p", b"s")
    assert names("p", b"s") != names("q", b"s")
    assert names("p", b"s") != names("p", b"t")


@given(st.from_regex(r"[A-Z]{0,3}-?[0-9]{4,12}", fullmatch=True))
def test_numbers_keep_their_shape_and_change(words: str) -> None:
    def shape(figure: str) -> str:
        return "".join("9" if c.isdigit() else "A" if c.isalpha() else c for c in figure)

    after = replaced(surrogates(), PhiKind.ID, words)
    assert shape(after) == shape(words)
    assert after != words


@pytest.mark.parametrize(
    "words", ["(617) 234-5678", "617-234-5678", "617.234.5678", "1 617 234 5678", "4471"]
)
def test_telephone_numbers_keep_their_shape(words: str) -> None:
    after = replaced(surrogates(), PhiKind.PHONE, words)
    assert [c for c in after if not c.isdigit()] == [c for c in words if not c.isdigit()]
    assert len(after) == len(words)
    assert after != words


def test_a_state_is_the_same_in_full_and_abbreviated() -> None:
    from auscult.deid.lexicon import states

    made = surrogates()
    whole = replaced(made, PhiKind.LOCATION, "Massachusetts", PhiPart.STATE)
    assert replaced(made, PhiKind.LOCATION, "MA", PhiPart.STATE) == states()[whole]
    assert whole != "Massachusetts"


def test_generalizing() -> None:
    made = surrogates()
    town = PhiSpan(0, 6, PhiKind.LOCATION, PhiPart.TOWN)
    assert made.generalized(town, "Boston", NEAR) == "Town"
    day = PhiSpan(0, 9, PhiKind.DATE)
    assert made.generalized(day, "12/1/2003", NEAR) == "2004"
    assert made.generalized(day, "12/1", NEAR) == "[date]"


def test_ages_and_dates() -> None:
    made = surrogates()
    assert replaced(made, PhiKind.AGE, "93") == "90+"
    assert replaced(made, PhiKind.DATE, "3/14/2003") == "6/22/2003"
    assert replaced(made, PhiKind.DATE, "45/45/2003") == "[date]"


def test_two_names_never_become_one() -> None:
    made = surrogates()
    names = [f"Name{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(300)]
    after = {replaced(made, PhiKind.NAME, name, PhiPart.SURNAME) for name in names}
    assert len(after) == 300


def test_the_area_of_a_telephone_number_does_not_stay() -> None:
    """An area is a place smaller than a state."""
    made = surrogates()
    after = [replaced(made, PhiKind.PHONE, f"617-555-{n:04d}") for n in range(100)]
    assert sum(number.startswith("617") for number in after) < 5


def test_a_quote_goes_with_the_words_it_quotes() -> None:
    """Alone, `Okonjo` is in no list: the quote of an annotation has no title before it."""
    note = Note("n", "c", "p", text="Seen by Dr. Okonjo today.")
    code = Code("UMLS", "C0031831")
    quoted = Annotation("ann", code, "c", "n", (Span(12, 18),), meta={QUOTE: "Okonjo"})
    options = DeidOptions(seed="a seed of the test")
    scrubbed = Scrubber(options, builtin()).scrub(PatientNotes("p", (note,), (quoted,)))
    (moved,) = scrubbed.annotations
    assert "Okonjo" not in str(dict(moved.meta))
    assert "Okonjo" not in (scrubbed.notes[0].text or "")


def test_even_a_short_number_never_stays() -> None:
    for patient in range(40):
        made = surrogates(patient=str(patient))
        for digit in "0123456789":
            assert replaced(made, PhiKind.ID, digit) != digit


def test_a_given_name_of_unknown_sex_becomes_a_womans_or_a_mans() -> None:
    made = (surrogates(ReplacementStyle.PAPER, patient=str(n)) for n in range(40))
    after = {replaced(one, PhiKind.NAME, "Zorblax", PhiPart.GIVEN) for one in made}
    assert after == {"Jane", "John"}
