"""The challenges of a workbench: folders below `challenges`, each made by `auscult challenge`.

A team is an account. Admins organize. A challenge that names its teams is there for those alone;
one that names none is for everybody with an account.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

from auscult.challenge import Challenge
from auscult.challenge.ledger import LedgerEntry, team_key
from auscult.challenge.settings import Feedback, Track
from auscult.challenge.state import ChallengeAction, ChallengeState, refusal
from auscult.challenge.teams import require_registered
from auscult.core.clock import Clock
from auscult.server.accounts.sessions import Session
from auscult.server.errors import NotFoundError

FOLDER = "challenges"
NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
_MADE = "challenge.json"


@dataclass(frozen=True)
class Hosted:
    """A challenge, and somebody who may see it."""

    challenge: Challenge
    name: str
    session: Session

    @cached_property
    def state(self) -> ChallengeState:
        """The calendar, the teams, their descriptions."""
        return self.challenge.state()

    @property
    def now(self) -> datetime:
        """The moment by the clock of the challenge."""
        return self.challenge.clock.now()

    @property
    def is_published(self) -> bool:
        """Whether its ranking is for all to see, and nothing is taken any more."""
        return self.state.is_published(self.now)

    @property
    def shows_ranking(self) -> bool:
        """Whether this person sees the ranking: from scores, teams could tune on the test set."""
        told = self.challenge.settings.feedback is Feedback.SCORES
        return self.session.is_admin or self.is_published or told

    def why_not(self, action: ChallengeAction) -> str | None:
        """Why the calendar does not allow something now."""
        return refusal(self.state, action, self.now)

    def require_registered(self) -> None:
        """An error where a team has to register first; organizers need not."""
        if not self.session.is_admin:
            require_registered(self.state, self.session.name)

    def entries(self, track: Track = Track.CODES) -> list[LedgerEntry]:
        """What this person may know was sent, the latest first."""
        own = team_key(self.session.name)
        found = self.challenge.ledger_of(track).entries()
        if not self.session.is_admin:
            found = [one for one in found if team_key(one.team) == own]
        return found[::-1]

    def left(self, track: Track = Track.CODES) -> int:
        """How many attempts their team has left."""
        taken = self.challenge.ledger_of(track).taken(self.session.name)
        return max(0, self.challenge.settings.attempts - taken)


def list_hosted(folder: Path, session: Session, clock: Clock | None = None) -> list[Hosted]:
    """The challenges that somebody may see, by name."""
    places = (folder / FOLDER).glob(f"*/{_MADE}")
    names = sorted(place.parent.name for place in places if re.match(NAME, place.parent.name))
    opened = [
        Hosted(Challenge.open(folder / FOLDER / name, clock=clock), name, session) for name in names
    ]
    return [one for one in opened if _may_see(one)]


def find_hosted(folder: Path, name: str, session: Session, clock: Clock | None = None) -> Hosted:
    """A challenge by its name; one that somebody may not see is not there for them."""
    place = folder / FOLDER / name
    if re.match(NAME, name) and (place / _MADE).exists():
        found = Hosted(Challenge.open(place, clock=clock), name, session)
        if _may_see(found):
            return found
    raise NotFoundError("Challenge not found, or your team is not in it.")


def _may_see(hosted: Hosted) -> bool:
    teams = [team_key(team) for team in hosted.challenge.settings.teams]
    session = hosted.session
    return session.is_admin or not teams or team_key(session.name) in teams
