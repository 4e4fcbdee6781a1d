"""What teams do beside submitting: register, and describe their system."""

from __future__ import annotations

from auscult.challenge.challenge import Challenge
from auscult.challenge.errors import CalendarError, ChallengeError
from auscult.challenge.journal import EventKind
from auscult.challenge.ledger import team_key, team_name
from auscult.challenge.state import ChallengeAction, ChallengeState, require_allowed
from auscult.core import OptionError

LONGEST_DESCRIPTION = 20_000
"""Characters: some pages."""
MOST_DESCRIPTIONS = 20
"""Of a team: all are kept."""


def register(challenge: Challenge, team: str, *, who: str = "") -> None:
    """Register a team for the challenge; `who` did it, if not the team itself."""
    check_name(challenge, team)
    now = challenge.clock.now()

    def is_new(state: ChallengeState) -> bool:
        require_allowed(state, ChallengeAction.REGISTER, now)
        if team_key(team) in state.teams:
            raise ChallengeError(f"{team} is already registered.")
        return True

    name = team_name(team)
    challenge.record(
        EventKind.REGISTRATION, {"team": name}, who=who or name, moment=now, allowed=is_new
    )


def describe_system(challenge: Challenge, team: str, text: str, *, who: str = "") -> None:
    """Record a team's description of its system; the last description counts.

    The same text again is not a new description.
    """
    check_name(challenge, team)
    now = challenge.clock.now()
    text = text.strip()
    if not 0 < len(text) <= LONGEST_DESCRIPTION:
        raise OptionError(
            f"A description must have 1 to {LONGEST_DESCRIPTION:,} characters; got {len(text):,}."
        )

    def is_new(state: ChallengeState) -> bool:
        require_allowed(state, ChallengeAction.DESCRIBE, now)
        require_registered(state, team)
        before = state.descriptions.get(team_key(team))
        if before is not None and before.text == text:
            return False
        if before is not None and before.number >= MOST_DESCRIPTIONS:
            raise ChallengeError(
                f"{team} has sent {before.number} descriptions; {MOST_DESCRIPTIONS} is the most "
                "that a team may send. The last one counts."
            )
        return True

    name = team_name(team)
    challenge.record(
        EventKind.DESCRIPTION,
        {"team": name, "text": text},
        who=who or name,
        moment=now,
        allowed=is_new,
    )


def check_name(challenge: Challenge, team: str) -> None:
    """An error if a team may not take part under this name."""
    settings, key = challenge.settings, team_key(team)
    team_name(team)
    if settings.teams and key not in map(team_key, settings.teams):
        raise OptionError(f"{team} is not among the {len(settings.teams)} teams of the challenge.")
    if key in map(team_key, settings.humans):
        raise OptionError(f"{team} is the name of an annotator in the challenge; choose another.")
    if key == team_key(settings.gold):
        raise OptionError(f"{team} is the gold annotator; choose another name.")


def require_registered(state: ChallengeState, team: str) -> None:
    """An error unless a team is registered, where that is needed."""
    if not state.is_registered(team):
        raise CalendarError(f"{team} is not registered for the challenge. Register it first.")
