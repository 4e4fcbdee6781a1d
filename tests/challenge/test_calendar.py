"""The calendar of a challenge: dates, what they refuse, and what is written down."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.challenge.hands import Hands

from auscult.challenge import Challenge, leaderboard, submit
from auscult.challenge.calendar import Calendar, CalendarDate, read_moment
from auscult.challenge.errors import CalendarError, ChallengeError
from auscult.challenge.journal import EventKind
from auscult.challenge.organizing import change_calendar, publish
from auscult.challenge.state import ChallengeAction, ChallengeState, refusal
from auscult.challenge.teams import describe_system, register
from auscult.core import OptionError
from auscult.core.clock import Clock

Make = Callable[..., Challenge]
PERFECT = "document,code\nd1,A\nd2,A;B\nd3,C\nd4,\n"

EARLY, LATE = "2027-03-01T00:00Z", "2027-03-18T00:00Z"


def test_a_time_zone_is_always_said() -> None:
    berlin = read_moment("2027-03-18 23:59 Europe/Berlin")
    assert berlin == read_moment("2027-03-18T23:59+01:00") == read_moment("2027-03-18T22:59Z")
    assert read_moment("2027-03-18 23:59 AoE") - berlin == timedelta(hours=13)
    summer = read_moment("2027-07-18 23:59 Europe/Berlin")
    assert summer == read_moment("2027-07-18T21:59Z")
    for wrong, why in (
        ("2027-03-18T23:59", "no time zone"),
        ("2027-03-18 AoE", "no time of day"),
        ("2027-02-30T10:00Z", "Expected a date"),
        ("next week", "Expected a date"),
        ("2027-03-18 23:59 Mars/Olympus", "Expected a date"),
        ("2027-03-18T23:59+01:00 AoE", "Expected a date"),
    ):
        with pytest.raises(OptionError, match=why):
            read_moment(wrong)
    with pytest.raises(OptionError, match="closing has no time zone"):
        Calendar({CalendarDate.CLOSING: berlin.replace(tzinfo=None)})


def test_dates_in_disorder_are_refused_and_nothing_is_changed(make: Make) -> None:
    challenge = make()
    change_calendar(challenge, {CalendarDate.TEST: read_moment(LATE)}, who="olga")
    with pytest.raises(OptionError, match=r"closing .2027-03-01.* must not be before"):
        change_calendar(challenge, {CalendarDate.CLOSING: read_moment(EARLY)}, who="olga")
    assert list(challenge.state().calendar.dates) == [CalendarDate.TEST]
    assert len(challenge.journal.events()) == 1


@pytest.mark.parametrize(
    ("dates", "allowed"),
    [
        # No date at all: as a challenge without a calendar always was.
        ({}, {"register", "training", "test", "submit", "describe", "publish"}),
        # Only a deadline: nothing waits for anything.
        ({"closing": "2027-03-18T00:00Z"}, {"register", "training", "test", "submit", "describe"}),
        # Training has come, and when test will is to be announced.
        ({"training": "2027-02-01T00:00Z"}, {"register", "training", "describe", "publish"}),
        ({"training": "2027-02-01T00:00Z", "test": "2027-03-10T00:00Z"},
         {"register", "training", "describe", "publish"}),
        ({"registration": "2027-02-01T00:00Z"}, {"register", "describe", "publish"}),
        ({"registration": "2027-03-09T00:00Z"}, {"publish"}),
        ({"closing": "2027-03-04T00:00Z"}, {"training", "test", "publish"}),
        ({"publication": "2027-03-04T00:00Z"}, {"training", "test", "ranking"}),
        ({"publication": "2027-03-14T00:00Z"},
         {"register", "training", "test", "submit", "describe"}),
    ],
)  # fmt: skip
def test_what_an_open_date_means(dates: dict[str, str], allowed: set[str]) -> None:
    """On the fifth of March, by hand."""
    state = ChallengeState(Calendar.of(dates))
    now = read_moment("2027-03-05T00:00Z")
    found = {action.value for action in ChallengeAction if refusal(state, action, now) is None}
    assert found == allowed


def test_a_challenge_made_before_there_were_calendars_opens(make: Make, tmp_path: Path) -> None:
    """Its settings have no tracks, its file no journal, and publication was a file of its own."""
    challenge = make()
    settings = json.loads((challenge.path / "challenge.json").read_text())
    del settings["tracks"]
    settings["layout"] = 1
    (challenge.path / "challenge.json").write_text(json.dumps(settings))
    hands = Hands("2027-03-01T00:00Z")
    old = Challenge.open(challenge.path, clock=hands.clock)
    file = tmp_path / "run.csv"
    file.write_text(PERFECT)
    assert submit(old, "X", file).is_accepted
    describe_system(old, "X", "Trees.")
    assert [row.name for row in leaderboard(old, times=0).systems] == ["X"]
    published = {"time": "2027-02-01T00:00:00+00:00", "by": "adam"}
    (challenge.path / "published.json").write_text(json.dumps(published))
    with pytest.raises(CalendarError, match=r"closed to submissions.*records this submission"):
        submit(old, "X", file)
    with pytest.raises(CalendarError, match="already published"):
        publish(old, who="olga")


def test_what_is_published_by_hand_is_closed_for_the_command_line_too(
    make: Make, tmp_path: Path
) -> None:
    challenge = make()
    file = tmp_path / "run.csv"
    file.write_text(PERFECT)
    publish(challenge, who="olga")
    with pytest.raises(CalendarError, match="The ranking is published"):
        submit(challenge, "X", file)
    with pytest.raises(ChallengeError, match="dates can no longer be changed"):
        change_calendar(challenge, {CalendarDate.CLOSING: read_moment(LATE)}, who="olga")


def test_what_is_published_by_its_date_stays_published(make: Make, tmp_path: Path) -> None:
    """As what is published by hand: teams have seen the ranking."""
    hands = Hands(EARLY)
    challenge = replace(make(), clock=hands.clock)
    change_calendar(challenge, {CalendarDate.PUBLICATION: read_moment(LATE)}, who="olga")
    moved = {CalendarDate.PUBLICATION: read_moment("2027-03-20T00:00Z")}
    hands.put("2027-03-17T23:59Z")
    change_calendar(challenge, moved, who="olga")  # nobody has seen it
    hands.put("2027-03-20T00:00Z")
    for later in (read_moment("2027-05-01T00:00Z"), None):
        with pytest.raises(ChallengeError, match="dates can no longer be changed"):
            change_calendar(challenge, {CalendarDate.PUBLICATION: later}, who="olga")
    with pytest.raises(ChallengeError, match="dates can no longer be changed"):
        change_calendar(challenge, {CalendarDate.CLOSING: read_moment(LATE)}, who="olga")
    file = tmp_path / "run.csv"
    file.write_text(PERFECT)
    with pytest.raises(CalendarError, match="The ranking is published"):
        submit(challenge, "X", file)
    assert len(challenge.journal.events()) == 2


def test_a_submission_counts_from_its_arrival(make: Make, tmp_path: Path) -> None:
    """However long it takes to read and validate."""
    challenge = make()
    deadline = read_moment(LATE)
    ticks = iter([deadline - timedelta(seconds=1), *[deadline + timedelta(seconds=5)] * 9])
    slow = replace(challenge, clock=Clock(lambda: next(ticks)))
    change_calendar(challenge, {CalendarDate.CLOSING: deadline}, who="olga")
    file = tmp_path / "run.csv"
    file.write_text(PERFECT)
    receipt = submit(slow, "X", file)
    assert receipt.is_accepted
    assert receipt.entry.time == "2027-03-17T23:59:59.000+00:00"


def test_the_journal_refuses_to_change(make: Make) -> None:
    challenge = make()
    register(challenge, "X")
    database = sqlite3.connect(challenge.path / "ledger.sqlite")
    replaced = "INSERT OR REPLACE INTO event VALUES (1, '', '', 'registration', '{}')"
    for change in ("UPDATE event SET who = 'me'", "DELETE FROM event", replaced):
        with pytest.raises(sqlite3.Error, match="append-only"):
            database.execute(change)
    database.close()


def test_a_description_and_a_name_have_their_limits(make: Make) -> None:
    challenge = make(teams=("X",))
    with pytest.raises(OptionError, match="1 to 20,000 characters; got 0"):
        describe_system(challenge, "X", " \n")
    with pytest.raises(OptionError, match="not among the 1 teams"):
        register(challenge, "Y")
    describe_system(challenge, "X", "First.")
    describe_system(challenge, "x", "Second.")
    assert [one.text for one in challenge.state().descriptions.values()] == ["Second."]


def test_descriptions_do_not_fill_the_journal(make: Make) -> None:
    """The same text again is none; after twenty of a team, under any spelling, comes no other."""
    challenge = make()
    for number in range(20):
        for name in ("X", "x"):
            describe_system(challenge, name, f"Trees, version {number}. ")
    assert len(challenge.journal.events()) == 20
    describe_system(challenge, "X", "Trees, version 19.")
    with pytest.raises(ChallengeError, match="X has sent 20 descriptions; 20 is the most"):
        describe_system(challenge, "X", "One more.")
    describe_system(challenge, "x", "Trees, version 19.")
    describe_system(challenge, "Y", "Rules.")
    said = [one.text for one in challenge.state().descriptions.values()]
    assert said == ["Trees, version 19.", "Rules."]
    assert len(challenge.journal.events()) == 21


def test_the_state_is_read_without_the_descriptions_that_were_replaced(make: Make) -> None:
    """And is the same as that of all events, in their order."""
    challenge = make()
    assert challenge.journal.standing() == []
    for name, text in (("X", "1"), ("Y", "2"), ("X", "3"), ("x", "4"), ("Y", "5")):
        register(challenge, f"{name}{text}")
        describe_system(challenge, name, text)
    standing = challenge.journal.standing()
    said = [one for one in standing if one.kind is EventKind.DESCRIPTION]
    assert [(one.content["text"], one.times) for one in said] == [("3", 2), ("4", 1), ("5", 2)]
    assert ChallengeState.of(standing) == ChallengeState.of(challenge.journal.events())
    assert challenge.state().descriptions["x"].number == 3
