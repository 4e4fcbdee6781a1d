"""PubTator: abstracts with spans linked to concepts (NCBI disease, BC5CDR, MedMentions).

    12|t|The title
    12|a|The abstract
    12<TAB>4<TAB>9<TAB>title<TAB>Type<TAB>D003920|OMIM:222100

Offsets count from the title on, with one character between it and the abstract: the note's text
is the two with a line break between. Several ids on a line, separated by `|` or `+`, become an
annotation each; what is needed to write the line back as it was is in their meta (`type`, and
`ids` and `more` where they are not what would be written anyway).

A concept that no id fits (`-1`, `-` or nothing) is the code CUI-less. NCBI disease holds one
abstract twice: the second is a note `<id>#2` in the same chart.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from pydantic import Field

from auscult.codes import CUI_LESS, SYSTEMS
from auscult.core import Annotation, Code, FormatError, Note, OffsetUnit, OptionError
from auscult.core.files import read_text
from auscult.core.names import shown
from auscult.core.progress import track
from auscult.core.span import extent
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import FormatOptions, Loss, Losses
from auscult.corpus.formats.shared import unsupported
from auscult.corpus.formats.shared.files import create_text
from auscult.corpus.formats.shared.quotes import QUOTE, Quoted, locate, quote_of
from auscult.corpus.formats.shared.readers import marked_read, read_back

_SUFFIXES = (".txt", ".pubtator", ".txt.gz", ".pubtator.gz")
_TYPE, _IDS, _MORE, _SAME_AS = "type", "ids", "more", "pubtator_id"
_KEPT = (_TYPE, _IDS, _MORE, QUOTE)
_TEXT_LINE = re.compile(r"([^|\t]+)\|([ta])\|(.*)")
_NUMBER = re.compile(r"-?[0-9]{1,18}")
_BREAKS = re.compile(r"[\r\n\0]")
_SEPARATORS = re.compile(r"[\t\r\n\0]")
_NULLS = ("", "-", "-1")
_NULL_ID = "-1"
_PREFIXES = {"MESH": "MeSH", "OMIM": "OMIM", "UMLS": "UMLS"}
_BARE = ("UMLS", "MeSH", "HPO")
"""The code systems that are recognized by the form of their codes."""
HOLDS = frozenset({"notes.read_by"})
EXAMPLE = "NCBItrainset_corpus.txt ncbi"
TARGET = "abstracts.txt"


class ReadOptions(FormatOptions):
    """How to read the file."""

    offsets: OffsetUnit = Field(OffsetUnit.CODEPOINT, description="What offsets count.")
    annotator: str = Field("gold", description="Annotator name of the new annotations.")
    system: str = Field("MeSH", description="Code system of codes that do not name theirs.")


class WriteOptions(FormatOptions):
    """How to write the file."""

    system: str = Field("MeSH", description="Code system of codes that do not name theirs.")


@dataclass(slots=True)
class _Block:
    """The lines of one abstract."""

    name: str
    row: int
    title: str = field(repr=False)
    abstract: str | None = field(default=None, repr=False)
    rows: list[tuple[int, list[str]]] = field(default_factory=list, repr=False)

    @property
    def text(self) -> str:
        return self.title if self.abstract is None else f"{self.title}\n{self.abstract}"


def read(source: Path, options: ReadOptions) -> Corpus:
    """The abstracts of a file, which may be gzipped, or of the files of a folder."""
    notes: dict[str, Note] = {}
    annotations: list[Annotation] = []
    for file in _files(source):
        quoted: list[Quoted] = []
        rows: list[tuple[Note, list[str]]] = []
        relations = 0
        before = set(notes)
        said: list[Annotation] = []
        for block in _blocks(file):
            note = _note(block, notes, file)
            for number, fields in block.rows:
                if _is_relation(fields):
                    relations += 1
                    continue
                quoted.append(_quoted(number, fields, note.text or "", file))
                rows.append((note, fields))
        if relations:
            warnings.warn(
                f"{file}: {relations} relations were skipped: relations are not supported.",
                stacklevel=2,
            )
        located = locate(quoted, options.offsets, file)
        for (note, fields), (spans, quote) in zip(rows, located, strict=True):
            for code, meta in _codes(_columns(fields), options.system):
                said.append(
                    Annotation(
                        options.annotator,
                        code,
                        note.chart_id,
                        note.note_id,
                        spans,
                        meta=meta | quote,
                    )
                )
        fresh = [note for name, note in notes.items() if name not in before]
        notes |= {note.note_id: note for note in marked_read(fresh, said)}
        annotations += said
    again = sum(1 for note in notes.values() if _SAME_AS in note.meta)
    if again:
        times = "once more" if again == 1 else f"{again} times more"
        warnings.warn(
            f"{source}: an abstract id is repeated {times}; the repetitions are read as notes "
            "of the same chart, with ids <id>#2 and so on.",
            stacklevel=2,
        )
    if not notes:
        raise FormatError("contains no abstract: expected a line such as 12|t|The title", source)
    return Corpus.of(notes.values(), annotations)


def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]:
    """Write one file, gzipped when its name ends in .gz."""
    losses = Losses()
    unsupported.count_records(corpus, losses)
    unsupported.count_annotators(corpus, losses, ReadOptions().annotator)
    by_note = unsupported.by_note(corpus, losses)
    if not by_note:
        raise OptionError("The corpus has no notes. PubTator is a file of notes.")
    names = _Names(by_note, losses)
    wrote = dict.fromkeys(by_note, False)
    with create_text(target) as file:
        for i, note in enumerate(track(corpus.iter_notes(), "writing notes", len(by_note))):
            text = _one_line_each(note, losses)
            name = names.of(note, text)
            title, newline, abstract = text.partition("\n")
            file.write(("\n" if i else "") + f"{name}|t|{title}\n")
            file.write(f"{name}|a|{abstract}\n" if newline else "")
            for line in _lines(by_note[note.note_id], text, options.system, losses):
                file.write(f"{name}\t{line}\n")
                wrote[note.note_id] = True
    unsupported.count_readers(corpus, losses, read_back((ReadOptions().annotator,), wrote))
    return losses.list()


def _files(source: Path) -> list[Path]:
    if not source.is_dir():
        return [source]
    found = sorted(
        path
        for path in source.rglob("*")
        if path.name.lower().endswith(_SUFFIXES) and path.is_file()
    )
    if not found:
        raise FormatError(f"no file in the folder ends in {', '.join(_SUFFIXES)}", source)
    return found


def _blocks(file: Path) -> Iterator[_Block]:
    block: _Block | None = None
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        line = line.removesuffix("\r")
        found = _TEXT_LINE.fullmatch(line)
        if not line.strip() or (found and found[2] == "t"):
            if block is not None:
                yield block
            block = _Block(found[1], number, found[3]) if found else None
        elif block is None:
            raise FormatError("an abstract must begin with its title: <id>|t|<title>", file, number)
        elif found is None:
            block.rows.append((number, line.split("\t")))
            if block.rows[-1][1][0] != block.name:
                raise FormatError(
                    f"the line does not begin with the id of its abstract, {shown(block.name)}, "
                    "or is not separated by tabs",
                    file,
                    number,
                )
        elif found[1] != block.name or block.abstract is not None:
            raise FormatError(f"abstract {shown(block.name)} has two texts", file, number)
        else:
            block.abstract = found[3]
    if block is not None:
        yield block


def _note(block: _Block, notes: dict[str, Note], file: Path) -> Note:
    """The note of a block, entered among the notes. The same abstract again gets a name."""
    first = notes.get(block.name)
    if first is not None and first.text != block.text:
        raise FormatError(
            f"the id {shown(block.name)} is already the id of another abstract", file, block.row
        )
    meta = {} if first is None else {_SAME_AS: block.name}
    name = block.name if first is None else _again(block.name, notes)
    notes[name] = Note(name, block.name, text=block.text, meta=meta)
    return notes[name]


def _again(name: str, taken: Collection[str]) -> str:
    number = 2
    while f"{name}#{number}" in taken:
        number += 1
    return f"{name}#{number}"


def _is_relation(fields: list[str]) -> bool:
    """Whether a line relates two concepts, such as `12<TAB>CID<TAB>D1<TAB>D2`."""
    return len(fields) in (4, 5) and re.fullmatch("[A-Za-z_]+", fields[1]) is not None


def _quoted(number: int, fields: list[str], text: str, file: Path) -> Quoted:
    if len(fields) < 5:
        raise FormatError(
            f"expected id, begin, end, text, type and ids separated by tabs; got {len(fields)} "
            "fields",
            file,
            number,
        )
    if not (_NUMBER.fullmatch(fields[1]) and _NUMBER.fullmatch(fields[2])):
        raise FormatError("begin and end (columns 2 and 3) must be integers", file, number)
    return Quoted(number, text, ((int(fields[1]), int(fields[2])),), fields[3])


@dataclass(frozen=True, slots=True)
class _Columns:
    """What follows the quote on a line."""

    type: str
    ids: str
    more: str | None = None

    def is_one_line(self) -> bool:
        return self == self.on_one_line()

    def on_one_line(self) -> _Columns:
        more = None if self.more is None else _BREAKS.sub(" ", self.more)
        return _Columns(_SEPARATORS.sub(" ", self.type), _SEPARATORS.sub(" ", self.ids), more)


def _columns(fields: list[str]) -> _Columns:
    return _Columns(
        fields[4],
        fields[5] if len(fields) > 5 else "",
        "\t".join(fields[6:]) if len(fields) > 6 else None,
    )


def _codes(columns: _Columns, system: str) -> list[tuple[Code, dict[str, str]]]:
    """The codes of a line, each with the meta from which the line can be written again."""
    codes = [_code(raw, system) for raw in _split(columns.ids)]
    meta = {_TYPE: columns.type}
    if len(codes) > 1 or columns.ids != _written(codes[0], system):
        meta[_IDS] = columns.ids
    elif columns.type == codes[0].system:
        del meta[_TYPE]  # what is written for a code without a type
    if columns.more is not None:
        meta[_MORE] = columns.more
    return [(code, meta) for code in codes]


def _split(ids: str) -> list[str]:
    if ids.startswith("tmVar:"):  # a description of a mutation, which has | and + in it
        return [ids]
    return [raw.strip() for raw in re.split(r"[|+]", ids) if raw.strip()] or [""]


def _code(raw: str, system: str) -> Code:
    if raw in _NULLS:
        return Code(system, CUI_LESS)
    for name in _BARE:
        if SYSTEMS[name].shape.fullmatch(raw):
            return Code(name, raw)
    prefix, _, value = raw.partition(":")
    if not prefix or not value:
        return Code(system, raw)
    return Code(_PREFIXES.get(prefix.upper(), prefix), CUI_LESS if value in _NULLS else value)


def _written(code: Code, system: str) -> str | None:
    """A code as an id that reads back as the same code; None when there is none."""
    for raw in (_NULL_ID, code.value, f"{code.system}:{code.value}"):
        whole = _split(raw) == [raw] and _SEPARATORS.search(raw) is None
        if whole and _code(raw, system) == code:
            return raw
    return None


def _one_line_each(note: Note, losses: Losses) -> str:
    """The text to write: the first line the title, the rest one line."""
    unsupported.count_note(note, losses, meta=(_SAME_AS,))
    if note.text is None:
        losses.add("notes.text", "notes without text", "written with an empty text")
        return ""
    title, newline, abstract = note.text.partition("\n")
    fixed = _BREAKS.sub(" ", title) + newline + _BREAKS.sub(" ", abstract)
    if fixed != note.text:
        losses.add(
            "notes.text",
            "notes with several lines of text",
            "line breaks after the first become spaces",
        )
    return fixed


class _Names:
    """The ids to write, such that reading them gives the notes' own again where that can be."""

    def __init__(self, note_ids: Collection[str], losses: Losses) -> None:
        self._losses = losses
        self._texts: dict[str, str] = {}
        self._free = (name for i in count(1) if (name := f"note-{i}") not in note_ids)

    def of(self, note: Note, text: str) -> str:
        same_as = note.meta.get(_SAME_AS)
        name = note.note_id
        again = same_as is not None and self._texts.get(same_as) == text
        if same_as is not None and again and _again(same_as, self._texts) == note.note_id:
            name = same_as
        if name != same_as and same_as is not None:
            self._losses.add("notes.meta", f"notes with meta {_SAME_AS!r}", "the meta is left out")
        if re.search(r"[|\t\r\n\0\ufeff]", name) or not name.strip():
            self._losses.add(
                "notes.note_id",
                "notes whose note_id PubTator cannot represent",
                "the note_id is changed",
            )
            name = next(self._free)
        if note.chart_id != name:
            self._losses.add(
                "notes.chart_id",
                "notes whose chart_id differs from their note_id",
                "the chart_id reads back as the note_id",
            )
        self._texts[note.note_id] = text
        return name


