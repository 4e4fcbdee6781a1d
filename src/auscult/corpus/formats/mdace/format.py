"""MDACE: the evidence for billing codes in MIMIC-III charts, one JSON file a chart.

A folder tree, or one file, of `{"hadm_id", "comment", "notes": [{"note_id", "category",
"description", "annotations": [{"begin", "end", "code", "code_system", "description", "type"}]}]}`.
Notes come without `text` unless the official script put it in, or NOTEEVENTS is given here. A
note in several files (ICD-9 and ICD-10, Inpatient and Profee) is one note, and what two files say
alike, as CPT codes in both revisions, is one annotation.

Cheng et al. 2023, "MDACE: MIMIC Documents Annotated with Code Evidence".
"""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count, groupby
from pathlib import Path
from typing import Any

from pydantic import Field

from auscult.codes import family
from auscult.core import Annotation, Code, FormatError, Note, Offsets, OptionError, Span, Unit
from auscult.core.files import read_text
from auscult.core.names import shown
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import Loss, Losses, Options
from auscult.corpus.formats.mdace.joins import Splitting, with_splits, with_text
from auscult.corpus.formats.shared import held, strict_json
from auscult.corpus.formats.shared.files import create_text
from auscult.corpus.formats.shared.quotes import QUOTE
from auscult.corpus.formats.shared.spans import to_span

_COMMENT, _DESCRIPTION, _TYPE = "chart_comment", "description", "type"
_PRACTICES = ("inpatient", "profee")
_UNNAMED = "gold"
_LONGEST = 2**31
_KEYS = {
    "chart": {"hadm_id", "comment", "notes"},
    "note": {"note_id", "category", "description", "annotations", "text"},
    "annotation": {"begin", "end", "code", "code_system", "description", "type", "covered_text"},
}


class ReadOptions(Options):
    """How to read the charts."""

    annotator: str | None = Field(
        None,
        description="The name to give to the annotator; otherwise inpatient or profee, when a "
        "folder is called so, or gold.",
    )
    noteevents: Path | None = Field(
        None, description="MIMIC-III's NOTEEVENTS, .csv or .csv.gz, to take the notes' text from."
    )
    splits: Path | None = Field(
        None, description="The folder with MDace-ev-train.csv and so on, to take the split from."
    )
    splitting: Splitting = Field(
        Splitting.EV, description="ev (charts with evidence) or code-ev (all charts)."
    )
    offsets: Unit = Field(Unit.CODEPOINT, description="What begin and end count.")


class WriteOptions(Options):
    """How to write the charts."""

    suffix: str | None = Field(
        None,
        pattern=r"^[\w.-]+$",
        description="What follows the chart's id in file names: ICD-10 or ICD-9, by default the "
        "revision most codes are of.",
    )


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
        annotator = options.annotator or _practice(file.parent) or _UNNAMED
        _read_chart(file, annotator, charts)
    if charts.without_notes:
        warnings.warn(f"{source}: {charts.without_notes} charts have no notes.", stacklevel=2)
    if charts.strange:
        names = ", ".join(map(repr, sorted(charts.strange)[:5]))
        warnings.warn(f"{source}: keys that are not read: {names}.", stacklevel=2)
    notes = _commented(charts)
    if options.noteevents is not None:
        notes = with_text(notes, options.noteevents)
    if options.splits is not None:
        notes = with_splits(notes, options.splits, options.splitting)
    return Corpus.of(notes.values(), _annotations(charts.rows, notes, options.offsets))


def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]:
    """Write a file for each chart and annotator, which the official scripts read too."""
    losses = Losses()
    held.count_records(corpus, losses)
    by_note = held.by_note(corpus, losses)
    if not by_note:
        raise OptionError("There are no notes to write, and MDACE is a folder of charts.")
    places = _places(corpus, target, losses)
    suffix = options.suffix or _revision(corpus)
    charts: dict[str, list[Note]] = {}
    for note in corpus.iter_notes():
        held.count_note(note, losses, fields=("category",), meta=(_DESCRIPTION, _COMMENT))
        charts.setdefault(note.chart_id, []).append(note)
    taken: set[Path] = set()
    target.mkdir()
    for chart_id, notes in track(charts.items(), "writing charts", len(charts)):
        comment = _comment(notes, losses)
        for annotator, written in _by_annotator(notes, by_note, next(iter(places)), losses):
            path = _file(places[annotator], chart_id, suffix, taken)
            path.parent.mkdir(exist_ok=True)
            chart = {"hadm_id": _number(chart_id), "comment": comment, "notes": written}
            with create_text(path) as file:
                file.write(json.dumps(chart) + "\n")
    return losses.list()


