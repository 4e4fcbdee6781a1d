"""MDACE: the evidence for billing codes in MIMIC-III charts, one JSON file a chart.

A folder tree, or one file, of `{"hadm_id", "comment", "notes": [{"note_id", "category",
"description", "annotations": [{"begin", "end", "code", "code_system", "description", "type"}]}]}`.
Notes come without `text` unless the official script put it in, or NOTEEVENTS is given here. A
note in several files (ICD-9 and ICD-10, Inpatient and Profee) is one note, and what two files say
alike, as CPT codes in both revisions, is one annotation.

Cheng et al. 2023, "MDACE: MIMIC Documents Annotated with Code Evidence".
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from pydantic import Field

from auscult.core import Annotation, Code, FormatError, Note, Offsets, OffsetUnit, Span
from auscult.core.files import read_text
from auscult.core.names import shown
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import FormatOptions
from auscult.corpus.formats.mdace.joins import Splitting, with_splits, with_text
from auscult.corpus.formats.mdace.names import COMMENT, DESCRIPTION, TYPE, UNNAMED, practice
from auscult.corpus.formats.shared import strict_json
from auscult.corpus.formats.shared.quotes import QUOTE
from auscult.corpus.formats.shared.spans import to_span

_LONGEST = 2**31
_KEYS = {
    "chart": {"hadm_id", "comment", "notes"},
    "note": {"note_id", "category", "description", "annotations", "text"},
    "annotation": {"begin", "end", "code", "code_system", "description", "type", "covered_text"},
}


class ReadOptions(FormatOptions):
    """How to read the charts."""

    annotator: str | None = Field(
        None,
        description="Annotator name of the new annotations.  [default: inpatient or profee, by "
        "the folder, or gold]",
    )
    noteevents: Path | None = Field(
        None, description="MIMIC-III's NOTEEVENTS (.csv or .csv.gz), for the text of the notes."
    )
    splits: Path | None = Field(
        None, description="Folder with MDace-ev-train.csv and so on, for the splits."
    )
    splitting: Splitting = Field(
        Splitting.EV, description="ev (charts with evidence) or code-ev (all charts)."
    )
    offsets: OffsetUnit = Field(OffsetUnit.CODEPOINT, description="What offsets count.")


@dataclass(frozen=True, slots=True)
class _Row:
    """An annotation as it stands in a file, before its note's text is known."""

    file: Path
    where: str
    annotation: Annotation
    covered: str | None = field(repr=False)


@dataclass(slots=True)
class _Charts:
    """What was read so far."""

    notes: dict[str, Note] = field(default_factory=dict)
    rows: list[_Row] = field(default_factory=list)
    comments: dict[str, dict[str, None]] = field(default_factory=dict)
    without_notes: int = 0
    strange: Counter[str] = field(default_factory=Counter)


def read(source: Path, options: ReadOptions) -> Corpus:
    """The charts of a folder tree, or of one file."""
    charts = _Charts()
    files = [source] if source.is_file() else sorted(source.rglob("*.json"))
    if not files:
        raise FormatError("no *.json file in the folder or below it", source)
    for file in track(files, "reading charts", len(files)):
        annotator = options.annotator or practice(file.parent) or UNNAMED
        _read_chart(file, annotator, charts)
    if charts.without_notes:
        warnings.warn(f"{source}: {charts.without_notes} charts have no notes.", stacklevel=2)
    if charts.strange:
        names = ", ".join(map(repr, sorted(charts.strange)[:5]))
        warnings.warn(f"{source}: ignored the keys {names}.", stacklevel=2)
    notes = _with_readers(_commented(charts), charts.rows)
    if options.noteevents is not None:
        notes = with_text(notes, options.noteevents)
    if options.splits is not None:
        notes = with_splits(notes, options.splits, options.splitting)
    return Corpus.of(notes.values(), _annotations(charts.rows, notes, options.offsets))


def _read_chart(file: Path, annotator: str, charts: _Charts) -> None:
    chart = _object(strict_json.parse(read_text(file), file), "chart", "the file", file, charts)
    chart_id = _id(chart, "hadm_id", "the chart", file)
    listed = _list(chart, "notes", "the chart", file)
    charts.without_notes += not listed
    if comment := _string(chart, "comment", "the chart", file):
        charts.comments.setdefault(chart_id, {})[comment] = None
    here: set[str] = set()
    for number, item in enumerate(listed, start=1):
        entry = _object(item, "note", f"note number {number}", file, charts)
        note_id = _id(entry, "note_id", f"note number {number}", file)
        where = f"note {shown(note_id)}"
        if note_id in here:
            raise FormatError(f"{where} appears twice", file)
        here.add(note_id)
        description = _string(entry, "description", where, file)
        note = Note(
            note_id,
            chart_id,
            category=_string(entry, "category", where, file),
            text=_string(entry, "text", where, file),
            meta={} if description is None else {DESCRIPTION: description},
            read_by=(annotator,),
        )
        charts.notes[note_id] = _merged(charts.notes.get(note_id), note, file)
        for at, found in enumerate(_list(entry, "annotations", where, file), start=1):
            place = f"{where}, annotation {at}"
            values = _object(found, "annotation", place, file, charts)
            charts.rows.append(_row(values, place, file, annotator, note))


