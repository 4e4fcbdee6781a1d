"""Taking a submission: checked, written down, and answered as the challenge's policy has it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from auscult.challenge.challenge import Challenge
from auscult.challenge.errors import CalendarError, ChallengeError
from auscult.challenge.evidence_track import EvidenceScore, score_evidence
from auscult.challenge.ledger import Ledger, LedgerEntry, SubmissionStatus, team_key
from auscult.challenge.scoring import Score, score_answers
from auscult.challenge.settings import Feedback, RankedSubmission, Track
from auscult.challenge.state import ChallengeAction, refusal
from auscult.challenge.submission import ProblemKind, SubmissionProblem
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
    settings, ledger = challenge.settings, challenge.ledger_of(track)
    check_name(challenge, team)
    expected = challenge.expected(track)
    raw, name, submission = expected.read(file, origin=origin)
    state = challenge.state()
    why = refusal(state, ChallengeAction.SUBMIT, moment)
    if why is not None:
        problem = SubmissionProblem(ProblemKind.TIME, why)
        entry = ledger.reject(
            team, name, raw, [problem], status=SubmissionStatus.REFUSED, moment=moment
        )
        raise CalendarError(
            f"{why.removesuffix('.')}; the ledger records this submission as refused (number "
            f"{entry.number})."
        )
    require_registered(state, team)
    checked = expected.validate(submission, incomplete=incomplete)
    if not checked.is_valid:
        entry = ledger.reject(team, name, raw, checked.problems, moment=moment)
        return Receipt(entry, _left(challenge, ledger, team), checked.problems)
    entry = ledger.accept(
        team,
        name,
        raw,
        charts=checked.charts,
        codes=checked.codes,
        remarks=checked.problems,
        attempts=settings.attempts,
        moment=moment,
    )
    if entry.status is SubmissionStatus.REFUSED:
        raise ChallengeError(
            f"{entry.team} has no attempts left: all {settings.attempts} are used. The ledger "
            f"records this submission as refused (number {entry.number})."
        )
    score: Score | EvidenceScore | None = None
    if settings.feedback is Feedback.SCORES and track is Track.EVIDENCE:
        score = score_evidence(challenge, checked.evidence)
    elif settings.feedback is Feedback.SCORES:
        score = score_answers(challenge.gold(), checked.answers, settings.costs, times=0)
    taken = _accepted(ledger, team)
    before = taken[-2] if len(taken) > 1 and settings.counting is RankedSubmission.LAST else None
    left = max(0, settings.attempts - len(taken))
    return Receipt(entry, left, checked.problems, score, before)


def _accepted(ledger: Ledger, team: str) -> list[LedgerEntry]:
    by_key = {team_key(name): taken for name, taken in ledger.accepted().items()}
    return by_key.get(team_key(team), [])


def _left(challenge: Challenge, ledger: Ledger, team: str) -> int:
    return max(0, challenge.settings.attempts - len(_accepted(ledger, team)))
