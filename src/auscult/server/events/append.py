"""Appending events: nothing is answered before it is on disk, and nothing is done twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from auscult.core.digests import digest_of
from auscult.server.access import Viewer, check_may_code
from auscult.server.accounts.secrets import now
from auscult.server.coding.names import CodeNames
from auscult.server.database.engine import Database, Row
from auscult.server.database.tables import annotation, change, event, history, project
from auscult.server.errors import ConflictError, ForbiddenError, NotFoundError
from auscult.server.events.projection import (
    DONE,
    EDIT,
    REDO,
    UNDO,
    UNDONE,
    alteration,
    project_step,
)
from auscult.server.events.state import Place, read_annotations, sheets, versions
from auscult.server.events.steps import (
    ANNOTATION,
    FINISHED,
    VERDICT,
    Alteration,
    Draft,
    check_not_decided,
)
from auscult.server.shapes.coding import (
    Done,
    FinishedOut,
    History,
    SheetVersion,
    Step,
    StepBack,
    StepName,
    VerdictOut,
)


def append_step(database: Database, viewer: Viewer, step: Step, names: CodeNames) -> Done:
    """Do a step of changes, all or none.

    A sheet that has changed since the client saw it is a conflict, with what is there now.
    """
    with database.writing() as connection:
        row, digest, repeated = _begin(connection, viewer, EDIT, step, names)
        if repeated is not None:
            return repeated
        claimed = {(seen.chart, seen.note or 0): seen.version for seen in step.seen}
        draft = Draft(connection, viewer, row.systems)
        # Versions first: a change that cannot be done may be one that others were before.
        current = versions(connection, viewer.person, claimed)
        _check_versions(connection, viewer, claimed, current, names)
        for operation in step.changes:
            draft.take(operation)
        unseen = {one.place for one in draft.alterations} - claimed.keys()
        if unseen:
            current = versions(connection, viewer.person, unseen)
            _check_versions(connection, viewer, claimed, current, names)
        made = draft.alterations
        seq = _write(connection, viewer, row.last_seq, EDIT, None, step.client_id, digest, made)
        return _done(connection, viewer, seq, names, made)


def step_back(
    database: Database, viewer: Viewer, back: StepBack, kind: str, names: CodeNames
) -> Done:
    """Undo the last step that is done, or redo the first that is undone."""
    with database.writing() as connection:
        row, digest, repeated = _begin(connection, viewer, kind, back, names)
        if repeated is not None:
            return repeated
        target = _next(connection, viewer, kind)
        if target is None:
            raise ConflictError(f"Nothing to {kind}.", history=_history_json(connection, viewer))
        if target != back.seq:
            raise ConflictError(
                f"The next step to {kind} is a different one: there were newer changes.",
                history=_history_json(connection, viewer),
            )
        made = _alterations(connection, viewer.project, target)
        if kind == UNDO:
            made = [one.inverse() for one in reversed(made)]
        for one in made:
            check_may_code(connection, viewer, one.chart)
            if one.what == FINISHED and not one.after:
                check_not_decided(connection, viewer, one.chart)
        seq = _write(connection, viewer, row.last_seq, kind, target, back.client_id, digest, made)
        return _done(connection, viewer, seq, names, made)


def _begin(
    connection: sa.Connection, viewer: Viewer, kind: str, asked: Step | StepBack, names: CodeNames
) -> tuple[Row, str, Done | None]:
    """The project's row, locked, the request's digest, and what it did if it came before."""
    row = lock_project(connection, viewer.project)
    _check_not_archived(row)
    digest = request_digest(viewer, kind, asked.model_dump(mode="json"))
    earlier = find_repeat(connection, viewer, asked.client_id, digest)
    if earlier is None:
        return row, digest, None
    made = _alterations(connection, viewer.project, earlier)
    return row, digest, _done(connection, viewer, earlier, names, made, repeated=True)


def append_other(
    connection: sa.Connection,
    viewer: Viewer,
    kind: str,
    client_id: str,
    payload: dict[str, Any],
) -> tuple[int, bool]:
    """Append an event that is no change of annotations; gives its number and whether it is new."""
    row = lock_project(connection, viewer.project)
    digest = request_digest(viewer, kind, payload)
    earlier = find_repeat(connection, viewer, client_id, digest)
    if earlier is not None:
        return earlier, False
    return _append(connection, viewer, row.last_seq, kind, None, client_id, digest, payload), True


def lock_project(connection: sa.Connection, key: int) -> Row:
    """The project's row, until the end of the transaction: events are appended one by one."""
    row = connection.execute(
        sa.select(project).where(project.c.id == key).with_for_update()
    ).first()
    if row is None:
        raise NotFoundError("Project not found, or you are not a member of it.")
    return row


def request_digest(viewer: Viewer, kind: str, request: Any) -> str:
    """What two requests share that ask the same."""
    return digest_of(viewer.project, kind, request)


def find_repeat(
    connection: sa.Connection, viewer: Viewer, client_id: str, digest: str
) -> int | None:
    """The event that a request made already; an error when the id was used for another."""
    row = connection.execute(
        sa.select(event.c.seq, event.c.digest).where(
            event.c.person == viewer.person, event.c.client_id == client_id
        )
    ).first()
    if row is None:
        return None
    if row.digest != digest:
        raise ConflictError(
            "This client_id was already used for another request; generate a new one."
        )
    return int(row.seq)


