"""CodiEsp (CLEF eHealth 2020): Spanish clinical cases with ICD-10 codes and their evidence.

A folder for each split holds the cases as `text_files/*.txt` (in English `text_files_en`), and
for `train` the tables trainD.tsv (diagnoses), trainP.tsv (procedures) and trainX.tsv (both, with
the text that is the evidence). Tables may be missing, as in a test set without answers. A code
that D or P has and X has not becomes an annotation without spans.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from pathlib import Path

from pydantic import Field

from auscult.codes import normalize
from auscult.core import Annotation, Code, FormatError, Note, OffsetUnit, OptionError
from auscult.core.files import read_text
from auscult.core.names import shown
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import FormatOptions, Loss, Losses
from auscult.corpus.formats.shared import unsupported
from auscult.corpus.formats.shared.files import create_text, text_files
from auscult.corpus.formats.shared.plain_text import read_note, write_note
from auscult.corpus.formats.shared.quotes import QUOTE, Quoted, locate, quote_of
from auscult.corpus.formats.shared.readers import marked_read, read_back

_DIAGNOSIS, _PROCEDURE = "ICD-10-CM", "ICD-10-PCS"
_SYSTEMS = {"DIAGNOSTICO": _DIAGNOSIS, "PROCEDIMIENTO": _PROCEDURE}
_KINDS = {system: kind for kind, system in _SYSTEMS.items()}
_TABLES = {"D": _DIAGNOSIS, "P": _PROCEDURE}
_RANGES = re.compile(r"[0-9]{1,18} [0-9]{1,18}(?:;[0-9]{1,18} [0-9]{1,18})*")
_UNSPLIT = "unsplit"


class Language(StrEnum):
    """The language of the cases."""

    ES = "es"
    EN = "en"


_FOLDERS = {Language.ES: "text_files", Language.EN: "text_files_en"}
HOLDS = frozenset({"notes.read_by"})
EXAMPLE = "codiesp codiesp-es --language es"
IS_ONE_CORPUS = True


class ReadOptions(FormatOptions):
    """How to read the folder."""

    language: Language = Field(
        Language.ES,
        description="es, or en for the machine translation, without spans.",
    )
    offsets: OffsetUnit = Field(OffsetUnit.CODEPOINT, description="What offsets count.")
    annotator: str = Field("gold", description="Annotator name of the new annotations.")


class WriteOptions(FormatOptions):
    """How to write the folder."""

    language: Language = Field(
        Language.ES, description="es, or en for the machine translation, without spans."
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of the X table, its quote and ranges still as written."""

    number: int
    note: Note
    code: Code
    quote: str = field(repr=False)
    ranges: str = field(repr=False)


def read(source: Path, options: ReadOptions) -> Corpus:
    """The cases of a folder of splits, or of the folder of one."""
    notes: dict[str, Note] = {}
    annotations: list[Annotation] = []
    for folder in _split_folders(source, options.language):
        found = _notes(folder, options.language)
        for note_id in found.keys() & notes.keys():
            raise FormatError(f"case {shown(note_id)} is also in another split", folder)
        said = list(_annotations(folder, found, options))
        notes |= {note.note_id: note for note in marked_read(found.values(), said)}
        annotations += said
    return Corpus.of(notes.values(), annotations)


def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]:
    """Write a folder for each split, codes in lower case as published."""
    losses = Losses()
    unsupported.count_records(corpus, losses)
    unsupported.count_annotators(corpus, losses, ReadOptions().annotator)
    by_note = unsupported.by_note(corpus, losses)
    if not by_note:
        raise OptionError("The corpus has no notes. CodiEsp is a folder of notes.")
    names = _Names(by_note, losses)
    tables: dict[Path, list[str]] = {}
    wrote: dict[Path, dict[str, bool]] = {}
    for note in track(corpus.iter_notes(), "writing notes", len(by_note)):
        _count_note(note, losses)
        folder = target / names.of_split(note.split)
        name = names.of_note(note.note_id)
        texts = folder / _FOLDERS[options.language]
        texts.mkdir(parents=True, exist_ok=True)
        text = write_note(texts / f"{name}.txt", note.text or "", losses)
        mine = wrote.setdefault(folder, {})
        mine[note.note_id] = False
        for letter, row in _rows(text, by_note[note.note_id], options.language, losses):
            table = folder / f"{folder.name}{letter}.tsv"
            tables.setdefault(table, []).append(f"{name}\t{row}\n")
            mine[note.note_id] = True
    reader = (ReadOptions().annotator,)
    back = [read_back(reader, in_split) for in_split in wrote.values()]
    unsupported.count_readers(corpus, losses, dict(ChainMap(*back)))
    for path, lines in tables.items():
        with create_text(path) as file:
            file.writelines(lines)
    return losses.list()


