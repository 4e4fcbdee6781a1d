"""`auscult team`: accounts of a workbench, and its audit log."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from auscult.cli.lazy import StoryGroup
from auscult.cli.options import limit
from auscult.cli.output import command, counted, exit_with_1, table
from auscult.cli.serve import database_option, open_database_of

_new_folder = click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
_folder = click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
_project = click.option("--project", type=click.IntRange(1), help="Project number.")
_ROLES = ("coder", "reviewer", "supervisor")


@click.group(
    cls=StoryGroup,
    story={
        "invite": "Create an invitation link for an account.",
        "list": "List accounts and their projects.",
        "audit": "Show who viewed, changed or exported what.",
        "check": "Verify the event log against the database.",
    },
)
def team() -> None:
    """Manage the accounts of a workbench and read its audit log.

    \b
    Example:
      auscult team invite work ann --admin
      auscult serve work --host 0.0.0.0 --https
      auscult team audit work --chart 102763
    """


@team.command("invite")
@_new_folder
@click.argument("name")
@database_option
@click.option("--admin", "is_admin", is_flag=True, help="Allow creating accounts and projects.")
@_project
@click.option("--role", type=click.Choice(_ROLES), help="Role in the project.")
@command
def invite(
    folder: Path, name: str, url: str | None, is_admin: bool, project: int | None, role: str | None
) -> Any:
    """Create a one-time link with which NAME sets a password.

    For an existing account, the link resets the password. Once an admin is invited, everybody has
    to log in.

    \b
    Example:
      auscult team invite work ann --admin
      auscult team invite work bob --project 1 --role coder
    """
    database = open_database_of(folder, url)
    from auscult.server.access import Role
    from auscult.server.accounts.invitations import invite as make
    from auscult.server.settings import ServerSettings
    from auscult.server.shapes.people import Invite

    wanted = Invite(
        name=name, is_admin=is_admin, project=project, role=None if role is None else Role(role)
    )
    with database.writing() as connection:
        made = make(connection, wanted, None, ServerSettings(folder))
    found = {"name": name, "path": made.path, "expires": made.expires}
    return found, lambda: click.echo(
        f"Invitation for {name}, valid until {made.expires[:10]}: append {made.path} to the "
        "address of the workbench."
    )


@team.command("list")
@_folder
@database_option
@command
def list_people(folder: Path, url: str | None) -> Any:
    """List accounts and the projects they belong to.

    \b
    Example:
      auscult team list work
    """
    database = open_database_of(folder, url)
    from auscult.server.accounts.people import list_people as everybody
    from auscult.server.projects.members import roles

    with database.reading() as connection:
        rows: list[dict[str, Any]] = [
            {
                "name": one.name,
                "admin": one.is_admin,
                "active": one.is_active,
                "password": one.has_password,
                "projects": roles(connection, one.id),
            }
            for one in everybody(connection)
        ]

    def say() -> None:
        table(
            None,
            ["name", "admin", "active", "password", "projects"],
            [
                (
                    row["name"],
                    *("yes" if row[key] else "no" for key in ("admin", "active", "password")),
                    ", ".join(f"{name} ({role})" for name, role in row["projects"].items()),
                )
                for row in rows
            ],
        )

    return {"people": rows}, say


@team.command("audit")
@_folder
@database_option
@_project
@click.option("--chart", "chart_id", help="Only this chart, by its chart_id.")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Only from this date on.")
@limit(50)
@command
def audit(
    folder: Path,
    url: str | None,
    project: int | None,
    chart_id: str | None,
    since: datetime | None,
    limit: int,
) -> Any:
    """Show the audit log: who viewed, changed or exported what, latest first.

    \b
    Example:
      auscult team audit work --chart 102763
    """
    database = open_database_of(folder, url)
    from auscult.server.audit import read_audit

    with database.reading() as connection:
        rows = list(
            read_audit(connection, project=project, chart_id=chart_id, since=since, limit=limit)
        )
    columns = ("time", "person", "action", "project", "chart_id", "note_id", "detail", "address")

    def say() -> None:
        shown = [["" if row[key] is None else row[key] for key in columns] for row in rows]
        for row in shown:
            row[0] = row[0][:19]
        table(None, columns, shown)

    return {"rows": rows}, say


@team.command("check")
@_folder
@database_option
@command
def check(folder: Path, url: str | None) -> Any:
    """Replay the event log and compare the result with the database.

    Nothing is changed. Exit code 1 if there is a difference.

    \b
    Example:
      auscult team check work
    """
    database = open_database_of(folder, url)
    from auscult.server.events.check import check as replay

    found = [one.to_dict() for one in replay(database)]
    if any(one["differing"] or one["missing"] for one in found):
        exit_with_1()

    def say() -> None:
        for one in found:
            wrong = one["differing"] + one["missing"]
            says = "consistent" if not wrong else f"{counted(wrong, 'difference')}"
            click.echo(f"project {one['project']}: {counted(one['events'], 'event')}, {says}")

    return {"projects": found}, say
