"""Charts written as MDACE has them, a file for each chart and annotator."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import Field

from auscult.codes import family
from auscult.core import Annotation, Note, OptionError, Span
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import FormatOptions, Loss, Losses
from auscult.corpus.formats.mdace.names import (
    COMMENT,
    DESCRIPTION,
    PRACTICES,
    TYPE,
    UNNAMED,
    practice,
)
from auscult.corpus.formats.shared import unsupported
from auscult.corpus.formats.shared.files import create_text
from auscult.corpus.formats.shared.quotes import QUOTE


class WriteOptions(FormatOptions):
    """How to write the charts."""

    suffix: str | None = Field(
        None,
        pattern=r"^[\w.-]+$",
        description="Suffix of file names after the chart id, ICD-10 or ICD-9.  [default: by the "
        "codes]",
    )


def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]:
    """Write a file for each chart and annotator, which the official scripts read too."""
    losses = Losses()
    unsupported.count_records(corpus, losses)
    by_note = unsupported.by_note(corpus, losses)
    if not by_note:
        raise OptionError("The corpus has no notes. MDACE is a folder of charts with notes.")
    places = _places(corpus, target, losses)
    suffix = options.suffix or _revision(corpus)
    charts: dict[str, list[Note]] = {}
    for note in corpus.iter_notes():
        unsupported.count_note(note, losses, fields=("category",), meta=(DESCRIPTION, COMMENT))
        charts.setdefault(note.chart_id, []).append(note)
    taken: set[Path] = set()
    listed: dict[Path, dict[str, bool]] = {}
    target.mkdir()
    for chart_id, notes in track(charts.items(), "writing charts", len(charts)):
        comment = _comment(notes, losses)
        for annotator, written in _by_annotator(notes, by_note, list(places), losses):
            path = _file(places[annotator], chart_id, suffix, taken)
            path.parent.mkdir(exist_ok=True)
            chart = {"hadm_id": _number(chart_id), "comment": comment, "notes": written}
            with create_text(path) as file:
                file.write(json.dumps(chart) + "\n")
            listed[path] = {str(one["note_id"]): bool(one["annotations"]) for one in written}
    unsupported.count_readers(corpus, losses, _readers(listed))
    return losses.list()


def _reader(file: Path) -> str:
    """Who is said to have read the notes of a file, when it is read back."""
    return practice(file.parent) or UNNAMED


def _readers(listed: Mapping[Path, Mapping[str, bool]]) -> dict[str, tuple[str, ...]]:
    """The readers that notes have when the files are read back, in the order of the files.

    `listed` says of each note in a file whether it has an annotation there.
    """
    busy = {_reader(file) for file, notes in listed.items() if any(notes.values())}
    full = {
        (note, _reader(file)) for file, notes in listed.items() for note in notes if notes[note]
    }
    found: dict[str, dict[str, None]] = {}
    for file in sorted(listed):
        for note_id in listed[file]:
            if (reader := _reader(file)) in busy and (note_id, reader) not in full:
                found.setdefault(note_id, {})[reader] = None
    return {note_id: tuple(names) for note_id, names in found.items()}


def _places(corpus: Corpus, target: Path, losses: Losses) -> dict[str, Path]:
    """The folder of each annotator, from which reading tells who it was, where that can be."""
    counted = corpus.lazy_annotations.group_by("annotator", maintain_order=True).len().collect()
    flat = practice(target) or UNNAMED
    places: dict[str, Path] = {}
    for annotator, times in counted.iter_rows():
        if annotator == flat:
            places[annotator] = target
        elif annotator in PRACTICES:
            places[annotator] = target / annotator.capitalize()
        else:
            losses.add(
                "annotations.annotator",
                f"annotations by the annotator {annotator}",
                f"the annotator is left out, so they read back as by {flat}",
                times,
            )
            folder = re.sub(r"[^A-Za-z0-9_-]", "_", annotator)[:100] or "_"
            places[annotator] = target if len(counted) == 1 else target / folder
    return places or {flat: target}


def _revision(corpus: Corpus) -> str:
    counted = corpus.lazy_annotations.group_by("system").len().sort("len", "system").collect()
    revisions = [family(system) for system in counted["system"] if family(system).startswith("ICD")]
    return revisions[-1] if revisions else "ICD-10"


def _comment(notes: list[Note], losses: Losses) -> str:
    said = dict.fromkeys(note.meta.get(COMMENT) for note in notes)
    if len(said) > 1 or "" in said:
        losses.add(
            "notes.meta",
            "charts whose notes differ in their chart_comment (meta)",
            "all get the first one",
        )
    return "\n".join(comment for comment in said if comment)


def _by_annotator(
    notes: list[Note], by_note: dict[str, list[Annotation]], known: list[str], losses: Losses
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The notes of a chart as JSON for each annotator who annotated or read any.

    Notes that nobody annotated or read go with the first.
    """
    written = {
        note.note_id: list(_write_annotations(by_note[note.note_id], note, losses))
        for note in notes
    }
    wrote = [who for rows in written.values() for who, _ in rows]
    read = [who for note in notes for who in note.read_by if who in known]
    annotators = dict.fromkeys([*wrote, *read]) or {known[0]: None}
    for i, annotator in enumerate(annotators):
        entries = []
        for note in notes:
            rows = written[note.note_id]
            own = [row for who, row in rows if who == annotator]
            is_of_nobody = not rows and annotators.keys().isdisjoint(note.read_by)
            if own or annotator in note.read_by or (i == 0 and is_of_nobody):
                entries.append(_write_note(note, own))
        yield annotator, entries


def _write_note(note: Note, annotations: list[dict[str, Any]]) -> dict[str, Any]:
    written = {
        "note_id": _number(note.note_id),
        "category": note.category,
        "description": note.meta.get(DESCRIPTION),
        "annotations": annotations,
    }
    return written if note.text is None else {**written, "text": note.text}


def _write_annotations(
    annotations: Iterable[Annotation], note: Note, losses: Losses
) -> Iterator[tuple[str, dict[str, Any]]]:
    for annotation in annotations:
        unsupported.count_annotation(annotation, losses, meta=(DESCRIPTION, TYPE, QUOTE))
        if not annotation.spans:
            losses.add("annotations", "annotations without spans", "left out")
        elif len(annotation.spans) > 1:
            losses.add(
                "annotations.spans",
                "annotations with discontinuous spans",
                "each span becomes an annotation of its own",
            )
        for span in annotation.spans:
            if note.text is not None and span.end > len(note.text):
                losses.add(
                    "annotations", "annotations with spans past the end of the note", "left out"
                )
                continue
            if note.text is not None and annotation.meta.get(QUOTE) == span.of(note.text):
                losses.add(
                    "annotations.meta",
                    "annotations whose quoted text (meta) equals the text they cover",
                    "left out",
                )
            yield annotation.annotator, _write_annotation(annotation, span)


def _write_annotation(annotation: Annotation, span: Span) -> dict[str, Any]:
    code, meta = annotation.code, annotation.meta
    written = {"begin": span.begin, "end": span.end, "code": code.value, "code_system": code.system}
    said = {DESCRIPTION: DESCRIPTION, TYPE: TYPE, QUOTE: "covered_text"}
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
