"""A shared task run by its calendar, by the command line and in the workbench at once."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.challenge.hands import Hands
from tests.server.world import Browser, World, make_challenge

from auscult.challenge import Challenge
from auscult.challenge.calendar import read_moment
from auscult.challenge.ledger import SubmissionStatus
from auscult.cli.main import auscult
from auscult.core import AuscultError

RIGHT = "document,code\n" + "".join(
    f"doc{n},{'R50.9' if n % 2 else 'R05.9'}\n" for n in range(6, 12)
)
HALF = "document,code\n" + "".join(f"doc{n},R50.9\n" for n in range(6, 12))


ABOUT = "/challenges/cough"


class Cli:
    """The command line by a clock; refusals are told as they are."""

    def __init__(self, hands: Hands) -> None:
        self._hands = hands

    def __call__(self, *words: object, code: int = 0) -> dict[str, Any]:
        given = ["challenge", *map(str, words), "--json"]
        done = CliRunner().invoke(auscult, given, obj=self._hands.clock)
        assert done.exit_code == code, (done.output, done.exception)
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def refused(self, *words: object) -> str:
        given = ["challenge", *map(str, words)]
        done = CliRunner().invoke(auscult, given, obj=self._hands.clock)
        assert isinstance(done.exception, AuscultError), done.output
        return str(done.exception)


def _send(who: Browser, text: str, **data: str) -> Any:
    files = {"file": ("run.csv", io.BytesIO(text.encode()))}
    return who.client.post("/api/challenges/cough/submissions", files=files, data=data)


def _files(answer: Any) -> set[str]:
    packed = zipfile.ZipFile(io.BytesIO(answer.content))
    return {name.removeprefix("cough/") for name in packed.namelist()}


@dataclass(frozen=True)
class Played:
    """A challenge with its people, by one clock."""

    hands: Hands
    cli: Cli
    folder: Path
    task: Path
    made: Challenge
    ann: Browser
    bob: Browser
    adam: Browser
    right: Path
    half: Path
    system: Path

    def alike(self, answer: Any, *words: object) -> str:
        """What the workbench and the command line both refuse with."""
        assert answer.status_code == 403, answer.text
        said, told = (
            re.sub(r"number \d+", "number N", one)
            for one in (answer.json()["message"], self.cli.refused(*words))
        )
        assert said == told
        return told


@pytest.fixture
def given(lite: World, tmp_path: Path) -> Played:
    hands = Hands("2007-01-15 12:00 UTC")
    lite.server = replace(lite.server, clock=hands.clock)
    task = lite.server.settings.folder / "challenges" / "cough"
    made = make_challenge(task, attempts=3)
    ann, bob, adam = (lite.browser(name) for name in ("ann", "bob", "adam"))
    right, half, system = (tmp_path / name for name in ("right.csv", "half.csv", "system.txt"))
    right.write_text(RIGHT)
    half.write_text(HALF)
    system.write_text("Decision trees over words, with negation.\n")
    return Played(hands, Cli(hands), tmp_path, task, made, ann, bob, adam, right, half, system)


def test_from_registration_to_publication(given: Played) -> None:
    """The 2007 challenge's dates: at each the command line and the workbench change together."""
    _set_the_dates(given)
    _register_and_train(given)
    _submit_and_describe(given)
    _lose_documents(given)
    _close(given)
    _publish(given)
    _stay_published(given)


def _set_the_dates(given: Played) -> None:
    """Before registration: the dates are set on the command line, one is changed in the browser."""
    assert given.ann.get("/challenges").json()[0]["closed"] is None
    given.cli("calendar", given.task, "--registration", "2007-02-01T00:00-05:00",
        "--registration-end", "2007-02-28 23:59 America/New_York",
        "--training", "2007-02-01T00:00-05:00", "--test", "2007-03-01T09:00-05:00",
        "--closing", "2007-03-17T23:59-05:00")  # fmt: skip
    moved = {"dates": [{"date": "closing", "at": "2007-03-18T23:59-05:00"}]}
    assert given.ann.post(f"{ABOUT}/calendar", moved).status_code == 403
    assert given.adam.post(f"{ABOUT}/calendar", moved).status_code == 204
    said = given.alike(
        given.ann.post(f"{ABOUT}/registration", {}), "register", given.task, "Team X"
    )
    assert said == "Registration opens on 2007-02-01 00:00 UTC-05:00."
    assert "submissions open, on 2007-03-01" in given.ann.get("/challenges").json()[0]["closed"]
    given.alike(given.adam.get(f"{ABOUT}/release"), "release", given.task, given.folder / "early")


def _register_and_train(given: Played) -> None:
    """Registration and training release: the same moment, told in another time zone."""
    given.hands.put("2007-02-01 06:00 Europe/Paris")
    assert "ann is not registered" in given.ann.get(f"{ABOUT}/release").json()["message"]
    for who in (given.ann, given.bob):
        assert who.post(f"{ABOUT}/registration", {}).status_code == 204
    given.cli("register", given.task, "Team X")
    assert "already registered" in given.cli.refused("register", given.task, "team  x")
    first = given.cli("release", given.task, given.folder / "first")["files"]
    assert {"train.xml", "codes.csv", "rules.html"} <= set(first)
    assert "test.xml" not in first
    assert "doc7" not in "".join((given.folder / "first" / name).read_text() for name in first)
    assert _files(given.ann.get(f"{ABOUT}/release")) == set(first)
    given.alike(
        given.ann.get(f"{ABOUT}/release", params={"stage": "test"}),
        "release", given.task, given.folder / "early", "--stage", "test",
    )  # fmt: skip
    said = given.alike(_send(given.ann, RIGHT), "submit", given.task, "Team X", given.right)
    assert said.startswith("The test documents are released, and submissions open, on 2007-03-01")


