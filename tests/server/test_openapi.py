"""The description of the interface, and requests made up from it: nothing ends in a defect."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import pytest
import schemathesis
import sqlalchemy as sa
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.python import asgi
from tests.server.world import World, make_challenge

from auscult.server.database.tables import person

pytestmark = pytest.mark.filterwarnings("ignore")
_EXAMPLES = 8
"""For each route; every request is made up once, and sent to a server on each kind of database."""
_ENDS_THE_SESSION = ("/api/logout", "/api/password")
_SECONDS = 120
"""Until an answer counts as none: a busy machine is no defect."""


def test_everything_is_described(lite: World) -> None:
    lite.client()
    assert lite.app is not None
    described = lite.app.openapi()
    for path, methods in described["paths"].items():
        for method, route in methods.items():
            assert route.get("description"), (method, path)
            assert {"401", "422"} <= set(route["responses"]), (method, path)
    assert "code points" in described["info"]["description"]
    spans = described["components"]["schemas"]["NewAnnotation"]["properties"]["spans"]
    assert "Unicode code points" in spans["description"]


def test_no_request_ends_in_a_defect(lite: World, large: World) -> None:
    """Asked by a supervisor who is an admin too, to whom no door is closed."""
    answers: dict[str, set[int]] = {}
    with ExitStack() as stack:
        targets = [_Target(world, stack) for world in (lite, large)]

        def ask(case: Any) -> None:
            for target in targets:
                answer = target.send(case)
                answers.setdefault(f"{case.method} {case.path}", set()).add(answer.status_code)
                assert answer.status_code < 500, answer.text

        bounded = settings(
            max_examples=_EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        schema: Any = schemathesis.openapi.from_asgi(
            "/api/openapi.json", lite.app, headers={"host": "127.0.0.1"}
        )
        for result in schema.get_all_operations():
            operation = result.ok()
            if operation.path not in _ENDS_THE_SESSION:
                bounded(given(case=operation.as_strategy())(ask))()
    assert not any(401 in codes for path, codes in answers.items() if "login" not in path)
    done = {path for path, codes in answers.items() if codes & {200, 201, 204}}
    assert len(done) >= len(answers) / 2, sorted(set(answers) - done)


class _Target:
    """A workbench, and who asks it."""

    def __init__(self, world: World, stack: ExitStack) -> None:
        sue = world.browser("sue")
        with world.server.database.writing() as connection:
            connection.execute(sa.update(person).values(is_admin=True))
        make_challenge(world.server.settings.folder / "challenges" / "open")
        self._headers = {
            "x-csrf-token": sue.client.headers["x-csrf-token"],
            "cookie": f"auscult_session={sue.client.cookies['auscult_session']}",
            "host": "127.0.0.1",
        }
        # Of what is there, so that requests get past the door.
        self._place = {
            "project": world.own,
            "chart": world.charts[0],
            "note": world.notes[0],
            "person": world.people["bob"],
            "person_id": world.people["bob"],
            "challenge": "open",
        }
        app: Any = world.app  # its type is narrower in one library than in the other
        self._client = stack.enter_context(asgi.get_client(app))
        world.server.bell.close()  # streams end at once

    def send(self, case: Any) -> Any:
        """The answer to a request."""
        asked = case.path_parameters or {}
        case.path_parameters = {key: self._place.get(key, value) for key, value in asked.items()}
        return case.call(session=self._client, headers=dict(self._headers), timeout=_SECONDS)
