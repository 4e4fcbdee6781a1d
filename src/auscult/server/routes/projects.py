"""Projects: list, settings, import and export."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated
from uuid import uuid4

from fastapi import APIRouter, File, Form, Query, UploadFile
from fastapi.responses import FileResponse
from pydantic import ValidationError
from starlette.background import BackgroundTask

from auscult.core.names import require_known
from auscult.corpus.readers import mark_read
from auscult.server.access import Role, enter_project, require_admin
from auscult.server.audit import Action, record, record_of
from auscult.server.errors import RefusedError
from auscult.server.event_stream import SETTINGS
from auscult.server.events.append import append_other
from auscult.server.preannotate.choice import default_choice, named_choice
from auscult.server.preannotate.pending import progress
from auscult.server.projects.as_corpus import gather
from auscult.server.projects.create import Schema, create_project
from auscult.server.projects.export import export_formats, file_name, write_export
from auscult.server.projects.members import set_member
from auscult.server.projects.preannotations import import_given, list_given
from auscult.server.projects.settings import (
    change_project,
    find_project,
    list_projects,
    open_project,
)
from auscult.server.review.agreement import GOLD, gold_of, gold_read
from auscult.server.review.queue import open_review
from auscult.server.server import Who
from auscult.server.shapes.common import InPath, Words, problems
from auscult.server.shapes.projects import (
    GivenSource,
    Imported,
    PreAnnotationOut,
    ProjectChange,
    ProjectIn,
    ProjectInList,
    ProjectOut,
)
from auscult.server.uploads import CORPUS, read_upload

router = APIRouter(tags=["projects"], responses=problems(409))
_Format = Annotated[str, Form(max_length=40, description="corpus (a directory, zipped), jsonl, …")]


@router.get("/formats")
def formats(_who: Who) -> list[str]:
    """The import and export formats."""
    return list(export_formats())


@router.get("/projects")
def projects(who: Who) -> list[ProjectInList]:
    """Your projects; for admins all."""
    with who.database.reading() as connection:
        return list_projects(connection, who.session)


@router.post("/projects", status_code=201)
def new_project(
    who: Who,
    written: Annotated[
        str, Form(alias="project", max_length=300_000, description="JSON, as `ProjectIn`.")
    ],
    file: Annotated[UploadFile, File(description="The corpus: a zip file, or a single file.")],
    format: _Format = CORPUS,  # noqa: A002 - the word that people use
    pre_annotators: Annotated[str, Form(max_length=1000)] = "",
) -> ProjectOut:
    """Create a project from a corpus. You become its supervisor."""
    require_admin(who.session)
    names = [name.strip() for name in pre_annotators.split(",") if name.strip()]
    wanted = _schema(written, names)
    require_known(format, export_formats(), "format")
    with tempfile.TemporaryDirectory() as folder:
        corpus = read_upload(
            file.file, file.filename or "", format, Path(folder), who.server.settings
        )
        with who.database.writing() as connection:
            key = create_project(connection, corpus, wanted, pre_annotators=names)
            set_member(connection, key, who.session.person, Role.SUPERVISOR)
            record(connection, Action.PROJECT, person=who.session.person, project=key)
    who.server.sources.warm_up(wanted.systems)
    who.server.wake_pre_annotation()
    return _project(key, who)


@router.get("/projects/{project}")
def project(project: InPath, who: Who) -> ProjectOut:
    """A project: what is coded, how, and the guidelines."""
    return _project(project, who)


@router.patch("/projects/{project}")
def patch_project(project: InPath, body: ProjectChange, who: Who) -> ProjectOut:
    """Change a project's settings."""
    with who.database.writing() as connection:
        viewer = enter_project(connection, who.session, project, Role.SUPERVISOR)
        append_other(connection, viewer, SETTINGS, str(uuid4()), {})
        change_project(connection, who.session, project, body)
    who.server.bell.ring(project)
    if body.systems:
        who.server.sources.warm_up(body.systems)
    if body.pre_annotate is not None or body.is_archived is False:
        who.server.wake_pre_annotation()
    return _project(project, who)


@router.get("/projects/{project}/given")
def given(project: InPath, who: Who) -> list[GivenSource]:
    """The sources of pre-annotations, and how many were accepted or rejected."""
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project, Role.REVIEWER)
        return list_given(connection, viewer)