def _merged(first: Note | None, again: Note, file: Path) -> Note:
    """A note as two files have it, each filling in what the other lacks."""
    if first is None:
        return again
    where = f"note {shown(again.note_id)}"
    if first.chart_id != again.chart_id:
        raise FormatError(f"{where} belongs to chart {shown(first.chart_id)} in another file", file)
    if None not in (first.text, again.text) and first.text != again.text:
        raise FormatError(f"{where} has a different text in another file", file)
    return replace(
        first,
        text=again.text if first.text is None else first.text,
        category=again.category if first.category is None else first.category,
        meta={**again.meta, **first.meta},
        read_by=tuple(dict.fromkeys(first.read_by + again.read_by)),
    )


def _row(values: dict[str, Any], where: str, file: Path, annotator: str, note: Note) -> _Row:
    begin, end = (_offset(values, key, where, file) for key in ("begin", "end"))
    system, code = (_string(values, key, where, file) for key in ("code_system", "code"))
    if not system or not code:
        raise FormatError(f"{where} needs a code and a code_system", file)
    said = {key: _string(values, key, where, file) for key in (DESCRIPTION, TYPE)}
    if begin > end:
        raise FormatError(f"{where}: begin {begin} is after end {end}", file)
    annotation = Annotation(
        annotator,
        Code(system, code),
        note.chart_id,
        note.note_id,
        (Span(begin, end),),
        meta={key: value for key, value in said.items() if value is not None},
    )
    return _Row(file, where, annotation, _string(values, "covered_text", where, file))


def _with_readers(notes: dict[str, Note], rows: Sequence[_Row]) -> dict[str, Note]:
    """The notes with those who found nothing in them: not who annotated them, nor nothing at all.

    A note that a file lists without an annotation was read by whoever annotated the others.
    """
    busy = {row.annotation.annotator for row in rows}
    full = {(row.annotation.note_id, row.annotation.annotator) for row in rows}
    return {
        note_id: replace(
            note,
            read_by=tuple(n for n in note.read_by if n in busy and (note_id, n) not in full),
        )
        for note_id, note in notes.items()
    }


def _commented(charts: _Charts) -> dict[str, Note]:
    """The notes with the comment on their chart, which every file of the chart may add to."""
    comments = {chart_id: "\n".join(said) for chart_id, said in charts.comments.items()}
    return {
        note_id: replace(note, meta={**note.meta, COMMENT: comments[note.chart_id]})
        if note.chart_id in comments
        else note
        for note_id, note in charts.notes.items()
    }


def _annotations(
    rows: Iterable[_Row], notes: dict[str, Note], unit: OffsetUnit
) -> Iterator[Annotation]:
    """The annotations checked against the text. One that several files have comes once."""
    most: dict[Annotation, int] = {}
    offsets = {k: Offsets(note.text, unit) for k, note in notes.items() if note.text is not None}
    for _, file_rows in groupby(rows, key=lambda row: row.file):
        checked = Counter(_checked(row, notes, offsets, unit) for row in file_rows)
        for annotation, times in checked.items():
            most[annotation] = max(most.get(annotation, 0), times)
    for annotation, times in most.items():
        yield from [annotation] * times


def _checked(
    row: _Row, notes: dict[str, Note], offsets: dict[str, Offsets], unit: OffsetUnit
) -> Annotation:
    note = notes[row.annotation.note_id or ""]
    known = offsets.get(note.note_id)
    if known is None and unit is not OffsetUnit.CODEPOINT:
        raise FormatError(f"{row.where}: offsets in {unit} need the text of the note", row.file)
    (written,) = row.annotation.spans
    try:
        span = to_span(written.begin, written.end, known, row.file, unit=unit)
    except FormatError as error:
        raise FormatError(f"{row.where}: {error.problem}", row.file) from None
    differs = row.covered is not None and (note.text is None or row.covered != span.of(note.text))
    quote = {QUOTE: row.covered} if row.covered is not None and differs else {}
    return replace(row.annotation, spans=(span,), meta={**row.annotation.meta, **quote})


def _object(value: object, kind: str, where: str, file: Path, charts: _Charts) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FormatError(f"{where} must be a JSON object, not {strict_json.kind(value)}", file)
    charts.strange.update(value.keys() - _KEYS[kind])
    return value


def _list(values: dict[str, Any], key: str, where: str, file: Path) -> list[Any]:
    value = values.get(key)
    if not isinstance(value, list):
        raise FormatError(f"{key} of {where} must be a list, not {strict_json.kind(value)}", file)
    return value


def _string(values: dict[str, Any], key: str, where: str, file: Path) -> str | None:
    value = values.get(key)
    if value is not None and not isinstance(value, str):
        raise FormatError(f"{key} of {where} must be a string, not {strict_json.kind(value)}", file)
    return value


def _id(values: dict[str, Any], key: str, where: str, file: Path) -> str:
    value = values.get(key)
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        raise FormatError(
            f"{key} of {where} must be a number or a string, not {strict_json.kind(value)}", file
        )
    return str(value)


def _offset(values: dict[str, Any], key: str, where: str, file: Path) -> int:
    value = values.get(key)
    if isinstance(value, bool) or not isinstance(value, int):
        raise FormatError(f"{key} of {where} must be an integer", file)
    if not 0 <= value <= _LONGEST:
        raise FormatError(f"{key} of {where} is {value}, which is not a valid offset", file)
    return value
