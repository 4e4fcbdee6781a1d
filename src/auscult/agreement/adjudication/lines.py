"""Queue and decisions as JSON lines, one object a line: nothing that cannot be said in a cell."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from auscult.agreement.adjudication.decision import Decision, outcome, read_choice
from auscult.agreement.adjudication.queue import LETTERS, Item, Queue
from auscult.agreement.adjudication.written import check_code
from auscult.agreement.disagreements import Statement
from auscult.core import AuscultError, Code, FormatError, Span
from auscult.core.files import read_text


class _Statement(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    system: str
    code: str
    note_id: str | None = None
    spans: list[tuple[int, int]] = []

    def value(self) -> Statement:
        spans = tuple(sorted(Span(begin, end) for begin, end in self.spans))
        return Statement(check_code(Code(self.system, self.code)), self.note_id, spans)


class _Decision(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    item: str
    decision: str
    who: str
    when: str
    why: str = ""
    round: int = Field(1, ge=1)
    supervisor: bool = False
    edit: list[_Statement] = []


def write_queue_lines(queue: Queue, items: Iterable[Item], file: Path, *, round: int = 1) -> None:  # noqa: A002 - the word that people use
    """Write items, one a line."""
    with file.open("w", encoding="utf-8", newline="\n") as handle:
        for item in items:
            sides = {
                LETTERS[at]: {
                    "annotator": name,
                    "statements": None if side is None else [statement_values(s) for s in side],
                }
                for at, name in enumerate(queue.coders)
                for side in (item.side(at),)
            }
            line = {
                "item": item.item_id,
                "round": round,
                "chart_id": item.chart_id,
                "cause": item.cause.value,
                "sides": sides,
            }
            handle.write(json.dumps(line, ensure_ascii=False) + "\n")


def write_decision_lines(decisions: Iterable[Decision], file: Path) -> None:
    """Write decisions, one a line."""
    with file.open("w", encoding="utf-8", newline="\n") as handle:
        for made in decisions:
            line = {
                "item": made.item_id,
                "decision": made.choice,
                "who": made.who,
                "when": made.when,
                "why": made.why,
                "round": made.round,
                "supervisor": made.supervisor,
                "edit": [statement_values(statement) for statement in made.edit],
            }
            handle.write(json.dumps(line, ensure_ascii=False) + "\n")


def read_decision_lines(file: Path, queue: Queue) -> list[Decision]:
    """The decisions of a file, each about an item of the queue."""
    known = queue.by_id()
    decisions = []
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            decisions.append(_decision(line, known))
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or "the line"
            raise FormatError(f"{where}: {first['msg']}", file, number) from None
        except AuscultError as error:
            raise FormatError(str(error).removesuffix("."), file, number) from error
    return decisions


def statement_values(statement: Statement) -> dict[str, Any]:
    """A statement for JSON."""
    return {
        "system": statement.code.system,
        "code": statement.code.value,
        "note_id": statement.note_id,
        "spans": [[span.begin, span.end] for span in statement.spans],
    }


def _decision(line: str, known: Mapping[str, Item]) -> Decision:
    read = _Decision.model_validate_json(line)
    item = known.get(read.item)
    if item is None:
        raise FormatError(
            "the item is not of this queue: the annotations have changed since it was written, or "
            "the annotators are others or named in another order"
        )
    decision = Decision(
        item.item_id,
        read_choice(read.decision, item.coders),
        read.who,
        read.when,
        read.why,
        read.round,
        read.supervisor,
        tuple(statement.value() for statement in read.edit),
    )
    outcome(item, decision)
    return decision
