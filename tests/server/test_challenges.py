"""Shared tasks: what teams get, what they send, and who sees the ranking when."""

from __future__ import annotations

import io
import zipfile
from hashlib import sha256
from typing import Any

import httpx2
import pytest
from tests.server.world import Browser, World, make_challenge

from auscult.challenge import Challenge
from auscult.corpus import formats
from auscult.server.routes import challenges as routes

RIGHT = "document,code\n" + "".join(
    f"doc{n},{'R50.9' if n % 2 else 'R05.9'}\n" for n in range(6, 12)
)
HALF = "document,code\n" + "".join(f"doc{n},R50.9\n" for n in range(6, 12))


def _open(world: World, **chosen: Any) -> Challenge:
    folder = world.server.settings.folder / "challenges"
    return make_challenge(folder / "cough", attempts=3, **chosen)


def _send(who: Browser, text: str, name: str = "ours.csv", **data: str) -> httpx2.Response:
    files = {"file": (name, io.BytesIO(text.encode()))}
    return who.client.post("/api/challenges/cough/submissions", files=files, data=data)


def test_teams_get_the_documents_without_the_codes_that_are_asked_for(lite: World) -> None:
    _open(lite)
    ann = lite.browser("ann")
    assert [one["name"] for one in ann.get("/challenges").json()] == ["cough"]
    about = ann.get("/challenges/cough").json()
    assert (about["train"], about["test"], about["codes"], about["left"]) == (6, 6, 2, 3)
    packed = zipfile.ZipFile(io.BytesIO(ann.get("/challenges/cough/release").content))
    with packed.open("cough/test.xml") as file:
        (lite.server.settings.folder / "test.xml").write_bytes(file.read())
    test = formats.read("cmc", lite.server.settings.folder / "test.xml")
    assert sorted(test.chart_ids()) == sorted(f"doc{n}" for n in range(6, 12))
    assert list(test.iter_annotations()) == []
    assert {"cough/rules.html", "cough/codes.csv", "cough/SHA256SUMS"} <= set(packed.namelist())
    rows = lite.browser("adam").get("/audit").json()["rows"]
    assert ("ann", "challenge release taken") in {(r["person"], r["action"]) for r in rows}


def test_a_submission_with_errors_is_told_all_of_them_and_costs_nothing(lite: World) -> None:
    _open(lite)
    ann = lite.browser("ann")
    sent = _send(ann, "document,code\ndoc6,R50.9\ndoc6,E11.9\nnowhere,R50.9\n").json()
    assert sent["submission"]["status"] == "invalid"
    assert sent["left"] == 3
    errors = [one for one in sent["problems"] if one["is_error"]]
    assert [(one["kind"], one["row"]) for one in errors] == [
        ("code outside the label set", 3),
        ("incomplete", None),
    ]
    assert {"unknown document", "missing document"} <= {one["kind"] for one in sent["problems"]}
    bomb = '<!DOCTYPE a [<!ENTITY b "c">]><docs>&b;</docs>'
    assert "entity" in {p["kind"] for p in _send(ann, bomb, "x.xml").json()["problems"]}
    assert _send(ann, RIGHT, "../../etc/passwd").json()["submission"]["file"] == "passwd"
    assert [one["status"] for one in ann.get("/challenges/cough").json()["submissions"]] == [
        "accepted",
        "invalid",
        "invalid",
    ]


def test_attempts_run_out_and_one_team_does_not_see_another(lite: World) -> None:
    _open(lite)
    ann, bob = lite.browser("ann"), lite.browser("bob")
    assert [_send(ann, RIGHT).json()["left"] for _ in range(3)] == [2, 1, 0]
    refused = _send(ann, RIGHT)
    assert (refused.status_code, "no attempts left" in refused.json()["message"]) == (422, True)
    assert bob.get("/challenges/cough").json()["submissions"] == []
    assert _send(bob, HALF, team="ann").status_code == 403
    assert _send(bob, HALF).json()["scores"] is None
    every = lite.browser("adam").get("/challenges/cough").json()["submissions"]
    assert {one["team"] for one in every} == {"ann", "bob"}


def test_the_ranking_is_the_organizers_until_they_publish_it(lite: World) -> None:
    _open(lite)
    ann, bob, adam = (lite.browser(name) for name in ("ann", "bob", "adam"))
    _send(ann, HALF)
    _send(bob, RIGHT)
    _send(adam, HALF, team="the third")
    assert ann.get("/challenges/cough/ranking").status_code == 403
    rows = adam.get("/challenges/cough/ranking").json()["rows"]
    # By hand: HALF gives fever to all six; of the three that have it, three are right.
    found = {row["name"]: (row["rank"], row["metrics"]["micro_f1"]["value"]) for row in rows}
    assert found == {
        "bob": (1, 1.0),
        "ann": (2, 0.5),
        "the third": (2, 0.5),
        "a person": (None, 0.5),
    }
    assert adam.post("/challenges/cough/publish").status_code == 204
    seen = ann.get("/challenges/cough/ranking").json()
    assert [row["name"] for row in seen["rows"] if row["is_own"]] == ["ann"]
    assert seen["documents"] == 6
    late = _send(ann, RIGHT)
    assert (late.status_code, "published" in late.json()["message"]) == (403, True)


def test_where_scores_are_told_the_ranking_shows(lite: World) -> None:
    _open(lite, feedback="scores")
    ann = lite.browser("ann")
    assert _send(ann, RIGHT).json()["scores"]["micro_f1"] == 1.0
    assert ann.get("/challenges/cough/ranking").json()["rows"][0]["rank"] == 1
    _send(ann, HALF)
    assert (
        ann.get("/challenges/cough/ranking").json()["rows"][0]["metrics"]["micro_f1"]["value"]
        == 0.5
    )  # the last counts, and what was worked out before is not shown again


def test_an_upload_that_comes_too_late_is_not_read(
    lite: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = _open(lite)
    ann, adam = lite.browser("ann"), lite.browser("adam")
    assert _send(ann, HALF).status_code == 201
    assert adam.post("/challenges/cough/publish").status_code == 204

    def submit(*_: object, **__: object) -> None:
        raise AssertionError("the file was copied and read")

    monkeypatch.setattr(routes, "submit", submit)
    late = _send(ann, RIGHT, "../late.csv")
    assert (late.status_code, "as refused (number 2)" in late.json()["message"]) == (403, True)
    entry = challenge.ledger.entries()[-1]
    assert (entry.file, entry.sha256) == ("late.csv", sha256(RIGHT.encode()).hexdigest())


def test_a_team_describes_its_system_twenty_times(lite: World) -> None:
    challenge = _open(lite)
    ann = lite.browser("ann")
    for number in range(20):
        assert ann.post("/challenges/cough/description", {"text": f"{number}"}).status_code == 204
    assert ann.post("/challenges/cough/description", {"text": "19"}).status_code == 204
    more = ann.post("/challenges/cough/description", {"text": "20"})
    assert (more.status_code, "has sent 20 descriptions" in more.json()["message"]) == (422, True)
    assert ann.get("/challenges/cough").json()["description"] == "19"
    assert len(challenge.journal.events()) == 20


def test_names_that_lead_elsewhere_find_nothing(lite: World) -> None:
    _open(lite)
    ann = lite.browser("ann")
    for name in ("..%2f", "%2e%2e", "cough%2f..", "none"):
        assert ann.get(f"/challenges/{name}").status_code in (404, 422)
