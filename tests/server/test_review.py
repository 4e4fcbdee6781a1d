"""Review: disagreements of double coding, decisions, gold and agreement."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any
from uuid import uuid4

import pytest
from tests.server.world import CHEAP, PASSWORD, Browser, World

from auscult.agreement.agree import agreement_of
from auscult.agreement.annotation_table import annotations_of
from auscult.core import Annotation, Code, Note, Span
from auscult.corpus import Corpus
from auscult.server.access import Role
from auscult.server.accounts.passwords import hash_password
from auscult.server.accounts.people import add_person
from auscult.server.projects.members import set_member


@pytest.fixture
def coded(world: World) -> World:
    """Ann and bob have finished the first chart: they agree on fever, and on nothing else."""
    ann, bob = world.browser("ann"), world.browser("bob")
    ann.step(world.add("R50.9", (0, 5)), world.add("I10", (38, 50)))
    bob.step(world.add("R50.9", (0, 5)), world.add("I10", (52, 64)), world.add("R05.9", (12, 17)))
    for browser in (ann, bob):
        browser.step({"op": "finish", "chart": world.charts[0], "finished": True})
    return world


def _decide(who: Browser, item: dict[str, Any], choice: str, **more: Any) -> Any:
    body = {"client_id": str(uuid4()), "item_id": item["item_id"], "choice": choice, **more}
    return who.post(f"/projects/{who.project}/review/decisions", body)


def _items(who: Browser, **query: Any) -> Any:
    return who.get(f"/projects/{who.project}/review", params=query).json()


def test_the_queue_has_what_coders_disagree_on_and_why(coded: World) -> None:
    found = _items(coded.browser("rita"))
    annotations_of = [
        (item["cause"], [[(s["code"], s["spans"]) for s in side] for side in item["sides"]])
        for item in found["items"]
    ]
    assert annotations_of == [
        ("elsewhere", [[("I10", [[38, 50]])], [("I10", [[52, 64]])]]),
        ("symptom", [[], [("R05.9", [[12, 17]])]]),
    ]
    assert [item["annotators"] for item in found["items"]] == [["ann", "bob"]] * 2
    assert (found["states"]["open"], found["waiting"]) == (2, 1)


def test_charts_that_not_all_have_finished_wait(coded: World) -> None:
    ann = coded.browser("ann")
    ann.step({"op": "finish", "chart": coded.charts[0], "finished": False})
    found = _items(coded.browser("rita"))
    assert (found["items"], found["waiting"]) == ([], 2)


def test_finding_nothing_is_an_answer(world: World) -> None:
    ann, bob = world.browser("ann"), world.browser("bob")
    ann.step(world.add("I10", (38, 50)))
    for browser in (ann, bob):
        browser.step({"op": "finish", "chart": world.charts[0], "finished": True})
    (item,) = _items(world.browser("rita"))["items"]
    assert [len(side) for side in item["sides"]] == [1, 0]


def test_reviewers_may_differ_and_the_supervisor_has_the_last_word(coded: World) -> None:
    with coded.server.database.writing() as connection:
        ron = add_person(connection, "ron", password=hash_password(PASSWORD, CHEAP))
        set_member(connection, coded.own, ron.id, Role.REVIEWER)
    item = _items(coded.browser("rita"))["items"][0]
    assert _decide(coded.browser("rita"), item, "accept-A", why="it says so").json()["state"] == (
        "settled"
    )
    assert _decide(coded.browser("ron"), item, "both").json()["state"] == "contested"
    done = _decide(coded.browser("sue"), item, "accept-B", why="house rule").json()
    assert done["state"] == "settled"
    assert [s["spans"] for s in done["outcome"]] == [[[52, 64]]]
    assert [(d["person"], d["choice"], d["why"]) for d in done["decisions"]] == [
        ("rita", "accept-A", "it says so"),
        ("ron", "both", ""),
        ("sue", "accept-B", "house rule"),
    ]


def test_somebody_may_change_their_mind(coded: World) -> None:
    rita = coded.browser("rita")
    item = _items(rita)["items"][0]
    _decide(rita, item, "accept-A")
    done = _decide(rita, item, "neither").json()
    assert (done["state"], done["outcome"]) == ("settled", [])
    assert [d["round"] for d in done["decisions"]] == [1, 2]


def test_a_decision_is_made_once_however_often_it_is_sent(coded: World) -> None:
    rita = coded.browser("rita")
    item = _items(rita)["items"][0]
    body = {"client_id": str(uuid4()), "item_id": item["item_id"], "choice": "both"}
    answers = [rita.post(f"/projects/{coded.own}/review/decisions", body) for _ in range(2)]
    assert [a.status_code for a in answers] == [201, 201]
    assert len(answers[1].json()["decisions"]) == 1


def test_edit_takes_another_statement_of_that_chart(coded: World) -> None:
    rita = coded.browser("rita")
    item = _items(rita)["items"][0]
    other = {"note": coded.notes[0], "spans": [[38, 50], [52, 64]], "system": "ICD-10-CM"}
    away = [{**other, "code": "i10", "note": coded.notes[2]}]
    assert _decide(rita, item, "edit", edit=away).status_code == 422
    past = [{**other, "code": "i10", "spans": [[38, 5000]]}]
    assert _decide(rita, item, "edit", edit=past).status_code == 422
    assert _decide(rita, item, "both", edit=[{**other, "code": "I10"}]).status_code == 422
    done = _decide(rita, item, "edit", edit=[{**other, "code": "i10"}])
    assert [(s["code"], s["spans"]) for s in done.json()["outcome"]] == [
        ("I10", [[38, 50], [52, 64]])
    ]


def test_what_is_not_there_cannot_be_decided(coded: World) -> None:
    rita = coded.browser("rita")
    assert _decide(rita, {"item_id": "q000000000000"}, "both").status_code == 409
    item = _items(rita)["items"][0]
    assert _decide(rita, item, "accept-C").status_code == 422
    assert _decide(rita, item, "perhaps").status_code == 422


def test_naming_the_chart_makes_no_difference(coded: World) -> None:
    rita, sue = coded.browser("rita"), coded.browser("sue")
    chart, other = coded.charts
    for item in _items(rita)["items"]:
        assert _decide(rita, item, "both", chart=other).status_code == 409
        named = _decide(rita, item, "both", chart=chart).json()
        assert (named["state"], len(named["decisions"])) == ("settled", 1)
        after = _decide(sue, item, "neither").json()
        assert (after["outcome"], len(after["decisions"])) == ([], 2)
    assert _items(rita)["states"] == {"open": 0, "contested": 0, "settled": 2}


def test_a_chart_that_was_reviewed_stays_finished(coded: World) -> None:
    item = _items(coded.browser("rita"))["items"][0]
    _decide(coded.browser("rita"), item, "both")
    ann = coded.browser("ann")
    again = {"op": "finish", "chart": coded.charts[0], "finished": False}
    assert ann.step(again).status_code == 403
    assert ann.back("undo").status_code == 403


def test_gold_is_what_all_agree_on_and_what_was_settled(coded: World) -> None:
    first, second = _items(coded.browser("rita"))["items"]
    _decide(coded.browser("rita"), first, "accept-A", why="first place")
    out = coded.browser("sue").get(f"/projects/{coded.own}/export?format=jsonl")
    with zipfile.ZipFile(io.BytesIO(out.content)) as archive:
        name = next(n for n in archive.namelist() if "annotations" in n)
        rows = [json.loads(line) for line in archive.read(name).decode().splitlines()]
    gold = [(r["code"], r["spans"]) for r in rows if r["annotator"] == "gold"]
    assert sorted(gold) == [("I10", [[38, 50]]), ("R50.9", [[0, 5]])]
    assert {r["annotator"] for r in rows} == {"ann", "bob", "gold"}
    why = [r["meta"].get("why") for r in rows if r["annotator"] == "gold" and r["code"] == "I10"]
    assert why == ["first place"]
    assert second["state"] == "open"


def test_agreement_before_and_after(coded: World) -> None:
    rita = coded.browser("rita")
    for item in _items(rita)["items"]:
        _decide(rita, item, "accept-B")
    (group,) = rita.get(f"/projects/{coded.own}/agreement").json()["groups"]
    assert group["annotators"] == ["ann", "bob"]
    # By note: ann gave {R50.9, I10}, bob {R50.9, I10, R05.9}: 2 · 2 / (2 + 3).
    assert group["before"]["code_f1"]["value"] == pytest.approx(0.8)
    assert group["after"]["code_f1"]["value"] == 1.0
    assert group["after"]["span_jaccard"]["value"] == 1.0
    assert group["upheld"] == {"ann": 0, "bob": 2}


def test_agreement_on_boundaries_knows_how_long_the_notes_are(coded: World) -> None:
    rita = coded.browser("rita")
    chart = rita.get(f"/projects/{coded.own}/charts/{coded.charts[0]}").json()
    notes = [
        Note(
            str(row["id"]),
            "c",
            text=rita.get(f"/projects/{coded.own}/notes/{row['id']}").json()["text"],
        )
        for row in chart["notes"]
    ]
    said_by = {
        "ann": {"R50.9": (0, 5), "I10": (38, 50)},
        "bob": {"R50.9": (0, 5), "I10": (52, 64), "R05.9": (12, 17)},
    }
    corpus = Corpus.of(
        notes,
        [
            Annotation(who, Code("ICD-10-CM", code), "c", notes[0].note_id, (Span(*edges),))
            for who, codes in said_by.items()
            for code, edges in codes.items()
        ],
    )
    expected = (
        agreement_of(annotations_of(corpus, ["ann", "bob"]), times=0)
        .metrics["alpha_unitized"]
        .value
    )
    (group,) = rita.get(f"/projects/{coded.own}/agreement").json()["groups"]
    assert expected is not None
    assert group["before"]["alpha_unitized"]["value"] == pytest.approx(expected)


def test_reading_the_queue_is_in_the_audit_log(coded: World) -> None:
    _items(coded.browser("rita"))
    rows = coded.browser("sue").get(f"/audit?project={coded.own}").json()["rows"]
    assert ("rita", "disagreements read") in [(row["person"], row["action"]) for row in rows]
