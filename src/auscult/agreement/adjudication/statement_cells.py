"""Statements as people read and write them in a cell of a spreadsheet.

A statement is `ICD-10-CM | I10 | 13 | 5857-5873`: system, code, note, and begin and end of each
span; the note and the spans may be left out. Statements stand one after the other with `;` between.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from auscult.agreement.annotation_table import write_place
from auscult.agreement.disagreements import Side, Statement
from auscult.codes import is_well_formed, normalize
from auscult.core import Code, OptionError, Span, SpanError

NOTHING, UNSEEN = "(nothing)", "(not seen)"
_FIELDS, _STATEMENTS = " | ", " ; "
_SPAN = re.compile(r"\s*(\d{1,18})\s*[-–]\s*(\d{1,18})\s*")


def write_side(side: Side) -> str:
    """What an annotator says, for people.

    >>> write_side((Statement(Code("ICD-10-CM", "I10"), "13", (Span(4, 9),)),))
    'ICD-10-CM | I10 | 13 | 4-9'
    """
    if side is None:
        return UNSEEN
    return write_statements(side) or NOTHING


def write_statements(statements: Iterable[Statement]) -> str:
    """Statements in one cell."""
    return _STATEMENTS.join(_FIELDS.join(_parts(statement)) for statement in statements)


def read_statements(cell: str) -> tuple[Statement, ...]:
    """The statements of a cell; an error says what one looks like, and quotes nothing.

    >>> read_statements("ICD-10-CM | i10 | 13 | 4-9, 20-24; CPT|99291")[1]
    Statement(code=Code(system='CPT', value='99291'), note_id=None, spans=())
    """
    pieces = (piece for piece in re.split(r"[;\n]", cell) if piece.strip())
    return tuple(dict.fromkeys(_read(piece) for piece in pieces))


def check_code(code: Code) -> Code:
    """The code, when it has the shape that its system's codes have."""
    if not is_well_formed(code):
        raise OptionError(f"A code in the cell does not have the form of {code.system}.")
    return code


def _parts(statement: Statement) -> list[str]:
    parts = [statement.code.system, statement.code.value]
    if statement.note_id is not None:
        parts.append(statement.note_id)
    if statement.spans:
        parts.append(write_place(statement.spans).replace(",", ", "))
    return parts


def _read(piece: str) -> Statement:
    parts = [part.strip() for part in piece.split("|")]
    if not 2 <= len(parts) <= 4 or not all(parts):
        raise OptionError(
            "An annotation is written as SYSTEM | CODE | NOTE | BEGIN-END, such as ICD-10-CM | "
            "I10 | 13 | 5857-5873; separate several with ; . For ids that contain | or ; use "
            "JSON Lines."
        )
    code = check_code(Code(parts[0], normalize(parts[0], parts[1])))
    spans = tuple(_span(part) for part in parts[3].split(",")) if len(parts) > 3 else ()
    return Statement(code, parts[2] if len(parts) > 2 else None, tuple(sorted(spans)))


def _span(part: str) -> Span:
    found = _SPAN.fullmatch(part)
    if found is None:
        raise OptionError(
            "Spans are written as BEGIN-END in characters, such as 5857-5873, separated by "
            "commas. If the spreadsheet turned one into a date, format the column as text."
        )
    try:
        return Span(int(found[1]), int(found[2]))
    except SpanError as error:
        raise OptionError(str(error)) from error
