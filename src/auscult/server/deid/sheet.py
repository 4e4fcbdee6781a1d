"""The queue with what was decided, as the file that `auscult deid apply --decisions` takes."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from auscult.deid.phi_span import PhiSpan
from auscult.deid.review import ReviewDecision, ReviewItem
from auscult.deid.sheet import write_queue
from auscult.server.deid.decide import all_findings
from auscult.server.shapes.deid import FindingOut


def write_sheet(connection: sa.Connection, project: int, file: Path) -> int:
    """Write everything that was decided on or waits for it; gives the number of rows."""
    found = [one for one in all_findings(connection, project) if one.doubt or one.decision]
    decided = {one.item_id: decision for one in found if (decision := _decision(one)) is not None}
    return write_queue(map(_item, found), file, decided=decided)


def _item(one: FindingOut) -> ReviewItem:
    context = " ".join(f"{one.before}«{one.words}»{one.after}".split())
    return ReviewItem(one.item_id, one.note_id, _found(one), one.words, context)


def _found(one: FindingOut) -> PhiSpan:
    return PhiSpan(*one.span, one.kind, doubt=one.doubt, hide=one.hides)


def _decision(one: FindingOut) -> ReviewDecision | None:
    if one.decision is None:
        return None
    return ReviewDecision(
        one.item_id,
        one.note_id,
        one.decision.choice,
        one.decision.replacement,
        one.decision.person,
        one.decision.time,
        one.decision.why,
        None if one.found_by is None else _found(one),
    )
