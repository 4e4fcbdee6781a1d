"""The arrays that hold an index: one pool of texts, and for each entry numbers into it.

Entries stand in the order of the book, so that the entries below one are those after it up to its
`end`. Nothing is turned into objects before it is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.codes.alphabetic.terms import codes_in, parse_code
from auscult.codes.alphabetic.titles import parse_title
from auscult.codes.alphabetic.words import stems_of, words_of
from auscult.codes.index.strings import pack

VERSION = 1
TEXTS = ("title", "code", "manifestation", "see", "see_also", "category", "subcategory", "note")
"""The columns that are numbers of texts; -1 where there is none."""

Arrays = dict[str, npt.NDArray[Any]]


@dataclass(slots=True)
class Row:
    """An entry as it is read, before it is packed."""

    title: str
    level: int
    texts: Mapping[str, str] = field(default_factory=dict)
    cells: Sequence[str] = ()


def pack_rows(rows: Sequence[Row], about: Mapping[str, Any]) -> Arrays:
    """The arrays of entries in the order of the book."""
    pool = sorted(
        {text for row in rows for text in (row.title, *row.texts.values(), *row.cells) if text},
        key=lambda text: text.encode(),
    )
    number = {text: at for at, text in enumerate(pool)} | {"": -1}
    arrays: Arrays = {
        name: np.array([number[row.texts.get(name, "")] for row in rows], dtype="<i4")
        for name in TEXTS
    }
    arrays["title"] = np.array([number[row.title] for row in rows], dtype="<i4")
    width = max((len(row.cells) for row in rows), default=0)
    arrays["cells"] = np.full((len(rows), width), -1, dtype="<i4")
    for at, row in enumerate(rows):
        arrays["cells"][at, : len(row.cells)] = [number[cell] for cell in row.cells]
    arrays["parent"], arrays["end"] = _tree([row.level for row in rows])
    arrays["texts_blob"], arrays["texts_offsets"] = pack(pool)
    arrays |= _names(rows)
    arrays |= _postings(rows)
    told = json.dumps({"version": VERSION, **about}).encode()
    arrays["about"] = np.frombuffer(told, dtype=np.uint8)
    return arrays


def _tree(levels: Sequence[int]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The parent of each entry (-1 for a main term), and where the entries below it end."""
    parent = np.full(len(levels), -1, dtype="<i4")
    end = np.zeros(len(levels), dtype="<i4")
    above: list[int] = []
    for at, level in enumerate(levels):
        while len(above) > level:
            end[above.pop()] = at
        if above:
            parent[at] = above[-1]
        above.append(at)
    for at in above:
        end[at] = len(levels)
    return parent, end


def _names(rows: Sequence[Row]) -> Arrays:
    """The main terms by their spellings: as they are written, and by stems."""
    written: set[tuple[str, int]] = set()
    stemmed: set[tuple[str, int]] = set()
    for at, row in enumerate(rows):
        if row.level == 0:
            title = parse_title(row.title)
            # With the modifiers too: Legg (-Calvé)-Perthes disease.
            for spelling in (title.text, *title.spellings, title.printed):
                written.add((" ".join(words_of(spelling)), at))
                stemmed.add((" ".join(stems_of(spelling)), at))
    return _lookup("names", written) | _lookup("stems", stemmed)


def _postings(rows: Sequence[Row]) -> Arrays:
    """The entries by each code they lead to; a code that needs more characters ends in a dash."""
    found: set[tuple[str, int]] = set()
    for at, row in enumerate(rows):
        fields = (row.texts.get("code", ""), row.texts.get("manifestation", ""), *row.cells)
        for written in (code for text in fields for code in codes_in(text)):
            code, needs_more = parse_code(written)
            found.add((code + "-" * needs_more, at))
    return _lookup("codes", found)


def _lookup(name: str, found: Iterable[tuple[str, int]]) -> Arrays:
    pairs = sorted(found, key=lambda pair: (pair[0].encode(), pair[1]))
    blob, offsets = pack(text for text, _ in pairs)
    return {
        f"{name}_blob": blob,
        f"{name}_offsets": offsets,
        f"{name}_entry": np.array([at for _, at in pairs], dtype="<i4"),
    }
