"""Challenges: the release, submissions, and the ranking."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path, PurePosixPath
from typing import Annotated

from fastapi import APIRouter, File, Form, UploadFile
from fastapi import Path as InAddress
from fastapi.responses import FileResponse

from auscult.challenge.submitting import submit
from auscult.server.access import require_admin
from auscult.server.audit import Action, record
from auscult.server.challenges import shown
from auscult.server.challenges.store import NAME, Hosted, find_hosted, list_hosted
from auscult.server.errors import ForbiddenError, RefusedError
from auscult.server.server import Who
from auscult.server.shapes.challenges import (
    ChallengeInList,
    ChallengeOut,
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
    found = list_hosted(who.server.settings.folder, who.session)
    return [
        ChallengeInList(
            name=one.name, title=one.challenge.settings.name, is_published=one.is_published
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
def challenge_release(challenge: Name, who: Who) -> FileResponse:
    """The release: training documents, test documents without codes, rules, the label space."""
    hosted = _hosted(challenge, who)
    _record(who, Action.RELEASE, hosted.name)
    return made_file(lambda folder: shown.write_release(hosted, folder), "application/zip")


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
) -> ReceiptOut:
    """Submit a file. An invalid one is answered with all its errors, and uses up no attempt."""
    hosted = _hosted(challenge, who)
    if team:
        require_admin(who.session)
        if not team.isprintable():
            raise RefusedError("team: contains an invisible character.")
    if hosted.is_published:
        raise ForbiddenError("The ranking is published: the challenge is closed to submissions.")
    with tempfile.TemporaryDirectory() as folder:
        sent = Path(folder, _file_name(file.filename or ""))
        with sent.open("wb") as target:
            shutil.copyfileobj(file.file, target)
        found = submit(hosted.challenge, team or who.session.name, sent)
    _record(who, Action.SUBMIT, f"{hosted.name}: number {found.entry.number}")
    return shown.receipt(found)


@router.get("/{challenge}/ranking")
def challenge_ranking(challenge: Name, who: Who) -> RankingOut:
    """The ranking, once published; before that for organizers, or where teams see their scores."""
    return shown.ranking(_hosted(challenge, who))


@router.post("/{challenge}/publish", status_code=204)
def publish(challenge: Name, who: Who) -> None:
    """Publish the ranking. This closes the challenge and cannot be undone."""
    hosted = _hosted(challenge, who)
    hosted.publish()
    _record(who, Action.PUBLISH, hosted.name)


def _hosted(name: str, who: Who) -> Hosted:
    return find_hosted(who.server.settings.folder, name, who.session)


def _record(who: Who, action: Action, detail: str) -> None:
    with who.database.writing() as connection:
        record(connection, action, person=who.session.person, detail=detail, address=who.address)


def _file_name(sent: str) -> str:
    """The name of a file as it is kept: without folders, and without what no name needs."""
    name = PurePosixPath(sent.replace("\\", "/")).name
    return re.sub(r"[^A-Za-z0-9._-]", "-", name).lstrip(".")[-100:] or "submission"
