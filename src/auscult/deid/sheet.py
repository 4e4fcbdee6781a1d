"""The review queue as a CSV file, and the decisions read back from it.

The file quotes the notes: it contains protected health information, its headings say so, and only
its owner may read it. People fill in `decision` (keep, replace, generalize, delete) and optionally
`replacement` (the text to write instead), `who`, `when` and `why`. PHI that no recognizer found is
added as a row whose item is `new`, with note, kind, begin and end.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from auscult.core import AuscultError, FormatError, OptionError
from auscult.core.sheets import check_width, inert, read_sheet_rows
from auscult.core.storage import drafted
from auscult.deid.phi_span import PhiKind
from auscult.deid.review import ReviewDecision, ReviewItem, added, item_id, raise_all, read_choice

WORDS, CONTEXT = "words (PHI)", "context (PHI)"
NEW = "new"
_HEADINGS = (
    "item", "note", "kind", "begin", "end", WORDS, CONTEXT, "doubt", "undecided", "decision",
    "replacement", "who", "when", "why",
)  # fmt: skip
_NEEDED = ("item", "note", "kind", "begin", "end", "decision")


def write_queue(
    items: Iterable[ReviewItem],
    file: Path,
    *,
    decided: Mapping[str, ReviewDecision] | None = None,
    overwrite: bool = False,
) -> int:
    """Write items as rows to fill in, and say how many; only the owner may read the file.

    Those that are `decided`, by their ids, are filled in already.
    """
    if file.suffix != ".csv":
        raise OptionError(f"{file} must end in .csv: the queue is edited in a spreadsheet.")
    if file.exists() and not overwrite:
        raise OptionError(f"{file} exists already. Choose another name, or pass --overwrite.")
    count = 0
    with drafted(file, overwrite=overwrite) as draft:
        draft.touch(mode=0o600)
        with draft.open("w", encoding="utf-8-sig", newline="") as handle:
            rows = csv.writer(handle)
            rows.writerow(_HEADINGS)
            for count, item in enumerate(items, 1):  # noqa: B007 - it is the number of rows
                rows.writerow(_row(item, (decided or {}).get(item.item_id)))
    return count


def read_decisions(files: Iterable[Path], notes: Collection[str]) -> list[ReviewDecision]:
    """The decisions of filled-in queues, each checked against the notes there are.

    Rows without a decision are left out, but for those that add something. All that is wrong is
    told at once.
    """
    problems: list[AuscultError] = []
    decisions = [one for file in files for one in _read(file, notes, problems)]
    raise_all(problems)
    return decisions


def _row(item: ReviewItem, decision: ReviewDecision | None) -> list[str]:
    found = item.found
    return [
        NEW if decision is not None and decision.added is not None else item.item_id,
        inert(item.note_id),
        found.kind.value,
        str(found.begin),
        str(found.end),
        inert(item.words),
        inert(item.context),
        found.doubt,
        "replace" if found.hide else "keep",
        *_filled_in(decision),
    ]


def _filled_in(decision: ReviewDecision | None) -> list[str]:
    if decision is None:
        return [""] * 5
    written = (decision.replacement or "", decision.who, decision.when, decision.why)
    return [decision.choice.value, *map(inert, written)]


def _read(
    file: Path, notes: Collection[str], problems: list[AuscultError]
) -> Iterable[ReviewDecision]:
    if not file.exists():
        raise OptionError(f"{file} does not exist.")
    header, rows = read_sheet_rows(file)
    missing = [name for name in _NEEDED if name not in header]
    if missing:
        raise FormatError(
            f"there is no column {' and no column '.join(missing)}. The first row must have the "
            "original headings of the queue",
            file,
            row=1,
        )
    for number, row in rows:
        try:
            check_width(row, header, file, number)
            cells = dict(zip(header, (cell.strip() for cell in row), strict=False))
            if cells.get("decision") or _is_new(cells):
                yield _decision(cells, notes, f"{file} row {number}")
        except FormatError as error:
            problems.append(error)
        except AuscultError as error:
            problems.append(FormatError(str(error).removesuffix("."), file, number))


def _is_new(cells: dict[str, str]) -> bool:
    return cells.get("item", "").lower() == NEW


def _decision(cells: dict[str, str], notes: Collection[str], where: str) -> ReviewDecision:
    note_id = cells.get("note", "").removeprefix("'")
    if note_id not in notes:
        raise OptionError("Its note is not in this corpus; the queue may belong to another corpus.")
    written = cells.get("kind", "").upper()
    if written not in set(PhiKind):
        raise OptionError(
            f"A kind must be one of {', '.join(PhiKind)}; this cell has something else. It is "
            "not shown, as it may be note text; check that the columns have not shifted"
        )
    kind = PhiKind(written)
    try:
        begin, end = int(cells.get("begin", "")), int(cells.get("end", ""))
    except ValueError:
        raise OptionError("Begin and end must be integers (characters).") from None
    is_new = _is_new(cells)
    if is_new and not cells.get("decision"):
        raise OptionError("A row that adds an identifier needs a decision, such as replace")
    choice = read_choice(cells["decision"])
    found = added(note_id, begin, end, kind)
    if not is_new and cells.get("item", "") != item_id(note_id, found):
        raise OptionError(
            "The item does not match its note, kind, begin and end: columns were sorted "
            "separately, or a cell was changed. Start from the original queue and fill in only "
            "decision, replacement, who, when and why"
        )
    return ReviewDecision(
        item_id(note_id, found),
        note_id,
        choice,
        cells.get("replacement", "").removeprefix("'") or None,
        cells.get("who", ""),
        cells.get("when", ""),
        cells.get("why", ""),
        found if is_new else None,
        found,
        cells.get(WORDS, "").removeprefix("'") or None,
        where,
    )
