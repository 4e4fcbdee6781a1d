"""What happens in a challenge beside submissions: dates, registrations, descriptions, publication.

One table of events beside the ledger's, with the same guarantee: nothing recorded is changed or
removed, so that the journal shows who moved a date, and when. A challenge made before there was a
journal gets one with its first event.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from auscult.challenge.database import changing, opened

_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS event (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    time TEXT NOT NULL,
    who TEXT NOT NULL,
    kind TEXT NOT NULL,
    content TEXT NOT NULL
)""",
    *(
        f"""CREATE TRIGGER IF NOT EXISTS no_event_{change.lower()} BEFORE {change} ON event
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END"""
        for change in ("UPDATE", "DELETE")
    ),
    """CREATE TRIGGER IF NOT EXISTS no_event_replaced BEFORE INSERT ON event
    WHEN EXISTS (SELECT 1 FROM event WHERE number = NEW.number)
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
)


class EventKind(StrEnum):
    """What happened."""

    CALENDAR = "calendar"
    REGISTRATION = "registration"
    DESCRIPTION = "description"
    PUBLICATION = "publication"


@dataclass(frozen=True, slots=True)
class JournalEvent:
    """One event: who did what, and when."""

    time: datetime
    who: str
    kind: EventKind
    content: Mapping[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "time": self.time.isoformat(),
            "who": self.who,
            "event": self.kind.value,
            **self.content,
        }


class Journal:
    """The journal in a challenge's SQLite file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def events(self) -> list[JournalEvent]:
        """All events, oldest first."""
        with opened(self._path) as database:
            return _events(database)

    def append(
        self,
        kind: EventKind,
        content: Mapping[str, Any],
        *,
        who: str,
        moment: datetime,
        allowed: Callable[[list[JournalEvent]], None] | None = None,
    ) -> None:
        """Write an event down, unless `allowed` raises an error at the events there are."""
        with changing(self._path) as database:
            for statement in _SCHEMA:
                database.execute(statement)
            if allowed is not None:
                allowed(_events(database))
            database.execute(
                "INSERT INTO event (time, who, kind, content) VALUES (?, ?, ?, ?)",
                (
                    moment.astimezone(UTC).isoformat(timespec="milliseconds"),
                    who,
                    kind.value,
                    json.dumps(content, ensure_ascii=False),
                ),
            )


def _events(database: sqlite3.Connection) -> list[JournalEvent]:
    there = database.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'event'")
    if there.fetchone() is None:
        return []
    rows = database.execute("SELECT time, who, kind, content FROM event ORDER BY number").fetchall()
    return [
        JournalEvent(datetime.fromisoformat(time), who, EventKind(kind), json.loads(content))
        for time, who, kind, content in rows
    ]
