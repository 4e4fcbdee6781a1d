"""Any sequence of changes, undone and redone, against a plain model; and the events replayed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.server.world import World

from auscult.server.access import Role, Viewer
from auscult.server.coding.names import CodeNames
from auscult.server.errors import ConflictError
from auscult.server.events.append import append_step, current_history, step_back
from auscult.server.events.check import check
from auscult.server.events.state import sheets, versions
from auscult.server.shapes.coding import Step, StepBack

NAMES = CodeNames(None)
_do = st.one_of(
    st.tuples(
        st.just("add"),
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=3),
    ),
    st.tuples(st.just("change"), st.tuples(st.integers(0, 9), st.integers(0, 4))),
    st.tuples(st.just("remove"), st.integers(0, 9)),
    st.tuples(st.just("undo"), st.none()),
    st.tuples(st.just("redo"), st.none()),
)
State = dict[str, tuple[int, str]]
"""Annotations by id: their note, by place, and code."""


@dataclass
class Model:
    """What a person would expect: states, and the place in them."""

    states: list[State] = field(default_factory=lambda: [{}])
    at: int = 0

    @property
    def now(self) -> State:
        """What is there."""
        return self.states[self.at]

    def do(self, state: State) -> None:
        """A new change: what was undone is gone."""
        self.states = [*self.states[: self.at + 1], state]
        self.at += 1


@settings(max_examples=25, deadline=None)
@given(actions=st.lists(_do, max_size=14))
def test_any_history(stage: Callable[[], World], actions: list[tuple[str, Any]]) -> None:
    lite = stage()
    database = lite.server.database
    viewer = Viewer(lite.people["ann"], "ann", lite.own, Role.CODER)
    chart_of = {key: lite.charts[at // 2] for at, key in enumerate(lite.notes)}
    places = [(chart_of[key], key) for key in lite.notes]
    model = Model()

    def annotation(key: str, note: int, code: str) -> dict[str, Any]:
        return {
            "id": key,
            "chart": places[note][0],
            "note": places[note][1],
            "spans": [[0, 5]],
            "system": "UMLS",
            "code": code,
        }

    def step(changes: list[dict[str, Any]], state: State) -> None:
        with database.reading() as connection:
            seen = versions(connection, viewer.person, places)
        body = {
            "client_id": str(uuid4()),
            "seen": [{"chart": c, "note": n, "version": v} for (c, n), v in seen.items()],
            "changes": changes,
        }
        taken = list(state.values())
        if len(set(taken)) < len(taken):  # one code twice on the same words
            try:
                append_step(database, viewer, Step.model_validate(body), NAMES)
            except ConflictError:
                return
            raise AssertionError("a code was taken twice")
        append_step(database, viewer, Step.model_validate(body), NAMES)
        if state != model.now:
            model.do(state)

    def back(kind: str, possible: bool, to: int) -> None:
        with database.reading() as connection:
            following = current_history(connection, viewer)
        named = following.undo if kind == "undo" else following.redo
        assert (named is not None) == possible
        if named is not None:
            step_back(
                database, viewer, StepBack(client_id=str(uuid4()), seq=named.seq), kind, NAMES
            )
            model.at = to

    for action, what in actions:
        there = sorted(model.now)
        if action == "add":
            fresh = {str(uuid4()): (note, f"C{code:07d}") for note, code in what}
            changes = [
                {"op": "add", "annotation": annotation(key, *place)} for key, place in fresh.items()
            ]
            step(changes, {**model.now, **fresh})
        elif action == "change" and there:
            key = there[what[0] % len(there)]
            place = (model.now[key][0], f"C{what[1]:07d}")
            change = {"op": "change", "annotation": annotation(key, *place)}
            step([change], {**model.now, key: place})
        elif action == "remove" and there:
            key = there[what % len(there)]
            rest = {other: place for other, place in model.now.items() if other != key}
            step([{"op": "remove", "id": key}], rest)
        elif action == "undo":
            back("undo", model.at > 0, model.at - 1)
        elif action == "redo":
            back("redo", model.at + 1 < len(model.states), model.at + 1)
        with database.reading() as connection:
            found = sheets(connection, viewer, places, NAMES)
        assert model.now == {
            one.id: (lite.notes.index(one.note or 0), one.code)
            for own in found
            for one in own.annotations
        }
    assert [one.differing + one.missing for one in check(database)] == [0, 0]
