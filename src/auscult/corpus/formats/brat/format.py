"""brat stand-off: a folder tree of .txt files, each with its .ann beside it.

The note is the .txt file to the character, its id the path without suffix. A text-bound line is
an annotation; its code is the reference its normalization line gives (several are several
annotations), or else its type, as a code of the system `brat`. Attributes and remarks are kept in
the annotation's meta, relations and events in the note's. What brat has no place for, such as the
annotator, is written as a remark of the type Auscult.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import Field

from auscult.core import Annotation, Code, FormatError, Note, OffsetUnit
from auscult.core.names import shown
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.brat import lines as brat_lines
from auscult.corpus.formats.brat import write as brat_write
from auscult.corpus.formats.brat.lines import AnnFile, TextBound
from auscult.corpus.formats.brat.write import ATTRIBUTE, OURS, RELATIONS, REMARK, default_type
from auscult.corpus.formats.contract import FormatOptions, Loss, Losses
from auscult.corpus.formats.shared import quotes, strict_json, unsupported
from auscult.corpus.formats.shared.files import create_text
from auscult.corpus.formats.shared.note_files import file_name, note_id_of
from auscult.corpus.formats.shared.plain_text import read_note, write_note
from auscult.corpus.formats.shared.readers import marked_read, only_reader, read_back
from auscult.corpus.formats.shared.spans import to_span

_SYSTEM = "brat"
_SUFFIXES = (".txt", ".ann")
HOLDS = frozenset({"notes.read_by"})


class ReadOptions(FormatOptions):
    """How to read the folder."""

    annotator: str = Field("gold", description="Annotator name of the new annotations.")
    system: str = Field(_SYSTEM, description="Code system of codes that do not name theirs.")
    offsets: OffsetUnit = Field(OffsetUnit.CODEPOINT, description="What offsets count.")


class WriteOptions(FormatOptions):
    """How to write the folder."""

    system: str = Field(_SYSTEM, description="Code system of codes that do not name theirs.")


def read(source: Path, options: ReadOptions) -> Corpus:
    """The notes of a folder tree, or of one .txt or .ann file."""
    notes: list[Note] = []
    annotations: list[Annotation] = []
    opened: set[str] = set()
    dangling = 0
    for note_id, path in track(_note_files(source).items(), "Reading brat"):
        text_file, ann_file = (path.with_name(path.name + suffix) for suffix in _SUFFIXES)
        text = read_note(text_file) if text_file.exists() else None
        ann = AnnFile({}, [], 0)
        if ann_file.exists():
            opened.add(note_id)
            ann = brat_lines.parse(ann_file)
        meta = {RELATIONS: "\n".join(ann.others)} if ann.others else {}
        notes.append(Note(note_id, note_id, text=text, meta=meta))
        annotations += _annotations(notes[-1], ann, ann_file, options)
        dangling += ann.dangling
    if dangling:
        warnings.warn(
            f"{source}: {dangling} lines refer to ids that are not in their file; left out.",
            stacklevel=2,
        )
    return Corpus.of(marked_read(notes, annotations, opened), annotations)


def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]:
    """Write a .txt and an .ann file a note."""
    losses = Losses()
    unsupported.count_records(corpus, losses)
    on_note = unsupported.by_note(corpus, losses)
    target.mkdir()
    for note in track(corpus.iter_notes(), "Writing brat", len(on_note)):
        unsupported.count_note(note, losses, meta=(RELATIONS,))
        if note.chart_id != note.note_id:
            losses.add(
                "notes.chart_id",
                "notes whose chart_id differs from their note_id",
                "the chart_id reads back as the note_id",
            )
        path = target / _relative(note.note_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        text_file, ann_file = (path.with_name(path.name + suffix) for suffix in _SUFFIXES)
        if ann_file.exists():
            raise FormatError(
                f"two notes have the id {shown(note.note_id)}; one file can hold only one note"
            )
        text = None if note.text is None else write_note(text_file, note.text, losses)
        lines = brat_write.lines(note, text, on_note[note.note_id], options.system, losses)
        with create_text(ann_file) as handle:
            handle.writelines(f"{line}\n" for line in lines)
    spanned = {key: [one for one in listed if one.spans] for key, listed in on_note.items()}
    reader = only_reader(one for listed in spanned.values() for one in listed)
    wrote = {note_id: bool(listed) for note_id, listed in spanned.items()}
    unsupported.count_readers(corpus, losses, read_back(reader, wrote))
    return losses.list()


def _note_files(source: Path) -> dict[str, Path]:
    """The notes' ids, and their files without suffix."""
    if source.is_file():
        if source.suffix not in _SUFFIXES:
            raise FormatError("expected a .txt or .ann file, or a folder of them", source)
        plain = source.with_name(source.name.removesuffix(source.suffix))
        beside = [plain.with_name(plain.name + suffix) for suffix in _SUFFIXES]
        if not any(path.exists() and path.stat().st_size for path in beside):
            raise FormatError("the file is empty", source)
        return {note_id_of(plain.name): plain}
    found: dict[str, Path] = {}
    for path in sorted(source.rglob("*")):
        if path.suffix not in _SUFFIXES or path.name.startswith(".") or not path.is_file():
            continue
        plain = path.with_name(path.name.removesuffix(path.suffix))
        note_id = "/".join(map(note_id_of, plain.relative_to(source).parts))
        if found.setdefault(note_id, plain) != plain:
            raise FormatError(f"two files have the name of note {shown(note_id)}", path)
    if not found:
        raise FormatError("no .txt or .ann file in the folder", source)
    return found


