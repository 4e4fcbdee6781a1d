"""Challenges: the release, submissions, and the ranking."""

from __future__ import annotations

import re
import shutil
import tempfile
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Annotated

from fastapi import APIRouter, File, Form, Query, UploadFile
from fastapi import Path as InAddress
from fastapi.responses import FileResponse

from auscult.challenge.calendar import read_moment
from auscult.challenge.organizing import change_calendar
from auscult.challenge.organizing import publish as make_public
from auscult.challenge.release import ReleaseStage, due_stage
from auscult.challenge.settings import Track
from auscult.challenge.state import ChallengeAction
from auscult.challenge.submitting import admit, submit
from auscult.challenge.teams import describe_system, register
from auscult.server.access import require_admin
from auscult.server.audit import Action, record
from auscult.server.challenges import shown
from auscult.server.challenges.store import NAME, Hosted, find_hosted, list_hosted
from auscult.server.errors import ForbiddenError, RefusedError
from auscult.server.server import Who
from auscult.server.shapes.challenges import (
    ChallengeInList,
    ChallengeOut,
    ChangedCalendar,
    Described,
    NamedTeam,
    RankingOut,
    ReceiptOut,
)
from auscult.server.shapes.common import problems
from auscult.server.temporary_files import made_file

router = APIRouter(prefix="/challenges", tags=["challenges"], responses=problems())
Name = Annotated[str, InAddress(pattern=NAME)]


@router.get("")
def challenges(who: Who) -> list[ChallengeInList]:
    """The challenges that you may take part in."""
    found = list_hosted(who.server.settings.folder, who.session, who.server.clock)
    return [
        ChallengeInList(
            name=one.name,
            title=one.challenge.settings.name,
            is_published=one.is_published,
            closed=one.why_not(ChallengeAction.SUBMIT),
        )
        for one in found
    ]


@router.get("/{challenge}")
def challenge(challenge: Name, who: Who) -> ChallengeOut:
    """A challenge, and your team's submissions."""
    return shown.about(_hosted(challenge, who))


@router.get(
    "/{challenge}/release",
    response_class=FileResponse,
    responses={200: {"content": {"application/zip": {}}, "description": "The file."}},
)
def challenge_release(
    challenge: Name,
    who: Who,
    stage: Annotated[
        ReleaseStage | None, Query(description="By default, all that is due by the calendar.")
    ] = None,
) -> FileResponse:
    """The release: training documents, test documents without codes, rules, the label space."""
    hosted = _hosted(challenge, who)
    hosted.require_registered()
    due = due_stage(hosted.challenge, hosted.state, stage)
    _record(who, Action.RELEASE, f"{hosted.name}: {due}")
    return made_file(lambda folder: shown.write_release(hosted, due, folder), "application/zip")


@router.post("/{challenge}/registration", status_code=204)
def registration(challenge: Name, body: NamedTeam, who: Who) -> None:
    """Register your team; organizers may register any."""
    hosted = _hosted(challenge, who)
    team = _team(body.team, who)
    register(hosted.challenge, team, who=who.session.name)
    _record(who, Action.REGISTER, f"{hosted.name}: {team}")


@router.post("/{challenge}/description", status_code=204)
def description(challenge: Name, body: Described, who: Who) -> None:
    """Send the description of your team's system; the last one counts."""
    hosted = _hosted(challenge, who)
    team = _team(body.team, who)
    describe_system(hosted.challenge, team, body.text, who=who.session.name)
    _record(who, Action.DESCRIBE, f"{hosted.name}: {team}")


@router.post("/{challenge}/calendar", status_code=204)
def change_dates(challenge: Name, body: ChangedCalendar, who: Who) -> None:
    """Change dates, or leave them open. Every change is recorded."""
    hosted = _hosted(challenge, who)
    require_admin(who.session)
    changes = {one.date: read_moment(one.at) if one.at else None for one in body.dates}
    change_calendar(hosted.challenge, changes, who=who.session.name)
    listed = ", ".join(f"{one.date} {one.at or 'open'}" for one in body.dates)
    _record(who, Action.CALENDAR, f"{hosted.name}: {listed}")


@router.post("/{challenge}/submissions", status_code=201)
def submissions(
    challenge: Name,
    who: Who,
    file: Annotated[UploadFile, File(description="XML, CSV or JSON, as described in the rules.")],
    team: Annotated[
        str,
        Form(
            max_length=60, description="Organizers may submit for any team, others for their own."
        ),
    ] = "",
    track: Annotated[Track, Form(description="Codes, or the evidence for them.")] = Track.CODES,
    incomplete: Annotated[
        bool, Form(description="Confirms that documents are missing on purpose.")
    ] = False,
) -> ReceiptOut:
    """Submit a file. An invalid one is answered with all its errors, and uses up no attempt."""
    hosted = _hosted(challenge, who)
    name = _team(team, who)
    called = _file_name(file.filename or "")
    admit(hosted.challenge, name, lambda: (called, _digest(file)), track=track)
    with tempfile.TemporaryDirectory() as folder:
        sent = Path(folder, called)
        with sent.open("wb") as target:
            shutil.copyfileobj(file.file, target)
        found = submit(hosted.challenge, name, sent, track=track, incomplete=incomplete)
    _record(who, Action.SUBMIT, f"{hosted.name}: {track} number {found.entry.number}")
    return shown.receipt(found, track)


@router.get("/{challenge}/ranking")
def challenge_ranking(challenge: Name, who: Who, track: Track = Track.CODES) -> RankingOut:
    """The ranking, once published; before that for organizers, or where teams see their scores."""
    return shown.ranking(_hosted(challenge, who), track)


@router.post("/{challenge}/publish", status_code=204)
def publish(challenge: Name, who: Who) -> None:
    """Publish the ranking. This closes the challenge and cannot be undone."""
    hosted = _hosted(challenge, who)
    if not who.session.is_admin:
        raise ForbiddenError("Only admins can publish the ranking.")
    make_public(hosted.challenge, who=who.session.name)
    _record(who, Action.PUBLISH, hosted.name)


def _hosted(name: str, who: Who) -> Hosted:
    return find_hosted(who.server.settings.folder, name, who.session, who.server.clock)


def _team(team: str, who: Who) -> str:
    """The team that is meant: organizers may act for any, others for their own."""
    if not team:
        return who.session.name
    require_admin(who.session)
    if not team.isprintable():
        raise RefusedError("team: contains an invisible character.")
    return team


def _record(who: Who, action: Action, detail: str) -> None:
    with who.database.writing() as connection:
        record(connection, action, person=who.session.person, detail=detail, address=who.address)


def _digest(file: UploadFile) -> str:
    digest = sha256()
    while some := file.file.read(1 << 20):
        digest.update(some)
    return digest.hexdigest()


def _file_name(sent: str) -> str:
    """The name of a file as it is kept: without folders, and without what no name needs."""
    name = PurePosixPath(sent.replace("\\", "/")).name
    return re.sub(r"[^A-Za-z0-9._-]", "-", name).lstrip(".")[-100:] or "submission"
