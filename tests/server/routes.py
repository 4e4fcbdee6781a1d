"""Every route of the interface as a request, and what it comes to for each role.

The table is for the authorization matrix and for the test that double coding is blind.
"""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import uuid4

import httpx2
from tests.server.world import PASSWORD, Browser, World

OK, NO, NONE = "ok", "forbidden", "not found"
STATUS = {OK: (200, 201, 204), NO: (403,), NONE: (404,), "conflict": (409,)}
ROLES = ("ann", "rita", "sue", "adam")
"""Coder, reviewer, supervisor of `own`, and an admin who is no member of any project."""


class Case(NamedTuple):
    """Who asks, in which project of which workbench."""

    world: World
    who: Browser
    project: int
    foreign: bool = False


Ask = Callable[[Case], httpx2.Response]


class Route(NamedTuple):
    """A request, and what it comes to for coder, reviewer, supervisor and admin."""

    own: tuple[str, str, str, str]
    ask: Ask
    foreign: tuple[str, str, str, str] = (NONE, NONE, NONE, NONE)


def _get(path: str) -> Ask:
    return lambda case: case.who.get(_fill(path, case))


def _post(path: str, body: Callable[[Case], Any] | dict[str, Any] | None) -> Ask:
    return lambda case: case.who.post(_fill(path, case), body(case) if callable(body) else body)


def _fill(path: str, case: Case) -> str:
    world = case.world
    return path.format(
        project=case.project,
        chart=world.foreign_chart if case.foreign else world.charts[0],
        note=world.foreign_note if case.foreign else world.notes[0],
    )


def ask_live(case: Case) -> httpx2.Response:
    """The stream never ends, unless the server is about to."""
    case.world.server.bell.close()
    return case.who.get(f"/projects/{case.project}/live")


def _step(case: Case) -> dict[str, Any]:
    chart = case.world.foreign_chart if case.foreign else case.world.charts[0]
    note = case.world.foreign_note if case.foreign else case.world.notes[0]
    added = case.world.add("I10", (38, 50))
    added["annotation"] |= {"chart": chart, "note": note}
    seen = [{"chart": chart, "note": note, "version": 0}]
    return {"client_id": str(uuid4()), "seen": seen, "changes": [added]}


def _back(kind: str) -> Ask:
    def ask(case: Case) -> httpx2.Response:
        made = case.who.post(f"/projects/{case.project}/steps", _step(case))
        seq = made.json().get("seq", 1)
        undone = case.who.post(
            f"/projects/{case.project}/undo", {"client_id": str(uuid4()), "seq": seq}
        )
        if kind == "undo":
            return undone
        return case.who.post(
            f"/projects/{case.project}/redo", {"client_id": str(uuid4()), "seq": seq}
        )

    return ask


def _shown(case: Case) -> httpx2.Response:
    """Only who was shown a list can say what came of it."""
    case.world.browser("sue").client.patch(
        f"/api/projects/{case.world.own}", json={"logs_suggestions": True}
    )
    listed = (
        case.who.post(f"/projects/{case.world.own}/suggest", {"words": "fever"}).json().get("shown")
        or 1
    )
    body = {"chosen": 1, "elapsed_ms": 900}
    return case.who.post(f"/projects/{case.project}/shown/{listed}", body)


def _member(method: str) -> Ask:
    def ask(case: Case) -> httpx2.Response:
        person = case.world.people["stan" if case.foreign else "bob"]
        body = {"role": "coder"} if method == "PUT" else None
        return case.who.client.request(
            method, f"/api/projects/{case.project}/members/{person}", json=body
        )

    return ask


def _upload(path: str, **data: str) -> Ask:
    def ask(case: Case) -> httpx2.Response:
        prefix = "f" if case.foreign else ""
        line = (
            f'{{"note_id": "{prefix}n0", "chart_id": "{prefix}c0", "annotator": "m", '
            '"system": "ICD-10-CM", "code": "I10", "spans": [[0, 5]], "text": "Fever again"}\n'
        )
        files = {"file": ("said.jsonl", io.BytesIO(line.encode()))}
        return case.who.client.post(
            f"/api{path.format(project=case.project)}",
            files=files,
            data={"format": "jsonl", **data},
        )

    return ask


def _new_project(case: Case) -> httpx2.Response:
    line = b'{"note_id": "1", "chart_id": "1", "text": "Fever"}\n'
    return case.who.client.post(
        "/api/projects",
        files={"file": ("notes.jsonl", io.BytesIO(line))},
        data={"format": "jsonl", "project": '{"name": "new"}'},
    )


def _decide(case: Case) -> httpx2.Response:
    """On a disagreement that is there, in the own project."""
    for name, code in (("ann", "I10"), ("bob", "R50.9")):
        browser = case.world.browser(name)
        browser.step(case.world.add(code, (0, 5)))
        browser.step({"op": "finish", "chart": case.world.charts[0], "finished": True})
    items = case.world.browser("sue").get(f"/projects/{case.world.own}/review").json()["items"]
    body = {
        "client_id": str(uuid4()),
        "item_id": items[0]["item_id"],
        "choice": "neither",
        "why": "neither is said",
    }
    return case.who.post(f"/projects/{case.project}/review/decisions", body)


