"""The ledger of a challenge: every submission that ever came, in one SQLite file.

SQLite rather than a file of JSON lines, since three promises come with it. A submission is there
in full or not at all, whatever is killed and when, and once it was acknowledged it is on the disk
(write-ahead log, `synchronous=FULL`). Counting a team's attempts and taking the next one is one
transaction, so two submissions at once cannot take the same. And the file itself refuses to
change, replace or forget a row, by its triggers, and to hold an attempt twice, by its index. That
keeps slips out, though not somebody who may write the file and takes the triggers away first.
"""

from __future__ import annotations

import json
import sqlite3
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from auscult.challenge.database import changing, create, opened
from auscult.challenge.errors import ChallengeError
from auscult.challenge.submission import SubmissionProblem
from auscult.core import OptionError
from auscult.core.clock import Clock

_LONGEST_NAME = 60
_PROBLEMS_KEPT = 1_000
REFUSALS_LISTED = 50
"""Of a team. Nothing is ever removed, so that a program that keeps trying would fill the disk."""
_SCHEMA = """
CREATE TABLE entry (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    time TEXT NOT NULL,
    team TEXT NOT NULL,
    team_key TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('accepted', 'invalid', 'refused')),
    attempt INTEGER CHECK ((attempt IS NOT NULL) = (status = 'accepted')),
    file TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    charts INTEGER NOT NULL,
    codes INTEGER NOT NULL,
    problems TEXT NOT NULL,
    content BLOB
);
CREATE UNIQUE INDEX one_attempt ON entry (team_key, attempt) WHERE attempt IS NOT NULL;
CREATE TRIGGER no_update BEFORE UPDATE ON entry
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER no_replace BEFORE INSERT ON entry
    WHEN EXISTS (SELECT 1 FROM entry WHERE number = NEW.number)
    OR EXISTS (SELECT 1 FROM entry WHERE team_key = NEW.team_key AND attempt = NEW.attempt)
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER no_delete BEFORE DELETE ON entry
    BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
"""
_UNLISTED = """CREATE TABLE IF NOT EXISTS unlisted (
    team_key TEXT PRIMARY KEY, team TEXT NOT NULL, number INTEGER NOT NULL
)"""
_COLUMNS = "number, time, team, status, attempt, file, sha256, charts, codes, problems"


class SubmissionStatus(StrEnum):
    """The outcome of a submission."""

    ACCEPTED = "accepted"
    INVALID = "invalid"
    """It had problems; it did not use up an attempt."""
    REFUSED = "refused"
    """The team had no attempts left, or it was too early or too late."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One recorded submission."""

    number: int
    time: str
    team: str
    status: SubmissionStatus
    attempt: int | None
    file: str
    sha256: str
    charts: int
    codes: int
    problems: tuple[dict[str, object], ...] = field(repr=False)

    def to_dict(self) -> dict[str, object]:
        """For JSON; the problems as their number."""
        return {
            "number": self.number,
            "time": self.time,
            "team": self.team,
            "status": self.status.value,
            "attempt": self.attempt,
            "file": self.file,
            "sha256": self.sha256,
            "documents": self.charts,
            "codes": self.codes,
            "problems": len(self.problems),
        }


def team_key(team: str) -> str:
    """What makes two names the same team: neither case nor blanks.

    >>> team_key(" Team  X") == team_key("team x")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", team).casefold().split())


def team_name(team: str) -> str:
    """A team's name as it is shown; an error if it cannot be one."""
    shown, key = " ".join(team.split()), team_key(team)
    if not key or len(key) > _LONGEST_NAME or not shown.isprintable():
        raise OptionError(
            f"A team name must have 1 to {_LONGEST_NAME} printable characters; got {len(key)} "
            "characters."
        )
    return shown