def _split_folders(source: Path, language: Language) -> list[Path]:
    name = _FOLDERS[language]
    if (source / name).is_dir():
        return [source.resolve()]
    order = ("train", "dev", "test")
    try:
        inside = [path for path in source.iterdir() if (path / name).is_dir()]
    except OSError as error:
        raise FormatError("expected a folder", source) from error
    if not inside:
        raise FormatError(
            f"neither the folder nor a folder inside it, such as train, has a folder {name}", source
        )
    return sorted(inside, key=lambda f: (order.index(f.name) if f.name in order else 3, f.name))


def _notes(folder: Path, language: Language) -> dict[str, Note]:
    files = {
        path.name.removesuffix(".txt"): path
        for path in text_files(folder / _FOLDERS[language], ".txt")
    }
    return {
        name: Note(name, name, text=read_note(path), split=folder.name)
        for name, path in files.items()
    }


def _annotations(
    folder: Path, notes: dict[str, Note], options: ReadOptions
) -> Iterator[Annotation]:
    covered: set[tuple[str, Code]] = set()
    evidence = _table(folder, "X")
    if evidence is not None and options.language is Language.ES:
        rows = list(_evidence(evidence, notes))
        quoted = [Quoted(r.number, r.note.text or "", _parsed(r, evidence), r.quote) for r in rows]
        located = locate(quoted, options.offsets, evidence)
        for row, (spans, meta) in zip(rows, located, strict=True):
            note = row.note
            covered.add((note.note_id, row.code))
            yield Annotation(
                options.annotator, row.code, note.chart_id, note.note_id, spans, meta=meta
            )
    for note, code in _without_spans(folder, notes, options.language):
        if (note.note_id, code) not in covered:
            covered.add((note.note_id, code))
            yield Annotation(options.annotator, code, note.chart_id, note.note_id)


def _without_spans(
    folder: Path, notes: dict[str, Note], language: Language
) -> Iterator[tuple[Note, Code]]:
    """The codes of the D and P tables, and of X when its spans do not apply."""
    for letter, system in _TABLES.items():
        if (file := _table(folder, letter)) is not None:
            for number, fields in _lines(file, 2):
                yield _note_of(fields, notes, file, number), _code(system, fields[1], file, number)
    if language is Language.EN and (file := _table(folder, "X")) is not None:
        for row in _evidence(file, notes):
            yield row.note, row.code


def _table(folder: Path, letter: str) -> Path | None:
    """The table of a split, named after its folder or, when that was renamed, the only one."""
    named = folder / f"{folder.name}{letter}.tsv"
    if named.is_file():
        return named
    others = sorted(folder.glob(f"*{letter}.tsv"))
    if len(others) > 1:
        raise FormatError(f"more than one *{letter}.tsv and no {named.name} in the folder", folder)
    return others[0] if others else None


def _evidence(file: Path, notes: dict[str, Note]) -> Iterator[_Row]:
    for number, fields in _lines(file, 5):
        note = _note_of(fields, notes, file, number)
        _, kind, value, quote, ranges = fields
        if kind not in _SYSTEMS:
            raise FormatError(f"column 2 must be {' or '.join(_SYSTEMS)}", file, number)
        yield _Row(number, note, _code(_SYSTEMS[kind], value, file, number), quote, ranges)


def _lines(file: Path, columns: int) -> Iterator[tuple[int, list[str]]]:
    # Not splitlines(): a quote may hold characters that it takes for the end of a line.
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        fields = line.removesuffix("\r").split("\t")
        if fields == [""]:
            continue
        if len(fields) != columns:
            raise FormatError(
                f"expected {columns} columns separated by tabs, got {len(fields)}",
                file,
                number,
            )
        yield number, fields


def _note_of(fields: list[str], notes: dict[str, Note], file: Path, number: int) -> Note:
    if fields[0] not in notes:
        raise FormatError("the case in column 1 has no text file", file, number)
    return notes[fields[0]]


