"""The queue as a CSV file for a spreadsheet, and the decisions read back from it.

There is one row per item. People fill in `decision`, if needed `edit`, and `who`, `when`, `role`
and `why`. The annotators' annotations are read-only: if they come back changed, rows were mixed up
and the whole file is rejected.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from auscult.agreement.adjudication.decision import Decision
from auscult.agreement.adjudication.decision_reader import DecisionReader
from auscult.agreement.adjudication.queue import LETTERS, Queue, QueueItem
from auscult.agreement.adjudication.statement_cells import (
    read_statements,
    write_side,
    write_statements,
)
from auscult.codes import describe
from auscult.core import AuscultError, FormatError, OptionError
from auscult.core.sheets import check_width, inert, read_sheet_rows

SUPERVISOR = "supervisor"
_ASKED = ("decision", "edit", "who", "when", "role", "why")
_NEEDED = ("item", "decision")
_WHOLE = re.compile(r"\s*(\d{1,4})(?:\.0)?\s*")


def write_sheet(
    queue: Queue,
    items: Iterable[QueueItem],
    file: Path,
    *,
    round: int = 1,  # noqa: A002 - the word that people use
    quotes: dict[str, tuple[str, ...]] | None = None,
) -> None:
    """Write items as rows to fill in; `quotes` are the words each annotator points at, by item."""
    sides = [f"{LETTERS[at]}: {name}" for at, name in enumerate(queue.annotators)]
    words = [f"{LETTERS[at]} words" for at in range(len(queue.annotators))] if quotes else []
    with file.open("w", encoding="utf-8-sig", newline="") as handle:
        rows = csv.writer(handle)
        rows.writerow(["item", "round", "chart", "cause", "codes", *sides, *words, *_ASKED])
        for item in items:
            shown = quotes.get(item.item_id, ("",) * len(words)) if quotes else ()
            rows.writerow(
                [
                    item.item_id,
                    round,
                    inert(item.chart_id),
                    item.cause.value,
                    inert(_described(item)),
                    *(inert(write_side(item.side(at))) for at in range(len(queue.annotators))),
                    *(inert(quoted) for quoted in shown),
                    *[""] * len(_ASKED),
                ]
            )


def write_decisions_sheet(queue: Queue, decisions: Iterable[Decision], file: Path) -> None:
    """Write decisions as the rows they could have been read from."""
    sides = [f"{LETTERS[at]}: {name}" for at, name in enumerate(queue.annotators)]
    known = queue.by_id()
    with file.open("w", encoding="utf-8-sig", newline="") as handle:
        rows = csv.writer(handle)
        rows.writerow(["item", "round", *sides, *_ASKED])
        for made in decisions:
            item = known[made.item_id]
            rows.writerow(
                [
                    made.item_id,
                    made.round,
                    *(inert(write_side(item.side(at))) for at in range(len(queue.annotators))),
                    made.choice,
                    write_statements(made.edit),
                    made.who,
                    made.when,
                    SUPERVISOR if made.supervisor else "",
                    made.why,
                ]
            )


def read_sheet(file: Path, deciding: DecisionReader) -> list[Decision]:
    """The decisions of a CSV file as a spreadsheet saved it; rows without a decision are left out.

    Comma, semicolon or tab between the columns, a byte order mark and any line ends are fine.
    """
    header, rows = read_sheet_rows(file)
    columns = _Columns(file, header, deciding.queue)
    decisions = []
    for number, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        check_width(row, header, file, number)
        cells = columns.named(row)
        try:
            item = deciding.item(cells["item"])
            columns.check_sides(row, item)
            decisions += _decision(cells, item, deciding)
        except AuscultError as error:
            raise FormatError(str(error).removesuffix("."), file, number) from error
    return decisions


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where each column is, and what the annotators' cells must say."""

    file: Path
    header: list[str]
    queue: Queue

    def __post_init__(self) -> None:
        missing = [name for name in _NEEDED if name not in self.header]
        if missing:
            raise FormatError(
                f"there is no column {' and no column '.join(missing)}. The first row must have "
                "the original headings of the queue",
                self.file,
                row=1,
            )
        doubled = [name for name in (*_NEEDED, *_ASKED) if self.header.count(name) > 1]
        if doubled:
            raise FormatError(f"two columns are named {doubled[0]}", self.file, row=1)

    def named(self, row: Sequence[str]) -> dict[str, str]:
        """The cells that are read, by their headings; empty where there is no such column."""
        return {
            name: row[self.header.index(name)].strip()
            if name in self.header and self.header.index(name) < len(row)
            else ""
            for name in ("item", "round", *_ASKED)
        }

    def check_sides(self, row: Sequence[str], item: QueueItem) -> None:
        """Raise an error when what the annotators said is not what this item has."""
        for at, name in enumerate(self.queue.annotators):
            heading = f"{LETTERS[at]}: {name}"
            if heading not in self.header:
                continue
            place = self.header.index(heading)
            found = row[place] if place < len(row) else ""
            if found.split() != inert(write_side(item.side(at))).split():
                raise OptionError(
                    f"the cell under {heading} does not belong to {item.item_id}: columns were "
                    "sorted separately, or the cell was changed. Start from the original queue "
                    "and fill in only decision, edit, who, when, role and why"
                )


def _decision(cells: dict[str, str], item: QueueItem, deciding: DecisionReader) -> list[Decision]:
    if cells["role"].lower() not in ("", SUPERVISOR):
        raise OptionError("role must be supervisor or empty")
    round_found = _WHOLE.fullmatch(cells["round"] or "1")
    if round_found is None:
        raise OptionError("round must be an integer from 1")
    return deciding.made(
        item,
        cells["decision"],
        who=cells["who"],
        when=cells["when"],
        why=cells["why"],
        round=int(round_found[1]),
        supervisor=cells["role"].lower() == SUPERVISOR,
        edit=read_statements(cells["edit"]),
    )


def _described(item: QueueItem) -> str:
    told = [f"{code.value} {describe(code) or ''}".strip() for code in item.disagreement.codes]
    return "; ".join(told)