def _practice(folder: Path) -> str | None:
    """Inpatient or profee, whichever the nearest folder is called."""
    named = (part.casefold() for part in reversed(folder.resolve().parts))
    return next((part for part in named if part in _PRACTICES), None)


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
            raise FormatError(f"{where} is there twice", file)
        here.add(note_id)
        description = _string(entry, "description", where, file)
        note = Note(
            note_id,
            chart_id,
            category=_string(entry, "category", where, file),
            text=_string(entry, "text", where, file),
            meta={} if description is None else {_DESCRIPTION: description},
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
        raise FormatError(f"{where} has another text in another file", file)
    return replace(
        first,
        text=again.text if first.text is None else first.text,
        category=again.category if first.category is None else first.category,
        meta={**again.meta, **first.meta},
    )


def _row(values: dict[str, Any], where: str, file: Path, annotator: str, note: Note) -> _Row:
    begin, end = (_offset(values, key, where, file) for key in ("begin", "end"))
    system, code = (_string(values, key, where, file) for key in ("code_system", "code"))
    if not system or not code:
        raise FormatError(f"{where} needs a code and a code_system", file)
    said = {key: _string(values, key, where, file) for key in (_DESCRIPTION, _TYPE)}
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


def _commented(charts: _Charts) -> dict[str, Note]:
    """The notes with the comment on their chart, which every file of the chart may add to."""
    comments = {chart_id: "\n".join(said) for chart_id, said in charts.comments.items()}
    return {
        note_id: replace(note, meta={**note.meta, _COMMENT: comments[note.chart_id]})
        if note.chart_id in comments
        else note
        for note_id, note in charts.notes.items()
    }


def _annotations(rows: Iterable[_Row], notes: dict[str, Note], unit: Unit) -> Iterator[Annotation]:
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
    row: _Row, notes: dict[str, Note], offsets: dict[str, Offsets], unit: Unit
) -> Annotation:
    note = notes[row.annotation.note_id or ""]
    known = offsets.get(note.note_id)
    if known is None and unit is not Unit.CODEPOINT:
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
        raise FormatError(f"{key} of {where} must be a whole number", file)
    if not 0 <= value <= _LONGEST:
        raise FormatError(f"{key} of {where} is {value}, which is no offset", file)
    return value


def _places(corpus: Corpus, target: Path, losses: Losses) -> dict[str, Path]:
    """The folder of each annotator, from which reading tells who it was, where that can be."""
    counted = corpus.annotations.group_by("annotator", maintain_order=True).len().collect()
    flat = _practice(target) or _UNNAMED
    places: dict[str, Path] = {}
    for annotator, times in counted.iter_rows():
        if annotator == flat:
            places[annotator] = target
        elif annotator in _PRACTICES:
            places[annotator] = target / annotator.capitalize()
        else:
            losses.add(
                f"annotations by the annotator {annotator}",
                f"the annotator is left out, so they read back as by {flat}",
                times,
            )
            folder = re.sub(r"[^A-Za-z0-9_-]", "_", annotator)[:100] or "_"
            places[annotator] = target if len(counted) == 1 else target / folder
    return places or {flat: target}


def _revision(corpus: Corpus) -> str:
    counted = corpus.annotations.group_by("system").len().sort("len", "system").collect()
    revisions = [family(system) for system in counted["system"] if family(system).startswith("ICD")]
    return revisions[-1] if revisions else "ICD-10"


def _comment(notes: list[Note], losses: Losses) -> str:
    said = dict.fromkeys(note.meta.get(_COMMENT) for note in notes)
    if len(said) > 1 or "" in said:
        losses.add("charts whose notes differ in their chart_comment (meta)", "all get the same")
    return "\n".join(comment for comment in said if comment)


def _by_annotator(
    notes: list[Note], by_note: dict[str, list[Annotation]], default: str, losses: Losses
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The notes of a chart as JSON for each annotator who annotated any.

    Notes that nobody annotated go with the first.
    """
    written = {
        note.note_id: list(_write_annotations(by_note[note.note_id], note, losses))
        for note in notes
    }
    annotators = dict.fromkeys(who for rows in written.values() for who, _ in rows) or {
        default: None
    }
    for i, annotator in enumerate(annotators):
        entries = []
        for note in notes:
            rows = written[note.note_id]
            own = [row for who, row in rows if who == annotator]
            if own or (i == 0 and not rows):
                entries.append(_write_note(note, own))
        yield annotator, entries


def _write_note(note: Note, annotations: list[dict[str, Any]]) -> dict[str, Any]:
    written = {
        "note_id": _number(note.note_id),
        "category": note.category,
        "description": note.meta.get(_DESCRIPTION),
        "annotations": annotations,
    }
    return written if note.text is None else {**written, "text": note.text}


def _write_annotations(
    annotations: Iterable[Annotation], note: Note, losses: Losses
) -> Iterator[tuple[str, dict[str, Any]]]:
    for annotation in annotations:
        held.count_annotation(annotation, losses, meta=(_DESCRIPTION, _TYPE, QUOTE))
        if not annotation.spans:
            losses.add("annotations without spans", "left out")
        elif len(annotation.spans) > 1:
            losses.add("annotations with discontinuous spans", "each of the spans on its own")
        for span in annotation.spans:
            if note.text is not None and span.end > len(note.text):
                losses.add("annotations with spans past the note's text", "left out")
                continue
            if note.text is not None and annotation.meta.get(QUOTE) == span.of(note.text):
                losses.add("annotations whose quote (meta) is what they cover", "left out")
            yield annotation.annotator, _write_annotation(annotation, span)


def _write_annotation(annotation: Annotation, span: Span) -> dict[str, Any]:
    code, meta = annotation.code, annotation.meta
    written = {"begin": span.begin, "end": span.end, "code": code.value, "code_system": code.system}
    said = {_DESCRIPTION: _DESCRIPTION, _TYPE: _TYPE, QUOTE: "covered_text"}
    return written | {name: meta[key] for key, name in said.items() if key in meta}


def _file(folder: Path, chart_id: str, suffix: str, taken: set[Path]) -> Path:
    """A new file of a chart. Its name says which, but only what is inside counts."""
    stem = re.sub(r"[^A-Za-z0-9_.-]", "_", chart_id)[:100]
    names = (f"{stem}{'' if i == 1 else f'.{i}'}-{suffix}.json" for i in count(1))
    path = next(path for name in names if (path := folder / name) not in taken)
    taken.add(path)
    return path


def _number(value: str) -> int | str:
    """An id as MDACE has it, a number, when it is one."""
    return int(value) if re.fullmatch(r"0|[1-9][0-9]{0,17}", value) else value