class Ledger:
    """The ledger in a file. Any number of processes may read it and write to it at once."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    def create(cls, path: Path) -> Ledger:
        """A new ledger, without entries."""
        create(path, _SCHEMA)
        return cls(path)

    def accept(
        self, team: str, file: str, content: bytes, *, charts: int, codes: int,
        remarks: Sequence[SubmissionProblem], attempts: int, moment: datetime | None = None,
        allowed: Callable[[], None] | None = None,
    ) -> LedgerEntry:  # fmt: skip
        """Take the team's next attempt, or write down that there was none left.

        `moment` is when the submission arrived, for all that is written down. Nothing is taken or
        written down if `allowed` raises an error, at the last moment before.
        """
        with changing(self._path) as database:
            if allowed is not None:
                allowed()
            taken = _taken(database, team)
            is_left = taken < attempts
            return _insert(
                database, team, SubmissionStatus.ACCEPTED if is_left else SubmissionStatus.REFUSED,
                taken + 1 if is_left else None, file, sha256(content).hexdigest(), charts, codes,
                remarks, moment, content if is_left else None,
            )  # fmt: skip

    def taken(self, team: str) -> int:
        """How many attempts a team has used up."""
        with opened(self._path) as database:
            return _taken(database, team)

    def reject(
        self,
        team: str,
        file: str,
        content: bytes,
        problems: Sequence[SubmissionProblem],
        *,
        moment: datetime | None = None,
    ) -> LedgerEntry:
        """Write down an invalid submission; of its bytes only the digest is kept."""
        with changing(self._path) as database:
            return _insert(
                database, team, SubmissionStatus.INVALID, None, file, sha256(content).hexdigest(),
                0, 0, problems, moment,
            )  # fmt: skip

    def refuse(
        self,
        team: str,
        file: str,
        digest: str,
        problems: Sequence[SubmissionProblem] = (),
        *,
        moment: datetime | None = None,
    ) -> LedgerEntry | None:
        """Write down a submission that was not looked at; after some of a team, only count it."""
        with changing(self._path) as database:
            known = database.execute(
                "SELECT COUNT(*) FROM entry WHERE team_key = ? AND status = 'refused'",
                (team_key(team),),
            ).fetchone()[0]
            if known < REFUSALS_LISTED:
                return _insert(
                    database, team, SubmissionStatus.REFUSED, None, file, digest, 0, 0, problems,
                    moment,
                )  # fmt: skip
            database.execute(_UNLISTED)
            database.execute(
                "INSERT INTO unlisted (team_key, team, number) VALUES (?, ?, 1) "
                "ON CONFLICT (team_key) DO UPDATE SET number = number + 1",
                (team_key(team), team_name(team)),
            )
            return None

    def unlisted(self) -> dict[str, int]:
        """How many refused submissions of a team were counted and not listed."""
        with opened(self._path) as database:
            there = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'unlisted'")
            if there.fetchone() is None:
                return {}
            rows = database.execute("SELECT team, number FROM unlisted ORDER BY team").fetchall()
        return dict(rows)

    def entries(self) -> list[LedgerEntry]:
        """All entries, oldest first."""
        with opened(self._path) as database:
            rows = database.execute(f"SELECT {_COLUMNS} FROM entry ORDER BY number").fetchall()
        return [_entry(row) for row in rows]

    def accepted(self) -> dict[str, list[LedgerEntry]]:
        """The accepted submissions of each team, oldest first, under the name it first gave."""
        names: dict[str, str] = {}
        found: dict[str, list[LedgerEntry]] = {}
        for entry in self.entries():
            if entry.status is SubmissionStatus.ACCEPTED:
                name = names.setdefault(team_key(entry.team), entry.team)
                found.setdefault(name, []).append(entry)
        return found

    def content(self, number: int) -> bytes:
        """The bytes of an accepted submission."""
        with opened(self._path) as database:
            row = database.execute(
                "SELECT content FROM entry WHERE number = ?", (number,)
            ).fetchone()
        if row is None or row[0] is None:
            raise ChallengeError(f"{self._path} has no accepted submission number {number}.")
        return bytes(row[0])


def _taken(database: sqlite3.Connection, team: str) -> int:
    found: int = database.execute(
        "SELECT COUNT(*) FROM entry WHERE team_key = ? AND attempt IS NOT NULL", (team_key(team),)
    ).fetchone()[0]
    return found


def _insert(
    database: sqlite3.Connection,
    team: str,
    status: SubmissionStatus,
    attempt: int | None,
    file: str,
    digest: str,
    charts: int,
    codes: int,
    problems: Sequence[SubmissionProblem],
    moment: datetime | None,
    content: bytes | None = None,
) -> LedgerEntry:
    shown, key = team_name(team), team_key(team)
    listed = json.dumps([problem.to_dict() for problem in problems[:_PROBLEMS_KEPT]])
    now = (moment or Clock().now()).astimezone(UTC).isoformat(timespec="milliseconds")
    database.execute(
        "INSERT INTO entry (time, team, team_key, status, attempt, file, sha256, charts, codes, "
        "problems, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (now, shown, key, status.value, attempt, file, digest, charts, codes, listed, content),
    )  # fmt: skip
    row = database.execute(
        f"SELECT {_COLUMNS} FROM entry WHERE number = last_insert_rowid()"
    ).fetchone()
    return _entry(row)


def _entry(row: tuple[int, str, str, str, int | None, str, str, int, int, str]) -> LedgerEntry:
    number, time, team, status, attempt, file, digest, charts, codes, problems = row
    return LedgerEntry(
        number, time, team, SubmissionStatus(status), attempt, file, digest, charts, codes,
        tuple(json.loads(problems)),
    )  # fmt: skip
