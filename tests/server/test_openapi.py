"""The description of the interface, and requests made up from it: nothing ends in a defect."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
import sqlalchemy as sa
from hypothesis import HealthCheck, Phase, given, settings
from tests.server.world import World, make_challenge

from auscult.server.database.tables import person

pytestmark = pytest.mark.filterwarnings("ignore")
_EXAMPLES = {True: 8, False: 4}
"""For each route, on SQLite and, where the database is all that differs, on PostgreSQL."""
_ENDS_THE_SESSION = ("/api/logout", "/api/password")


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


def test_no_request_ends_in_a_defect(world: World) -> None:
    """Asked by a supervisor who is an admin too, to whom no door is closed."""
    world.server.bell.close()  # streams end at once
    sue = world.browser("sue")
    with world.server.database.writing() as connection:
        connection.execute(sa.update(person).values(is_admin=True))
    headers = {
        "x-csrf-token": sue.client.headers["x-csrf-token"],
        "cookie": f"auscult_session={sue.client.cookies['auscult_session']}",
        "host": "127.0.0.1",
    }
    place = {
        "project": world.own,
        "chart": world.charts[0],
        "note": world.notes[0],
        "person": world.people["bob"],
        "person_id": world.people["bob"],
        "challenge": "open",
    }
    make_challenge(world.server.settings.folder / "challenges" / "open")
    answers: dict[str, set[int]] = {}
    schema: Any = schemathesis.openapi.from_asgi(
        "/api/openapi.json", world.app, headers={"host": "127.0.0.1"}
    )

    def ask(case: Any) -> None:
        # Of what is there, so that requests get past the door.
        case.path_parameters = {
            name: place.get(name, value) for name, value in (case.path_parameters or {}).items()
        }
        answer = case.call(headers=headers)
        answers.setdefault(f"{case.method} {case.path}", set()).add(answer.status_code)
        assert answer.status_code < 500, answer.text

    bounded = settings(
        max_examples=_EXAMPLES[world.server.database.is_sqlite],
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    for result in schema.get_all_operations():
        operation = result.ok()
        if operation.path not in _ENDS_THE_SESSION:
            bounded(given(case=operation.as_strategy())(ask))()
    assert not any(401 in codes for path, codes in answers.items() if "login" not in path)
    done = {path for path, codes in answers.items() if codes & {200, 201, 204}}
    assert len(done) >= len(answers) / 2, sorted(set(answers) - done)
