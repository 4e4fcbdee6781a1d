"""BioC, XML or JSON by its suffix: one note for each document of a collection.

Passages are put together again at their offsets. An annotation's code is in its infon
`identifier` (or MESH, OMIM and the like; several codes are several annotations), or else its type,
as a code of the system `bioc`. Other infons are kept in meta. Several locations are one
discontinuous annotation; one without a location is on the whole note.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field

from auscult.core import Annotation, FormatError, Note, Offsets, OffsetUnit
from auscult.core.names import shown
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.bioc import codes as bioc_codes
from auscult.corpus.formats.bioc import infons as bioc_infons
from auscult.corpus.formats.bioc import text as bioc_text
from auscult.corpus.formats.bioc import write as bioc_write
from auscult.corpus.formats.bioc.files import SUFFIXES, BiocAnnotation, BiocDocument, articles
from auscult.corpus.formats.contract import FormatOptions, Loss, Losses
from auscult.corpus.formats.shared import quotes, unsupported
from auscult.corpus.formats.shared.files import create_text
from auscult.corpus.formats.shared.spans import to_span

HOLDS = frozenset({"notes.read_by"})


class ReadOptions(FormatOptions):
    """How to read the collection."""

    annotator: str = Field("gold", description="Annotator name of the new annotations.")
    offsets: OffsetUnit = Field(OffsetUnit.CODEPOINT, description="What offsets count.")
    identifier: tuple[str, ...] = Field(
        bioc_codes.IDENTIFIERS,
        description="Infon with the code; the first that is present is used; repeatable.",
    )
    system: str | None = Field(
        None, description="Code system of codes that do not name theirs.  [default: the type]"
    )


class WriteOptions(FormatOptions):
    """How to write the collection."""

    kind: Literal["xml", "json"] = Field(
        "xml", description="File format if the name does not end in .xml or .json."
    )


def read(source: Path, options: ReadOptions) -> Corpus:
    """The documents of a file, or of all the files of a folder."""
    notes: dict[str, Note] = {}
    annotations: list[Annotation] = []
    relations = 0
    for file in _files(source):
        for article in track(articles(file), "Reading BioC"):
            text, pieces = bioc_text.rebuild(article, options.offsets, file)
            note = bioc_infons.note(article, text, bioc_text.dump(pieces))
            if note.note_id in notes:
                raise FormatError(f"duplicate document {shown(note.note_id)}", file, article.row)
            notes[note.note_id] = note
            annotations += _annotations(article, note, file, options)
            relations += article.count_relations()
    if relations:
        warnings.warn(
            f"{source}: {relations} relations were skipped: relations are not supported.",
            stacklevel=2,
        )
    return Corpus.of(notes.values(), annotations)


def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]:
    """Write one file; a name without suffix becomes a folder with the file in it."""
    losses = Losses()
    unsupported.count_records(corpus, losses)
    on_note = unsupported.by_note(corpus, losses)
    file = target
    if not target.name.lower().endswith(SUFFIXES):
        target.mkdir()
        file = target / f"corpus.{options.kind}"
    is_xml = ".xml" in file.name.lower().removesuffix(".gz")[-4:]
    encode = bioc_write.BiocXmlWriter(losses) if is_xml else bioc_write.BiocJsonWriter()
    with create_text(file) as handle:
        handle.write(encode.head(corpus.manifest.name))
        for number, note in enumerate(track(corpus.iter_notes(), "Writing BioC", len(on_note))):
            document = bioc_write.document(note, on_note[note.note_id], losses)
            handle.write(encode.document(document, first=number == 0))
        handle.write(encode.tail())
    return losses.list()


def _files(source: Path) -> list[Path]:
    if source.is_file():
        if not source.name.lower().endswith(SUFFIXES):
            raise FormatError("expected a .xml or .json file, or a folder of them", source)
        return [source]
    found = [path for path in sorted(source.iterdir()) if path.name.lower().endswith(SUFFIXES)]
    if not found:
        raise FormatError("no .xml or .json file in the folder", source)
    return found


def _annotations(
    article: BiocDocument, note: Note, file: Path, options: ReadOptions
) -> Iterator[Annotation]:
    marked = list(article.marked())
    for mark, (spans, quote) in zip(marked, _located(marked, note, file, options), strict=True):
        said = bioc_infons.read(mark.infons, options.identifier, options.system)
        for code, meta in said.codes:
            yield Annotation(
                said.annotator if said.annotator is not None else options.annotator,
                code,
                note.chart_id,
                note.note_id,
                spans,
                said.score,
                meta={**quote, **meta},
            )


def _located(
    marked: list[BiocAnnotation], note: Note, file: Path, options: ReadOptions
) -> list[quotes.Located]:
    """The spans of a document's annotations, with their quotes where those differ."""
    unit, text = options.offsets, note.text
    if text is None and unit is not OffsetUnit.CODEPOINT and any(mark.locations for mark in marked):
        raise FormatError(
            f"offsets in {unit} need the text, and document {shown(note.note_id)} has none", file
        )
    ranges = [tuple((at.offset, at.offset + at.length) for at in mark.locations) for mark in marked]
    located: dict[int, quotes.Located] = {}
    if text is not None:
        quoted = [
            (i, quotes.Quoted(mark.row or 0, text, ranges[i], re.sub(r"[\t\n\r]", " ", mark.text)))
            for i, mark in enumerate(marked)
            if mark.locations and mark.text is not None
        ]
        try:
            found = quotes.locate([row for _, row in quoted], unit, file)
        except FormatError as error:
            problem = f"document {shown(note.note_id)}: {error.problem}"
            raise FormatError(problem, file, error.row or None) from error
        located = {i: where for (i, _), where in zip(quoted, found, strict=True)}
    offsets = None if text is None else Offsets(text, unit)
    for i, mark in enumerate(marked):
        if i not in located:
            spans = (to_span(b, e, offsets, file, mark.row, unit) for b, e in ranges[i])
            kept = mark.locations and mark.text
            located[i] = (tuple(spans), {quotes.QUOTE: mark.text} if kept and mark.text else {})
    return [located[i] for i in range(len(marked))]
