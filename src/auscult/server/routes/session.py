"""Logging in and out."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from auscult.server.accounts.login import change_password, enter, log_in
from auscult.server.accounts.people import Person
from auscult.server.accounts.sessions import close_session
from auscult.server.audit import Action, record
from auscult.server.errors import ForbiddenError
from auscult.server.server import Server, Visit, Who, address_of
from auscult.server.shapes.common import problems
from auscult.server.shapes.people import Login, Me, PasswordChange

router = APIRouter(tags=["session"], responses=problems(429))
pages = APIRouter(include_in_schema=False)


@pages.get("/enter")
def enter_with_token(token: str, request: Request, server: Visit) -> Response:
    """The address printed at startup: sets the cookie and opens the workbench."""
    if server.one is None:
        return RedirectResponse("/", 303)
    secret, _ = enter(server.database, token, server.one, address_of(request), server.settings)
    answer = RedirectResponse("/", 303)
    set_cookie(answer, secret, server)
    return answer


@router.post("/login")
def login(body: Login, request: Request, response: Response, server: Visit) -> Me:
    """Log in: sets the session's cookie, and gives the CSRF token."""
    if server.one is not None:
        raise ForbiddenError("This workbench has no accounts: open the address printed at startup.")
    person, secret, csrf = log_in(
        server.database, body.name, body.password, address_of(request), server.settings
    )
    set_cookie(response, secret, server)
    return me_of(person, csrf, server)


@router.get("/me")
def me(who: Who) -> Me:
    """Who you are, with the CSRF token."""
    session = who.session
    return Me(
        id=session.person,
        name=session.name,
        is_admin=session.is_admin,
        is_local=who.server.one is not None,
        workbench=who.server.workbench,
        csrf=session.csrf,
    )


@router.post("/logout", status_code=204)
def logout(who: Who, response: Response) -> None:
    """End the session."""
    with who.database.writing() as connection:
        close_session(connection, who.session.digest)
        record(connection, Action.LOGOUT, person=who.session.person, address=who.address)
    settings = who.server.settings
    response.delete_cookie(settings.cookie, secure=settings.is_https, httponly=True)


@router.post("/password", status_code=204)
def password(body: PasswordChange, who: Who) -> None:
    """Change your password. Your other sessions end."""
    change_password(who.database, who.session, body.old, body.new, who.address, who.server.settings)


def me_of(person: Person, csrf: str, server: Server) -> Me:
    """Somebody who has just come in."""
    return Me(
        id=person.id,
        name=person.name,
        is_admin=person.is_admin,
        is_local=False,
        workbench=server.workbench,
        csrf=csrf,
    )


def set_cookie(response: Response, secret: str, server: Server) -> None:
    """Hand the session's secret to the browser, out of reach of scripts and other sites."""
    response.set_cookie(
        server.settings.cookie,
        secret,
        max_age=server.settings.session_hours * 3600,
        httponly=True,
        samesite="strict",
        secure=server.settings.is_https,
        path="/",
    )
