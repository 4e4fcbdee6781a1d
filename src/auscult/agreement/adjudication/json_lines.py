"""Queue and decisions as JSON lines, one object a line, which can say all that a cell can.

A line of the queue has the keys that people fill in, empty. It comes back with them filled in, or
as a line of its own that has the item and what was decided.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from auscult.agreement.adjudication.decision import Decision
from auscult.agreement.adjudication.decision_reader import DecisionReader
from auscult.agreement.adjudication.queue import LETTERS, QueueItem
from auscult.agreement.adjudication.statement_cells import check_code
from auscult.agreement.disagreements import Statement
from auscult.codes import describe, normalize
from auscult.core import AuscultError, Code, FormatError, OptionError, Span
from auscult.core.files import read_text
from auscult.core.names import shown

_Edge = Annotated[int, Field(ge=0, lt=10**18)]


class _Statement(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    system: str
    code: str
    note_id: str | None = None
    spans: list[tuple[_Edge, _Edge]] = []

    def value(self) -> Statement:
        spans = tuple(sorted(Span(begin, end) for begin, end in self.spans))
        code = check_code(Code(self.system, normalize(self.system, self.code)))
        return Statement(code, self.note_id, spans)


class _Side(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    annotator: str
    statements: list[dict[str, Any]] | None
    words: str = ""


class _Line(BaseModel):
    """An item of the queue, with the keys that people fill in; only the item is needed."""

    model_config = ConfigDict(extra="forbid", strict=True)

    item: str
    chart_id: str | None = None
    cause: str | None = None
    codes: dict[str, str] = {}
    sides: dict[str, _Side] | None = None
    round: int = Field(1, ge=1)
    decision: str | None = None
    edit: list[_Statement] = []
    who: str | None = None
    when: str | None = None
    supervisor: bool = False
    why: str = ""


def write_queue_lines(
    items: Iterable[QueueItem],
    file: Path,
    *,
    round: int = 1,  # noqa: A002 - the word that people use
    quotes: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Write items, one a line, to fill in; `quotes` are the words that each annotator points at."""
    with file.open("w", encoding="utf-8", newline="\n") as handle:
        for item in items:
            sides = _sides(item)
            if quotes is not None:
                for side, words in zip(sides.values(), quotes[item.item_id], strict=True):
                    side["words"] = words
            line: dict[str, Any] = {
                "item": item.item_id,
                "chart_id": item.chart_id,
                "cause": item.cause.value,
                "codes": {str(code): describe(code) or "" for code in item.disagreement.codes},
                "sides": sides,
                "round": round,
                "decision": None,
                "edit": [],
                "who": None,
                "when": None,
                "supervisor": False,
                "why": "",
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


def read_decision_lines(file: Path, deciding: DecisionReader) -> list[Decision]:
    """The decisions of a file, each about an item of the queue; lines without one are left out."""
    decisions = []
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            decisions += _decision(line, deciding)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            where = ".".join(shown(part).strip("'") for part in map(str, first["loc"]))
            raise FormatError(f"{where or 'the line'}: {first['msg']}", file, number) from None
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


def _sides(item: QueueItem) -> dict[str, dict[str, Any]]:
    """What each annotator says, under the letter that decisions have for them."""
    return {
        LETTERS[at]: {
            "annotator": name,
            "statements": None if side is None else [statement_values(s) for s in side],
        }
        for at, name in enumerate(item.annotators)
        for side in (item.side(at),)
    }


def _decision(line: str, deciding: DecisionReader) -> list[Decision]:
    read = _Line.model_validate_json(line)
    item = deciding.item(read.item)
    if read.sides is not None:
        found = {letter: side.model_dump(exclude={"words"}) for letter, side in read.sides.items()}
        if found != _sides(item):
            raise OptionError(
                f"the annotations differ from those of {item.item_id}. Start from the original "
                "queue and fill in only decision, edit, who, when, supervisor and why"
            )
    return deciding.made(
        item,
        read.decision or "",
        who=read.who or "",
        when=read.when or "",
        why=read.why,
        round=read.round,
        supervisor=read.supervisor,
        edit=tuple(dict.fromkeys(statement.value() for statement in read.edit)),
    )
