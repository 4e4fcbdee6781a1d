"""The queue as a CSV file for a spreadsheet, and the decisions that come back in it.

One row an item. People fill in `decision`, and where they need it `edit`; `who`, `when`, `role` and
`why` beside it. What coders said is there to be read; when it comes back different, rows were taken
apart, and nothing of the file is believed.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from auscult.agreement.adjudication.decision import EDIT, Decision, outcome, read_choice
from auscult.agreement.adjudication.queue import LETTERS, Item, Queue
from auscult.agreement.adjudication.written import (
    read_statements,
    write_side,
    write_statements,
)
from auscult.codes import describe
from auscult.core import AuscultError, FormatError, OptionError
from auscult.core.files import read_bytes, read_text

SUPERVISOR = "supervisor"
_ASKED = ("decision", "edit", "who", "when", "role", "why")
_NEEDED = ("item", "decision")
_WHOLE = re.compile(r"\s*(\d{1,4})(?:\.0)?\s*")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def write_sheet(
    queue: Queue,
    items: Iterable[Item],
    file: Path,
    *,
    round: int = 1,  # noqa: A002 - the word that people use
    quotes: dict[str, tuple[str, ...]] | None = None,
) -> None:
    """Write items as rows to fill in; `quotes` are the words that each coder points at, by item."""
    sides = [f"{LETTERS[at]}: {name}" for at, name in enumerate(queue.coders)]
    words = [f"{LETTERS[at]} words" for at in range(len(queue.coders))] if quotes else []
    with file.open("w", encoding="utf-8-sig", newline="") as handle:
        rows = csv.writer(handle)
        rows.writerow(["item", "round", "chart", "cause", "codes", *sides, *words, *_ASKED])
        for item in items:
            shown = quotes.get(item.item_id, ("",) * len(words)) if quotes else ()
            rows.writerow(
                [
                    item.item_id,
                    round,
                    _inert(item.chart_id),
                    item.cause.value,
                    _inert(_described(item)),
                    *(_inert(write_side(item.side(at))) for at in range(len(queue.coders))),
                    *(_inert(quoted) for quoted in shown),
                    *[""] * len(_ASKED),
                ]
            )


def write_decisions_sheet(queue: Queue, decisions: Iterable[Decision], file: Path) -> None:
    """Write decisions as the rows they could have been read from."""
    sides = [f"{LETTERS[at]}: {name}" for at, name in enumerate(queue.coders)]
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
                    *(_inert(write_side(item.side(at))) for at in range(len(queue.coders))),
                    made.choice,
                    write_statements(made.edit),
                    made.who,
                    made.when,
                    SUPERVISOR if made.supervisor else "",
                    made.why,
                ]
            )


def read_sheet(
    file: Path, queue: Queue, *, who: str | None = None, when: str | None = None
) -> list[Decision]:
    """The decisions of a CSV file as a spreadsheet saved it; rows without a decision are left out.

    `who` and `when` are for rows that do not say. Comma, semicolon or tab between the columns, a
    byte order mark and any line ends are fine.
    """
    header, rows = _rows(file)
    columns = _Columns(file, header, queue)
    known = queue.by_id()
    decisions = []
    for number, row in rows:
        if not any(cell.strip() for cell in row):
            continue
        if len(row) > len(header) and any(cell.strip() for cell in row[len(header) :]):
            raise FormatError(
                f"{len(row)} cells under {len(header)} headings. A cell with the separator in it "
                "must be quoted; let the spreadsheet save the file again as CSV",
                file,
                number,
            )
        cells = columns.named(row)
        item = known.get(cells["item"])
        if item is None:
            raise FormatError(
                f"{_shown(cells['item'])} is no item of this queue. The annotations have changed "
                "since it was written, or the annotators are others or named in another order "
                f"({', '.join(queue.coders)})",
                file,
                number,
            )
        columns.check_sides(row, item, number)
        if not cells["decision"]:
            if cells["edit"]:
                raise FormatError("there is an edit and no decision; write edit", file, number)
            continue
        try:
            decisions.append(_decision(cells, item, who, when))
        except AuscultError as error:
            raise FormatError(str(error).removesuffix("."), file, number) from error
    return decisions


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where each column is, and what the coders' cells must say."""

    file: Path
    header: list[str]
    queue: Queue

    def __post_init__(self) -> None:
        missing = [name for name in _NEEDED if name not in self.header]
        if missing:
            raise FormatError(
                f"there is no column {' and no column '.join(missing)}. The first row must have "
                "the headings of the queue as they were written",
                self.file,
                row=1,
            )
        doubled = [name for name in (*_NEEDED, *_ASKED) if self.header.count(name) > 1]
        if doubled:
            raise FormatError(f"two columns are called {doubled[0]}", self.file, row=1)

    def named(self, row: Sequence[str]) -> dict[str, str]:
        """The cells that are read, by their headings; empty where there is no such column."""
        return {
            name: row[self.header.index(name)].strip()
            if name in self.header and self.header.index(name) < len(row)
            else ""
            for name in ("item", "round", *_ASKED)
        }

    def check_sides(self, row: Sequence[str], item: Item, number: int) -> None:
        """Raise an error when what the coders said is not what this item has."""
        for at, name in enumerate(self.queue.coders):
            heading = f"{LETTERS[at]}: {name}"
            if heading not in self.header:
                continue
            place = self.header.index(heading)
            found = row[place] if place < len(row) else ""
            if found.split() != _inert(write_side(item.side(at))).split():
                raise FormatError(
                    f"the cell under {heading} is not that of {item.item_id}. Columns were sorted "
                    "apart, or the cell was changed; take the queue as it was written and fill in "
                    "decision, edit, who, when, role and why only",
                    self.file,
                    number,
                )


