"""Getting in: passwords, sessions, invitations, and who is kept out."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient
from tests.server.world import PASSWORD, World

from auscult.core import OptionError
from auscult.server.accounts.invitations import invite
from auscult.server.accounts.secrets import now
from auscult.server.app import make_app
from auscult.server.database.tables import audit, invitation, login_failure, person, session
from auscult.server.settings import ServerSettings
from auscult.server.shapes.people import Invite
from auscult.server.start import open_database, open_server


def _login(client: TestClient, name: str, password: str) -> Any:
    return client.post("/api/login", json={"name": name, "password": password})


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(lite: World) -> None:
    cookie = _login(lite.client(), "ann", PASSWORD).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_by_https_no_other_host_can_set_the_cookie(lite: World) -> None:
    """Browsers take a name that begins so from the host itself, over TLS, and from nobody else."""
    settings = replace(lite.server.settings, is_https=True)
    app = make_app(replace(lite.server, settings=settings))
    client = TestClient(app, base_url="https://coding.example")
    cookie = _login(client, "ann", PASSWORD).headers["set-cookie"]
    assert cookie.startswith("__Host-auscult_session=")
    assert "; Secure" in cookie
    assert "Path=/;" in cookie
    assert "Domain" not in cookie
    client.headers["x-csrf-token"] = client.get("/api/me").json()["csrf"]
    gone = client.post("/api/logout").headers["set-cookie"]
    assert gone.startswith('__Host-auscult_session="";')
    assert "; Secure" in gone  # without it browsers would keep the cookie


def test_a_login_does_not_go_on_with_a_session_that_somebody_else_chose(lite: World) -> None:
    client = lite.client()
    client.cookies.set("auscult_session", "chosen by an attacker")
    _login(client, "ann", PASSWORD)
    assert client.get("/api/me").json()["name"] == "ann"
    attacker = lite.client()
    attacker.cookies.set("auscult_session", "chosen by an attacker")
    assert attacker.get("/api/me").status_code == 401


def test_neither_passwords_nor_sessions_can_be_read_from_the_database(lite: World) -> None:
    client = lite.client()
    _login(client, "ann", PASSWORD)
    with lite.server.database.reading() as connection:
        hashes = connection.execute(sa.select(person.c.password)).scalars().all()
        digests = connection.execute(sa.select(session.c.digest)).scalars().all()
    assert all(made.startswith("$argon2id$") for made in hashes)
    assert client.cookies["auscult_session"] not in digests


def test_wrong_passwords_and_unknown_names_are_told_the_same(world: World) -> None:
    answers = [
        _login(world.client(), name, password)
        for name, password in (("ann", "wrong"), ("nobody", PASSWORD))
    ]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert answers[0].json() == answers[1].json()


def test_logins_that_fail_too_often_have_to_wait(world: World) -> None:
    client = world.client()
    codes = [_login(client, "ann", "wrong").status_code for _ in range(6)]
    assert codes == [401] * 5 + [429]
    assert int(_login(client, "ANN", PASSWORD).headers["retry-after"]) > 0
    assert _login(client, "bob", PASSWORD).status_code == 200
    with world.server.database.writing() as connection:
        early = now() - timedelta(minutes=16)
        connection.execute(sa.update(login_failure).values(time=early))
    assert _login(client, "ann", PASSWORD).status_code == 200


def test_logins_at_the_same_moment_count_like_any(world: World) -> None:
    clients = [world.client() for _ in range(12)]
    with ThreadPoolExecutor(len(clients)) as pool:
        codes = list(pool.map(lambda one: _login(one, "ann", "wrong").status_code, clients))
    assert sorted(codes) == [401] * 5 + [429] * 7


def test_guessing_the_old_password_has_to_wait_too(world: World) -> None:
    ann = world.browser("ann")
    body = {"old": "guessed", "new": "a different long one"}
    codes = [ann.post("/password", body).status_code for _ in range(6)]
    assert codes == [403] * 5 + [429]
    assert ann.post("/password", {**body, "old": PASSWORD}).status_code == 429


def test_who_gets_in_leaves_no_failure_behind(world: World) -> None:
    assert _login(world.client(), "ann", "wrong").status_code == 401
    for _ in range(25):
        assert _login(world.client(), "ann", PASSWORD).status_code == 200
    with world.server.database.reading() as connection:
        left = connection.execute(sa.select(login_failure.c.key)).scalars().all()
    assert [key.split()[0] for key in left] == ["address"]


def test_logging_out_ends_the_session(world: World) -> None:
    ann = world.browser("ann")
    cookie = ann.client.cookies["auscult_session"]
    assert ann.post("/logout").status_code == 204
    ann.client.cookies.set("auscult_session", cookie)
    assert ann.get("/me").status_code == 401


def test_sessions_end_by_themselves(lite: World) -> None:
    ann = lite.browser("ann")
    assert ann.get("/me").status_code == 200
    with lite.server.database.writing() as connection:
        connection.execute(sa.update(session).values(used=now() - timedelta(hours=3)))
    assert ann.get("/me").status_code == 401


def test_a_new_password_ends_other_sessions(world: World) -> None:
    here, elsewhere = world.browser("ann"), world.browser("ann", fresh=True)
    body = {"old": PASSWORD, "new": "a different long one"}
    assert here.post("/password", {**body, "old": "wrong"}).status_code == 403
    assert here.post("/password", {**body, "new": "short"}).status_code == 422
    assert here.post("/password", body).status_code == 204
    assert (here.get("/me").status_code, elsewhere.get("/me").status_code) == (200, 401)
    assert _login(world.client(), "ann", PASSWORD).status_code == 401
    assert _login(world.client(), "ann", "a different long one").status_code == 200


def test_whoever_is_let_out_is_out_at_once(world: World) -> None:
    bob = world.browser("bob")
    path = f"/api/people/{world.people['bob']}"
    assert world.browser("adam").client.patch(path, json={"is_active": False}).status_code == 200
    assert bob.get("/me").status_code == 401
    assert _login(world.client(), "bob", PASSWORD).status_code == 401
    own = f"/api/people/{world.people['adam']}"
    assert world.browser("adam").client.patch(own, json={"is_admin": False}).status_code == 409


def test_an_invitation_works_once(world: World) -> None:
    made = world.browser("sue").post("/invitations", {"project": world.own, "role": "coder"})
    assert made.json()["path"] == f"/join#{made.json()['secret']}"
    secret = made.json()["secret"]
    visitor = world.client()
    assert visitor.post("/api/invitations/look", json={"secret": secret}).json()["project"] == "own"
    body = {"secret": secret, "name": "carl", "password": "a long enough one"}
    short = {**body, "password": "short"}
    assert visitor.post("/api/invitations/take", json=short).status_code == 422
    taken = {**body, "name": "Ann"}
    assert visitor.post("/api/invitations/take", json=taken).status_code == 409
    done = visitor.post("/api/invitations/take", json=body)
    assert done.status_code == 201
    assert [p["name"] for p in visitor.get("/api/projects").json()] == ["own"]
    # A coder with no chart assigned sees none.
    assert visitor.get(f"/api/projects/{world.own}/charts").json()["total"] == 0
    assert world.client().post("/api/invitations/take", json=body).status_code == 404


def test_an_invitation_grows_old(lite: World) -> None:
    made = lite.browser("adam").post("/invitations", {"name": "carl"}).json()
    with lite.server.database.writing() as connection:
        connection.execute(sa.update(invitation).values(expires=now() - timedelta(seconds=1)))
    look = lite.client().post("/api/invitations/look", json={"secret": made["secret"]})
    assert look.status_code == 404


def test_supervisors_cannot_take_over_an_account(lite: World) -> None:
    sue = lite.browser("sue")
    for body in (
        {"name": "adam", "project": lite.own, "role": "coder"},
        {"name": "eve", "is_admin": True},
        {"project": lite.foreign, "role": "supervisor"},
    ):
        assert sue.post("/invitations", body).status_code in (403, 404), body


def test_a_page_of_another_site_can_change_nothing(lite: World) -> None:
    ann = lite.browser("ann")
    evil = {"origin": "https://evil.example"}
    body = lite.add("I10", (38, 50))
    step = {"client_id": "12345678", "seen": [], "changes": [body]}
    path = f"/api/projects/{lite.own}/steps"
    assert ann.client.post(path, json=step, headers=evil).status_code == 403
    cross = {"sec-fetch-site": "cross-site"}
    login = {"name": "ann", "password": PASSWORD}
    assert lite.client().post("/api/login", json=login, headers=cross).status_code == 403


def test_without_accounts_the_token_lets_in_and_nothing_else(tmp_path: Path) -> None:
    database = open_database(tmp_path / "work")
    server = open_server(ServerSettings(tmp_path / "work"), database)
    assert server.settings.token is not None
    app = make_app(server)
    client = TestClient(app, base_url="http://127.0.0.1:8460", raise_server_exceptions=False)
    assert client.get("/api/me").status_code == 401
    assert client.get("/enter", params={"token": "guessed"}).status_code == 403
    assert _login(client, "root", "").status_code in (403, 422)
    assert client.get("/enter", params={"token": server.settings.token}).status_code == 200
    assert client.get("/api/me").json()["is_local"] is True
    # A page whose name was made to point at this machine.
    rebound = TestClient(app, base_url="http://evil.example:8460", cookies=client.cookies)
    assert rebound.get("/api/me").status_code == 400
    database.close()


def test_once_there_are_accounts_the_token_is_worth_nothing(tmp_path: Path) -> None:
    database = open_database(tmp_path / "work")
    server = open_server(ServerSettings(tmp_path / "work"), database)
    client = TestClient(make_app(server), base_url="http://127.0.0.1")
    client.get("/enter", params={"token": server.settings.token})
    assert client.get("/api/me").status_code == 200
    with database.writing() as connection:
        invite(connection, Invite(name="ann", is_admin=True), None, server.settings)
    again = open_server(ServerSettings(tmp_path / "work"), database)
    later = TestClient(make_app(again), base_url="http://coding.example", cookies=client.cookies)
    assert later.get("/api/me").status_code == 401
    later.get("/enter", params={"token": server.settings.token})
    assert later.get("/api/me").status_code == 401
    database.close()


@pytest.mark.parametrize("name", ["gold", " Gold ", "", "a" * 61, "a\u202eb"])
def test_names_that_nobody_can_have(lite: World, name: str) -> None:
    made = lite.browser("sue").post("/invitations", {"project": lite.own, "role": "coder"}).json()
    body = {"secret": made["secret"], "name": name, "password": "a long enough one"}
    assert lite.client().post("/api/invitations/take", json=body).status_code == 422


def test_other_addresses_need_accounts(tmp_path: Path, lite: World) -> None:
    database = open_database(tmp_path / "work")
    with pytest.raises(OptionError, match="needs accounts"):
        open_server(ServerSettings(tmp_path / "work", host="0.0.0.0"), database)
    database.close()
    opened = open_server(ServerSettings(tmp_path, host="0.0.0.0"), lite.server.database)
    assert (opened.one, opened.settings.token) == (None, None)


def test_the_audit_log_is_paged_through_without_a_gap_though_it_grows(lite: World) -> None:
    adam, ann = lite.browser("adam"), lite.browser("ann")
    for note in lite.notes:
        ann.note(note)
    whole = adam.get("/audit?limit=1000").json()["rows"]
    asked = f"/audit?limit=3&before={whole[0]['id'] + 1}"
    paged: list[dict[str, Any]] = []
    while rows := adam.get(asked).json()["rows"]:  # each page adds a line of its own to the log
        assert len(rows) <= 3
        paged += rows
        asked = f"/audit?limit=3&before={rows[-1]['id']}"
    assert len(whole) > 6
    assert paged == whole


def test_logins_are_in_the_audit_log(world: World) -> None:
    _login(world.client(), "ann", "wrong")
    world.browser("ann")
    with world.server.database.reading() as connection:
        rows = connection.execute(sa.select(audit.c.action, audit.c.person)).all()
    assert [tuple(row) for row in rows] == [
        ("login failed", world.people["ann"]),
        ("login", world.people["ann"]),
    ]
