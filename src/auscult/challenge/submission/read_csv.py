"""A submission as CSV: a row for each code, or a row for each document with codes between `;`.

    document,code
    97636670,786.2
    97636670,780.6
    97634811,

A row without a code says that the document was read; other rows may give it codes. The columns
`note`, `begin` and `end` say where the evidence of a code is, one span a row. Between the
columns are commas or, as spreadsheets in some countries write them, semicolons or tabs; the first
row shows which.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from auscult.challenge.submission.problem import ProblemKind, SubmissionProblem
from auscult.challenge.submission.submission import Submission, SubmittedCode, SubmittedDocument
from auscult.core import FormatError
from auscult.core.files import decode_text

_IDS = ("document", "doc", "id", "note_id", "chart_id")
_CODES = ("code", "codes")
_SYSTEMS = ("system", "type")
_ORIGINS = ("origin", "annotator")
_COLUMNS = (_IDS, _CODES, _SYSTEMS, _ORIGINS, ("note",), ("begin",), ("end",))
_SEPARATORS = (",", ";", "\t")


def read(raw: bytes, name: str) -> Submission:
    """The documents of a CSV file, in the order they first come, and the rows that are none."""
    problems: list[SubmissionProblem] = []
    try:
        text = decode_text(raw, Path(name))
    except FormatError as error:
        return Submission.of(
            (), [SubmissionProblem(ProblemKind.UNREADABLE, error.problem, error.row)]
        )
    rows = _rows(text, _separator(text), problems)
    row, header = next(rows, (1, []))
    at_id, at_code, at_system, at_origin, at_note, at_begin, at_end = _places(header)
    if at_id is None or at_code is None:
        says = (
            "the first row must have the columns document and code, separated by commas; it has "
            f"{len(header)} columns but no {'document' if at_id is None else 'code'}"
        )
        return Submission.of((), [*problems, SubmissionProblem(ProblemKind.ROOT, says, row)])
    documents: dict[str, tuple[int, list[SubmittedCode]]] = {}
    for row, fields in rows:
        if len(fields) != len(header):
            says = f"the row has {len(fields)} fields, the first row has {len(header)}"
            problems.append(SubmissionProblem(ProblemKind.SHAPE, says, row))
            continue
        chart_id = fields[at_id].strip()
        if not chart_id:
            problems.append(SubmissionProblem(ProblemKind.SHAPE, "no document", row))
            continue
        system, origin, note, begin, end = (
            None if at is None else fields[at].strip() or None
            for at in (at_system, at_origin, at_note, at_begin, at_end)
        )
        spans = _spans(begin, end)
        if spans is None:
            says = "begin and end must be two whole numbers, or both empty"
            problems.append(SubmissionProblem(ProblemKind.SHAPE, says, row))
            continue
        _, codes = documents.setdefault(chart_id, (row, []))
        codes += [
            SubmittedCode(value.strip(), row, system, origin, note, spans)
            for value in fields[at_code].split(";")
            if value.strip()
        ]
    found = (
        SubmittedDocument(chart_id, row, tuple(codes))
        for chart_id, (row, codes) in documents.items()
    )
    return Submission.of(found, problems)


def _spans(begin: str | None, end: str | None) -> tuple[tuple[int, int], ...] | None:
    """The span of a row, if it has one; None where it is not one."""
    if begin is None and end is None:
        return ()
    try:
        return ((int(begin or ""), int(end or "")),)
    except ValueError:
        return None


def _places(header: list[str]) -> list[int | None]:
    """Where the columns stand in the first row: the document, the code, its system, its origin."""
    names = [column.strip().lower() for column in header]
    return [next((names.index(n) for n in wanted if n in names), None) for wanted in _COLUMNS]


def _separator(text: str) -> str:
    """What stands between the columns: that by which the first row names a document and a code."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    for separator in _SEPARATORS:
        at_id, at_code, *_ = _places([name.strip('"') for name in first.split(separator)])
        if at_id is not None and at_code is not None:
            return separator
    return _SEPARATORS[0]


def _rows(
    text: str, separator: str, problems: list[SubmissionProblem]
) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, each with the line it begins on."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
    begin = 1
    try:
        for fields in reader:
            if fields:
                yield begin, fields
            begin = reader.line_num + 1
    except csv.Error as error:
        says = f"is not valid CSV from here on: {error}"
        problems.append(SubmissionProblem(ProblemKind.UNREADABLE, says, begin))
