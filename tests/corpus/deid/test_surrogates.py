"""What stands in a secret's place: like for like, the same each time, and never the secret."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.corpus.deid import Found, Kind, Part, Style
from auscult.corpus.deid.lexicon import sexes
from auscult.corpus.deid.shift import Chance
from auscult.corpus.deid.surrogates import Surrogates

NEAR = date(2003, 4, 1)


def surrogates(
    style: Style = Style.REALISTIC, patient: str = "p", secret: bytes = b"s"
) -> Surrogates:
    return Surrogates(Chance(secret), patient, timedelta(days=100), style=style)


def replaced(made: Surrogates, kind: Kind, words: str, part: Part = Part.WHOLE) -> str:
    return made.replaced(Found(0, len(words), kind, part), words, NEAR)


@pytest.mark.parametrize(
    ("words", "part", "after"),
    [
        ("Mary", Part.GIVEN, "Jane"),
        ("ROBERT", Part.GIVEN, "JOHN"),
        ("Hernandez", Part.SURNAME, "Johnson"),
        ("hernandez", Part.SURNAME, "johnson"),
        ("Van Dyke", Part.SURNAME, "Johnson"),
    ],
)
def test_the_papers_names(words: str, part: Part, after: str) -> None:
    assert replaced(surrogates(Style.PAPER), Kind.NAME, words, part) == after


def test_the_papers_places_are_general() -> None:
    made = surrogates(Style.PAPER)
    assert replaced(made, Kind.LOCATION, "Cincinnati", Part.TOWN) == "Town"
    assert replaced(made, Kind.HOSPITAL, "Mercy General") == "Hospital"


def test_a_name_has_one_surrogate_in_all_its_writings() -> None:
    made = surrogates()
    plain = replaced(made, Kind.NAME, "Hernandez", Part.SURNAME)
    assert plain != "Hernandez"
    assert replaced(made, Kind.NAME, "HERNANDEZ", Part.SURNAME) == plain.upper()
    assert replaced(made, Kind.NAME, "hernandez", Part.SURNAME) == plain.lower()


def test_two_names_never_share_a_surrogate_and_sex_is_kept() -> None:
    made = surrogates()
    women = ["Mary", "Linda", "Susan", "Karen", "Nancy", "Betty", "Helen", "Sandra"]
    drawn = [replaced(made, Kind.NAME, name, Part.GIVEN) for name in women]
    assert len(set(drawn)) == len(women)
    assert all(sexes()[name.lower()] for name in drawn)
    assert not sexes()[replaced(made, Kind.NAME, "Robert", Part.GIVEN).lower()]


def test_no_surrogate_is_a_name_of_the_patients_own_notes() -> None:
    first = replaced(surrogates(), Kind.NAME, "Hernandez", Part.SURNAME)
    made = surrogates()
    made.avoid({first.lower()})
    assert replaced(made, Kind.NAME, "Hernandez", Part.SURNAME) != first


def test_patients_and_secrets_get_different_surrogates() -> None:
    def names(patient: str, secret: bytes) -> list[str]:
        made = surrogates(patient=patient, secret=secret)
        return [replaced(made, Kind.NAME, n, Part.SURNAME) for n in ("Hernandez", "Chen", "Kim")]

    assert names("p", b"s") == names("p", b"s")
    assert names("p", b"s") != names("q", b"s")
    assert names("p", b"s") != names("p", b"t")


@given(st.from_regex(r"[A-Z]{0,3}-?[0-9]{4,12}", fullmatch=True))
def test_numbers_keep_their_shape_and_change(words: str) -> None:
    def shape(figure: str) -> str:
        return "".join("9" if c.isdigit() else "A" if c.isalpha() else c for c in figure)

    after = replaced(surrogates(), Kind.ID, words)
    assert shape(after) == shape(words)
    assert after != words


@pytest.mark.parametrize(
    "words", ["(617) 234-5678", "617-234-5678", "617.234.5678", "1 617 234 5678", "4471"]
)
def test_telephone_numbers_keep_their_shape(words: str) -> None:
    after = replaced(surrogates(), Kind.PHONE, words)
    assert [c for c in after if not c.isdigit()] == [c for c in words if not c.isdigit()]
    assert len(after) == len(words)
    assert after != words


def test_a_state_is_the_same_in_full_and_abbreviated() -> None:
    from auscult.corpus.deid.lexicon import states

    made = surrogates()
    whole = replaced(made, Kind.LOCATION, "Massachusetts", Part.STATE)
    assert replaced(made, Kind.LOCATION, "MA", Part.STATE) == states()[whole]
    assert whole != "Massachusetts"


def test_generalising() -> None:
    made = surrogates()
    town = Found(0, 6, Kind.LOCATION, Part.TOWN)
    assert made.generalised(town, "Boston", NEAR) == "Town"
    day = Found(0, 9, Kind.DATE)
    assert made.generalised(day, "12/1/2003", NEAR) == "2004"
    assert made.generalised(day, "12/1", NEAR) == "[date]"


def test_ages_and_dates() -> None:
    made = surrogates()
    assert replaced(made, Kind.AGE, "93") == "90+"
    assert replaced(made, Kind.DATE, "3/14/2003") == "6/22/2003"
    assert replaced(made, Kind.DATE, "45/45/2003") == "[date]"
