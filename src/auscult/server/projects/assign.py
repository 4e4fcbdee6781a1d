"""Assigning charts to people, in batches."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from auscult.server.accounts.secrets import now
from auscult.server.database.tables import assignment, chart
from auscult.server.errors import RefusedError


def assign_all(connection: sa.Connection, project: int, person: int, batch: str = "") -> int:
    """Assign every chart of a project to one person."""
    charts = connection.execute(
        sa.select(chart.c.id).where(chart.c.project == project).order_by(chart.c.position)
    ).scalars()
    return write_assignments(connection, project, [(key, person) for key in charts], batch)


def write_assignments(
    connection: sa.Connection, project: int, pairs: Sequence[tuple[int, int]], batch: str
) -> int:
    """Assign charts to people, each pair that is not assigned yet; gives how many are new."""
    there = {
        (row.chart, row.person)
        for row in connection.execute(
            sa.select(assignment.c.chart, assignment.c.person).where(
                assignment.c.project == project
            )
        )
    }
    fresh = [pair for pair in dict.fromkeys(pairs) if pair not in there]
    at = now()
    rows = [
        {
            "project": project,
            "chart": key,
            "person": person,
            "batch": batch,
            "finished": False,
            "time": at,
        }
        for key, person in fresh
    ]
    if rows:
        connection.execute(sa.insert(assignment), rows)
    return len(rows)


def share_out(
    connection: sa.Connection,
    project: int,
    people: Sequence[int],
    each: int,
    size: int | None,
    charts: Sequence[int] | None,
) -> list[tuple[int, int]]:
    """Which chart goes to whom: `each` people a chart, in turn, so that all have as many.

    Pairs of people change from chart to chart, so that everybody is compared with everybody.
    """
    people = list(dict.fromkeys(people))
    if len(people) < each:
        raise RefusedError(
            f"Each chart needs {each} coders, but only {len(people)} were selected. Select more."
        )
    if charts is None:
        taken = sa.select(assignment.c.chart).where(assignment.c.project == project)
        query = (
            sa.select(chart.c.id)
            .where(chart.c.project == project, chart.c.id.not_in(taken))
            .order_by(chart.c.position)
        )
        keys = list(connection.execute(query if size is None else query.limit(size)).scalars())
    else:
        known = set(
            connection.execute(sa.select(chart.c.id).where(chart.c.project == project)).scalars()
        )
        keys = list(dict.fromkeys(charts))
        if not known.issuperset(keys):
            raise RefusedError("Some of the charts are not in this project.")
    load = dict.fromkeys(people, 0)
    together: dict[frozenset[int], int] = {}
    pairs: list[tuple[int, int]] = []
    for key in keys:
        chosen: list[int] = []
        while len(chosen) < each:
            rest = [one for one in people if one not in chosen]
            best = min(
                rest,
                key=lambda one: (
                    load[one],
                    sum(together.get(frozenset((one, other)), 0) for other in chosen),
                    people.index(one),
                ),
            )
            chosen.append(best)
        for at, one in enumerate(chosen):
            load[one] += 1
            pairs.append((key, one))
            for other in chosen[:at]:
                pair = frozenset((one, other))
                together[pair] = together.get(pair, 0) + 1
    return pairs


def withdraw(connection: sa.Connection, project: int, person: int, charts: Sequence[int]) -> int:
    """Take charts from somebody; gives how many. Those that were finished stay."""
    gone = 0
    for at in range(0, len(charts), 400):
        done = connection.execute(
            sa.delete(assignment).where(
                assignment.c.project == project,
                assignment.c.person == person,
                assignment.c.chart.in_(charts[at : at + 400]),
                sa.not_(assignment.c.finished),
            )
        )
        gone += done.rowcount
    return gone
