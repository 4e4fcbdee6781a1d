"""A challenge as shown to teams and organizers."""

from __future__ import annotations

import zipfile
from functools import lru_cache
from pathlib import Path

from auscult.challenge import Challenge
from auscult.challenge.leaderboard import leaderboard
from auscult.challenge.ledger import LedgerEntry, team_key
from auscult.challenge.release import release
from auscult.challenge.submitting import Receipt
from auscult.evaluate.system_ranking import SystemRanking
from auscult.server.challenges.store import Hosted
from auscult.server.errors import ForbiddenError
from auscult.server.shapes.challenges import (
    ChallengeOut,
    ProblemOut,
    RankedOut,
    RankingOut,
    ReceiptOut,
    SubmissionOut,
)
from auscult.server.shapes.metrics import metric_out


def about(hosted: Hosted) -> ChallengeOut:
    """What the rules say, and what was sent."""
    settings = hosted.challenge.settings
    corpus = hosted.challenge.corpus
    return ChallengeOut(
        name=hosted.name,
        title=settings.name,
        systems=sorted({system for system, _ in settings.codes}),
        codes=len(settings.codes),
        train=len(corpus.select(splits=[settings.train]).chart_ids()),
        test=len(corpus.select(splits=[settings.test]).chart_ids()),
        attempts=settings.attempts,
        left=hosted.left(),
        feedback=settings.feedback,
        counting=settings.counting,
        team=hosted.session.name,
        may_organize=hosted.session.is_admin,
        is_published=hosted.is_published,
        shows_ranking=hosted.shows_ranking,
        submissions=[_submission(one) for one in hosted.entries()],
    )


def receipt(found: Receipt) -> ReceiptOut:
    """What a team is told of its submission."""
    scores = None if found.score is None else found.score.chosen
    return ReceiptOut(
        submission=_submission(found.entry),
        left=found.left,
        problems=[
            ProblemOut(kind=one.kind.value, says=one.says, row=one.row, is_error=one.is_error)
            for one in found.problems
        ],
        scores=None if scores is None else {name: one.value for name, one in scores.items()},
    )


def ranking(hosted: Hosted) -> RankingOut:
    """The ranking, for those who may see it."""
    if not hosted.shows_ranking:
        raise ForbiddenError("The ranking appears once the organizers publish it.")
    accepted = hosted.challenge.ledger.accepted()
    settings = hosted.challenge.settings
    if not accepted and not settings.humans:
        return RankingOut(documents=0, codes=0, rows=[], definitions={})
    last = max((sent[-1].number for sent in accepted.values()), default=0)
    found = _standings(hosted.challenge.path, last)
    attempts = {team_key(team): len(sent) for team, sent in accepted.items()}
    measured = found.rows[0].metrics if found.rows else {}
    return RankingOut(
        documents=found.charts,
        codes=len(found.codes),
        rows=[
            RankedOut(
                name=row.name,
                rank=row.rank,
                ranks=row.ranks,
                is_person=row.is_human,
                is_own=not row.is_human and team_key(row.name) == team_key(hosted.session.name),
                attempts=0 if row.is_human else attempts[team_key(row.name)],
                metrics={name: metric_out(one) for name, one in row.metrics.items()},
            )
            for row in found.rows
        ],
        definitions={name: one.definition for name, one in measured.items()},
    )


def write_release(hosted: Hosted, folder: Path) -> Path:
    """Everything that teams are given, as a zip file."""
    made = folder / "release"
    release(hosted.challenge, made)
    packed = folder / f"{hosted.name}-release.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(made.rglob("*")):
            if file.is_file():
                archive.write(file, Path(hosted.name) / file.relative_to(made))
    return packed


@lru_cache(maxsize=16)
def _standings(path: Path, last: int) -> SystemRanking:  # noqa: ARG001 - what it stands on
    return leaderboard(Challenge.open(path))


def _submission(one: LedgerEntry) -> SubmissionOut:
    return SubmissionOut(
        number=one.number,
        time=one.time,
        team=one.team,
        status=one.status,
        attempt=one.attempt,
        file=one.file,
        documents=one.charts,
        codes=one.codes,
        problems=len(one.problems),
    )
