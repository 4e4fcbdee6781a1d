"""Double coding is blind: nothing a coder can ask for holds another's work."""

from __future__ import annotations

from uuid import uuid4

from tests.server.world import World

from auscult.server.access import Role, Viewer
from auscult.server.live import messages

SECRET = "ZZ9-SECRET"


def test_no_answer_to_a_coder_holds_what_another_did(world: World) -> None:
    ann, bob = world.browser("ann"), world.browser("bob")
    added = world.add(SECRET, (38, 50), comment=SECRET)
    assert ann.step(added, world.add(SECRET, note=None)).status_code == 201
    ann.step({"op": "finish", "chart": world.charts[0], "finished": True})
    own, chart, note = world.own, world.charts[0], world.notes[0]
    answers = [
        bob.get(path)
        for path in (
            "/projects",
            f"/projects/{own}",
            f"/projects/{own}/charts",
            f"/projects/{own}/charts/{chart}",
            f"/projects/{own}/notes/{note}",
            f"/projects/{own}/history",
            f"/projects/{own}/progress",
            f"/projects/{own}/members",
            f"/projects/{own}/given",
            f"/projects/{own}/review",
            f"/projects/{own}/agreement",
            f"/projects/{own}/export",
            f"/audit?project={own}",
        )
    ]
    answers.append(bob.post(f"/projects/{own}/charts/{chart}/search", {"words": "hypertension"}))
    # Where answers say what is there, they say it of one's own work only.
    mine = added["annotation"]["id"]
    answers.append(bob.step({"op": "remove", "id": mine, "on": (chart, note)}))
    answers.append(bob.step({"op": "change", "annotation": added["annotation"]}))
    answers.append(bob.step(added))
    stale = {
        "client_id": str(uuid4()),
        "seen": [{"chart": chart, "note": note, "version": 7}],
        "changes": [world.add("I10", (38, 50))],
    }
    answers.append(bob.post(f"/projects/{own}/steps", stale))
    for answer in answers:
        assert SECRET not in answer.text, answer.url
        assert answer.status_code < 500
    assert ann.said(note) == {(SECRET, "[[38, 50]]")}


def test_a_coder_hears_of_their_own_work_only(world: World) -> None:
    world.browser("ann").step(world.add("I10", (38, 50)))
    world.browser("bob").step(world.add("I10", (38, 50)))

    def heard(name: str, role: Role) -> list[int]:
        viewer = Viewer(world.people[name], name, world.own, role)
        with world.server.database.reading() as connection:
            return [one["person"] for one in messages(connection, viewer, 0)[1]]

    ann, bob = world.people["ann"], world.people["bob"]
    assert heard("bob", Role.CODER) == [bob]
    assert heard("sue", Role.SUPERVISOR) == [ann, bob]


def test_reviewers_see_what_coders_did(world: World) -> None:
    world.browser("ann").step(world.add(SECRET, (38, 50)))
    note = world.browser("rita").note(world.notes[0])
    assert [(one["annotator"], one["code"]) for one in note["others"]] == [("ann", SECRET)]
    assert world.browser("bob").note(world.notes[0])["others"] is None


def test_a_coder_sees_charts_assigned_to_them_and_no_others(world: World) -> None:
    sue, bob = world.browser("sue"), world.browser("bob")
    body = {
        "client_id": str(uuid4()),
        "person": world.people["bob"],
        "charts": [world.charts[1]],
    }
    assert sue.post(f"/projects/{world.own}/assignments/withdraw", body).json()["charts"] == 1
    listed = bob.get(f"/projects/{world.own}/charts").json()
    assert [chart["id"] for chart in listed["charts"]] == [world.charts[0]]
    own = f"/projects/{world.own}"
    assert bob.get(f"{own}/charts/{world.charts[1]}").status_code == 404
    assert bob.get(f"{own}/notes/{world.notes[2]}").status_code == 404
    assert (
        bob.post(f"{own}/suggest", {"note": world.notes[2], "spans": [[0, 5]]}).status_code == 404
    )
    assert bob.post(f"{own}/charts/{world.charts[1]}/search", {"words": "a"}).status_code == 404
    added = world.add("I10", (38, 50), note=2, chart=world.charts[1])
    assert bob.step(added).status_code == 404