def _relative(note_id: str) -> str:
    """A note's path without suffix. A folder must not look like a note's file."""
    parts = note_id.split("/")
    if not all(parts) or any(part.endswith(_SUFFIXES) for part in parts[:-1]):
        parts = [note_id]
    *folders, name = parts
    # the longest suffix tells whether the name will be too long
    return "/".join([*(file_name(f, "") for f in folders), file_name(name, ".txt")[: -len(".txt")]])


def _annotations(
    note: Note, ann: AnnFile, file: Path, options: ReadOptions
) -> Iterator[Annotation]:
    bound = list(ann.bound.values())
    referred = brat_lines.referred(ann.others)
    for line, (spans, meta) in zip(bound, _located(note, bound, file, options), strict=True):
        said = _fill(meta, line, file)
        if line.id in referred or len(line.normalizations) > 1:
            meta["id"] = line.id
        codes = [(Code(*code), title) for *code, title in line.normalizations]
        if "code" in said:
            codes = [(Code(said["system"], said["code"]), "")]
        for code, title in codes or [(Code(options.system, line.type), "")]:
            more = {"reference": title} if title else {}
            if codes and line.type != default_type(code.system):
                more["type"] = line.type
            yield Annotation(
                annotator=said.get("annotator", options.annotator),
                code=code,
                chart_id=note.chart_id,
                note_id=note.note_id,
                spans=spans,
                score=said.get("score"),
                meta={**meta, **more, **said.get("meta", {})},
            )


def _located(
    note: Note, bound: list[TextBound], file: Path, options: ReadOptions
) -> list[quotes.Located]:
    if note.text is not None:
        rows = [quotes.Quoted(b.row, note.text, b.ranges, b.quote) for b in bound]
        return quotes.locate(rows, options.offsets, file)
    if options.offsets is not OffsetUnit.CODEPOINT and bound:
        raise FormatError(f"offsets in {options.offsets} need the text; there is no .txt", file)
    return [
        (
            tuple(to_span(begin, end, None, file, b.row) for begin, end in b.ranges),
            {quotes.QUOTE: b.quote} if b.quote else {},
        )
        for b in bound
    ]


def _fill(meta: dict[str, str], line: TextBound, file: Path) -> dict[str, Any]:
    """Put attributes and remarks into an annotation's meta; return what our own remark says."""
    said: dict[str, Any] = {}
    keyed = [(ATTRIBUTE + name, value) for name, value in line.attributes]
    keyed += [(REMARK + kind, text) for kind, text in line.remarks if kind != OURS]
    for key, value in keyed:
        meta[key] = f"{meta[key]}\n{value}" if key in meta else value
    for kind, text in line.remarks:
        if kind == OURS:
            said |= _our_remark(text, file, line.row)
    return said


def _our_remark(text: str, file: Path, row: int) -> dict[str, Any]:
    said = strict_json.parse(text, file, row)
    sound = isinstance(said, dict) and said.keys() <= {
        *("annotator", "score", "system", "code", "meta")
    }
    if sound:
        strings = [said[key] for key in ("annotator", "system", "code") if key in said]
        meta = said.get("meta", {})
        sound = (
            all(isinstance(value, str) for value in strings)
            and bool(said.get("system")) == bool(said.get("code"))
            and ("system" in said) == bool(said.get("system"))
            and isinstance(said.get("score", 0.0), float)
            and isinstance(meta, dict)
            and all(isinstance(value, str) for value in meta.values())
        )
    if not sound:
        raise FormatError(
            f"the comment of type {OURS} is not in the form that Auscult writes", file, row
        )
    return dict(said)