def _lines(annotations: list[Annotation], text: str, system: str, losses: Losses) -> Iterator[str]:
    """The lines of a note without its id, in the order of the first annotation on each."""
    groups: dict[tuple[object, ...], list[Annotation]] = {}
    for number, annotation in enumerate(annotations):
        unsupported.count_annotation(annotation, losses, meta=_KEPT)
        if (placed := _placed(annotation, text, losses)) is not None:
            alone = None if _IDS in annotation.meta else number
            meta = tuple((key, annotation.meta.get(key)) for key in _KEPT)
            groups.setdefault((placed.spans, meta, alone), []).append(placed)
    for group in groups.values():
        (span,) = group[0].spans
        quote = quote_of(group[0], text, losses)
        for columns in _group_columns(group, system, losses):
            more = "" if columns.more is None else f"\t{columns.more}"
            yield f"{span.begin}\t{span.end}\t{quote}\t{columns.type}\t{columns.ids}{more}"


def _placed(annotation: Annotation, text: str, losses: Losses) -> Annotation | None:
    """The annotation on a single span of the text, or None."""
    if not annotation.spans:
        losses.add("annotations", "annotations without spans", "left out")
        return None
    span = extent(annotation.spans)
    if span.end > len(text):
        losses.add("annotations", "annotations with spans past the end of the note", "left out")
        return None
    if len(annotation.spans) > 1:
        losses.add(
            "annotations.spans",
            "annotations with discontinuous spans",
            "the spans become their whole extent",
        )
    return replace(annotation, spans=(span,))


def _group_columns(group: list[Annotation], system: str, losses: Losses) -> Iterator[_Columns]:
    """The lines of annotations with the same span and meta, as they were read if that fits."""
    meta = {key: group[0].meta[key] for key in (_TYPE, _IDS, _MORE) if key in group[0].meta}
    codes = [annotation.code for annotation in group]
    columns = _Columns(meta.get(_TYPE, ""), meta.get(_IDS, ""), meta.get(_MORE))
    read_back = _codes(columns, system)
    times, rest = divmod(len(codes), len(read_back))
    same = Counter(code for code, _ in read_back * times) == Counter(codes)
    if rest == 0 and same and read_back[0][1] == meta and columns.is_one_line():
        yield from [columns] * times
        return
    for code in codes:
        ids = _written(code, system)
        if ids is None:
            losses.add(
                "annotations", "annotations with codes that PubTator cannot represent", "left out"
            )
            continue
        columns = _Columns(meta.get(_TYPE, code.system), ids, meta.get(_MORE)).on_one_line()
        if _codes(columns, system) != [(code, meta)]:
            losses.add(
                "annotations.meta",
                "annotations with meta (type, ids, more) that does not match their code",
                "adapted",
            )
        yield columns
