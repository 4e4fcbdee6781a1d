"""Taking a submission: checked, written down, and answered as the challenge's policy has it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from auscult.challenge.challenge import Challenge
from auscult.challenge.errors import ChallengeError
from auscult.challenge.ledger import LedgerEntry, SubmissionStatus, team_key
from auscult.challenge.scoring import Score, score_answers
from auscult.challenge.settings import Feedback
from auscult.challenge.submission import SubmissionProblem, check, read_path
from auscult.core import OptionError


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a team is told."""

    entry: LedgerEntry
    left: int
    """The team's remaining attempts."""
    problems: tuple[SubmissionProblem, ...] = field(repr=False)
    score: Score | None = None
    """Only if the policy reveals scores."""

    @property
    def is_accepted(self) -> bool:
        """Whether it counts."""
        return self.entry.status is SubmissionStatus.ACCEPTED

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            **self.entry.to_dict(),
            "attempts_left": self.left,
            "problems": [problem.to_dict() for problem in self.problems],
            **({} if self.score is None else {"scores": self.score.values()}),
        }


def submit(challenge: Challenge, team: str, file: Path, *, origin: str | None = None) -> Receipt:
    """Take a team's submission. An invalid one is written down and costs no attempt.

    `file` may be a corpus, such as a coder's predictions; `origin` says whose codes are submitted,
    where it has those of several.
    """
    settings, ledger = challenge.settings, challenge.ledger
    if settings.teams and team_key(team) not in map(team_key, settings.teams):
        raise OptionError(f"{team} is not among the {len(settings.teams)} teams of the challenge.")
    if team_key(team) in map(team_key, settings.humans):
        raise OptionError(f"{team} is the name of an annotator in the challenge; choose another.")
    if team_key(team) == team_key(settings.gold):
        raise OptionError(f"{team} is the gold annotator; choose another name.")
    raw, name, submission = read_path(file, origin=origin, document=settings.document.value)
    gold = challenge.gold()
    checked = check(submission, gold, settings.label_set)
    if not checked.is_valid:
        entry = ledger.reject(team, name, raw, checked.problems)
        return Receipt(entry, _left(challenge, team), checked.problems)
    entry = ledger.accept(
        team,
        name,
        raw,
        charts=checked.charts,
        codes=checked.codes,
        remarks=checked.problems,
        attempts=settings.attempts,
    )
    if entry.status is SubmissionStatus.REFUSED:
        raise ChallengeError(
            f"{entry.team} has no attempts left: all {settings.attempts} are used. The ledger "
            f"records this submission as refused (number {entry.number})."
        )
    score = None
    if settings.feedback is Feedback.SCORES:
        score = score_answers(gold, checked.answers, settings.costs, times=0)
    return Receipt(entry, _left(challenge, team), checked.problems, score)


def _left(challenge: Challenge, team: str) -> int:
    by_key = {team_key(name): len(taken) for name, taken in challenge.ledger.accepted().items()}
    return max(0, challenge.settings.attempts - by_key.get(team_key(team), 0))
