"""Coders at work on a real server process over loopback, who remember what was acknowledged.

Used by `bench/server.py` and by the test that kills the server.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from auscult.core import Note
from auscult.corpus import Corpus
from auscult.server.access import Role
from auscult.server.accounts.passwords import hash_password
from auscult.server.accounts.people import add_person
from auscult.server.database.engine import Database
from auscult.server.database.tables import annotation, audit, event
from auscult.server.events.check import check
from auscult.server.projects.assign import write_assignments
from auscult.server.projects.create import Schema, create_project, keys_of
from auscult.server.projects.members import set_member
from auscult.server.settings import PasswordCost

PASSWORD = "correct horse battery"
_CHEAP = PasswordCost(rounds=1, memory_kib=8, lanes=1)
_WORDS = ("fever", "cough", "pain", "heart failure", "acute", "renal", "hypertension", "valve")
_CHARTS = 4
"""Of each coder, so that there is always another note to go to."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a coder has to do."""

    name: str
    person: int
    project: int
    notes: tuple[tuple[int, int], ...]
    """Chart and note."""
    system: str = "UMLS"


def fill(database: Database, coders: int, seed: int = 0, system: str = "UMLS") -> list[Job]:
    """A project of a code system in an empty database, with charts for each of its coders."""
    dice = random.Random(seed)
    notes = [
        Note(f"n{n}", f"c{n}", text=" ".join(dice.choices(_WORDS, k=1_500)))
        for n in range(coders * _CHARTS)
    ]
    with database.writing() as connection:
        password = hash_password(PASSWORD, _CHEAP)
        schema = Schema("load", (system,), logs_suggestions=True)
        key = create_project(connection, Corpus.of(notes), schema)
        charts, keys = keys_of(connection, key)
        jobs = []
        for number in range(coders):
            person = add_person(connection, f"coder {number}", password=password)
            set_member(connection, key, person.id, Role.CODER)
            mine = range(number * _CHARTS, (number + 1) * _CHARTS)
            places = tuple((charts[f"c{n}"], keys[f"n{n}"]) for n in mine)
            pairs = [(chart, person.id) for chart, _ in places]
            write_assignments(connection, key, pairs, "load")
            jobs.append(Job(person.name, person.id, key, places, system))
        boss = add_person(connection, "boss", password=password)
        set_member(connection, key, boss.id, Role.SUPERVISOR)
    return jobs


