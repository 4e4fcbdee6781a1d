"""What is refused is not read, and does not fill the ledger."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.challenge.small import coded

from auscult.challenge import Challenge, ledger, submit
from auscult.challenge.calendar import CalendarDate, read_moment
from auscult.challenge.errors import CalendarError, ChallengeError
from auscult.challenge.ledger import SubmissionStatus
from auscult.challenge.organizing import change_calendar, publish
from auscult.challenge.submission import Expected
from auscult.core import OptionError

Make = Callable[..., Challenge]
RUN = "document,code\nd1,A\nd2,A;B\nd3,C\nd4,\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "run.csv"
    path.write_text(RUN)
    return path


def _unread(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: Any, **__: Any) -> Any:
        raise AssertionError("the file was read")

    monkeypatch.setattr(Expected, "read", read)


def test_after_the_closing_date(make: Make, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    challenge = make()
    closing = {CalendarDate.CLOSING: read_moment("2020-01-01T00:00Z")}
    change_calendar(challenge, closing, who="olga")
    _unread(monkeypatch)
    with pytest.raises(CalendarError, match=r"Submissions closed.*as refused \(number 1\)"):
        submit(challenge, "X", file)
    (entry,) = challenge.ledger.entries()
    assert (entry.file, entry.sha256) == ("run.csv", sha256(RUN.encode()).hexdigest())
    assert [one["kind"] for one in entry.problems] == ["outside the calendar"]
    with pytest.raises(OptionError, match="cannot be read"):
        submit(challenge, "X", file.with_name("none.csv"))


def test_without_registration(make: Make, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    challenge = make()
    moment = read_moment("2020-01-01T00:00Z")
    opened = {CalendarDate.REGISTRATION: moment, CalendarDate.TEST: moment}
    change_calendar(challenge, opened, who="olga")
    _unread(monkeypatch)
    with pytest.raises(CalendarError, match="X is not registered"):
        submit(challenge, "X", file)
    assert challenge.ledger.entries() == []


def test_without_attempts_left(make: Make, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    challenge = make(attempts=1)
    submit(challenge, "Team X", file)
    _unread(monkeypatch)
    with pytest.raises(ChallengeError, match=r"team x has no attempts left: all 1 .*\(number 2\)"):
        submit(challenge, " team  x", file)
    statuses = [one.status for one in challenge.ledger.entries()]
    assert statuses == [SubmissionStatus.ACCEPTED, SubmissionStatus.REFUSED]


def test_a_corpus_is_refused_by_the_digest_of_its_files(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = make()
    coded().write(tmp_path / "predicted")
    publish(challenge, who="olga")
    _unread(monkeypatch)
    for _ in range(2):
        with pytest.raises(CalendarError, match="is published"):
            submit(challenge, "X", tmp_path / "predicted")
    first, second = challenge.ledger.entries()
    assert (first.file, len(first.sha256)) == ("predicted", 64)
    assert first.sha256 == second.sha256


def test_a_program_that_keeps_trying_is_counted(
    make: Make, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each team by itself, and under any spelling."""
    monkeypatch.setattr(ledger, "REFUSALS_LISTED", 3)
    challenge = make()
    publish(challenge, who="olga")
    assert challenge.ledger.unlisted() == {}
    said = []
    for name in ("X", "x", "X", "X", " x ", "Y"):
        with pytest.raises(CalendarError) as refused:
            submit(challenge, name, file)
        said.append(str(refused.value))
    assert "number 3" in said[2]
    assert "only counts this one" in said[3]
    assert "number 4" in said[5]
    assert [one.team for one in challenge.ledger.entries()] == ["X", "x", "X", "Y"]
    assert challenge.ledger.unlisted() == {"X": 2}
