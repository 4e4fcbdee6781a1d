"""Taking a submission: checked, written down, and answered as the challenge's policy has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from auscult.challenge.challenge import Challenge
from auscult.challenge.errors import CalendarError, ChallengeError
from auscult.challenge.evidence_track import EvidenceScore, score_evidence
from auscult.challenge.ledger import (
    REFUSALS_LISTED,
    Ledger,
    LedgerEntry,
    SubmissionStatus,
    team_key,
    team_name,
)
from auscult.challenge.scoring import Score, score_answers
from auscult.challenge.settings import Feedback, RankedSubmission, Track
from auscult.challenge.state import ChallengeAction, refusal, require_allowed
from auscult.challenge.submission import ProblemKind, SubmissionProblem, digest_path
from auscult.challenge.teams import check_name, require_registered


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a team is told."""

    entry: LedgerEntry
    left: int
    """The team's remaining attempts."""
    problems: tuple[SubmissionProblem, ...] = field(repr=False)
    score: Score | EvidenceScore | None = None
    """Only if the policy reveals scores."""
    replaces: LedgerEntry | None = None
    """The submission that was ranked before, if the last one is."""

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
            "replaces": None if self.replaces is None else self.replaces.to_dict(),
        }


def submit(
    challenge: Challenge,
    team: str,
    file: Path,
    *,
    origin: str | None = None,
    track: Track = Track.CODES,
    incomplete: bool = False,
) -> Receipt:
    """Take a team's submission. An invalid one is written down and costs no attempt.

    `file` may be a corpus, such as a coder's predictions; `origin` says whose codes are submitted,
    where it has those of several. A file that lacks test documents is invalid, unless `incomplete`
    confirms that they are missing on purpose. One that comes too early or too late is recorded as
    refused and raises an error.
    """
    moment = challenge.clock.now()
    admit(challenge, team, lambda: digest_path(file), track=track, moment=moment)
    settings, ledger = challenge.settings, challenge.ledger_of(track)
    expected = challenge.expected(track)
    raw, name, submission = expected.read(file, origin=origin)
    checked = expected.validate(submission, incomplete=incomplete)
    if not checked.is_valid:
        entry = ledger.reject(team, name, raw, checked.problems, moment=moment)
        left = max(0, settings.attempts - ledger.taken(team))
        return Receipt(entry, left, checked.problems)

    def is_time() -> None:
        state = challenge.state()
        require_allowed(state, ChallengeAction.SUBMIT, moment)
        require_registered(state, team)

    try:
        with challenge.taking(track):
            entry = ledger.accept(
                team,
                name,
                raw,
                charts=checked.charts,
                codes=checked.codes,
                remarks=checked.problems,
                attempts=settings.attempts,
                moment=moment,
                allowed=is_time,
            )
    except CalendarError:  # what was allowed before it was read is so no more
        admit(challenge, team, lambda: digest_path(file), track=track, moment=moment)
        raise
    if entry.status is SubmissionStatus.REFUSED:
        raise ChallengeError(_no_attempts(entry.team, settings.attempts, entry))
    score: Score | EvidenceScore | None = None
    if settings.feedback is Feedback.SCORES and track is Track.EVIDENCE:
        score = score_evidence(challenge, checked.evidence)
    elif settings.feedback is Feedback.SCORES:
        score = score_answers(challenge.gold(), checked.answers, settings.costs, times=0)
    taken = _accepted(ledger, team)
    before = taken[-2] if len(taken) > 1 and settings.counting is RankedSubmission.LAST else None
    left = max(0, settings.attempts - len(taken))
    return Receipt(entry, left, checked.problems, score, before)


def admit(
    challenge: Challenge,
    team: str,
    sent: Callable[[], tuple[str, str]],
    *,
    track: Track = Track.CODES,
    moment: datetime | None = None,
) -> None:
    """An error if a team may not submit, before its file is read.

    `sent` tells the name of the file and its digest, for the ledger.
    """
    moment = moment or challenge.clock.now()
    check_name(challenge, team)
    ledger, attempts = challenge.ledger_of(track), challenge.settings.attempts
    state = challenge.state()
    why = refusal(state, ChallengeAction.SUBMIT, moment)
    if why is not None:
        problem = SubmissionProblem(ProblemKind.TIME, why)
        entry = ledger.refuse(team, *sent(), [problem], moment=moment)
        raise CalendarError(f"{why.removesuffix('.')}; the {_recorded(entry)}")
    require_registered(state, team)
    if ledger.taken(team) >= attempts:
        entry = ledger.refuse(team, *sent(), moment=moment)
        raise ChallengeError(_no_attempts(team_name(team), attempts, entry))


def _no_attempts(team: str, attempts: int, entry: LedgerEntry | None) -> str:
    return f"{team} has no attempts left: all {attempts} are used. The {_recorded(entry)}"


def _recorded(entry: LedgerEntry | None) -> str:
    if entry is None:
        return (
            f"ledger lists {REFUSALS_LISTED} refused submissions of the team, and only counts this "
            "one."
        )
    return f"ledger records this submission as refused (number {entry.number})."


def _accepted(ledger: Ledger, team: str) -> list[LedgerEntry]:
    by_key = {team_key(name): taken for name, taken in ledger.accepted().items()}
    return by_key.get(team_key(team), [])
