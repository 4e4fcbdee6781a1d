"""The XML of the 2007 Computational Medicine Challenge: radiology reports with ICD-9-CM codes.

Each document is a note and a chart of its own. Its parts follow one another in the note's text,
each under a line that names it. A code belongs to the whole document, and its origin (one of
three companies, or their majority) is the annotator. Documents without codes are fine.

Pestian et al. 2007, "A shared task involving multi-label classification of clinical free text".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape, quoteattr

from pydantic import Field

from auscult.core import Annotation, Code, FormatError, Note, xml
from auscult.core.names import shown
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import FormatOptions, Loss, Losses
from auscult.corpus.formats.shared import unsupported
from auscult.corpus.formats.shared.files import create_text
from auscult.corpus.formats.shared.readers import marked_read, read_back
from auscult.corpus.gold_names import gold_by_name

_PARTS = "parts"
_NOT_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
HOLDS = frozenset({"notes.read_by"})
EXAMPLE = "2007ChallengeTrainData.xml cmc"
TARGET = "reports.xml"
IS_ONE_CORPUS = True


class ReadOptions(FormatOptions):
    """How to read the XML."""

    annotator: str = Field("gold", description="Annotator name of the new annotations.")


class WriteOptions(FormatOptions):
    """Nothing to choose."""


@dataclass(frozen=True, slots=True)
class _Part:
    """One `text` element."""

    origin: str | None
    kind: str | None
    text: str = field(repr=False)


def read(source: Path, options: ReadOptions) -> Corpus:
    """The documents of one XML file, which may be gzipped."""
    root = xml.parse(source)
    if root.tag != "docs":
        raise FormatError("the root element must be <docs>, as in the challenge", source, root.row)
    notes: dict[str, Note] = {}
    annotations: list[Annotation] = []
    for doc in root:
        _expect(doc, ("doc",), source)
        note = _note(doc, source)
        if note.note_id in notes:
            raise FormatError(
                f"duplicate document {shown(note.note_id)}; an id must be unique",
                source,
                xml.row_of(doc),
            )
        notes[note.note_id] = note
        annotations += _annotations(doc, note, options.annotator, source)
    return Corpus.of(marked_read(notes.values(), annotations, by=_judge(annotations)), annotations)


def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]:  # noqa: ARG001 - none
    """Write one XML file; a note that came from elsewhere is one unnamed part."""
    losses = Losses()
    unsupported.count_records(corpus, losses)
    by_note = unsupported.by_note(corpus, losses)
    with create_text(target) as file:
        file.write('<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<docs>\n')
        for note in track(corpus.iter_notes(), "writing notes", len(by_note)):
            file.writelines(_write_doc(note, by_note[note.note_id], losses))
        file.write("</docs>\n")
    judge = _judge(one for listed in by_note.values() for one in listed)
    wrote = {
        note_id: any(one.annotator == judge for one in listed)
        for note_id, listed in by_note.items()
    }
    unsupported.count_readers(corpus, losses, read_back((judge,) if judge else (), wrote))
    return losses.list()


def _judge(annotations: Iterable[Annotation]) -> str | None:
    """Who has read every document: the only origin there is, or the one whose codes are right."""
    origins = {annotation.annotator for annotation in annotations}
    return next(iter(origins)) if len(origins) == 1 else gold_by_name(origins)


def _note(doc: Element, file: Path) -> Note:
    note_id = doc.get("id")
    if note_id is None:
        raise FormatError("a <doc> needs an id", file, xml.row_of(doc))
    parts: list[_Part] = []
    for child in doc:
        _expect(child, ("codes", "texts"), file)
        for part in child if child.tag == "texts" else ():
            _expect(part, ("text",), file)
            parts.append(_Part(part.get("origin"), part.get("type"), _content(part, file)))
    text, meta = _assemble(parts)
    return Note(note_id, note_id, category=doc.get("type"), text=text if parts else None, meta=meta)


def _assemble(parts: Iterable[_Part]) -> tuple[str, dict[str, str]]:
    """The text of a note from its parts, and the meta from which they can be told apart again."""
    text = ""
    places: list[tuple[str | None, str | None, int, int]] = []
    for part in parts:
        text += "\n\n" if places else ""
        text += f"{part.kind}:\n" if part.kind is not None else ""
        places.append((part.origin, part.kind, len(text), len(text) + len(part.text)))
        text += part.text
    plain = not places or (len(places) == 1 and places[0][:2] == (None, None))
    return text, {} if plain else {_PARTS: json.dumps(places, ensure_ascii=False)}


def joined(chart_id: str, notes: Iterable[Note]) -> Note:
    """Several notes as the one document of a chart, each a part under its category.

    >>> notes = [Note("1", "c", category="history", text="Cough."), Note("2", "c", text="Clear.")]
    >>> joined("c", notes).text
    'history:\\nCough.\\n\\nClear.'
    """
    text, meta = _assemble(_Part(None, note.category, note.text or "") for note in notes)
    return Note(chart_id, chart_id, text=text, meta=meta)


def _annotations(doc: Element, note: Note, default: str, file: Path) -> Iterable[Annotation]:
    for code in doc.iterfind("codes/*"):
        _expect(code, ("code",), file)
        system, value = code.get("type"), _content(code, file).strip()
        if not system or not value:
            raise FormatError(
                "a <code> needs a type (its code system) and a value",
                file,
                xml.row_of(code),
            )
        yield Annotation(
            code.get("origin", default), Code(system, value), note.chart_id, note.note_id
        )


def _content(element: Element, file: Path) -> str:
    for child in element:
        _expect(child, (), file)
    return element.text or ""


def _expect(element: Element, tags: tuple[str, ...], file: Path) -> None:
    if element.tag not in tags:
        wanted = " or ".join(f"<{tag}>" for tag in tags) or "text only"
        raise FormatError(f"expected {wanted}, got another element", file, xml.row_of(element))


def _write_doc(note: Note, annotations: Iterable[Annotation], losses: Losses) -> Iterable[str]:
    unsupported.count_note(note, losses, fields=("category",), meta=(_PARTS,))
    if note.chart_id != note.note_id:
        losses.add(
            "notes.chart_id",
            "notes whose chart_id differs from their note_id",
            "the chart_id reads back as the note_id",
        )
    kind = "" if note.category is None else f" type={_attribute(note.category, losses)}"
    yield f"  <doc id={_attribute(note.note_id, losses)}{kind}>\n"
    if codes := [line for a in _written(annotations, losses) for line in _write_code(a, losses)]:
        yield "    <codes>\n"
        yield from codes
        yield "    </codes>\n"
    if note.text is not None:
        yield "    <texts>\n"
        for part in _parts(note, note.text, losses):
            origin = "" if part.origin is None else f" origin={_attribute(part.origin, losses)}"
            kind = "" if part.kind is None else f" type={_attribute(part.kind, losses)}"
            yield f"      <text{origin}{kind}>{_escaped(part.text, losses)}</text>\n"
        yield "    </texts>\n"
    yield "  </doc>\n"


def _parts(note: Note, text: str, losses: Losses) -> list[_Part]:
    """The parts a note's text was made of; the whole as one when they no longer fit it."""
    whole = [_Part(None, None, text)]
    if _PARTS not in note.meta:
        return whole
    try:
        places = json.loads(note.meta[_PARTS])
        parts = [_Part(origin, kind, text[begin:end]) for origin, kind, begin, end in places]
        if _assemble(parts) == (text, {_PARTS: note.meta[_PARTS]}):
            return parts
    except (ValueError, TypeError):
        pass
    losses.add(
        "notes.meta", "notes whose parts (meta) do not match their text", "written as one part"
    )
    return whole