def _submit_and_describe(given: Played) -> None:
    """Test release: registration is over, submissions and descriptions come in."""
    given.hands.put("2007-03-01T09:00-05:00")
    given.alike(given.ann.post(f"{ABOUT}/registration", {}), "register", given.task, "Late Team")
    second = set(given.cli("release", given.task, given.folder / "second")["files"])
    assert second == _files(given.bob.get(f"{ABOUT}/release"))
    assert {"train.xml", "test.xml"} <= second
    assert "Team Y is not registered" in given.cli.refused(
        "submit", given.task, "Team Y", given.right
    )
    assert given.cli("check", given.folder / "second", given.half)["valid"]
    assert given.cli("submit", given.task, "Team X", given.half)["attempt"] == 1
    assert _send(given.ann, RIGHT).json()["submission"]["attempt"] == 1
    assert _send(given.bob, HALF).json()["submission"]["attempt"] == 1
    given.cli("describe", given.task, "Team X", given.system)
    assert given.ann.post(f"{ABOUT}/description", {"text": "Rules by hand."}).status_code == 204
    told = given.ann.get(ABOUT).json()
    assert (told["description"], told["teams"]) == ("Rules by hand.", [])
    assert {one["date"]: one["has_come"] for one in told["calendar"]} == {
        "registration": True, "registration-end": True, "training": True, "test": True,
        "closing": False, "publication": False,
    }  # fmt: skip
    assert told["refused"]["submit"] is None


def _lose_documents(given: Played) -> None:
    """One file of six documents must not take the place of a good run."""
    one = "document,code\ndoc6,R50.9\n"
    lost = _send(given.ann, one).json()
    assert (lost["submission"]["status"], lost["left"]) == ("invalid", 2)
    (given.folder / "one.csv").write_text(one)
    kept = given.cli("submit", given.task, "Team X", given.folder / "one.csv", code=2)
    problems = [[one["kind"] for one in found["problems"]] for found in (lost, kept)]
    assert problems[0] == problems[1]
    assert "incomplete" in problems[0]


def _close(given: Played) -> None:
    """A minute before the deadline, and at it. The first date that was set is history."""
    given.hands.put("2007-03-18T23:58-05:00")
    assert given.cli("submit", given.task, "Team X", given.right)["replaces"]["attempt"] == 1
    given.hands.put("2007-03-18T23:59-05:00")
    said = given.alike(_send(given.bob, RIGHT), "submit", given.task, "Team X", given.right)
    assert said.startswith("Submissions closed on 2007-03-18 23:59 UTC-05:00")
    given.alike(
        given.bob.post(f"{ABOUT}/description", {"text": "x"}),
        "describe",
        given.task,
        "Team X",
        given.system,
    )
    refused = [one for one in given.made.ledger.entries() if one.status is SubmissionStatus.REFUSED]
    late = read_moment("2007-03-18T23:59-05:00")
    times = [datetime.fromisoformat(one.time) for one in refused]
    assert times == [read_moment("2007-02-01T06:00+01:00")] * 2 + [late] * 2


def _publish(given: Played) -> None:
    """Publication: its date was to be announced; the ranking is the organizers' until then."""
    assert given.ann.get(f"{ABOUT}/ranking").status_code == 403
    assert [row["name"] for row in given.adam.get(f"{ABOUT}/ranking").json()["rows"]] == [
        "Team X", "ann", "a person", "bob",
    ]  # fmt: skip
    given.cli("calendar", given.task, "--publication", "2007-04-01T12:00Z")
    said = given.alike(given.adam.post(f"{ABOUT}/publish"), "publish", given.task)
    assert said.startswith("By the calendar, the ranking is published on 2007-04-01 12:00 UTC")
    given.hands.put("2007-04-01T11:59Z")
    assert given.ann.get(f"{ABOUT}/ranking").json()["message"] == (
        "The ranking is published on 2007-04-01 12:00 UTC."
    )
    given.hands.put("2007-04-01T12:00Z")
    seen = given.ann.get(f"{ABOUT}/ranking").json()
    assert [(row["name"], row["rank"]) for row in seen["rows"]] == [
        ("Team X", 1), ("ann", 1), ("a person", None), ("bob", 3),
    ]  # fmt: skip
    assert {one["team"]: one["text"] for one in seen["descriptions"]} == {
        "Team X": "Decision trees over words, with negation.", "ann": "Rules by hand.",
    }  # fmt: skip
    page = given.folder / "page.html"
    ranked = given.cli("leaderboard", given.task, "--bootstrap", 20, "--report", page)["ranking"]
    assert [row["name"] for row in ranked] == [row["name"] for row in seen["rows"]]
    assert "Rules by hand." in page.read_text()
    assert "No description: bob." in page.read_text()


def _stay_published(given: Played) -> None:
    """Nothing takes the publication back. Every change of a date is in the history."""
    later = {"dates": [{"date": "publication", "at": "2007-05-01T12:00Z"}]}
    answer = given.adam.post(f"{ABOUT}/calendar", later)
    told = given.cli.refused("calendar", given.task, "--publication", "open")
    assert (answer.status_code, answer.json()["message"]) == (422, told)
    assert told == "The ranking is published, so the dates can no longer be changed."
    assert given.ann.get(f"{ABOUT}/ranking").status_code == 200
    history = given.cli("calendar", given.task)["history"]
    assert [(one["who"] == "adam", list(one["dates"])) for one in history] == [
        (False, ["registration", "registration-end", "training", "test", "closing"]),
        (True, ["closing"]),
        (False, ["publication"]),
    ]