class Process:
    """The server as a process of its own, started anew after each kill.

    It is `auscult serve`, forked from a process that has done the imports: they are most of what
    starting costs.
    """

    def __init__(self, folder: Path, url: str | None = None, *more: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        place = [] if url is None else ["--database", url]
        port = ["--port", str(self.port)]
        self._log = folder / "server.log"
        self._words = [str(self._log), "serve", str(folder), *place, *port, *more]
        self._nursery: subprocess.Popen[bytes] | None = None
        self._pid = 0

    def start(self, seconds: float = 120) -> None:
        """Start it, and wait until it answers."""
        if self._nursery is None:
            words = [sys.executable, str(Path(__file__).with_name("nursery.py"))]
            pipe = subprocess.PIPE
            # Unbuffered, so that what has not been read can be waited for.
            self._nursery = subprocess.Popen(words, bufsize=0, stdin=pipe, stdout=pipe)
        assert self._nursery.stdin is not None
        self._nursery.stdin.write(json.dumps(self._words).encode() + b"\n")
        self._pid = int(self._heard())
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self._has_ended(0):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                time.sleep(0.02)
            else:
                return
        raise RuntimeError(f"The server did not start; see {self._log}.")

    def kill(self) -> None:
        """End it as a power cut would end it, as far as a program can."""
        os.kill(self._pid, signal.SIGKILL)
        assert self._heard() == "ended"

    def processor_seconds(self) -> float:
        """How much processor time it has used so far."""
        fields = Path(f"/proc/{self._pid}/stat").read_text().rsplit(")", 1)[1].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """Ask it to end, and what it was forked from."""
        if self._nursery is None or self._nursery.stdin is None:
            return
        if not self._has_ended(0):
            os.kill(self._pid, signal.SIGTERM)
            if not self._has_ended(30):
                os.kill(self._pid, signal.SIGKILL)
        self._nursery.stdin.close()
        self._nursery.wait(30)
        self._nursery = None

    def _heard(self) -> str:
        assert self._nursery is not None
        assert self._nursery.stdout is not None
        return self._nursery.stdout.readline().decode().strip()

    def _has_ended(self, seconds: float) -> bool:
        """Whether the server has ended by itself, or does so in some time."""
        assert self._nursery is not None
        assert self._nursery.stdout is not None
        return bool(select.select([self._nursery.stdout], [], [], seconds)[0])


@dataclass
class Coder:
    """One coder: saves, undoes, opens notes, asks for suggestions, and remembers what was said."""

    job: Job
    port: int
    think: float = 0.0
    suggests: float = 0.0
    """Suggestions asked for, for each save."""
    queries: list[str] = field(default_factory=list)
    acknowledged: set[str] = field(default_factory=set)
    undone: set[str] = field(default_factory=set)
    reads: Counter[int] = field(default_factory=Counter)
    saves: list[float] = field(default_factory=list)
    asked: list[float] = field(default_factory=list)
    repeated: int = 0
    problems: list[str] = field(default_factory=list)

    def work(self, stopped: threading.Event) -> None:
        """Work until told to stop."""
        dice = random.Random()  # never the same again: a code is on the same words once only
        versions: dict[int, int] = {}
        line = _Line(self.port, self.job.name, stopped)
        base = f"/api/projects/{self.job.project}"
        stopped.wait(dice.uniform(0, 2 * self.think))  # people do not begin in the same moment
        try:
            while not stopped.is_set():
                chart, note = dice.choice(self.job.notes)
                if note not in versions or dice.random() < 0.1:
                    found = line.ask("GET", f"{base}/notes/{note}")
                    self.reads[note] += 1
                    versions[note] = found["sheet"]["version"]
                if dice.random() < self.suggests:
                    started = time.perf_counter()
                    words = dice.choice(self.queries)
                    line.ask("POST", f"{base}/suggest", {"words": words, "limit": 30})
                    self.asked.append(time.perf_counter() - started)
                key, begin = str(uuid4()), dice.randrange(5_000)
                body = {
                    "client_id": str(uuid4()),
                    "seen": [{"chart": chart, "note": note, "version": versions[note]}],
                    "changes": [
                        {
                            "op": "add",
                            "annotation": {
                                "id": key,
                                "chart": chart,
                                "note": note,
                                "spans": [[begin, begin + 5]],
                                "system": self.job.system,
                                "code": f"C{dice.randrange(10**7):07d}",
                            },
                        }
                    ],
                }
                started = time.perf_counter()
                done = line.ask("POST", f"{base}/steps", body)
                self.saves.append(time.perf_counter() - started)
                self.acknowledged.add(key)
                self.repeated += done["repeated"]
                versions[note] = done["sheets"][0]["version"]
                if dice.random() < 0.05:
                    back = {"client_id": str(uuid4()), "seq": done["seq"]}
                    undone = line.ask("POST", f"{base}/undo", back)
                    self.acknowledged.discard(key)
                    self.undone.add(key)
                    versions[note] = undone["sheets"][0]["version"]
                if self.think:
                    stopped.wait(dice.expovariate(1 / self.think))
        except _StoppedError:
            pass
        except Exception as error:  # whatever it is, the run is to report it
            self.problems.append(f"{self.job.name}: {type(error).__name__} {error}")
        finally:
            line.close()


class _StoppedError(Exception):
    """The run is over, and no answer came any more."""


class _Line:
    """A connection that is made again when it breaks; what was not answered is sent again."""

    def __init__(self, port: int, name: str, stopped: threading.Event) -> None:
        self._port = port
        self._name = name
        self._stopped = stopped
        self._connection: http.client.HTTPConnection | None = None
        self._headers: dict[str, str] = {}

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The answer, however often it has to be asked for."""
        is_first = True
        while True:
            try:
                if not self._headers:
                    self._log_in()
                return self._send(method, path, body)
            except (OSError, http.client.HTTPException) as error:
                self.close()
                if self._stopped.is_set():
                    raise _StoppedError from error
                if not is_first:  # the first time, only an idle connection may have been closed
                    time.sleep(0.05)
                is_first = False

    def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _log_in(self) -> None:
        name = {"name": self._name, "password": PASSWORD}
        csrf = self._send("POST", "/api/login", name)["csrf"]
        self._headers["X-CSRF-Token"] = csrf

    def _send(self, method: str, path: str, body: Any) -> Any:
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        sent = None if body is None else json.dumps(body)
        headers = {**self._headers, "Content-Type": "application/json"}
        self._connection.request(method, path, sent, headers)
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {content[:200]!r}")
        cookie = answer.getheader("set-cookie")
        if cookie:
            self._headers["Cookie"] = cookie.split(";")[0]
        return json.loads(content) if content else None


def run(coders: list[Coder], seconds: float = 0, between: Callable[[], None] | None = None) -> None:
    """Let coders work for some time, or until `between` is done."""
    stopped = threading.Event()
    threads = [
        threading.Thread(target=coder.work, args=(stopped,), daemon=True) for coder in coders
    ]
    for thread in threads:
        thread.start()
    if between is None:
        time.sleep(seconds)
    else:
        between()
    stopped.set()
    for thread in threads:
        thread.join(60)


def kill_again_and_again(
    process: Process, coders: list[Coder], kills: int, saves: tuple[int, int], seed: int = 0
) -> None:
    """Kill the server after some more saves, at no particular moment, and start it again."""
    dice = random.Random(seed)

    def saved() -> int:
        return sum(len(coder.saves) for coder in coders)

    for _ in range(kills):
        _wait_until(saved, saved() + dice.randint(*saves))
        time.sleep(dice.uniform(0, 0.1))
        process.kill()
        process.start()
    _wait_until(saved, saved() + saves[0])


def _wait_until(count: Callable[[], int], least: int, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while count() < least and time.monotonic() < until:
        time.sleep(0.005)


def lost(database: Database, coders: list[Coder]) -> dict[str, int]:
    """What is not as it was acknowledged; all zero when nothing is lost."""
    with database.reading() as connection:
        there = set(connection.execute(sa.select(annotation.c.id)).scalars())
        reads = Counter(
            {
                (row[0], row[1]): row[2]
                for row in connection.execute(
                    sa.select(audit.c.person, audit.c.note, sa.func.count())
                    .where(audit.c.action == "note read")
                    .group_by(audit.c.person, audit.c.note)
                )
            }
        )
        twice = connection.execute(
            sa.select(sa.func.count()).select_from(
                sa.select(event.c.client_id)
                .group_by(event.c.person, event.c.client_id)
                .having(sa.func.count() > 1)
                .subquery()
            )
        ).scalar()
        damaged = 0
        if database.is_sqlite:
            damaged = connection.exec_driver_sql("PRAGMA integrity_check").scalar() != "ok"
    checked = check(database)
    return {
        "annotations": sum(len(coder.acknowledged - there) for coder in coders),
        "undone, and there again": sum(len(coder.undone & there) for coder in coders),
        "reads": sum(
            max(0, count - reads[coder.job.person, note])
            for coder in coders
            for note, count in coder.reads.items()
        ),
        "events": sum(one.missing for one in checked),
        "done twice": int(twice or 0),
        "rows that events do not come to": sum(one.differing for one in checked),
        "damaged database": int(damaged),
        "problems": sum(len(coder.problems) for coder in coders),
    }
