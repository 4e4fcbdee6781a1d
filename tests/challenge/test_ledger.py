"""The ledger: nothing acknowledged is lost, no attempt is taken twice, nothing is changed."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from auscult.challenge import Challenge
from auscult.challenge.errors import ChallengeError
from auscult.challenge.ledger import Ledger, SubmissionStatus
from auscult.core import OptionError

GOOD = "document,code\nd1,A\nd2,B\nd3,\nd4,\n"

KILLS = 12

# Rounds of two processes that submit without end and are killed after a random while. Each says of
# a submission that it was acknowledged only after it was. Forked, since importing takes longer.
KILLED = """
import os, random, signal, sys, time
from pathlib import Path
from auscult.challenge.ledger import Ledger

ledger = Ledger(Path(sys.argv[1]))

def submit_without_end(who):
    number = 0
    while True:
        number += 1
        content = f"{who} {number} ".encode() * 2000
        entry = ledger.accept(
            "team", "run.csv", content, charts=1, codes=1, remarks=(), attempts=10**9
        )
        os.write(1, f"{entry.number} {entry.attempt} {who} {number}\\n".encode())

dice = random.Random(9)
for kill in range(int(sys.argv[2])):
    workers = []
    for which in "ab":
        pid = os.fork()
        if not pid:
            submit_without_end(f"{which}{kill}")
        workers.append(pid)
    time.sleep(0.1 + 0.3 * dice.random())
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
"""


def test_what_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    ledger = Ledger.create(path)
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(path), str(KILLS)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    acknowledged = [line.split() for line in done.stdout.splitlines()]
    assert len({who for _, _, who, _ in acknowledged}) > KILLS  # and so every round got some in
    entries = {entry.number: entry for entry in ledger.entries()}
    for number, attempt, who, sent in acknowledged:
        assert entries[int(number)].attempt == int(attempt)
        assert ledger.content(int(number)) == f"{who} {sent} ".encode() * 2000
    attempts = sorted(entry.attempt or 0 for entry in entries.values())
    assert attempts == list(range(1, len(entries) + 1))
    database = sqlite3.connect(path)
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()


# Waits until all have come, then submits three times.
RACER = """
import sys, time
from pathlib import Path
from auscult.challenge import Challenge, submit
from auscult.challenge.errors import ChallengeError

challenge, gate = Challenge.open(sys.argv[1]), Path(sys.argv[3])
print("ready", flush=True)
while not gate.exists():
    time.sleep(0.001)
for _ in range(3):
    try:
        print(submit(challenge, "Team X", Path(sys.argv[2])).entry.attempt)
    except ChallengeError:
        print("none")
"""


def test_two_at_once_never_share_an_attempt(make: Callable[..., Challenge], tmp_path: Path) -> None:
    challenge = make(attempts=7)
    file, gate = tmp_path / "run.csv", tmp_path / "gate"
    file.write_text(GOOD)
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(challenge.path), str(file), str(gate)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    gate.touch()
    taken = [line for racer in racers for line in racer.communicate()[0].split()]
    assert sorted(taken) == [*"1234567", *["none"] * 5]
    statuses = [entry.status for entry in challenge.ledger.entries()]
    assert statuses.count(SubmissionStatus.ACCEPTED) == 7
    assert statuses.count(SubmissionStatus.REFUSED) == 5


def test_a_row_cannot_be_changed_or_removed(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger.sqlite")
    ledger.accept("x", "run.csv", b"a", charts=1, codes=1, remarks=(), attempts=5)
    database = sqlite3.connect(tmp_path / "ledger.sqlite")
    for statement in ("UPDATE entry SET team = 'y'", "DELETE FROM entry"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            database.execute(statement)
    before = database.execute("SELECT * FROM entry").fetchall()
    for verb in ("INSERT", "INSERT OR REPLACE", "REPLACE", "INSERT OR IGNORE"):
        for number in (1, 9):  # the same row, and another with the same attempt
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                database.execute(
                    f"{verb} INTO entry SELECT {number}, time, 'y', team_key, status, attempt, "
                    "file, sha256, charts, codes, problems, content FROM entry"
                )
    assert database.execute("SELECT * FROM entry").fetchall() == before
    database.close()


def test_names_of_teams(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger.sqlite")
    for name in ("", "  ", "x" * 61, "a\x00b"):
        with pytest.raises(OptionError, match="A team name"):
            ledger.accept(name, "run.csv", b"a", charts=1, codes=1, remarks=(), attempts=5)
    ledger.accept("Team X", "run.csv", b"a", charts=1, codes=1, remarks=(), attempts=2)
    again = ledger.accept(" team  x", "run.csv", b"b", charts=1, codes=1, remarks=(), attempts=2)
    assert again.attempt == 2
    third = ledger.accept("TEAM X", "run.csv", b"c", charts=1, codes=1, remarks=(), attempts=2)
    assert (third.status, third.attempt) == (SubmissionStatus.REFUSED, None)


def test_a_damaged_ledger_says_so(tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(ChallengeError, match=r"cannot be read or written.*Nothing was changed"):
        Ledger(tmp_path / "ledger.sqlite").entries()
    with pytest.raises(ChallengeError, match="is missing"):
        Ledger(tmp_path / "none.sqlite").entries()
