"""Notes as BioC documents, and documents as XML or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from auscult.core import Annotation, Note
from auscult.corpus.formats.bioc import infons as bioc_infons
from auscult.corpus.formats.bioc import text as bioc_text
from auscult.corpus.formats.bioc.infons import PASSAGES
from auscult.corpus.formats.bioc.text import Piece
from auscult.corpus.formats.contract import Losses
from auscult.corpus.formats.shared.quotes import QUOTE, covered

_NOT_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
# What other readers of BioC JSON insist on.
_EMPTY: dict[str, Any] = {"annotations": [], "relations": []}
_BREAK = re.compile(r"[\t\n\r]")


def document(note: Note, annotations: Sequence[Annotation], losses: Losses) -> dict[str, Any]:
    """A note as BioC JSON has it."""
    pieces = bioc_text.load(note.meta.get(PASSAGES), note.text)
    if pieces is None:
        losses.add(
            "notes.meta",
            "notes whose passages (meta) do not match their text",
            "the meta is left out and the text written as one passage",
        )
        pieces = [Piece(0, len(note.text or ""))]
    marked: list[list[dict[str, Any]]] = [[] for _ in pieces]
    for number, annotation in enumerate(annotations, 1):
        mark = {"id": str(number), **_annotation(annotation, note.text)}
        marked[_home(annotation, pieces)].append(mark)
    passages = [
        {
            "offset": piece.begin,
            "infons": piece.infons,
            **({} if note.text is None else {"text": note.text[piece.begin : piece.end]}),
            **_EMPTY,
            "annotations": marks,
            "sentences": [],
        }
        for piece, marks in zip(pieces, marked, strict=True)
    ]
    infons = bioc_infons.of_note(note)
    return {"id": note.note_id, "infons": infons, **_EMPTY, "passages": passages}


def _annotation(annotation: Annotation, text: str | None) -> dict[str, Any]:
    meta = dict(annotation.meta)
    quote = None
    if annotation.spans:
        said = meta.get(QUOTE)
        if text is not None:
            quote = " ".join(span.of(text) for span in annotation.spans)
            differs = said is not None and said != covered(text, annotation.spans)
            if differs and said is not None and not _BREAK.search(said):
                quote = meta.pop(QUOTE)
        elif said:
            quote = meta.pop(QUOTE)
    return {
        "infons": bioc_infons.of_annotation(annotation, meta),
        "text": quote or "",
        "locations": [{"offset": s.begin, "length": len(s)} for s in annotation.spans],
    }


def _home(annotation: Annotation, pieces: Sequence[Piece]) -> int:
    """The passage an annotation hangs on: the one it begins in, or the first."""
    if annotation.spans:
        begin = annotation.spans[0].begin
        for number, piece in enumerate(pieces):
            if piece.begin <= begin < piece.end:
                return number
    return 0


class BiocJsonWriter:
    """Writes documents as BioC JSON, one after the other."""

    def head(self, source: str) -> str:
        """What comes before the first document."""
        about = json.dumps({"source": source, "date": "", "key": "", "infons": {}})
        return f'{about[:-1]}, "documents": [\n'

    def document(self, document: Mapping[str, Any], *, first: bool) -> str:
        """A document."""
        return ("" if first else ",\n") + json.dumps(document, ensure_ascii=False)

    def tail(self) -> str:
        """What comes after the last document."""
        return "\n]}\n"


class BiocXmlWriter:
    """Writes documents as BioC XML, one after the other."""

    def __init__(self, losses: Losses) -> None:
        self._losses = losses

    def head(self, source: str) -> str:
        """What comes before the first document."""
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<!DOCTYPE collection SYSTEM "BioC.dtd">\n'
            f"<collection><source>{self._text(source)}</source><date></date><key></key>\n"
        )

    def document(self, document: Mapping[str, Any], *, first: bool) -> str:
        """A document; the first is as the others."""
        passages = "".join(map(self._passage, document["passages"]))
        name = self._text(document["id"])
        infons = self._infons(document["infons"])
        return f"<document><id>{name}</id>{infons}\n{passages}</document>\n"

    def tail(self) -> str:
        """What comes after the last document."""
        return "</collection>\n"

    def _passage(self, passage: Mapping[str, Any]) -> str:
        marks = "".join(map(self._annotation, passage["annotations"]))
        return (
            f"<passage>{self._infons(passage['infons'])}<offset>{passage['offset']}</offset>"
            f"{self._element('text', passage.get('text'))}{marks}</passage>\n"
        )

    def _annotation(self, mark: Mapping[str, Any]) -> str:
        places = "".join(
            f'<location offset="{at["offset"]}" length="{at["length"]}"/>'
            for at in mark["locations"]
        )
        return (
            f'\n<annotation id="{mark["id"]}">{self._infons(mark["infons"])}{places}'
            f"{self._element('text', mark['text'] or None)}</annotation>"
        )

    def _infons(self, infons: Mapping[str, str]) -> str:
        return "".join(
            f"<infon key={quoteattr(self._clean(key))}>{self._text(value)}</infon>"
            for key, value in infons.items()
        )

    def _element(self, tag: str, text: str | None) -> str:
        return "" if text is None else f"<{tag}>{self._text(text)}</{tag}>"

    def _text(self, text: str) -> str:
        # a parser would make \n of \r
        return escape(self._clean(text), {"\r": "&#13;"})

    def _clean(self, text: str) -> str:
        cleaned, count = _NOT_XML.subn("\ufffd", text)
        self._losses.add(
            "notes.text",
            "characters of a text, id or meta that XML does not allow",
            "written as U+FFFD",
            count,
        )
        return cleaned
