"""Live updates to browsers: server-sent events.

Messages are looked up in the table of events, so that a browser that was away is told what it
missed (`Last-Event-ID`), and what another server process did is seen too.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import sqlalchemy as sa

from auscult.server.access import Viewer
from auscult.server.accounts.secrets import now
from auscult.server.database.engine import Database, Row
from auscult.server.database.tables import (
    assignment,
    change,
    event,
    member,
    person,
    project,
)
from auscult.server.database.tables import session as sessions
from auscult.server.events.projection import EDIT, REDO, UNDO

ASSIGN, GIVE, SETTINGS, DECIDE = "assign", "give", "settings", "decide"
_STEPS = (EDIT, UNDO, REDO)
_AT_ONCE = 200
_QUIET_SECONDS = 20
"""After which something is sent in any case, so that proxies keep the line open."""


class Bell:
    """Wakes those who wait for events of a project. Rung from any thread."""

    def __init__(self) -> None:
        self._waiting: dict[int, set[tuple[asyncio.AbstractEventLoop, asyncio.Event]]] = {}
        self.is_closing = False

    def ring(self, key: int) -> None:
        """Something was committed in a project."""
        for loop, woken in list(self._waiting.get(key, ())):
            loop.call_soon_threadsafe(woken.set)

    def close(self) -> None:
        """End all streams: the server stops."""
        self.is_closing = True
        for key in list(self._waiting):
            self.ring(key)

    @contextmanager
    def listening(self, key: int) -> Iterator[asyncio.Event]:
        """Rung whenever something happens in a project, from now on."""
        woken = asyncio.Event()
        entry = (asyncio.get_running_loop(), woken)
        self._waiting.setdefault(key, set()).add(entry)
        try:
            yield woken
        finally:
            self._waiting[key].discard(entry)


def messages(
    connection: sa.Connection, viewer: Viewer, after: int
) -> tuple[int, list[dict[str, Any]]]:
    """The events after a number that a person may know of, and the number looked up to."""
    rows = connection.execute(
        sa.select(event.c.seq, event.c.person, person.c.name, event.c.kind, event.c.payload)
        .join(person)
        .where(event.c.project == viewer.project, event.c.seq > after)
        .order_by(event.c.seq)
        .limit(_AT_ONCE)
    ).all()
    seen = [row for row in rows if _may_know(viewer, row)]
    places = _places(connection, viewer, [row.seq for row in seen if row.kind in _STEPS])
    charts = _charts(connection, viewer, [row for row in seen if row.kind == GIVE])
    told = [
        {
            "seq": row.seq,
            "kind": row.kind,
            "person": row.person if viewer.sees_all or row.person == viewer.person else None,
            "sheets": places.get(row.seq, []),
            "charts": [key for key in row.payload.get("charts", ()) if key in charts],
        }
        for row in seen
    ]
    return (rows[-1].seq if rows else after), told


async def stream(
    database: Database,
    bell: Bell,
    viewer: Viewer,
    digest: str,
    after: int,
    seconds: float,
    is_gone: Callable[[], Any],
) -> AsyncIterator[str]:
    """Server-sent events, until the browser is gone or the person may not see them any more."""
    quiet = 0.0
    yield "retry: 2000\n\n"
    with bell.listening(viewer.project) as woken:
        while not bell.is_closing and not await is_gone():
            woken.clear()  # before looking, so that nothing falls between looking and waiting
            found = await asyncio.to_thread(_look, database, viewer, digest, after)
            if found is None:
                return
            for one in found[1]:
                quiet = 0.0
                yield f"id: {one['seq']}\nevent: {one['kind']}\ndata: {json.dumps(one)}\n\n"
            if found[0] > after:  # there may be more, also where nothing was to be told
                after = found[0]
                continue
            with suppress(TimeoutError):
                await asyncio.wait_for(woken.wait(), seconds)
            quiet += seconds
            if quiet >= _QUIET_SECONDS:
                quiet = 0.0
                yield ": still here\n\n"


def last_seq(connection: sa.Connection, key: int) -> int:
    """The number of a project's last event."""
    found = connection.execute(sa.select(project.c.last_seq).where(project.c.id == key)).scalar()
    return int(found or 0)


def _look(
    database: Database, viewer: Viewer, digest: str, after: int
) -> tuple[int, list[dict[str, Any]]] | None:
    """What is new; None when the person's session or membership is over."""
    still = (
        sa.select(member.c.role)
        .join(sessions, sessions.c.person == member.c.person)
        .where(
            member.c.project == viewer.project,
            member.c.person == viewer.person,
            sessions.c.digest == digest,
            sessions.c.expires > now(),
        )
    )
    with database.reading() as connection:
        if connection.execute(still).scalar() != viewer.role.value:
            return None
        return messages(connection, viewer, after)


def _may_know(viewer: Viewer, row: Row) -> bool:
    if viewer.sees_all or row.person == viewer.person or row.kind in (GIVE, SETTINGS):
        return True
    return row.kind == ASSIGN and viewer.person in row.payload.get("people", ())


def _charts(connection: sa.Connection, viewer: Viewer, rows: list[Row]) -> frozenset[int]:
    """Of the charts with new pre-annotations those that a person may see."""
    named = frozenset(key for row in rows for key in row.payload.get("charts", ()))
    if viewer.sees_all or not named:
        return named
    mine = sa.select(assignment.c.chart).where(
        assignment.c.person == viewer.person, assignment.c.chart.in_(sorted(named))
    )
    return frozenset(connection.execute(mine).scalars())


def _places(
    connection: sa.Connection, viewer: Viewer, seqs: list[int]
) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = {}
    if seqs:
        rows = connection.execute(
            sa.select(change.c.seq, change.c.chart, change.c.note, change.c.version)
            .where(change.c.project == viewer.project, change.c.seq.in_(seqs))
            .distinct()
        )
        for seq, chart, note, version in rows:
            found.setdefault(seq, []).append({"chart": chart, "note": note, "version": version})
    return found
