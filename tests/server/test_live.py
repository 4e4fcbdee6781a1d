"""Live updates, over a real connection."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest
import uvicorn
from tests.server.world import PASSWORD, World

from auscult.server.app import make_app


@contextmanager
def _running(world: World) -> Iterator[str]:
    config = uvicorn.Config(
        make_app(world.server), port=0, log_level="error", timeout_graceful_shutdown=2
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        world.server.bell.close()
        server.should_exit = True
        thread.join(10)


@contextmanager
def _client(address: str, name: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=address, timeout=20) as client:
        login = {"name": name, "password": PASSWORD}
        client.headers["x-csrf-token"] = client.post("/api/login", json=login).json()["csrf"]
        yield client


def _messages(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


@pytest.mark.parametrize("after", [None, 0])
def test_what_happens_is_told_at_once_and_what_was_missed_too(
    world: World, after: int | None
) -> None:
    world.browser("ann").step(world.add("I10", (38, 50)))
    with _running(world) as address, _client(address, "ann") as ann:
        query = {} if after is None else {"after": str(after)}
        path = f"/api/projects/{world.own}/live"
        with ann.stream("GET", path, params=query) as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            told = _messages(stream.iter_lines())
            if after == 0:
                assert next(told)["seq"] == 1
            threading.Timer(
                0.3, lambda: world.browser("ann").step(world.add("R50.9", (0, 5)))
            ).start()
            message = next(told)
        sheet = {"chart": world.charts[0], "note": world.notes[0], "version": 2}
        assert (message["seq"], message["kind"], message["sheets"]) == (2, "edit", [sheet])
        with ann.stream("GET", path, headers={"last-event-id": "1"}) as stream:
            assert next(_messages(stream.iter_lines()))["seq"] == 2


def test_the_stream_ends_with_the_session(lite: World) -> None:
    path = f"/api/projects/{lite.own}/live"
    with (
        _running(lite) as address,
        _client(address, "ann") as ann,
        ann.stream("GET", path) as stream,
    ):
        lines = stream.iter_lines()
        assert next(lines) == "retry: 2000"
        assert ann.post("/api/logout").status_code == 204
        assert list(_messages(lines)) == []
