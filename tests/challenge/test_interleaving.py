"""Two things at the same moment: what is decided by the state is written down in that state."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.challenge.small import coded

from auscult.challenge import Challenge, database, submit
from auscult.challenge.calendar import CalendarDate, read_moment
from auscult.challenge.errors import CalendarError, ChallengeError
from auscult.challenge.journal import EventKind, Journal
from auscult.challenge.ledger import SubmissionStatus
from auscult.challenge.organizing import change_calendar, publish
from auscult.challenge.settings import Track
from auscult.challenge.submission import Expected
from auscult.challenge.teams import describe_system, register
from auscult.core import Annotation, Span
from auscult.corpus import Corpus

Make = Callable[..., Challenge]
RUN = {
    Track.CODES: "document,code\nd1,A\nd2,A;B\nd3,C\nd4,\n",
    Track.EVIDENCE: "document,code,begin,end\nd1,A,0,6\nd2,A,0,6\nd3,C,0,6\nd4,,,\n",
}
EVERY_TRACK = pytest.mark.parametrize("track", list(Track))


@pytest.fixture
def task(make: Make) -> Challenge:
    """A challenge with both tracks: each code is supported by the first word."""
    plain = coded()
    said = [
        Annotation(one.annotator, one.code, one.chart_id, one.note_id, (Span(0, 6),))
        for one in plain.iter_annotations()
    ]
    return make(Corpus.of(plain.iter_notes(), said), tracks=("codes", "evidence"))


@pytest.fixture
def file(tmp_path: Path) -> Callable[[Track], Path]:
    def written(track: Track) -> Path:
        path = tmp_path / f"{track}.csv"
        path.write_text(RUN[track])
        return path

    return written


def _before(
    monkeypatch: pytest.MonkeyPatch, owner: type, name: str, do: Callable[[], object]
) -> None:
    """Something that happens once, just before a method is called."""
    method = getattr(owner, name)

    def called(*given: Any, **named: Any) -> Any:
        monkeypatch.setattr(owner, name, method)
        do()
        return method(*given, **named)

    monkeypatch.setattr(owner, name, called)


@EVERY_TRACK
def test_nothing_is_accepted_after_the_publication(
    task: Challenge,
    file: Callable[[Track], Path],
    track: Track,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The ranking is published while a submission that came before is being validated."""
    assert submit(task, "before", file(track), track=track).is_accepted
    _before(monkeypatch, Expected, "validate", lambda: publish(task, who="olga"))
    with pytest.raises(CalendarError, match=r"is published.*as refused \(number 2\)"):
        submit(task, "X", file(track), track=track)
    entries = task.ledger_of(track).entries()
    assert [(one.team, one.status) for one in entries] == [
        ("before", SubmissionStatus.ACCEPTED),
        ("X", SubmissionStatus.REFUSED),
    ]


@EVERY_TRACK
def test_nothing_is_published_while_a_submission_is_accepted(
    task: Challenge,
    file: Callable[[Track], Path],
    track: Track,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Between the last look at the calendar and the ledger, publication has to wait."""
    monkeypatch.setattr(database, "_WAIT", 0.05)
    looks, state = [], Challenge.state

    def looked(challenge: Challenge) -> Any:
        found = state(challenge)
        looks.append(found)
        if len(looks) == 2:
            monkeypatch.setattr(Challenge, "state", state)
            with pytest.raises(ChallengeError, match="locked"):
                publish(task, who="olga")
        return found

    monkeypatch.setattr(Challenge, "state", looked)
    assert submit(task, "X", file(track), track=track).is_accepted
    assert len(looks) == 2
    publish(task, who="olga")


def test_a_closing_date_moved_forward_counts_for_what_is_not_accepted_yet(
    task: Challenge, file: Callable[[Track], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    past = {CalendarDate.CLOSING: read_moment("2020-01-01T00:00Z")}
    _before(monkeypatch, Expected, "validate", lambda: change_calendar(task, past, who="olga"))
    with pytest.raises(CalendarError, match="Submissions closed on 2020-01-01"):
        submit(task, "X", file(Track.CODES))


@pytest.mark.parametrize(
    "act",
    [
        lambda task: publish(task, who="adam"),
        lambda task: register(task, "X"),
        lambda task: describe_system(task, "X", "Trees."),
    ],
    ids=["publish", "register", "describe"],
)
def test_nothing_is_written_down_after_the_publication(
    task: Challenge,
    act: Callable[[Challenge], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The ranking is published between the first look at the calendar and the journal."""
    _before(monkeypatch, Journal, "append", lambda: publish(task, who="olga"))
    with pytest.raises(CalendarError, match=r"is published|is already published"):
        act(task)
    written = [(one.who, one.kind) for one in task.journal.events()]
    assert written == [("olga", EventKind.PUBLICATION)]