def current_history(connection: sa.Connection, viewer: Viewer) -> History:
    """What undo and redo would do."""
    named = [_next(connection, viewer, kind) for kind in (UNDO, REDO)]
    undo, redo = (
        None if seq is None else _step_name(seq, _alterations(connection, viewer.project, seq))
        for seq in named
    )
    return History(undo=undo, redo=redo)


def _check_not_archived(row: Row) -> None:
    if row.is_archived:
        raise ForbiddenError("The project is archived and read-only.")


def _check_versions(
    connection: sa.Connection,
    viewer: Viewer,
    claimed: Mapping[Place, int],
    current: Mapping[Place, int],
    names: CodeNames,
) -> None:
    stale = sorted(place for place, version in current.items() if claimed.get(place) != version)
    if stale:
        for chart in sorted({chart for chart, _ in stale}):
            check_may_code(connection, viewer, chart)
        there = sheets(connection, viewer, stale, names)
        raise ConflictError(
            "The note was changed in the meantime, perhaps in another window. Nothing was "
            "overwritten.",
            sheets=[sheet.model_dump(mode="json") for sheet in there],
        )


def _write(
    connection: sa.Connection,
    viewer: Viewer,
    last: int,
    kind: str,
    of: int | None,
    client_id: str,
    digest: str,
    alterations: Sequence[Alteration],
) -> int:
    seq = _append(connection, viewer, last, kind, of, client_id, digest, {})
    before = versions(connection, viewer.person, {one.place for one in alterations})
    after = {place: version + 1 for place, version in before.items()}
    rows = [
        {
            "project": viewer.project,
            "seq": seq,
            "position": at,
            "what": one.what,
            "key": one.key,
            "chart": one.chart,
            "note": one.note,
            "base": before[one.place],
            "version": after[one.place],
            "before": one.before,
            "after": one.after,
        }
        for at, one in enumerate(alterations)
    ]
    if rows:
        connection.execute(sa.insert(change), rows)
    project_step(
        connection,
        project=viewer.project,
        person=viewer.person,
        seq=seq,
        kind=kind,
        of=of,
        alterations=alterations,
        versions=after,
    )
    return seq


def _append(
    connection: sa.Connection,
    viewer: Viewer,
    last: int,
    kind: str,
    of: int | None,
    client_id: str,
    digest: str,
    payload: dict[str, Any],
) -> int:
    seq = last + 1
    connection.execute(
        sa.insert(event).values(
            project=viewer.project,
            seq=seq,
            person=viewer.person,
            client_id=client_id,
            kind=kind,
            of=of,
            payload=payload,
            digest=digest,
            time=now(),
        )
    )
    connection.execute(
        sa.update(project).where(project.c.id == viewer.project).values(last_seq=seq)
    )
    return seq


def _done(
    connection: sa.Connection,
    viewer: Viewer,
    seq: int,
    names: CodeNames,
    made: Sequence[Alteration],
    *,
    repeated: bool = False,
) -> Done:
    keys = list(dict.fromkeys(one.key for one in made if one.what == ANNOTATION))
    there = []
    for at in range(0, len(keys), 400):
        some = (annotation.c.project == viewer.project, annotation.c.id.in_(keys[at : at + 400]))
        there += read_annotations(connection, *some, names=names)
    current = versions(connection, viewer.person, {one.place for one in made})
    present = {one.id for one in there}
    return Done(
        seq=seq,
        repeated=repeated,
        sheets=[
            SheetVersion(chart=place[0], note=place[1] or None, version=version)
            for place, version in sorted(current.items())
        ],
        annotations=there,
        removed=[key for key in keys if key not in present],
        verdicts=[
            VerdictOut(given=int(one.key), verdict=one.after) for one in made if one.what == VERDICT
        ],
        finished=[
            FinishedOut(chart=one.chart, finished=one.after) for one in made if one.what == FINISHED
        ],
        history=current_history(connection, viewer),
    )


def _next(connection: sa.Connection, viewer: Viewer, kind: str) -> int | None:
    last = kind == UNDO
    found = sa.func.max(history.c.seq) if last else sa.func.min(history.c.seq)
    return connection.execute(
        sa.select(found).where(
            history.c.project == viewer.project,
            history.c.person == viewer.person,
            history.c.state == (DONE if last else UNDONE),
        )
    ).scalar()


def _alterations(connection: sa.Connection, key: int, seq: int) -> list[Alteration]:
    rows = connection.execute(
        sa.select(change)
        .where(change.c.project == key, change.c.seq == seq)
        .order_by(change.c.position)
    )
    return [alteration(row) for row in rows]


def _step_name(seq: int, made: Sequence[Alteration]) -> StepName | None:
    if not made:
        return None
    codes = {
        f"{side['system']} {side['code']}"
        for one in made
        if one.what == ANNOTATION
        for side in (one.before, one.after)
        if side is not None
    }
    kinds = {_kind(one) for one in made if one.what != VERDICT} or {"judge"}
    return StepName(
        seq=seq,
        kind=kinds.pop() if len(kinds) == 1 else "several",
        changes=sum(one.what != VERDICT for one in made) or len(made),
        chart=made[0].chart,
        note=made[0].note,
        code=codes.pop() if len(codes) == 1 else None,
    )


def _kind(one: Alteration) -> str:
    if one.what == FINISHED:
        return "finish"
    return "add" if one.before is None else "remove" if one.after is None else "change"


def _history_json(connection: sa.Connection, viewer: Viewer) -> dict[str, Any]:
    return current_history(connection, viewer).model_dump(mode="json")