def _rows(file: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """The headings and the rows with their numbers, the headings being row 1."""
    if read_bytes(file)[:2] in _UTF16:
        raise FormatError(
            "the file is UTF-16. Save it as CSV UTF-8 (in Excel: CSV UTF-8, comma delimited)", file
        )
    text = read_text(file)
    first = text.split("\n", 1)[0]
    if first.lower().startswith("sep="):
        raise FormatError("the first row is sep=…; take it away", file, row=1)
    separator = max(",;\t", key=lambda candidate: first.count(candidate))
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise FormatError(f"no CSV file: {error}", file) from error
    if not rows:
        raise FormatError("the file is empty", file)
    header = [cell.strip() for cell in rows[0]]
    return header, list(enumerate(rows[1:], start=2))


def _decision(cells: dict[str, str], item: Item, who: str | None, when: str | None) -> Decision:
    choice = read_choice(cells["decision"], item.coders)
    edit = read_statements(cells["edit"])
    if choice == EDIT and not edit:
        raise OptionError("the decision is edit, and the cell edit is empty; for nothing, neither")
    if cells["role"].lower() not in ("", SUPERVISOR):
        raise OptionError("the role is supervisor, or the cell is empty")
    round_found = _WHOLE.fullmatch(cells["round"] or "1")
    if round_found is None:
        raise OptionError("the round is a whole number from 1")
    if not (cells["who"] or who):
        raise OptionError("it does not say who decided; fill in who, or pass --who")
    if not (cells["when"] or when):
        raise OptionError("it does not say when it was decided; fill in when, or pass --when")
    decision = Decision(
        item.item_id,
        choice,
        cells["who"] or who or "",
        cells["when"] or when or "",
        cells["why"],
        int(round_found[1]),
        cells["role"].lower() == SUPERVISOR,
        edit,
    )
    outcome(item, decision)
    return decision


def _described(item: Item) -> str:
    told = [f"{code.value} {describe(code) or ''}".strip() for code in item.disagreement.codes]
    return "; ".join(told)


def _inert(cell: str) -> str:
    """The cell so that a spreadsheet takes it for text and not for a formula."""
    return f"'{cell}" if cell[:1] in tuple("=+-@\t\r") and cell else cell


def _shown(item_id: str) -> str:
    """An id as it came, unless it is anything else, which is not repeated."""
    return item_id if re.fullmatch(r"q[0-9a-f]{4,20}", item_id) else "What is under item"
