"""Changes: on disk before they are answered, never twice, never over somebody else's."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import sqlalchemy as sa
from tests.server.world import Browser, World

from auscult.server.database.tables import event
from auscult.server.events.check import check


def test_a_change_is_there_for_the_next_who_looks(world: World) -> None:
    ann = world.browser("ann")
    done = ann.step(world.add("I10", (38, 50)))
    assert done.status_code == 201
    assert world.browser("ann", fresh=True).said(world.notes[0]) == {("I10", "[[38, 50]]")}
    assert ann.note(world.notes[0])["text"][38:50] == "hypertension"


def test_change_and_remove(world: World) -> None:
    ann = world.browser("ann")
    added = world.add("i10", (38, 50))
    ann.step(added)
    changed = {**added["annotation"], "code": "i11.9", "spans": [[52, 64], [38, 50]]}
    done = ann.step({"op": "change", "annotation": changed})
    assert [(a["code"], a["spans"]) for a in done.json()["annotations"]] == [
        ("I11.9", [[38, 50], [52, 64]])
    ]
    on = (world.charts[0], world.notes[0])
    done = ann.step({"op": "remove", "id": changed["id"], "on": on})
    assert done.json()["removed"] == [changed["id"]]
    assert ann.said(world.notes[0]) == set()


def test_a_retry_does_nothing_twice(world: World) -> None:
    ann, name = world.browser("ann"), str(uuid4())
    added = world.add("I10", (38, 50))
    body = {
        "client_id": name,
        "seen": [{"chart": world.charts[0], "note": world.notes[0], "version": 0}],
        "changes": [added],
    }
    first, second = (ann.post(f"/projects/{world.own}/steps", body) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert [first.json()["repeated"], second.json()["repeated"]] == [False, True]
    assert first.json()["seq"] == second.json()["seq"]
    assert len(ann.said(world.notes[0])) == 1
    other = {**body, "changes": [world.add("I11.9", (38, 50))]}
    assert ann.post(f"/projects/{world.own}/steps", other).status_code == 409


def test_another_window_sees_a_conflict_and_what_is_there(world: World) -> None:
    one, other = world.browser("ann"), world.browser("ann", fresh=True)
    one.step(world.add("I10", (38, 50)))
    done = other.step(world.add("R50.9", (0, 5)))
    assert done.status_code == 409
    (sheet,) = done.json()["sheets"]
    assert (sheet["version"], [a["code"] for a in sheet["annotations"]]) == (1, ["I10"])
    assert one.said(world.notes[0]) == {("I10", "[[38, 50]]")}
    other.versions[world.charts[0], world.notes[0]] = sheet["version"]
    assert other.step(world.add("R50.9", (0, 5))).status_code == 201
    # Other notes are not concerned.
    assert one.step(world.add("R50.9", (0, 5), note=1)).status_code == 201


def test_a_sheet_that_was_not_named_is_a_conflict(world: World) -> None:
    ann = world.browser("ann")
    body = {"client_id": str(uuid4()), "seen": [], "changes": [world.add("I10", (38, 50))]}
    assert ann.post(f"/projects/{world.own}/steps", body).status_code == 409
    assert ann.said(world.notes[0]) == set()


def test_two_coders_do_not_disturb_each_other(world: World) -> None:
    ann, bob = world.browser("ann"), world.browser("bob")
    assert ann.step(world.add("I10", (38, 50))).status_code == 201
    assert bob.step(world.add("I10", (38, 50))).status_code == 201
    assert bob.step(world.add("R50.9", (0, 5))).status_code == 201
    assert ann.said(world.notes[0]) == {("I10", "[[38, 50]]")}


def test_a_step_is_done_as_a_whole_or_not_at_all(world: World) -> None:
    ann = world.browser("ann")
    done = ann.step(world.add("I10", (38, 50)), world.add("I10", (38, 1000)))
    assert done.status_code == 422
    assert "past the note's" in done.json()["message"]
    assert ann.said(world.notes[0]) == set()


def test_many_places_are_one_step_to_undo(world: World) -> None:
    ann = world.browser("ann")
    hits = ann.post(
        f"/projects/{world.own}/charts/{world.charts[0]}/search", {"words": "hypertension"}
    ).json()
    assert hits["total"] == 4
    places = [
        world.add("I10", tuple(hit["span"]), note=world.notes.index(hit["note"]))
        for hit in hits["hits"]
    ]
    assert ann.step(*places).status_code == 201
    assert [len(ann.said(note)) for note in world.notes[:2]] == [2, 2]
    assert ann.back("undo").status_code == 201
    assert [len(ann.said(note)) for note in world.notes[:2]] == [0, 0]
    assert ann.back("redo").status_code == 201
    assert [len(ann.said(note)) for note in world.notes[:2]] == [2, 2]


def test_undo_reaches_over_notes_and_sessions_and_a_new_change_ends_redo(world: World) -> None:
    ann = world.browser("ann")
    ann.step(world.add("I10", (38, 50)))
    ann.step(world.add("R50.9", (0, 5), note=1))
    later = world.browser("ann", fresh=True)
    assert [later.back("undo").status_code for _ in range(3)] == [201, 201, 409]
    assert later.said(world.notes[0]) == later.said(world.notes[1]) == set()
    assert later.back("redo").json()["annotations"][0]["code"] == "I10"
    assert later.step(world.add("R05.9", (12, 17))).status_code == 201
    assert later.back("redo").status_code == 409
    assert later.said(world.notes[0]) == {("I10", "[[38, 50]]"), ("R05.9", "[[12, 17]]")}


def test_undo_names_what_it_expects(world: World) -> None:
    one, other = world.browser("ann"), world.browser("ann", fresh=True)
    first = one.step(world.add("I10", (38, 50))).json()["seq"]
    one.step(world.add("R50.9", (0, 5)))
    done = other.back("undo", seq=first)
    assert done.status_code == 409
    assert done.json()["history"]["undo"]["code"] == "ICD-10-CM R50.9"
    assert len(one.said(world.notes[0])) == 2


def test_nobody_undoes_what_somebody_else_did(world: World) -> None:
    world.browser("ann").step(world.add("I10", (38, 50)))
    assert world.browser("bob").back("undo").status_code == 409
    assert world.browser("sue").back("undo").status_code == 409


def test_pre_annotations_are_accepted_and_rejected_and_that_is_undone(world: World) -> None:
    ann, note = world.browser("ann"), world.notes[0]
    (given,) = ann.note(note)["sheet"]["given"]
    assert (given["source"], given["code"], given["verdict"]) == ("model", "R50.9", None)
    on = (world.charts[0], note)
    ann.step({"op": "judge", "given": given["id"], "verdict": "rejected", "on": on})
    assert ann.note(note)["sheet"]["given"][0]["verdict"] == "rejected"
    ann.back("undo")
    assert ann.note(note)["sheet"]["given"][0]["verdict"] is None
    origin = {"by": "given", "given": given["id"]}
    added = world.add("R50.9", (0, 5), origin=origin)
    ann.step(added)
    assert ann.note(note)["sheet"]["given"][0]["verdict"] == "accepted"
    assert world.browser("bob").note(note)["sheet"]["given"][0]["verdict"] is None
    ann.step({"op": "remove", "id": added["annotation"]["id"], "on": on})
    assert ann.note(note)["sheet"]["given"][0]["verdict"] is None


def test_a_finished_chart_is_closed_until_it_is_taken_up_again(world: World) -> None:
    ann, chart = world.browser("ann"), world.charts[0]
    assert ann.step({"op": "finish", "chart": chart, "finished": True}).status_code == 201
    assert ann.step(world.add("I10", (38, 50))).status_code == 409
    again = [{"op": "finish", "chart": chart, "finished": False}, world.add("I10", (38, 50))]
    assert ann.step(*again).status_code == 201
    (listed,) = [
        c for c in ann.get(f"/projects/{world.own}/charts").json()["charts"] if c["id"] == chart
    ]
    assert (listed["finished"], listed["annotations"]) == (False, 1)


def test_what_cannot_be_is_refused_with_a_reason(world: World) -> None:
    ann = world.browser("ann")
    for changes, status, says in (
        ([world.add("I10", (5, 5))], 422, "before its end"),
        ([world.add("I10", (0, 5), (3, 9))], 422, "overlaps"),
        ([world.add("I10", (0, 5), note=None)], 422, "give the note"),
        ([{**world.add("I10", (0, 5)), "more": 1}], 422, "Extra inputs"),
        ([world.add("401.9", (0, 5), system="ICD-9-CM")], 422, "uses the code systems ICD-10-CM"),
        ([world.add("I10", (0, 5), chart=world.charts[1])], 404, "Note not found"),
        ([world.add("I10", (0, 5), note=2)], 404, "Note not found"),
        ([world.add("I10", (0, 5)), world.add("I10", (0, 5))], 409, "already"),
    ):
        done = ann.step(*changes)
        assert (done.status_code, says in done.json()["message"]) == (status, True), done.json()
    assert ann.said(world.notes[0]) == set()


def test_a_free_code_is_kept_and_flagged(world: World) -> None:
    ann = world.browser("ann")
    done = ann.step(
        world.add("I10", (38, 50)),
        world.add("Z99.ZZ9", (0, 5)),
        world.add("my code", (12, 17)),
        world.add("99291", (0, 3), system="CPT"),
        world.add("CUI-less", (20, 23), system="UMLS"),
    )
    known = {a["code"]: a["known"] for a in done.json()["annotations"]}
    assert known == {
        "I10": True,
        "Z99.ZZ9": False,
        "my code": False,
        "99291": None,
        "CUI-less": True,
    }


def test_events_are_numbered_without_gaps_and_come_to_what_is_shown(world: World) -> None:
    for name in ("ann", "bob"):
        browser = world.browser(name)
        browser.step(world.add("I10", (38, 50)))
        browser.step(world.add("I10", (38, 1000)))  # refused: takes no number
        browser.step(world.add("R50.9", (0, 5)))
        browser.back("undo")
    with world.server.database.reading() as connection:
        seqs = connection.execute(
            sa.select(event.c.seq).where(event.c.project == world.own).order_by(event.c.seq)
        ).scalars()
        assert list(seqs) == [1, 2, 3, 4, 5, 6]
    assert [one.differing + one.missing for one in check(world.server.database)] == [0, 0]


def test_of_changes_at_the_same_moment_one_is_done_and_the_others_are_told(world: World) -> None:
    windows = [world.browser("ann", fresh=True) for _ in range(6)]
    with ThreadPoolExecutor(len(windows)) as pool:
        done = list(
            pool.map(
                lambda at: windows[at].step(world.add(f"I1{at}", (38, 50))), range(len(windows))
            )
        )
    assert sorted(answer.status_code for answer in done) == [201] + [409] * 5
    assert len(world.browser("ann").said(world.notes[0])) == 1


def test_one_change_sent_many_times_at_once_is_done_once(world: World) -> None:
    windows = [world.browser("ann", fresh=True) for _ in range(6)]
    added, name = world.add("I10", (38, 50)), str(uuid4())
    with ThreadPoolExecutor(len(windows)) as pool:
        done = list(pool.map(lambda window: window.step(added, client_id=name), windows))
    assert [answer.status_code for answer in done] == [201] * 6
    assert sorted(answer.json()["repeated"] for answer in done) == [False] + [True] * 5
    assert len(world.browser("ann").said(world.notes[0])) == 1


def test_people_who_save_at_once_do_not_wait_for_each_other_in_vain(world: World) -> None:
    people = [world.browser(name) for name in ("ann", "bob", "sue")]

    def work(browser: Browser) -> list[int]:
        return [browser.step(world.add(f"Z{at}", (at, at + 3))).status_code for at in range(8)]

    with ThreadPoolExecutor(len(people)) as pool:
        codes = [code for found in pool.map(work, people) for code in found]
    assert codes == [201] * 24
    assert [one.differing + one.missing for one in check(world.server.database)] == [0, 0]
