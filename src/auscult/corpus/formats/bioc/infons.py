"""What BioC keeps in infons: the fields of a note, and all of an annotation but its spans.

Infons that mean nothing to us are meta, under their own names. A meta key that would mean
something is written with `meta:` before it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auscult.core import Annotation, Code, Note
from auscult.corpus.formats.bioc import codes as bioc_codes
from auscult.corpus.formats.bioc.files import BiocDocument
from auscult.corpus.formats.shared import name_lists
from auscult.corpus.formats.shared.quotes import QUOTE

SYSTEM = "bioc"
"""The code system that annotation types are stored under, for annotations without a code."""
PASSAGES = "passages"
"""The note's meta key that stores how its text is divided into passages."""

_UNTYPED = "annotation"
_ANNOTATOR = "gold"
_META = "meta:"
_NOTE_FIELDS = ("subject_id", "category", "time", "split")
_READERS = "read_by"
_NOTE_RESERVED = (*_NOTE_FIELDS, _READERS, "chart_id", PASSAGES)
_RESERVED = ("type", "annotator", "score", "system", QUOTE, *bioc_codes.IDENTIFIERS)


@dataclass(frozen=True, slots=True)
class InfonCodes:
    """What an annotation's infons say: its codes, each with its meta, and by whom."""

    codes: list[tuple[Code, dict[str, str]]]
    annotator: str | None
    score: float | None


def note(article: BiocDocument, text: str | None, passages: str | None) -> Note:
    """The note that a BioC document is."""
    infons = dict(article.infons)
    fields: dict[str, Any] = {name: infons.pop(name, None) for name in _NOTE_FIELDS}
    fields[_READERS] = name_lists.split(infons.pop(_READERS, None))
    chart_id = infons.pop("chart_id", article.id)
    meta = _unescaped(infons) | ({} if passages is None else {PASSAGES: passages})
    return Note(article.id, chart_id, text=text, meta=meta, **fields)


def of_note(note: Note) -> dict[str, str]:
    """The infons of a note. How its text is cut is in its passages."""
    infons = {} if note.chart_id == note.note_id else {"chart_id": note.chart_id}
    values = {name: getattr(note, name) for name in _NOTE_FIELDS}
    values[_READERS] = name_lists.join(note.read_by)
    infons |= {name: value for name, value in values.items() if value is not None}
    meta = {key: value for key, value in note.meta.items() if key != PASSAGES}
    return infons | _escaped(meta, _NOTE_RESERVED)


def read(infons: Mapping[str, str], keys: Sequence[str], system: str | None) -> InfonCodes:
    """What an annotation's infons say. `keys` are those that may hold codes."""
    left = dict(infons)
    codes = bioc_codes.codes(infons, keys, system)
    annotator, score = left.pop("annotator", None), None
    try:
        score = float(left["score"]) if "score" in left else None
        left.pop("score", None)
    except ValueError:
        pass  # not a number of ours, so it stays in meta
    kind = left.pop("type", None)
    if not codes:
        return InfonCodes([(Code(SYSTEM, kind or _UNTYPED), _unescaped(left))], annotator, score)
    if not (left.get("system") and left.get("identifier")):
        left.pop(bioc_codes.key_of(infons, keys) or "", None)
    else:
        del left["system"], left["identifier"]
    meta = _unescaped(left)
    typed = [
        (code, meta if kind is None or kind == code.system else {"type": kind, **meta})
        for code in codes
    ]
    return InfonCodes(typed, annotator, score)


def of_annotation(annotation: Annotation, meta: Mapping[str, str]) -> dict[str, str]:
    """The infons of an annotation whose meta is, for what is left of it, `meta`."""
    code, left = annotation.code, dict(meta)
    if code.system == SYSTEM:
        infons = {"type": code.value}
    else:
        typed = "type" in left and left["type"] != code.system
        infons = {"type": left.pop("type") if typed else code.system, **bioc_codes.infons_of(code)}
    if annotation.annotator != _ANNOTATOR:
        infons["annotator"] = annotation.annotator
    if annotation.score is not None:
        infons["score"] = repr(annotation.score)
    return infons | _escaped(left, _RESERVED)


def _escaped(meta: Mapping[str, str], reserved: Collection[str]) -> dict[str, str]:
    return {
        f"{_META}{key}" if key in reserved or key.startswith(_META) else key: value
        for key, value in meta.items()
    }


def _unescaped(infons: Mapping[str, str]) -> dict[str, str]:
    return {key.removeprefix(_META): value for key, value in infons.items()}
