"""Changes, undo and redo, and live updates."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Request
from fastapi.responses import StreamingResponse

from auscult.server.access import enter_project
from auscult.server.event_stream import last_seq, stream
from auscult.server.events.append import append_step, current_history, step_back
from auscult.server.events.projection import REDO, UNDO
from auscult.server.projects.settings import names_of
from auscult.server.server import Who
from auscult.server.shapes.coding import Done, History, Step, StepBack
from auscult.server.shapes.common import LARGEST_KEY, InPath, Offset, problems

router = APIRouter(prefix="/projects/{project}", tags=["changes"], responses=problems(409))


@router.post("/steps", status_code=201)
def step(project: InPath, body: Step, who: Who) -> Done:
    """Add, change and remove annotations: one step, done as a whole or not at all.

    The answer comes after the step is on disk. Send it again under the same `client_id` as often
    as you like: it is done once, and `repeated` says so. `seen` names the version of every sheet
    the step touches, as it was when the person made the change; if one has moved on, the answer is
    409 with the sheets as they are now, and nothing was done.
    """
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project)
        names = names_of(connection, who, project)
    done = append_step(who.database, viewer, body, names)
    who.server.bell.ring(project)
    return done


@router.get("/history")
def history(project: InPath, who: Who) -> History:
    """What undo and redo would do now."""
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project)
        return current_history(connection, viewer)


@router.post("/undo", status_code=201)
def undo(project: InPath, body: StepBack, who: Who) -> Done:
    """Undo your last step, whichever note or session it was in. There is no limit."""
    return _back(project, body, who, UNDO)


@router.post("/redo", status_code=201)
def redo(project: InPath, body: StepBack, who: Who) -> Done:
    """Redo the last undone step."""
    return _back(project, body, who, REDO)


@router.get(
    "/live",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "An endless stream."}},
)
def live(
    project: InPath,
    who: Who,
    request: Request,
    after: Offset | None = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> StreamingResponse:
    """Live updates of the project, as server-sent events; coders receive their own only.

    Each message has the event's number as its id, its kind as its event (`edit`, `undo`, `redo`,
    `decide`, `assign`, `give`, `settings`), and as data `{seq, kind, person, sheets: [{chart, note,
    version}]}`. A stream that breaks goes on where it was, by `Last-Event-ID`.
    """
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project)
        begin = last_seq(connection, project) if after is None else after
    if last_event_id is not None and last_event_id.isdecimal():
        begin = min(int(last_event_id[:10]), LARGEST_KEY)
    server = who.server
    return StreamingResponse(
        stream(
            server.database,
            server.bell,
            viewer,
            who.session.digest,
            begin,
            server.settings.live_seconds,
            request.is_disconnected,
        ),
        media_type="text/event-stream",
    )


def _back(project: int, body: StepBack, who: Who, kind: str) -> Done:
    with who.database.reading() as connection:
        viewer = enter_project(connection, who.session, project)
        names = names_of(connection, who, project)
    done = step_back(who.database, viewer, body, kind, names)
    who.server.bell.ring(project)
    return done
