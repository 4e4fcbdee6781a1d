"""Who may do what: every route, for every role, in one's own project and in a foreign one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fastapi.routing import APIRoute
from tests.server.routes import OPEN, ROLES, ROUTES, STATUS, Case, ask_live
from tests.server.world import Browser, World


def _declared(world: World) -> set[tuple[str, str]]:
    world.client()
    assert world.app is not None
    described = world.app.openapi()["paths"]
    found = {(method.upper(), path) for path, methods in described.items() for method in methods}
    hidden = {
        (method, route.path)
        for route in world.app.routes
        if isinstance(route, APIRoute) and not route.include_in_schema
        for method in route.methods or ()
    }
    return found | hidden | {("GET", "/enter")}


def test_every_route_is_in_the_matrix(lite: World) -> None:
    assert _declared(lite) == set(ROUTES) | OPEN


def test_nobody_gets_anything_without_logging_in(stage: Callable[[], World]) -> None:
    world = stage()
    nobody = Browser(world.client(), "nobody", world.own)
    for (method, path), route in ROUTES.items():
        assert route.ask(Case(world, nobody, world.own)).status_code == 401, (method, path)


@pytest.mark.parametrize("place", range(len(ROLES)), ids=ROLES)
@pytest.mark.parametrize("foreign", [False, True], ids=["own", "foreign"])
def test_matrix(stage: Callable[[], World], place: int, foreign: bool) -> None:
    wrong = []
    world, is_changed = stage(), False
    for (method, path), route in ROUTES.items():
        changes = method != "GET" or route.ask is ask_live
        if changes or is_changed:
            world = stage()
        is_changed = changes
        project = world.foreign if foreign else world.own
        expected = (route.foreign if foreign else route.own)[place]
        answer = route.ask(Case(world, world.browser(ROLES[place]), project, foreign))
        if answer.status_code not in STATUS[expected]:
            wrong.append((method, path, expected, answer.status_code, answer.text[:200]))
    assert wrong == []


def test_no_change_without_the_csrf_token(stage: Callable[[], World]) -> None:
    for (method, path), route in ROUTES.items():
        if method != "GET":
            world = stage()
            browser = world.browser("sue")
            world.browsers = {}
            browser.client.headers["x-csrf-token"] = "guessed"
            answer = route.ask(Case(world, browser, world.own))
            assert (answer.status_code, "CSRF" in answer.text) == (403, True), (method, path)
