"""A shared task run by its calendar, by the command line and in the workbench at once."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from tests.challenge.hands import Hands
from tests.server.world import Browser, World, make_challenge

from auscult.challenge.calendar import read_moment
from auscult.challenge.ledger import SubmissionStatus
from auscult.cli.main import auscult
from auscult.core import AuscultError

RIGHT = "document,code\n" + "".join(
    f"doc{n},{'R50.9' if n % 2 else 'R05.9'}\n" for n in range(6, 12)
)
HALF = "document,code\n" + "".join(f"doc{n},R50.9\n" for n in range(6, 12))


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


def test_from_registration_to_publication(lite: World, tmp_path: Path) -> None:
    """The 2007 challenge's dates: at each the command line and the workbench change together."""
    hands = Hands("2007-01-15 12:00 UTC")
    cli = Cli(hands)
    lite.server = replace(lite.server, clock=hands.clock)
    task = lite.server.settings.folder / "challenges" / "cough"
    made = make_challenge(task, attempts=3)
    ann, bob, adam = (lite.browser(name) for name in ("ann", "bob", "adam"))
    about = "/challenges/cough"
    right, half = tmp_path / "right.csv", tmp_path / "half.csv"
    right.write_text(RIGHT)
    half.write_text(HALF)
    system = tmp_path / "system.txt"
    system.write_text("Decision trees over words, with negation.\n")

    def alike(answer: Any, *words: object) -> str:
        """What both refuse with."""
        assert answer.status_code == 403, answer.text
        said, told = (
            re.sub(r"number \d+", "number N", one)
            for one in (answer.json()["message"], cli.refused(*words))
        )
        assert said == told
        return told

    assert ann.get("/challenges").json()[0]["closed"] is None

    # Before registration: the dates are set on the command line, one is changed in the browser.
    cli("calendar", task, "--registration", "2007-02-01T00:00-05:00",
        "--registration-end", "2007-02-28 23:59 America/New_York",
        "--training", "2007-02-01T00:00-05:00", "--test", "2007-03-01T09:00-05:00",
        "--closing", "2007-03-17T23:59-05:00")  # fmt: skip
    moved = {"dates": [{"date": "closing", "at": "2007-03-18T23:59-05:00"}]}
    assert ann.post(f"{about}/calendar", moved).status_code == 403
    assert adam.post(f"{about}/calendar", moved).status_code == 204
    said = alike(ann.post(f"{about}/registration", {}), "register", task, "Team X")
    assert said == "Registration opens on 2007-02-01 00:00 UTC-05:00."
    assert "submissions open, on 2007-03-01" in ann.get("/challenges").json()[0]["closed"]
    alike(adam.get(f"{about}/release"), "release", task, tmp_path / "early")

    # Registration and training release: the same moment, told in another time zone.
    hands.put("2007-02-01 06:00 Europe/Paris")
    assert "ann is not registered" in ann.get(f"{about}/release").json()["message"]
    for who in (ann, bob):
        assert who.post(f"{about}/registration", {}).status_code == 204
    cli("register", task, "Team X")
    assert "already registered" in cli.refused("register", task, "team  x")
    first = cli("release", task, tmp_path / "first")["files"]
    assert {"train.xml", "codes.csv", "rules.html"} <= set(first)
    assert "test.xml" not in first
    assert "doc7" not in "".join((tmp_path / "first" / name).read_text() for name in first)
    assert _files(ann.get(f"{about}/release")) == set(first)
    alike(
        ann.get(f"{about}/release", params={"stage": "test"}),
        "release", task, tmp_path / "early", "--stage", "test",
    )  # fmt: skip
    said = alike(_send(ann, RIGHT), "submit", task, "Team X", right)
    assert said.startswith("The test documents are released, and submissions open, on 2007-03-01")

    # Test release: registration is over, submissions and descriptions come in.
    hands.put("2007-03-01T09:00-05:00")
    alike(ann.post(f"{about}/registration", {}), "register", task, "Late Team")
    second = set(cli("release", task, tmp_path / "second")["files"])
    assert second == _files(bob.get(f"{about}/release"))
    assert {"train.xml", "test.xml"} <= second
    assert "Team Y is not registered" in cli.refused("submit", task, "Team Y", right)
    assert cli("check", tmp_path / "second", half)["valid"]
    assert cli("submit", task, "Team X", half)["attempt"] == 1
    assert _send(ann, RIGHT).json()["submission"]["attempt"] == 1
    assert _send(bob, HALF).json()["submission"]["attempt"] == 1
    cli("describe", task, "Team X", system)
    assert ann.post(f"{about}/description", {"text": "Rules by hand."}).status_code == 204
    told = ann.get(about).json()
    assert (told["description"], told["teams"]) == ("Rules by hand.", [])
    assert {one["date"]: one["has_come"] for one in told["calendar"]} == {
        "registration": True, "registration-end": True, "training": True, "test": True,
        "closing": False, "publication": False,
    }  # fmt: skip
    assert told["refused"]["submit"] is None

    # One file of six documents must not take the place of a good run.
    one = "document,code\ndoc6,R50.9\n"
    lost = _send(ann, one).json()
    assert (lost["submission"]["status"], lost["left"]) == ("invalid", 2)
    (tmp_path / "one.csv").write_text(one)
    kept = cli("submit", task, "Team X", tmp_path / "one.csv", code=2)
    problems = [[one["kind"] for one in found["problems"]] for found in (lost, kept)]
    assert problems[0] == problems[1]
    assert "incomplete" in problems[0]

    # A minute before the deadline, and at it. The first date that was set is history.
    hands.put("2007-03-18T23:58-05:00")
    assert cli("submit", task, "Team X", right)["replaces"]["attempt"] == 1
    hands.put("2007-03-18T23:59-05:00")
    said = alike(_send(bob, RIGHT), "submit", task, "Team X", right)
    assert said.startswith("Submissions closed on 2007-03-18 23:59 UTC-05:00")
    alike(bob.post(f"{about}/description", {"text": "x"}), "describe", task, "Team X", system)
    refused = [one for one in made.ledger.entries() if one.status is SubmissionStatus.REFUSED]
    late = read_moment("2007-03-18T23:59-05:00")
    times = [datetime.fromisoformat(one.time) for one in refused]
    assert times == [read_moment("2007-02-01T06:00+01:00")] * 2 + [late] * 2

    # Publication: its date was to be announced; the ranking is the organizers' until then.
    assert ann.get(f"{about}/ranking").status_code == 403
    assert [row["name"] for row in adam.get(f"{about}/ranking").json()["rows"]] == [
        "Team X", "ann", "a person", "bob",
    ]  # fmt: skip
    cli("calendar", task, "--publication", "2007-04-01T12:00Z")
    said = alike(adam.post(f"{about}/publish"), "publish", task)
    assert said.startswith("By the calendar, the ranking is published on 2007-04-01 12:00 UTC")
    hands.put("2007-04-01T11:59Z")
    assert ann.get(f"{about}/ranking").json()["message"] == (
        "The ranking is published on 2007-04-01 12:00 UTC."
    )
    hands.put("2007-04-01T12:00Z")
    seen = ann.get(f"{about}/ranking").json()
    assert [(row["name"], row["rank"]) for row in seen["rows"]] == [
        ("Team X", 1), ("ann", 1), ("a person", None), ("bob", 3),
    ]  # fmt: skip
    assert {one["team"]: one["text"] for one in seen["descriptions"]} == {
        "Team X": "Decision trees over words, with negation.", "ann": "Rules by hand.",
    }  # fmt: skip
    page = tmp_path / "page.html"
    ranked = cli("leaderboard", task, "--bootstrap", 20, "--report", page)["ranking"]
    assert [row["name"] for row in ranked] == [row["name"] for row in seen["rows"]]
    assert "Rules by hand." in page.read_text()
    assert "No description: bob." in page.read_text()
    history = cli("calendar", task)["history"]
    assert [(one["who"] == "adam", list(one["dates"])) for one in history] == [
        (False, ["registration", "registration-end", "training", "test", "closing"]),
        (True, ["closing"]),
        (False, ["publication"]),
    ]
