"""Double coding is blind: nothing a coder can ask for holds another's work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from tests.server.routes import ROUTES, Case
from tests.server.world import World

from auscult.server.access import Role, Viewer
from auscult.server.event_stream import messages

SECRET = "ZZ9-SECRET"


def _plant(world: World) -> dict[str, Any]:
    """What one coder did, wherever a coder can do something."""
    ann = world.browser("ann")
    added = world.add(SECRET, (38, 50), comment=SECRET)
    assert ann.step(added, world.add(SECRET, note=None)).status_code == 201
    ann.step({"op": "finish", "chart": world.charts[0], "finished": True})
    annotation: dict[str, Any] = added["annotation"]
    return annotation


def test_no_route_answers_a_coder_with_what_another_did(stage: Callable[[], World]) -> None:
    world = stage()
    _plant(world)
    answered = 0
    # The new password comes last; logging out does not disturb the next.
    for (method, path), route in sorted(ROUTES.items(), key=lambda one: "password" in one[0][1]):
        bob = world.browser("bob", fresh=True)
        answer = route.ask(Case(world, bob, world.own))
        assert SECRET not in answer.text, (method, path)
        assert SECRET not in str(answer.headers), (method, path)
        answered += answer.is_success
    assert answered >= len(ROUTES) / 3


def test_no_refusal_tells_a_coder_what_another_did(world: World) -> None:
    """Where answers say what is there, they say it of one's own work only."""
    theirs = _plant(world)
    bob, chart, note = world.browser("bob"), world.charts[0], world.notes[0]
    stale = {
        "client_id": str(uuid4()),
        "seen": [{"chart": chart, "note": note, "version": 7}],
        "changes": [world.add("I10", (38, 50))],
    }
    answers = [
        bob.step({"op": "remove", "id": theirs["id"], "on": (chart, note)}),
        bob.step({"op": "change", "annotation": theirs}),
        bob.step({"op": "add", "annotation": theirs}),
        bob.post(f"/projects/{world.own}/steps", stale),
    ]
    for answer in answers:
        assert answer.status_code == 409
        assert SECRET not in answer.text
    assert world.browser("ann").said(note) == {(SECRET, "[[38, 50]]")}


def test_whoever_codes_a_chart_codes_it_blind(world: World) -> None:
    """A reviewer, too, who is to code a chart themselves sees others' work once they are done."""
    _plant(world)
    rita, note = world.browser("rita"), world.notes[0]
    body = {"client_id": str(uuid4()), "charts": [world.charts[0]]}
    people = {"people": [world.people["rita"], world.people["bob"]]}
    path = f"/projects/{world.own}/assignments"
    assert world.browser("sue").post(path, {**body, **people}).json()["assignments"] == 1
    assert SECRET not in rita.get(f"/projects/{world.own}/notes/{note}").text
    rita.step({"op": "finish", "chart": world.charts[0], "finished": True})
    assert [one["code"] for one in rita.note(note)["others"]] == [SECRET]


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