def _assign(case: Case) -> dict[str, Any]:
    people = [case.world.people["ann"], case.world.people["bob"]]
    return {"client_id": str(uuid4()), "people": people, "charts": [case.world.charts[1]]}


def _withdraw(case: Case) -> dict[str, Any]:
    person = case.world.people["bob"]
    return {"client_id": str(uuid4()), "person": person, "charts": [case.world.charts[1]]}


def _invite(case: Case) -> httpx2.Response:
    return case.who.post("/invitations", {"project": case.project, "role": "coder"})


def _person(case: Case) -> httpx2.Response:
    return case.who.client.patch(
        f"/api/people/{case.world.people['bob']}", json={"is_active": True}
    )


def _patch(case: Case) -> httpx2.Response:
    return case.who.client.patch(f"/api/projects/{case.project}", json={"about": "changed"})


def _finding(case: Case) -> dict[str, Any]:
    note = case.world.foreign_note if case.foreign else case.world.notes[0]
    span = {"begin": 0, "end": 5, "kind": "NAME"}
    return {"client_id": str(uuid4()), "note": note, **span}


def _decide_finding(case: Case) -> httpx2.Response:
    """On a place that the supervisor has added, in the own project."""
    own = case.world.own
    body = {**_finding(case), "note": case.world.notes[0]}
    item = case.world.browser("sue").post(f"/projects/{own}/deid/findings", body).json()
    return case.who.post(
        f"/projects/{case.project}/deid/decisions",
        {
            "client_id": str(uuid4()),
            "item_id": item["item_id"],
            "seen": item["decision"]["id"],
            "choice": "keep",
        },
    )


def _challenge(method: str, path: str) -> Ask:
    """In a challenge of the coder and the reviewer; the foreign one is somebody else's."""

    def ask(case: Case) -> httpx2.Response:
        name = "theirs" if case.foreign else "ours"
        folder = case.world.server.settings.folder
        shutil.rmtree(folder / "challenges", ignore_errors=True)
        shutil.copytree(folder / "made", folder / "challenges")
        files = {"file": ("ours.csv", io.BytesIO(b"document,code\n"))}
        # An organizer is no team, and sends for one.
        team = {"team": "stan" if case.foreign else "ann"} if case.who.name == "adam" else {}
        sent: Any = {"files": files, "data": team} if path == "/submissions" else {}
        if path in _ABOUT_A_TEAM:
            sent = {"json": {**_ABOUT_A_TEAM[path], **team}}
        elif path == "/calendar":
            sent = {"json": {"dates": [{"date": "closing", "at": "2099-01-01T00:00Z"}]}}
        return case.who.client.request(method, f"/api/challenges/{name}{path}", **sent)

    return ask


_ABOUT_A_TEAM: dict[str, dict[str, str]] = {
    "/registration": {},
    "/description": {"text": "Words and rules."},
}
_WORDS = {"words": "fever"}
_PASSWORDS = {"old": PASSWORD, "new": PASSWORD + "!"}


ALL, REVIEW, LEAD = (OK, OK, OK, NONE), (NO, OK, OK, NONE), (NO, NO, OK, NONE)
CODING = (OK, NO, OK, NONE)
"""A reviewer sees every chart, and annotates those assigned to them."""
MANAGE = (NO, NO, OK, OK)
SAME = (OK, OK, OK, OK)
ADMIN = (NO, NO, NO, OK)
TEAMS, OTHERS = (OK, OK, NONE, OK), (NONE, NONE, NONE, OK)
"""Coder and reviewer are teams of the one challenge; of the other nobody here is."""
_P, _C = "/projects/{project}", "/challenges/{challenge}"

