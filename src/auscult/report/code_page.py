"""The codes of notes as a page: each note with its evidence marked, and its codes beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from auscult.core import Annotation, Code, Note, Status
from auscult.core.plurals import counted
from auscult.core.segments import segments
from auscult.corpus.code_rows import CodeRow
from auscult.corpus.coded_notes import CHECK, CodedNotes
from auscult.report.page import write_page

_LOOKS = 6
_QUOTES = "This page holds the text of the notes. Keep it as you keep them."


def write_code_page(coded: CodedNotes, file: Path) -> None:
    """Write the page. It holds the text of the notes, and says so."""
    systems = sorted({row.code.system for row in coded.rows})
    looks = {system: f"s{at % _LOOKS + 1}" for at, system in enumerate(systems)}
    rows: dict[str | None, list[CodeRow]] = {}
    given: dict[str | None, list[Annotation]] = {}
    for row in coded.rows:
        rows.setdefault(row.note_id, []).append(row)
    for one in coded.annotations:
        if one.status is Status.GIVEN and one.spans:
            given.setdefault(one.note_id, []).append(one)
    whole = {note.chart_id: note.note_id for note in reversed(coded.notes)}
    for row in rows.pop(None, ()):  # of the whole chart: shown with its first note
        rows.setdefault(whole.get(row.chart_id), []).append(row)
    write_page(
        file,
        "codes.html",
        made={key.lower(): value for key, value in coded.about.items() if key != "Made by"},
        shows_text=_QUOTES,
        home="",
        title="Codes",
        lead=f"{CHECK} Select a code to see its words in the note.",
        tiles=_tiles(coded),
        notes=[
            _note(at, note, rows.get(note.note_id, ()), given.get(note.note_id, ()), looks)
            for at, note in enumerate(coded.notes, 1)
        ],
        unread=coded.unread,
        not_attempted=[f"{line[:1].upper()}{line[1:]}." for line in coded.not_attempted],
    )


def _tiles(coded: CodedNotes) -> list[tuple[str, str]]:
    doubtful = sum(bool(row.problems) for row in coded.rows)
    tiles = [
        ("notes", len(coded.notes)),
        ("codes", len(coded.rows)),
        ("codes with findings", doubtful),
        ("notes without a code", len(coded.without_codes)),
    ]
    return [(name, f"{number:,}") for name, number in tiles]


def _note(
    number: int,
    note: Note,
    rows: Sequence[CodeRow],
    given: Sequence[Annotation],
    looks: Mapping[str, str],
) -> dict[str, Any]:
    keys = {row.code: f"n{number}c{at}" for at, row in enumerate(rows)}
    cut = [] if note.text is None else segments(note.text, given)
    doubtful = sum(bool(row.problems) for row in rows)
    said = counted(len(rows), "code") if rows else "no code"
    return {
        "anchor": f"note-{number}",
        "note_id": note.note_id,
        "said": f"{said} · {doubtful} to check" if doubtful else said,
        "segments": [
            {
                "text": one.text,
                "on": [keys[given[at].code] for at in one.on],
                "look": looks[given[one.on[-1]].code.system] if one.on else "",
                "depth": {0: "", 1: "", 2: "two"}.get(len(one.on), "three"),
                "tags": _tags([given[at].code for at in one.ends], keys, looks),
            }
            for one in cut
        ],
        "rows": [_row(row, keys[row.code], looks[row.code.system]) for row in rows],
    }


def _tags(
    codes: Sequence[Code], keys: Mapping[Code, str], looks: Mapping[str, str]
) -> list[dict[str, str]]:
    """The codes whose evidence ends here, each once."""
    return [
        {"value": code.value, "key": keys[code], "look": looks[code.system]}
        for code in dict.fromkeys(codes)
    ]


def _row(row: CodeRow, key: str, look: str) -> dict[str, Any]:
    return {
        "key": key,
        "look": look,
        "value": row.code.value,
        "system": row.code.system,
        "description": row.description,
        "billable": row.billable,
        "score": "" if row.score is None else f"{row.score:.2f}",
        "evidence": row.evidence,
        "places": len(row.mentions),
        "why": row.why,
        "problems": row.problems,
        "reminders": row.reminders,
    }
