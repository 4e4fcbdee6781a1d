"""State shared by all requests, and authentication."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, cast
from urllib.parse import urlsplit

from fastapi import Depends, Request

from auscult.core.clock import Clock
from auscult.server.accounts.people import Person
from auscult.server.accounts.secrets import same
from auscult.server.accounts.sessions import Session, find_session
from auscult.server.coding.code_search import CodeBox
from auscult.server.coding.names import CodeNames
from auscult.server.coding.sources import CodeSources
from auscult.server.database.engine import Database
from auscult.server.errors import ForbiddenError, UnknownPersonError
from auscult.server.event_stream import Bell
from auscult.server.preannotate.background import PreAnnotation
from auscult.server.settings import ServerSettings

CSRF_HEADER = "x-csrf-token"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Server:
    """A running workbench. `one` is the person of a workbench without accounts."""

    settings: ServerSettings
    database: Database
    sources: CodeSources
    one: Person | None = None
    workbench: str = ""
    """What tells it from others that were served at the same address."""
    bell: Bell = field(default_factory=Bell)
    pre_annotation: PreAnnotation | None = None
    clock: Clock = Clock()  # noqa: RUF009 - frozen
    """The time that challenges go by."""

    def wake_pre_annotation(self) -> None:
        """Have new projects and notes pre-annotated, where that runs."""
        if self.pre_annotation is not None:
            self.pre_annotation.wake()


@dataclass(frozen=True, slots=True)
class Asking:
    """A request of somebody who is logged in."""

    server: Server
    session: Session
    address: str

    @property
    def database(self) -> Database:
        """The workbench's database."""
        return self.server.database

    def box(self, systems: list[str], vocabulary: str | None) -> CodeBox:
        """The code box of a project."""
        return CodeBox(self.server.sources, systems, vocabulary)

    def names(self, vocabulary: str | None) -> CodeNames:
        """The names of codes in a project."""
        return self.server.sources.names(vocabulary)


def server_of(request: Request) -> Server:
    """The workbench that a request is for."""
    return cast(Server, request.app.state.server)


def address_of(request: Request) -> str:
    """Where a request comes from."""
    return request.client.host if request.client else ""


def check_origin(request: Request) -> None:
    """Raise an error for a change requested by another site's page."""
    origin = request.headers.get("origin")
    foreign = request.headers.get("sec-fetch-site") == "cross-site"
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        foreign = True
    if foreign:
        raise ForbiddenError("The request comes from another site.")


def asking(request: Request) -> Asking:
    """The logged-in person; an error if there is none, or for a change without the CSRF token."""
    server = server_of(request)
    secret = request.cookies.get(server.settings.cookie, "")
    found = find_session(server.database, secret, server.settings) if secret else None
    if found is None:
        raise UnknownPersonError("Log in first.")
    if request.method not in _SAFE:
        check_origin(request)
        if not same(request.headers.get(CSRF_HEADER, ""), found.csrf):
            raise ForbiddenError("The header X-CSRF-Token is missing or outdated. Reload the page.")
    return Asking(server, found, address_of(request))


def visiting(request: Request) -> Server:
    """The workbench, for somebody who is not logged in yet."""
    if request.method not in _SAFE:
        check_origin(request)
    return server_of(request)


Who = Annotated[Asking, Depends(asking)]
Visit = Annotated[Server, Depends(visiting)]
