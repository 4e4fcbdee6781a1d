"""A note's text out of BioC's passages, and back into them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from auscult.core import FormatError, Offsets, OffsetUnit
from auscult.corpus.formats.bioc.files import BiocDocument, Passage, Sentence

_WIDEST_GAP = 1_000_000
_BETWEEN_PASSAGES = "\n"
_BETWEEN_SENTENCES = " "


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage of a note's text: the code points it covers, and its infons."""

    begin: int
    end: int
    infons: dict[str, str] = field(default_factory=dict)


def rebuild(article: BiocDocument, unit: OffsetUnit, file: Path) -> tuple[str | None, list[Piece]]:
    """The text that a document's passages are parts of, and where each is in it.

    What lies between two passages is not in the file: it becomes line breaks, and blanks between
    two sentences, as many as the offsets say. The text is None when no passage has any.
    """
    builder = _Builder(unit, file)
    pieces = []
    for passage in article.passages:
        begin = builder.seek(passage, _BETWEEN_PASSAGES)
        for part in _parts(passage):
            builder.seek(part, _BETWEEN_SENTENCES)
            builder.add(part.text or "")
        pieces.append(Piece(begin, builder.codepoints, passage.infons))
    has_text = any(part.text is not None for p in article.passages for part in _parts(p))
    return (builder.text() if has_text else None), pieces


def dump(pieces: Sequence[Piece]) -> str | None:
    """The passages as the note's meta keeps them; None when there is but one, and plain."""
    if len(pieces) <= 1 and all(not p.infons and p.begin == 0 for p in pieces):
        return None
    return json.dumps([[p.begin, p.end, p.infons] for p in pieces], ensure_ascii=False)


def load(kept: str | None, text: str | None) -> list[Piece] | None:
    """The passages that a note's meta keeps, or None when they are not those of the text."""
    length = len(text or "")
    if kept is None:
        return [Piece(0, length)]
    try:
        pieces = [Piece(begin, end, infons) for begin, end, infons in json.loads(kept)]
        at = 0
        for piece in pieces:
            gap = (text or "")[at : piece.begin]
            if not at <= piece.begin <= piece.end or gap != _BETWEEN_PASSAGES * (piece.begin - at):
                return None
            if not all(isinstance(k, str) and isinstance(v, str) for k, v in piece.infons.items()):
                return None
            at = piece.end
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return pieces if at == length and dump(pieces) == kept else None


class _Builder:
    def __init__(self, unit: OffsetUnit, file: Path) -> None:
        self.codepoints = 0
        self._units = 0
        self._unit = unit
        self._file = file
        self._parts: list[str] = []

    def seek(self, part: Sentence, filler: str) -> int:
        """Go to a part's offset, and return it in code points."""
        gap = part.offset - self._units
        if gap < 0:
            raise FormatError(
                f"a passage begins at {part.offset}, before the previous one ends at "
                f"{self._units}. Offsets are read as {self._unit} units; for another unit pass "
                "--offsets",
                self._file,
                part.row,
            )
        if gap > _WIDEST_GAP:
            raise FormatError(
                f"a passage begins at {part.offset}, but the previous one ends at {self._units}",
                self._file,
                part.row,
            )
        self.add(filler * gap)
        return self.codepoints

    def add(self, text: str) -> None:
        self._parts.append(text)
        self.codepoints += len(text)
        self._units += Offsets(text, self._unit).length

    def text(self) -> str:
        return "".join(self._parts)


def _parts(passage: Passage) -> Iterator[Sentence]:
    if passage.sentences and passage.text is None:
        yield from passage.sentences
    else:
        yield passage
