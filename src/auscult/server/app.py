"""The application: routes, errors in words, and the browser's files."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import IntegrityError, OperationalError
from starlette.exceptions import HTTPException

from auscult.challenge.errors import CalendarError
from auscult.core import AuscultError
from auscult.core.version import __version__
from auscult.server import static
from auscult.server.errors import RefusedError
from auscult.server.guard import Guard, log_defect
from auscult.server.routes import (
    challenges,
    charts,
    codes,
    deid,
    events,
    people,
    projects,
    review,
    session,
    team,
)
from auscult.server.server import Server

_ABOUT = """
The annotation workbench of Auscult.

**Offsets** count Unicode code points, half-open, in the note's text exactly as `GET …/notes/{note}`
gives it. JavaScript counts UTF-16 units and has to convert.

**Changes** are steps: sent with a `client_id` that makes retries harmless and the versions of the
sheets they were made on, answered once they are on disk. A sheet is one person's work on one note
(or on a chart as a whole: `note` null).

**Every change** needs the header `X-CSRF-Token`, as `GET /api/me` gives it, and the session's
cookie. Errors are `{kind, message, …}`.
"""
_ROUTERS = (
    session,
    people,
    projects,
    team,
    charts,
    events,
    codes,
    review,
    deid,
    challenges,
)


def make_app(server: Server) -> FastAPI:
    """The application of a workbench."""

    @asynccontextmanager
    async def living(_app: FastAPI) -> AsyncIterator[None]:
        yield
        server.bell.close()

    app = FastAPI(
        title="Auscult",
        version=__version__,
        description=_ABOUT,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=living,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.server = server
    for module in _ROUTERS:
        app.include_router(module.router, prefix="/api")
    app.include_router(session.pages)
    _answer_errors(app)
    app.add_middleware(Guard, settings=server.settings)
    static.mount(app, server.settings.static)
    return app


def _answer_errors(app: FastAPI) -> None:
    @app.exception_handler(RefusedError)
    async def refused(_request: Request, error: RefusedError) -> JSONResponse:
        headers = {}
        if "retry_after" in error.details:
            headers["retry-after"] = str(error.details["retry_after"])
        return _problem(error.status, error.kind, str(error), headers, **error.details)

    @app.exception_handler(CalendarError)
    async def untimely(_request: Request, error: CalendarError) -> JSONResponse:
        return _problem(403, "calendar", str(error))

    @app.exception_handler(AuscultError)
    async def mistaken(_request: Request, error: AuscultError) -> JSONResponse:
        return _problem(422, "invalid", str(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
        # Without what came in: it may quote a note.
        said = [{"at": list(map(str, one["loc"])), "message": one["msg"]} for one in error.errors()]
        first = said[0]
        where = ".".join(first["at"][1:]) or "the request"
        return _problem(422, "invalid", f"{where}: {first['message']}.", problems=said[:50])

    @app.exception_handler(HTTPException)
    async def http(_request: Request, error: HTTPException) -> JSONResponse:
        kind = {404: "not_found", 405: "method"}.get(error.status_code, "request")
        headers = dict(error.headers or {})
        return _problem(error.status_code, kind, str(error.detail), headers)

    @app.exception_handler(IntegrityError)
    async def crossed(_request: Request, error: IntegrityError) -> JSONResponse:
        log_defect(error)
        return _problem(
            409,
            "conflict",
            "Another request was processed at the same time. Nothing was changed; try again.",
        )

    @app.exception_handler(OperationalError)
    async def busy(_request: Request, error: OperationalError) -> JSONResponse:
        log_defect(error)
        message = "The database is not responding. Nothing was changed; try again."
        return _problem(503, "busy", message, {"retry-after": "2"})


def _problem(
    status: int, kind: str, message: str, headers: dict[str, str] | None = None, **details: Any
) -> JSONResponse:
    return JSONResponse({"kind": kind, "message": message, **details}, status, headers or None)
