"""What happens in a challenge beside submissions: dates, registrations, descriptions, publication.

One table of events beside the ledger's, with the same guarantee: nothing recorded is changed or
removed, so that the journal shows who moved a date, and when. A challenge made before there was a
journal gets one with its first event.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
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
    # So that the replaced descriptions need not be read to find the last ones.
    """CREATE INDEX IF NOT EXISTS description_by_team ON event (json_extract(content, '$.team'))
    WHERE kind = 'description'""",
)
_ALL = "SELECT time, who, kind, content, 1 FROM event ORDER BY number"
_STANDING = """
WITH last AS (
    SELECT MAX(number) AS number, COUNT(*) AS times FROM event
    WHERE kind = 'description' GROUP BY json_extract(content, '$.team')
)
SELECT time, who, kind, content, COALESCE(times, 1) FROM event LEFT JOIN last USING (number)
WHERE kind != 'description' OR times IS NOT NULL ORDER BY number
"""


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
    times: int = 1
    """How many events this one stands for, with those that it replaced."""

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
            return _events(database, _ALL)

    def standing(self) -> list[JournalEvent]:
        """The events without the descriptions that a later one of the same team replaced."""
        with opened(self._path) as database:
            return _events(database, _STANDING)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Meanwhile nobody else can write an event down."""
        with changing(self._path):
            yield

    def append(
        self,
        kind: EventKind,
        content: Mapping[str, Any],
        *,
        who: str,
        moment: datetime,
        allowed: Callable[[list[JournalEvent]], bool],
    ) -> None:
        """Write an event down if it is `allowed` after the standing events, which none can join
        meanwhile: an error refuses it, False says that there is nothing to write down.
        """
        with changing(self._path) as database:
            for statement in _SCHEMA:
                database.execute(statement)
            if not allowed(_events(database, _STANDING)):
                return
            database.execute(
                "INSERT INTO event (time, who, kind, content) VALUES (?, ?, ?, ?)",
                (
                    moment.astimezone(UTC).isoformat(timespec="milliseconds"),
                    who,
                    kind.value,
                    json.dumps(content, ensure_ascii=False),
                ),
            )


def _events(database: sqlite3.Connection, query: str) -> list[JournalEvent]:
    there = database.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'event'")
    if there.fetchone() is None:
        return []
    return [
        JournalEvent(datetime.fromisoformat(time), who, EventKind(kind), json.loads(content), times)
        for time, who, kind, content, times in database.execute(query).fetchall()
    ]
