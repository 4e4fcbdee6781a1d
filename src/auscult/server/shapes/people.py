"""Accounts, sessions, invitations, members."""

from __future__ import annotations

from pydantic import Field

from auscult.server.access import Role
from auscult.server.shapes.common import In, Key, Out, Words

Password = Words


class PersonOut(Out):
    """Somebody with an account."""

    id: int
    name: str
    is_admin: bool
    is_active: bool
    has_password: bool


class Me(Out):
    """Who you are."""

    id: int
    name: str
    is_admin: bool
    is_local: bool = Field(description="One person on this machine, without accounts.")
    workbench: str = Field(
        description="Which workbench this is: others may be served at the same address."
    )
    csrf: str = Field(description="Send it as the header `X-CSRF-Token` with every change.")


class Login(In):
    """Name and password."""

    name: Words = Field(min_length=1, max_length=200)
    password: Password = Field(min_length=1, max_length=1000)


class PasswordChange(In):
    """The current and the new password."""

    old: Password = Field(min_length=1, max_length=1000)
    new: Password = Field(min_length=1, max_length=1000)


class Invite(In):
    """Whom to invite, and as what."""

    name: Words | None = Field(None, max_length=200, description="None: they choose their name.")
    is_admin: bool = False
    project: Key | None = None
    role: Role | None = Field(None, description="What they will be in the project.")


class InvitationMade(Out):
    """A link that works once."""

    path: str = Field(description="Where to send them, below this server's address.")
    secret: str
    expires: str


class Secret(In):
    """The secret of an invitation."""

    secret: Words = Field(min_length=10, max_length=200)


class InvitationOut(Out):
    """What an invitation is for."""

    name: str | None
    is_admin: bool
    project: str | None
    role: Role | None
    expires: str


class Join(In):
    """Taking an invitation."""

    secret: Words = Field(min_length=10, max_length=200)
    name: Words | None = Field(None, max_length=200)
    password: Password = Field(min_length=1, max_length=1000)


class PersonChange(In):
    """What to change about an account; what is left out stays."""

    is_admin: bool | None = None
    is_active: bool | None = None


class MemberIn(In):
    """A role in a project."""

    role: Role


class MemberOut(Out):
    """A member of a project."""

    person: int
    name: str
    role: Role