def _written(annotations: Iterable[Annotation], losses: Losses) -> Iterable[Annotation]:
    """The annotations to write: a code on several spans only once, since spans are left out."""
    seen: set[tuple[str, Code]] = set()
    for annotation in annotations:
        unsupported.count_annotation(annotation, losses)
        if annotation.spans:
            losses.add("annotations.spans", "annotations with spans", "the spans are left out")
            if (annotation.annotator, annotation.code) in seen:
                losses.add(
                    "annotations", "annotations of the same code on different spans", "written once"
                )
                continue
        seen.add((annotation.annotator, annotation.code))
        yield annotation


def _write_code(annotation: Annotation, losses: Losses) -> Iterable[str]:
    code = annotation.code
    if code.value != code.value.strip():
        losses.add(
            "annotations.code", "codes with leading or trailing white space", "written without it"
        )
        if not code.value.strip():
            return
    yield (
        f"      <code origin={_attribute(annotation.annotator, losses)} "
        f"type={_attribute(code.system, losses)}>{_escaped(code.value.strip(), losses)}</code>\n"
    )


def _attribute(value: str, losses: Losses) -> str:
    return quoteattr(_clean(value, losses))


def _escaped(text: str, losses: Losses) -> str:
    # A parser turns a bare carriage return into a newline.
    return escape(_clean(text, losses), {"\r": "&#13;"})


def _clean(text: str, losses: Losses) -> str:
    cleaned, count = _NOT_XML.subn("\ufffd", text)
    losses.add("notes.text", "control characters (text, ids or codes)", "written as U+FFFD", count)
    return cleaned