ROUTES: dict[tuple[str, str], Route] = {
    ("GET", "/api/me"): Route(SAME, _get("/me"), SAME),
    ("POST", "/api/logout"): Route(SAME, _post("/logout", None), SAME),
    ("POST", "/api/password"): Route(SAME, _post("/password", _PASSWORDS), SAME),
    ("GET", "/api/people"): Route(ADMIN, _get("/people"), ADMIN),
    ("PATCH", "/api/people/{person_id}"): Route(ADMIN, _person, ADMIN),
    ("POST", "/api/invitations"): Route(MANAGE, _invite, (NONE, NONE, NONE, OK)),
    ("GET", "/api/audit"): Route(MANAGE, _get("/audit?project={project}"), (NONE, NONE, NONE, OK)),
    ("GET", "/api/formats"): Route(SAME, _get("/formats"), SAME),
    ("GET", "/api/projects"): Route(SAME, _get("/projects"), SAME),
    ("POST", "/api/projects"): Route(ADMIN, _new_project, ADMIN),
    ("GET", "/api" + _P): Route(ALL, _get(_P)),
    ("PATCH", "/api" + _P): Route(LEAD, _patch),
    ("GET", f"/api{_P}/given"): Route(REVIEW, _get(_P + "/given")),
    ("POST", f"/api{_P}/given"): Route(LEAD, _upload(_P + "/given")),
    ("GET", f"/api{_P}/pre-annotation"): Route(REVIEW, _get(_P + "/pre-annotation")),
    ("GET", f"/api{_P}/export"): Route(LEAD, _get(_P + "/export?format=jsonl")),
    ("GET", f"/api{_P}/members"): Route(
        (NO, OK, OK, OK), _get(_P + "/members"), (NONE, NONE, NONE, OK)
    ),
    ("PUT", f"/api{_P}/members/{{person}}"): Route(MANAGE, _member("PUT"), (NONE, NONE, NONE, OK)),
    ("DELETE", f"/api{_P}/members/{{person}}"): Route(
        MANAGE, _member("DELETE"), (NONE, NONE, NONE, OK)
    ),
    ("POST", f"/api{_P}/assignments"): Route(LEAD, _post(_P + "/assignments", _assign)),
    ("POST", f"/api{_P}/assignments/withdraw"): Route(
        LEAD, _post(_P + "/assignments/withdraw", _withdraw)
    ),
    ("GET", f"/api{_P}/progress"): Route(ALL, _get(_P + "/progress")),
    ("GET", f"/api{_P}/charts"): Route(ALL, _get(_P + "/charts")),
    ("GET", f"/api{_P}/charts/{{chart}}"): Route(ALL, _get(_P + "/charts/{chart}")),
    ("POST", f"/api{_P}/charts/{{chart}}/search"): Route(
        ALL, _post(_P + "/charts/{chart}/search", _WORDS)
    ),
    ("GET", f"/api{_P}/notes/{{note}}"): Route(ALL, _get(_P + "/notes/{note}")),
    ("POST", f"/api{_P}/steps"): Route(CODING, _post(_P + "/steps", _step)),
    ("GET", f"/api{_P}/history"): Route(ALL, _get(_P + "/history")),
    # A reviewer has done nothing, so there is nothing to undo: a conflict, see below.
    ("POST", f"/api{_P}/undo"): Route((OK, "conflict", OK, NONE), _back("undo")),
    ("POST", f"/api{_P}/redo"): Route((OK, "conflict", OK, NONE), _back("redo")),
    ("GET", f"/api{_P}/live"): Route(ALL, ask_live),
    ("POST", f"/api{_P}/codes"): Route(ALL, _post(_P + "/codes", _WORDS)),
    ("POST", f"/api{_P}/suggest"): Route(ALL, _post(_P + "/suggest", _WORDS)),
    ("GET", f"/api{_P}/shown"): Route(LEAD, _get(_P + "/shown")),
    ("POST", f"/api{_P}/shown/{{shown}}"): Route(ALL, _shown),
    ("GET", f"/api{_P}/review"): Route(REVIEW, _get(_P + "/review")),
    ("POST", f"/api{_P}/review/decisions"): Route(REVIEW, _decide),
    ("GET", f"/api{_P}/agreement"): Route(REVIEW, _get(_P + "/agreement")),
    ("GET", f"/api{_P}/deid"): Route(REVIEW, _get(_P + "/deid")),
    ("POST", f"/api{_P}/deid/look"): Route(LEAD, _post(_P + "/deid/look", {})),
    ("POST", f"/api{_P}/deid/decisions"): Route(REVIEW, _decide_finding),
    ("POST", f"/api{_P}/deid/findings"): Route(REVIEW, _post(_P + "/deid/findings", _finding)),
    ("GET", f"/api{_P}/deid/queue"): Route(LEAD, _get(_P + "/deid/queue")),
    ("GET", "/api/challenges"): Route(SAME, _get("/challenges"), SAME),
    ("GET", f"/api{_C}"): Route(TEAMS, _challenge("GET", ""), OTHERS),
    ("GET", f"/api{_C}/release"): Route(TEAMS, _challenge("GET", "/release"), OTHERS),
    ("POST", f"/api{_C}/registration"): Route(TEAMS, _challenge("POST", "/registration"), OTHERS),
    ("POST", f"/api{_C}/description"): Route(TEAMS, _challenge("POST", "/description"), OTHERS),
    ("POST", f"/api{_C}/calendar"): Route(
        (NO, NO, NONE, OK), _challenge("POST", "/calendar"), OTHERS
    ),
    ("POST", f"/api{_C}/submissions"): Route(TEAMS, _challenge("POST", "/submissions"), OTHERS),
    ("GET", f"/api{_C}/ranking"): Route((NO, NO, NONE, OK), _challenge("GET", "/ranking"), OTHERS),
    ("POST", f"/api{_C}/publish"): Route(
        (NO, NO, NONE, OK), _challenge("POST", "/publish"), OTHERS
    ),
}
OPEN = {
    ("POST", "/api/login"),
    ("POST", "/api/invitations/look"),
    ("POST", "/api/invitations/take"),
    ("GET", "/enter"),
}
"""Routes for people who are not logged in, tested in test_accounts.py."""
