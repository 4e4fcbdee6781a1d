"""`auscult challenge register`, `describe` and `teams`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.challenge.arguments import challenge_argument, open_challenge, user
from auscult.cli.output import command, table


@click.command()
@challenge_argument
@click.argument("team")
@command
def register(challenge: Path, team: str) -> Any:
    """Register TEAM, while registration is open.

    \b
    Example:
      auscult challenge register our-task "Team X"
    """
    from auscult.challenge.teams import register as enter

    enter(open_challenge(challenge), team, who=user())
    return {"challenge": str(challenge), "team": team}, lambda: click.echo(f"Registered {team}.")


@click.command()
@challenge_argument
@click.argument("team")
@click.argument("file", type=click.Path(path_type=Path))
@command
def describe(challenge: Path, team: str, file: Path) -> Any:
    """Record the text in FILE as TEAM's description of its system, until submissions close.

    The last description counts; earlier ones are kept.

    \b
    Example:
      auscult challenge describe our-task "Team X" system.txt
    """
    from auscult.challenge.teams import describe_system
    from auscult.core.files import read_text

    text = read_text(file)
    describe_system(open_challenge(challenge), team, text, who=user())
    found = {"challenge": str(challenge), "team": team, "characters": len(text.strip())}
    return found, lambda: click.echo(f"Recorded the description of {team}'s system.")


@click.command()
@challenge_argument
@command
def teams(challenge: Path) -> Any:
    """List the teams: registration, accepted submissions, and the description of the system.

    \b
    Example:
      auscult challenge teams our-task
    """
    from auscult.challenge.ledger import team_key

    opened = open_challenge(challenge)
    state = opened.state()
    sent = {track.value: opened.ledger_of(track).accepted() for track in opened.settings.tracks}
    names = {**state.teams}
    for team in (*(team for taken in sent.values() for team in taken),
                 *(one.team for one in state.descriptions.values())):  # fmt: skip
        names.setdefault(team_key(team), team)
    number = {
        track: {team_key(team): len(entries) for team, entries in taken.items()}
        for track, taken in sent.items()
    }
    listed = [
        {
            "team": name,
            "registered": key in state.teams,
            "attempts": {track: counts.get(key, 0) for track, counts in number.items()},
            "description": state.descriptions[key].text if key in state.descriptions else None,
        }
        for key, name in sorted(names.items())
    ]

    def say() -> None:
        rows = [
            (
                one["team"],
                "yes" if one["registered"] else "–",
                *(number[track].get(team_key(str(one["team"])), 0) for track in number),
                _first(one["description"]),
            )
            for one in listed
        ]
        table(None, ["team", "registered", *number, "description"], rows)

    return {"challenge": str(challenge), "teams": listed}, say


def _first(text: object) -> str:
    """The beginning of a description."""
    words = " ".join(str(text or "–").split())
    return words if len(words) <= 40 else f"{words[:39]}…"
