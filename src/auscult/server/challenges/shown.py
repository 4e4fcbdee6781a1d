"""A challenge as shown to teams and organizers."""

from __future__ import annotations

import zipfile
from functools import lru_cache
from pathlib import Path

from auscult.challenge import Challenge
from auscult.challenge.calendar import CalendarDate
from auscult.challenge.errors import CalendarError
from auscult.challenge.evidence_track import evidence_leaderboard
from auscult.challenge.leaderboard import leaderboard
from auscult.challenge.ledger import LedgerEntry, team_key
from auscult.challenge.release import ReleaseStage, release
from auscult.challenge.settings import Track
from auscult.challenge.state import ChallengeAction
from auscult.challenge.submitting import Receipt
from auscult.corpus.history import FunnelRow, funnel
from auscult.evaluate.evidence_ranking import EvidenceRanking
from auscult.evaluate.system_ranking import SystemRanking
from auscult.server.challenges.store import Hosted
from auscult.server.shapes.challenges import (
    ChallengeOut,
    DateOut,
    DescriptionOut,
    FunnelRowOut,
    ProblemOut,
    RankedOut,
    RankingOut,
    ReceiptOut,
    RefusedOut,
    SubmissionOut,
    TeamOut,
)
from auscult.server.shapes.metrics import metric_out


def about(hosted: Hosted) -> ChallengeOut:
    """What the rules say, what is due, and what was sent."""
    settings, state = hosted.challenge.settings, hosted.state
    corpus = hosted.challenge.corpus
    own = state.descriptions.get(team_key(hosted.session.name))
    sees_all = hosted.session.is_admin
    return ChallengeOut(
        name=hosted.name,
        title=settings.name,
        systems=sorted({system for system, _ in settings.codes}),
        codes=len(settings.codes),
        train=len(corpus.select(splits=[settings.train]).chart_ids()),
        test=len(corpus.select(splits=[settings.test]).chart_ids()),
        attempts=settings.attempts,
        left=hosted.left(),
        tracks=list(settings.tracks),
        left_by_track={track.value: hosted.left(track) for track in settings.tracks},
        calendar=_calendar(hosted),
        refused=RefusedOut(
            register_team=hosted.why_not(ChallengeAction.REGISTER),
            training=hosted.why_not(ChallengeAction.TRAINING),
            test=hosted.why_not(ChallengeAction.TEST),
            submit=hosted.why_not(ChallengeAction.SUBMIT),
            describe=hosted.why_not(ChallengeAction.DESCRIBE),
            publish=hosted.why_not(ChallengeAction.PUBLISH),
        ),
        needs_registration=state.needs_registration,
        is_registered=state.is_registered(hosted.session.name),
        description=None if own is None else own.text,
        teams=_teams(hosted) if sees_all else [],
        funnel=[_funnel_row(row) for row in funnel(corpus)]
        if sees_all or hosted.is_published
        else [],
        feedback=settings.feedback,
        counting=settings.counting,
        team=hosted.session.name,
        may_organize=hosted.session.is_admin,
        is_published=hosted.is_published,
        shows_ranking=hosted.shows_ranking,
        submissions=[
            _submission(one, track) for track in settings.tracks for one in hosted.entries(track)
        ],
    )


def _funnel_row(row: FunnelRow) -> FunnelRowOut:
    return FunnelRowOut(
        step=row.step, by=row.by, document=row.document, removed=row.removed, left=row.left
    )


def _calendar(hosted: Hosted) -> list[DateOut]:
    calendar = hosted.state.calendar
    return [
        DateOut(
            date=date,
            says=date.says,
            at=calendar.dates[date].isoformat() if date in calendar.dates else None,
            shown=calendar.shown(date),
            has_come=calendar.has_come(date, hosted.now),
        )
        for date in CalendarDate
    ]


def _teams(hosted: Hosted) -> list[TeamOut]:
    state = hosted.state
    names = dict(state.teams)
    for key, one in state.descriptions.items():
        names.setdefault(key, one.team)
    return [
        TeamOut(
            team=name,
            is_registered=key in state.teams,
            description=state.descriptions[key].text if key in state.descriptions else None,
        )
        for key, name in sorted(names.items())
    ]


def receipt(found: Receipt, track: Track) -> ReceiptOut:
    """What a team is told of its submission."""
    scores = None if found.score is None else found.score.chosen
    return ReceiptOut(
        submission=_submission(found.entry, track),
        left=found.left,
        replaces=None if found.replaces is None else _submission(found.replaces, track),
        problems=[
            ProblemOut(kind=one.kind.value, says=one.says, row=one.row, is_error=one.is_error)
            for one in found.problems
        ],
        scores=None if scores is None else {name: one.value for name, one in scores.items()},
    )


def ranking(hosted: Hosted, track: Track) -> RankingOut:
    """The ranking of a track, for those who may see it."""
    why = hosted.why_not(ChallengeAction.RANKING)
    if why is not None and not hosted.shows_ranking:
        raise CalendarError(why)
    ledger = hosted.challenge.ledger_of(track)
    accepted = ledger.accepted()
    said = _descriptions(hosted)
    if not accepted and not hosted.challenge.settings.humans:
        return RankingOut(
            track=track, documents=0, codes=0, rows=[], definitions={}, descriptions=said
        )
    last = max((sent[-1].number for sent in accepted.values()), default=0)
    found = _standings(hosted.challenge.path, last, track)
    attempts = {team_key(team): len(sent) for team, sent in accepted.items()}
    measured = found.rows[0].metrics if found.rows else {}
    return RankingOut(
        track=track,
        documents=found.charts,
        codes=len(found.codes) if isinstance(found, SystemRanking) else found.gold_spans,
        descriptions=said,
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


def _descriptions(hosted: Hosted) -> list[DescriptionOut]:
    """Everybody's for organizers and once published; before that a team sees its own alone."""
    if not (hosted.session.is_admin or hosted.is_published):
        return []
    said = sorted(hosted.state.descriptions.items())
    return [DescriptionOut(team=one.team, text=one.text) for _, one in said]


def write_release(hosted: Hosted, stage: ReleaseStage, folder: Path) -> Path:
    """Everything that teams are given at a stage, as a zip file."""
    made = folder / "release"
    release(hosted.challenge, made, stage=stage)
    packed = folder / f"{hosted.name}-release.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(made.rglob("*")):
            if file.is_file():
                archive.write(file, Path(hosted.name) / file.relative_to(made))
    return packed


@lru_cache(maxsize=16)
def _standings(
    path: Path,
    last: int,  # noqa: ARG001 - what it stands on
    track: Track,
) -> SystemRanking | EvidenceRanking:
    opened = Challenge.open(path)
    return evidence_leaderboard(opened) if track is Track.EVIDENCE else leaderboard(opened)


def _submission(one: LedgerEntry, track: Track) -> SubmissionOut:
    return SubmissionOut(
        number=one.number,
        track=track,
        time=one.time,
        team=one.team,
        status=one.status,
        attempt=one.attempt,
        file=one.file,
        documents=one.charts,
        codes=one.codes,
        problems=len(one.problems),
    )
