"""The review of what identifies people, from the notes to a corpus without it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest
import sqlalchemy as sa
from tests.server.world import Browser, World

from auscult.corpus import Corpus
from auscult.deid import deidentify
from auscult.deid.sheet import read_decisions
from auscult.server.database.tables import note
from auscult.server.projects.as_corpus import notes_of

TEXT = "🫀 Dr. Mary Smith saw the patient on 03/04/2019. May was unwell. Zorblax came along."


@pytest.fixture
def phi(world: World) -> World:
    """A workbench whose notes name somebody."""
    with world.server.database.writing() as connection:
        connection.execute(sa.update(note).values(text=TEXT, characters=len(TEXT)))
    return world


def _queue(who: Browser, **query: Any) -> dict[str, Any]:
    answer = who.get(f"/projects/{who.project}/deid", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def _decide(who: Browser, item: dict[str, Any], choice: str, **more: Any) -> httpx2.Response:
    seen = None if item["decision"] is None else item["decision"]["id"]
    body = {"client_id": str(uuid4()), "item_id": item["item_id"], "seen": seen, "choice": choice}
    return who.post(f"/projects/{who.project}/deid/decisions", {**body, **more})


def test_what_was_found_lies_where_the_words_are(phi: World) -> None:
    sue = phi.browser("sue")
    looked = sue.post(f"/projects/{phi.own}/deid/look", {}).json()
    assert looked["notes"] == 4
    found = _queue(sue, doubtful=False, limit=500)
    assert found["total"] == looked["findings"] == found["states"]["open"]
    words = {(one["kind"], one["words"]) for one in found["items"]}
    assert {("DATE", "03/04/2019")} <= words
    assert any("Smith" in said for kind, said in words if kind == "NAME")
    for one in found["items"]:
        begin, end = one["span"]
        assert TEXT[begin:end] == one["words"]
        assert TEXT.endswith(one["words"] + one["after"]) or one["after"] in TEXT
    # Looking again adds nothing.
    assert sue.post(f"/projects/{phi.own}/deid/look", {}).json() == looked
    assert _queue(sue, doubtful=False)["total"] == found["total"]


def test_the_last_decision_holds_and_nothing_is_overwritten_unseen(phi: World) -> None:
    sue, rita = phi.browser("sue"), phi.browser("rita")
    sue.post(f"/projects/{phi.own}/deid/look", {})
    item = _queue(rita, doubtful=False, kind="DATE")["items"][0]
    client_id = str(uuid4())
    first = _decide(rita, item, "generalize", client_id=client_id, why="the year does")
    assert first.json()["decision"]["choice"] == "generalize"
    again = _decide(rita, item, "generalize", client_id=client_id, why="the year does")
    assert (again.status_code, again.json()["decisions"]) == (201, 1)
    unseen = _decide(sue, item, "keep")
    assert (unseen.status_code, unseen.json()["item"]["decision"]["person"]) == (409, "rita")
    last = _decide(sue, first.json(), "replace", replacement="a day")
    assert (last.json()["decision"]["replacement"], last.json()["decisions"]) == ("a day", 2)
    assert _queue(sue, doubtful=False, state="decided")["total"] == 1


def test_of_decisions_at_the_same_moment_one_holds_and_the_others_are_told(phi: World) -> None:
    phi.browser("sue").post(f"/projects/{phi.own}/deid/look", {})
    item = _queue(phi.browser("rita"), doubtful=False, kind="DATE")["items"][0]
    browsers = [phi.browser(name, fresh=True) for name in ("rita", "sue") * 4]
    with ThreadPoolExecutor(len(browsers)) as pool:
        codes = list(pool.map(lambda one: _decide(one, item, "keep").status_code, browsers))
    assert sorted(codes) == [201] + [409] * 7


def test_decisions_go_into_the_corpus_that_comes_out(phi: World, tmp_path: Path) -> None:
    sue = phi.browser("sue")
    sue.post(f"/projects/{phi.own}/deid/look", {})
    here = phi.notes[0]
    dates = _queue(sue, doubtful=False, kind="DATE")["items"]
    item = next(one for one in dates if one["note"] == here)
    _decide(sue, item, "replace", replacement="=some day")
    begin = TEXT.index("Zorblax")
    place = {"note": here, "begin": begin, "end": begin + 7, "kind": "NAME"}
    added = sue.post(
        f"/projects/{phi.own}/deid/findings",
        {"client_id": str(uuid4()), **place, "replacement": "Somebody"},
    )
    assert (added.status_code, added.json()["words"], added.json()["found_by"]) == (
        201,
        "Zorblax",
        "sue",
    )
    twice = {"client_id": str(uuid4()), **place}
    assert sue.post(f"/projects/{phi.own}/deid/findings", twice).status_code == 409
    past = {"client_id": str(uuid4()), **place, "end": len(TEXT) + 1}
    assert sue.post(f"/projects/{phi.own}/deid/findings", past).status_code == 422

    file = tmp_path / "queue.csv"
    file.write_bytes(sue.get(f"/projects/{phi.own}/deid/queue").content)
    with phi.server.database.reading() as connection:
        notes = list(notes_of(connection, phi.own))
    decisions = read_decisions([file], {one.note_id for one in notes})
    deidentify(Corpus.of(notes, ()), tmp_path / "out", decisions=decisions)
    made = Corpus.open(tmp_path / "out")
    text = next(one.text for one in made.iter_notes() if one.note_id == "n0")
    assert text is not None
    assert "=some day" in text
    assert "Somebody came along" in text
    assert "Smith" not in text


def test_whose_words_were_read_is_in_the_audit_log(phi: World) -> None:
    sue = phi.browser("sue")
    sue.post(f"/projects/{phi.own}/deid/look", {})
    _queue(phi.browser("rita"), doubtful=False, limit=1)
    rows = sue.get(f"/audit?project={phi.own}").json()["rows"]
    assert ("rita", "de-identification reviewed", "c0") in {
        (row["person"], row["action"], row["chart_id"]) for row in rows
    }


def test_words_that_come_with_a_decision_are_in_the_audit_log(phi: World) -> None:
    rita = phi.browser("rita")
    span = {"begin": 0, "end": 5, "kind": "NAME"}
    body = {"client_id": str(uuid4()), "note": phi.notes[2], **span}
    item = rita.post(f"/projects/{phi.own}/deid/findings", body).json()
    assert item["words"] == TEXT[:5]
    unseen = _decide(rita, {**item, "decision": None}, "keep")
    assert (unseen.status_code, unseen.json()["item"]["words"]) == (409, TEXT[:5])
    rows = phi.browser("sue").get(f"/audit?project={phi.own}").json()["rows"]
    assert [(r["person"], r["note_id"]) for r in rows[1:]] == [("rita", "n2")] * 2
