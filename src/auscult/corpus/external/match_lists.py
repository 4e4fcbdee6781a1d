"""QuickUMLS, MedCAT and scispaCy: lists of matches, saved as JSON, JSON lines or CSV.

All three give Python objects, which people save in much the same few ways: a file a note, called
after it; an object from note id to matches; or a row a match with the note's id in it. A match is
told by its fields, whichever of their names they have:

| | begin, end | text | concept | score |
| --- | --- | --- | --- | --- |
| QuickUMLS | start, end | ngram | cui | similarity |
| MedCAT | start, end | source_value | cui | acc |
| scispaCy | start_char, end_char | text | kb_ents: [[cui, score], …] | |

An entity whose `kb_ents` are empty was found and linked to nothing: it is CUI-less.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from auscult.codes import CUI_LESS
from auscult.core import FormatError
from auscult.corpus.external.loading import csv_rows, json_lines, kind, load_json, note_id_of
from auscult.corpus.external.row import ExternalRow

SUFFIXES = (".json", ".jsonl", ".csv", ".tsv")
_BEGIN = ("start", "begin", "start_char", "start_offset")
_END = ("end", "end_char", "end_offset")
_TEXT = ("ngram", "source_value", "text", "mention")
_CODE = ("cui", "CUI", "concept_id", "code", "id")
_SCORE = ("similarity", "acc", "score", "confidence")
_NOTE = ("note_id", "doc_id", "document_id", "id")
_LISTS = ("kb_ents", "umls_ents", "concepts")
_HOLDERS = ("entities", "matches", "ents", "annotations")


def read(file: Path) -> Iterator[ExternalRow]:
    """The matches in one file."""
    if kind(file) == ".jsonl":
        for number, found in json_lines(file):
            yield from _found(found, note_id_of(file), file, number)
    elif kind(file) in (".csv", ".tsv"):
        for number, found in csv_rows(file):
            yield from _match(found, _note_of(found, note_id_of(file)), file, number)
    else:
        held = load_json(file)
        if "" in held or _is_match(held) or any(name in held for name in _HOLDERS):
            yield from _found(held.get("", held), note_id_of(file), file, None)
        else:
            for note_id, found in held.items():
                yield from _found(found, note_id, file, None, is_named=True)


def _found(
    found: object, note_id: str, file: Path, number: int | None, *, is_named: bool = False
) -> Iterator[ExternalRow]:
    """The matches in an object, however deep they lie in lists.

    What is in it may say which note it is of, unless that is settled.
    """
    if isinstance(found, list):
        for one in found:
            yield from _found(one, note_id, file, number, is_named=is_named)
    elif isinstance(found, dict):
        note_id = note_id if is_named else _note_of(found, note_id)
        if _is_match(found):
            yield from _match(found, note_id, file, number)
            return
        for name in _HOLDERS:
            if name in found:
                inside = found[name]
                each = list(inside.values()) if isinstance(inside, dict) else inside
                yield from _found(each, note_id, file, number, is_named=is_named)
    else:
        raise FormatError("a match must be an object with start, end and cui", file, number)


def _is_match(found: Mapping[str, Any]) -> bool:
    return _first(found, _BEGIN) is not None and _first(found, _END) is not None


def _match(
    found: Mapping[str, Any], note_id: str, file: Path, number: int | None
) -> Iterator[ExternalRow]:
    begin, end = (_whole(_first(found, names), file, number) for names in (_BEGIN, _END))
    quote = _first(found, _TEXT)
    pairs = _linked(found, file, number)
    if pairs is None:
        code = _first(found, _CODE)
        if code is None:
            raise FormatError("a match has no concept (cui, or kb_ents)", file, number)
        pairs = [(str(code), _first(found, _SCORE))]
    for code, score in pairs:
        yield ExternalRow(
            note_id,
            code,
            ((begin, end),),
            None if quote is None else str(quote),
            _float(score),
            {},
            file,
            number,
        )


def _linked(
    found: Mapping[str, Any], file: Path, number: int | None
) -> list[tuple[str, object]] | None:
    """The concepts in a list of them; CUI-less when it is empty, None when there is no list."""
    held = next((found[name] for name in _LISTS if found.get(name) not in (None, "")), None)
    if isinstance(held, str):  # a table that was written from Python
        try:
            held = ast.literal_eval(held)
        except (ValueError, SyntaxError, MemoryError, RecursionError) as error:
            raise FormatError(
                "kb_ents must be a list such as [('C0004096', 0.98)]", file, number
            ) from error
    if not isinstance(held, (list, tuple)):
        return None
    each = [one if isinstance(one, (list, tuple)) else [one] for one in held]
    pairs: list[tuple[str, object]] = [
        (str(one[0]), one[1] if len(one) > 1 else None) for one in each if one
    ]
    return pairs or [(CUI_LESS, None)]


def _note_of(found: Mapping[str, Any], otherwise: str) -> str:
    names = _NOTE if not _is_match(found) else _NOTE[:-1]
    given = _first(found, names)
    return otherwise if given in (None, "") else str(given)


def _first(found: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((found[name] for name in names if found.get(name) not in (None, "")), None)


def _whole(given: object, file: Path, number: int | None) -> int:
    if isinstance(given, int) and not isinstance(given, bool):
        return given
    text = str(given)
    if not text.isdecimal() or len(text) > 12:
        raise FormatError("start and end of a match must be integers", file, number)
    return int(text)


def _float(given: object) -> float | None:
    try:
        return None if given is None else float(str(given))
    except ValueError:
        return None