def _code(system: str, value: str, file: Path, number: int) -> Code:
    if not value.strip():
        raise FormatError("the code is empty", file, number)
    return Code(system, normalize(system, value))


def _parsed(row: _Row, file: Path) -> tuple[tuple[int, int], ...]:
    if not _RANGES.fullmatch(row.ranges):
        raise FormatError(
            "column 5 must be the begin and end of each fragment, such as 10 15;20 28",
            file,
            row.number,
        )
    pairs = (part.split(" ") for part in row.ranges.split(";"))
    return tuple((int(begin), int(end)) for begin, end in pairs)


def _count_note(note: Note, losses: Losses) -> None:
    unsupported.count_note(note, losses, fields=("split",))
    if note.text is None:
        losses.add("notes.text", "notes without text", "written with an empty text")
    if note.chart_id != note.note_id:
        losses.add(
            "notes.chart_id",
            "notes whose chart_id differs from their note_id",
            "the chart_id reads back as the note_id",
        )


def _rows(
    text: str, annotations: list[Annotation], language: Language, losses: Losses
) -> Iterator[tuple[str, str]]:
    """The rows of a note, each with the letter of its table."""
    pointed: dict[Code, None] = {}  # a set that keeps its order
    bare: list[Code] = []
    for annotation in annotations:
        unsupported.count_annotation(annotation, losses, meta=(QUOTE,) if annotation.spans else ())
        code = annotation.code
        if not _can_hold(code, losses):
            continue
        if annotation.spans and _can_point(annotation, text, language, losses):
            ranges = ";".join(f"{span.begin} {span.end}" for span in annotation.spans)
            quote = quote_of(annotation, text, losses)
            yield "X", f"{_KINDS[code.system]}\t{code.value.lower()}\t{quote}\t{ranges}"
            pointed[code] = None
        else:
            bare.append(code)
    repeated = len(bare) - len(set(bare) - pointed.keys())
    losses.add(
        "annotations",
        "annotations without spans whose code the note already has",
        "left out",
        repeated,
    )
    for code in dict.fromkeys([*pointed, *bare]):
        yield "D" if code.system == _DIAGNOSIS else "P", code.value.lower()


def _can_hold(code: Code, losses: Losses) -> bool:
    if code.system not in _KINDS:
        losses.add("annotations", f"annotations with codes of the system {code.system}", "left out")
        return False
    written = code.value.lower()
    if not written.strip() or re.search(r"[\t\r\n\0]", written):
        losses.add("annotations", "annotations with malformed codes", "left out")
        return False
    if normalize(code.system, written) != code.value:
        losses.add(
            "annotations.code",
            "annotations with malformed codes",
            "read back in lower case",
        )
    return True


def _can_point(annotation: Annotation, text: str, language: Language, losses: Losses) -> bool:
    if language is Language.EN:
        losses.add(
            "annotations.spans", "annotations with spans in English", "the spans are left out"
        )
        return False
    if max(span.end for span in annotation.spans) > len(text):
        losses.add(
            "annotations.spans",
            "annotations with spans past the end of the note",
            "the spans are left out",
        )
        return False
    return True


class _Names:
    """The file names of notes and splits: their own, where that is possible."""

    def __init__(self, note_ids: Collection[str], losses: Losses) -> None:
        self._losses = losses
        impossible = [note_id for note_id in note_ids if not _is_file_name(note_id)]
        losses.add(
            "notes.note_id",
            "notes whose note_id is not a valid file name",
            "the note_id is changed",
            len(impossible),
        )
        free = (name for i in count(1) if (name := f"note-{i}") not in note_ids)
        self._other = dict(zip(impossible, free, strict=False))

    def of_note(self, note_id: str) -> str:
        return self._other.get(note_id, note_id)

    def of_split(self, split: str | None) -> str:
        if split is None:
            self._losses.add(
                "notes.split", "notes without a split", f"written in the split {_UNSPLIT}"
            )
            return _UNSPLIT
        if not _is_file_name(split) or split in _FOLDERS.values():
            self._losses.add(
                "notes.split",
                "notes of a split that is not a valid folder name",
                f"written in the split {_UNSPLIT}",
            )
            return _UNSPLIT
        return split


def _is_file_name(name: str) -> bool:
    return (
        re.search(r"[/\\\t\r\n\0]", name) is None
        and name not in ("", ".", "..")
        and len(name.encode()) <= 200
    )
