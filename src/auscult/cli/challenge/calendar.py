"""`auscult challenge calendar` and `auscult challenge publish`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.challenge.arguments import challenge_argument, open_challenge, user
from auscult.cli.output import command, table

if TYPE_CHECKING:
    from auscult.challenge.calendar import Calendar, CalendarDate

_DATES = (
    ("registration", "Registration opens; from then on only registered teams take part"),
    ("registration-end", "Registration ends"),
    ("training", "The training documents are released"),
    ("test", "The test documents are released, and submissions open"),
    ("closing", "Submissions close"),
    ("publication", "The ranking is published"),
)
_FORM = "DATE"


def _dated(function: Any) -> Any:
    for name, says in reversed(_DATES):
        option = click.option(f"--{name}", metavar=_FORM, help=f"{says}.")
        function = option(function)
    return function


@click.command()
@challenge_argument
@_dated
@click.option("--history", "with_history", is_flag=True, help="Also list every change of a date.")
@command
def calendar(challenge: Path, with_history: bool, **given: str | None) -> Any:
    """Show the dates of a challenge, or change them.

    A DATE has a time zone: 2027-03-18T23:59+01:00, "2027-03-18 23:59 Europe/Berlin", or AoE
    (anywhere on earth, UTC-12). It may also be `now`, or `open` to leave it open. An open date that
    follows a set date is still to be announced; one that precedes all set dates sets no limit. The
    command line and the workbench enforce the dates by the same rules. Every change is recorded.

    \b
    Example:
      auscult challenge calendar our-task --training 2027-02-01T09:00Z --test 2027-03-01T09:00Z
      auscult challenge calendar our-task --closing "2027-03-18 23:59 AoE" --publication open
    """
    from auscult.challenge.calendar import CalendarDate, shown_moment
    from auscult.challenge.journal import EventKind
    from auscult.challenge.organizing import change_calendar

    opened = open_challenge(challenge)
    now = opened.clock.now()
    changes = {
        CalendarDate(name.replace("_", "-")): _moment(value, now)
        for name, value in given.items()
        if value is not None
    }
    dates = change_calendar(opened, changes, who=user())
    history = [one for one in opened.journal.events() if one.kind is EventKind.CALENDAR]

    def say() -> None:
        rows = [(date.value, dates.shown(date), _state(dates, date, now)) for date in CalendarDate]
        table(None, ["date", "when", ""], rows)
        if with_history:
            click.echo()
            changed = [
                (shown_moment(one.time), one.who, name, at or "open")
                for one in history
                for name, at in one.content["dates"].items()
            ]
            table("changes", ["when", "who", "date", "became"], changed)

    return {
        "challenge": str(challenge),
        "calendar": dates.to_dict(),
        "come": {date.value: dates.has_come(date, now) for date in CalendarDate},
        "history": [one.to_dict() for one in history],
    }, say


def _moment(value: str, now: datetime) -> datetime | None:
    from auscult.challenge.calendar import read_moment

    if value.strip().lower() == "open":
        return None
    return now.replace(microsecond=0) if value.strip().lower() == "now" else read_moment(value)


def _state(dates: Calendar, date: CalendarDate, now: datetime) -> str:
    if date not in dates.dates:
        return ""
    return "past" if dates.has_come(date, now) else "to come"


@click.command()
@challenge_argument
@command
def publish(challenge: Path) -> Any:
    """Publish the ranking by hand, where the calendar has no date for it.

    This closes the challenge and cannot be undone.

    \b
    Example:
      auscult challenge publish our-task
    """
    from auscult.challenge.organizing import publish as make_public

    opened = open_challenge(challenge)
    make_public(opened, who=user())
    return {"challenge": str(challenge), "published": True}, lambda: click.echo(
        f"{challenge}: the ranking is published, and the challenge is closed to submissions."
    )
