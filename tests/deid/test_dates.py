"""Dates in the writing they had: all forms, leap days, two-digit years, no such day."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.core import Note
from auscult.deid import PhiKind, builtin, detect
from auscult.deid.date_shift import KeyedRandom, draw_offset, shift_iso
from auscult.deid.dates import read_date, shifted

NEAR = date(2149, 3, 20)


@pytest.mark.parametrize(
    ("written", "after"),
    [
        ("3/14/2149", "3/24/2149"),
        ("03/14/2149", "03/24/2149"),
        ("3/28/49", "4/7/49"),
        ("12/28/2149", "01/07/2150"),
        ("2149-03-14", "2149-03-24"),
        ("2149/3/28", "2149/4/7"),
        ("28.03.2149", "07.04.2149"),
        ("March 14, 2149", "March 24, 2149"),
        ("March 14th", "March 24th"),
        ("March 22nd, 2149", "April 1st, 2149"),
        ("MARCH 22", "APRIL 1"),
        ("14-Mar", "24-Mar"),
        ("28-Mar-2149", "7-Apr-2149"),
        ("22nd of March", "1st of April"),
        ("Mar 28", "Apr 7"),
        ("28 de marzo de 2149", "7 de abril de 2149"),
        ("3/28", "4/7"),
        ("03/28", "04/07"),
        ("12/28", "1/7"),
        ("March", "March"),
        ("3/2149", "3/2149"),
        ("2149", "2149"),
        ("the 14th", "the 24th"),
        ("the 28th", "the 7th"),
        ("Friday 3/14/2149", "Monday 3/24/2149"),
        ("Fri, March 14", "Mon, March 24"),
    ],
)
def test_ten_days_later_in_the_same_writing(written: str, after: str) -> None:
    assert shifted(written, timedelta(days=10), NEAR) == after


@pytest.mark.parametrize("written", ["2/30/2020", "2149-13-01", "2/29/2021", "4/31", "0/5/2001"])
def test_there_is_no_such_day(written: str) -> None:
    assert read_date(written) is None


def test_leap_days() -> None:
    day, year = timedelta(days=1), timedelta(days=365)
    assert shifted("2/28/2148", day, None) == "2/29/2148"
    assert shifted("2/28/2149", day, None) == "3/1/2149"
    assert shifted("2/29/2148", year, None) == "2/28/2149"
    assert shifted("2/29", day, date(2148, 3, 5)) == "3/1"


def test_the_year_that_is_not_written_is_the_nearest() -> None:
    assert read_date("12/30").on(date(2003, 1, 2)) == date(2002, 12, 30)  # type: ignore[union-attr]  # it is a date
    assert read_date("1/3").on(date(2002, 12, 30)) == date(2003, 1, 3)  # type: ignore[union-attr]  # it is a date


def test_two_digits_are_the_last_such_year_that_was() -> None:
    born = read_date("2/6/45")
    assert born is not None
    assert born.on(date(2003, 1, 2)) == date(1945, 2, 6)
    assert born.on(date(2045, 3, 2)) == date(2045, 2, 6)


def test_the_day_first() -> None:
    assert shifted("3/4/2149", timedelta(days=30), None, day_first=True) == "3/5/2149"
    assert shifted("3/4/2149", timedelta(days=30), None) == "4/3/2149"
    assert shifted("25/4/2149", timedelta(days=1), None) == "26/4/2149"


@given(
    st.dates(date(1905, 1, 1), date(2190, 1, 1)),
    st.dates(date(1905, 1, 1), date(2190, 1, 1)),
    st.integers(-1825, 1825),
    st.sampled_from(["{d.month}/{d.day}/{d.year}", "{d:%Y-%m-%d}", "{d:%B} {d.day}, {d.year}",
                     "{d.day}-{d:%b}-{d.year}", "{d:%m/%d/%Y}", "{d:%A} {d:%m/%d/%Y}"]),
)  # fmt: skip
def test_time_between_two_days_stays_exact(first: date, second: date, by: int, form: str) -> None:
    moved = []
    for day in (first, second):
        written = shifted(form.format(d=day), timedelta(days=by), None)
        assert written is not None
        read = read_date(written)
        assert read is not None
        moved.append(read.on(None))
    assert moved[1] - moved[0] == second - first
    assert moved[0] - first == timedelta(days=by)


@given(st.dates(date(1950, 1, 1), date(2150, 1, 1)), st.integers(-90, 90), st.integers(-1825, 1825))
def test_days_without_a_year_keep_their_distance_to_the_note(
    note: date, away: int, by: int
) -> None:
    day = note + timedelta(days=away)
    if (day.month, day.day) == (2, 29) or (day + timedelta(days=by)).strftime("%m%d") == "0229":
        return  # in a year without one it is read as the 28th
    written = shifted(f"{day.month}/{day.day}", timedelta(days=by), note)
    assert written is not None
    read = read_date(written)
    assert read is not None
    assert read.on(note + timedelta(days=by)) - (note + timedelta(days=by)) == timedelta(days=away)


@given(st.text(), st.booleans(), st.booleans())
def test_offsets_are_never_nothing_and_keep_what_they_should(
    patient: str, weekday: bool, season: bool
) -> None:
    days = draw_offset(
        KeyedRandom(b"secret"), patient, keep_weekday=weekday, keep_season=season
    ).days
    assert 30 <= abs(days) <= 1830
    if weekday:
        assert days % 7 == 0
    if season:
        assert abs(days) % 365.25 <= 4 or abs(days) % 365.25 >= 361


@pytest.mark.parametrize("weekday", [False, True])
@pytest.mark.parametrize("season", [False, True])
def test_dates_move_back_as_often_as_forward(weekday: bool, season: bool) -> None:
    """Otherwise a date of today would tell that the original is in the past of it, or later."""
    chance = KeyedRandom(b"secret")
    offsets = [
        draw_offset(chance, str(patient), keep_weekday=weekday, keep_season=season).days
        for patient in range(1_000)
    ]
    back = [-days for days in offsets if days < 0]
    forward = [days for days in offsets if days > 0]
    assert len(back) + len(forward) == 1_000
    assert 430 <= len(back) <= 570  # within four and a half standard deviations of a half
    # Neither way goes further than the other, so the length of a move does not tell its direction.
    assert sum(back) / len(back) == pytest.approx(sum(forward) / len(forward), rel=0.15)


def test_offsets_differ_between_patients_and_secrets() -> None:
    patients = {draw_offset(KeyedRandom(b"a"), str(n)).days for n in range(200)}
    assert len(patients) > 150
    assert draw_offset(KeyedRandom(b"a"), "1") != draw_offset(KeyedRandom(b"b"), "1")


def test_iso_times() -> None:
    assert shift_iso("2148-02-28T23:59:00", timedelta(days=2)) == "2148-03-01T23:59:00"


def dates_in(text: str, time: str | None = "2149-03-20") -> list[str]:
    (found,) = detect([Note("n", "c", text=text, time=time)], builtin())
    return [text[f.begin : f.end] for f in found if f.hide and f.kind is PhiKind.DATE]


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("Admitted 3/14/2149, discharged 2149-03-20.", ["3/14/2149", "2149-03-20"]),
        ("CXR 3/7: clear. VS 12/6: T 99.", ["3/7", "12/6"]),
        ("Seen on 2/2 and until 5/5 in clinic", ["2/2", "5/5"]),
        ("Labs (3/14) normal, 3/12-3/14", ["3/14", "3/12", "3/14"]),
        ("s/p CABG in 2141, stroke (2139), since March 2140", ["2141", "2139", "March 2140"]),
        ("Returned in May. On the 14th, she fell.", ["May", "14th"]),
        ("DOB: 02/06/45. Tuesday, March 14th.", ["02/06/45", "Tuesday, March 14th"]),
        ("Labs 2149-03-14T08:00 drawn", ["2149-03-14"]),
        ("3 doses. September 21, 2148", ["September 21, 2148"]),
        ("CABG x 3 September 21, 2148", ["September 21, 2148"]),
        ("14 de marzo de 2149", ["14 de marzo de 2149"]),
    ],
)
def test_dates_are_found_as_they_are_written(text: str, dates: list[str]) -> None:
    assert dates_in(text) == dates


def test_days_that_are_none_and_holidays_go_to_the_review() -> None:
    text = "Seen 2/30/2149, and again on Christmas Eve."
    (found,) = detect([Note("n", "c", text=text)], builtin())
    assert [(text[f.begin : f.end], bool(f.doubt)) for f in found] == [
        ("2/30/2149", True),
        ("Christmas Eve", True),
    ]


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("3/12/2149-3/14/2149", ["3/12/2149", "3/14/2149"]),
        ("2149-03-12 - 2149-03-14", ["2149-03-12", "2149-03-14"]),
        ("Stay 3/12/49 to 3/14/49.", ["3/12/49", "3/14/49"]),
        ("16/018/2149", ["16/018/2149"]),
    ],
)
def test_both_ends_of_a_range_and_slips_of_the_keyboard(text: str, dates: list[str]) -> None:
    assert dates_in(text) == dates