@router.post("/projects/{project}/given", status_code=201)
def give(
    project: InPath,
    who: Who,
    file: Annotated[UploadFile, File(description="Annotations, as `auscult predict` writes them.")],
    format: _Format = "jsonl",  # noqa: A002 - the word that people use
    source: Annotated[
        str, Form(max_length=200, description="Name of the source; empty: as in the file.")
    ] = "",
) -> Imported:
    """Import pre-annotations of any model, for the project's coders to accept or reject."""
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project, Role.SUPERVISOR)
    require_known(format, export_formats(), "format")
    with tempfile.TemporaryDirectory() as folder:
        corpus = read_upload(
            file.file, file.filename or "", format, Path(folder), who.server.settings
        )
        found = import_given(who.database, viewer, corpus, source=_storable(source) or None)
    who.server.bell.ring(project)
    return found


@router.get("/projects/{project}/pre-annotation")
def pre_annotation(project: InPath, who: Who) -> PreAnnotationOut:
    """How far the model that pre-annotates the notes has come."""
    background = who.server.pre_annotation
    with who.database.reading() as connection:
        enter_project(connection, who.session, project, Role.REVIEWER)
        problem = None if background is None else background.problem(project)
        return progress(connection, project, problem=problem)


@router.get(
    "/projects/{project}/export",
    response_class=FileResponse,
    responses={200: {"content": {"application/octet-stream": {}}, "description": "The file."}},
)
def export(
    project: InPath,
    who: Who,
    format: Annotated[str, Query(max_length=40)] = CORPUS,  # noqa: A002 - as above
    finished: Annotated[bool, Query(description="Only of charts that are finished.")] = False,
    suggestions: Annotated[
        bool,
        Query(description="With suggestions and verdicts, and when charts were finished."),
    ] = False,
    gold: Annotated[bool, Query(description="With gold, where charts were coded twice.")] = True,
) -> FileResponse:
    """The notes with everybody's annotations, in any format; a folder comes as a zip file.

    The header `X-Auscult-Losses` lists what the format could not represent.
    """
    require_known(format, export_formats(), "format")
    with who.database.writing() as connection:
        viewer = enter_project(connection, who.session, project, Role.SUPERVISOR)
        record_of(
            connection,
            viewer,
            Action.EXPORT,
            detail=format,
            address=who.address,
        )
    with who.database.reading() as connection:
        row = find_project(connection, project)
        corpus = gather(connection, project, finished_only=finished, with_suggestions=suggestions)
        if gold:
            review = open_review(connection, project)
            corpus = mark_read(corpus.with_annotations(gold_of(review)), GOLD, gold_read(review))
    folder = tempfile.TemporaryDirectory()
    try:
        file, losses = write_export(corpus, format, Path(folder.name), file_name(project, row.name))
    except BaseException:
        folder.cleanup()
        raise
    said = "; ".join(losses).encode("ascii", "replace").decode()[:2000]
    return FileResponse(
        file,
        filename=file.name,
        media_type="application/octet-stream",
        headers={"x-auscult-losses": said},
        background=BackgroundTask(folder.cleanup),
    )


def _project(key: int, who: Who) -> ProjectOut:
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, key)
        has_default = who.server.settings.vocabulary is not None
        return open_project(connection, viewer, has_default=has_default)


def _schema(written: str, pre_annotators: list[str]) -> Schema:
    try:
        wanted = ProjectIn.model_validate_json(written)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "JSON"
        raise RefusedError(f"project: {where}: {first['msg']}.") from error
    systems = tuple(dict.fromkeys(wanted.systems))
    if wanted.pre_annotate is None:
        chosen = default_choice(systems, wanted.coders_per_chart, pre_annotators)
    else:
        chosen = named_choice(wanted.pre_annotate)
    return Schema(
        name=wanted.name,
        systems=systems,
        evidence=wanted.evidence,
        coders_per_chart=wanted.coders_per_chart,
        guidelines=wanted.guidelines,
        about=wanted.about,
        logs_suggestions=wanted.logs_suggestions,
        pre_annotator=chosen,
    )


def _storable(text: Words) -> str:
    if "\0" in text:
        raise RefusedError("source: contains a NUL character.")
    return text
