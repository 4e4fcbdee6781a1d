"""What is above what in UMLS: MRREL.RRF, a row for each relation of two concepts, both ways round.

A row says what CUI2 is to CUI1: its parent in some source (PAR), its child (CHD), broader (RB) or
narrower (RN). Parents are those of the sources' own trees; a concept that is in none of them has
what is broader instead. The file has tens of millions of rows, so that each relation is kept as one
number.
"""

from __future__ import annotations

import re
from array import array
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from auscult.codes.sources import SourceOptions
from auscult.codes.sources.rrf import split
from auscult.core import FormatError
from auscult.core.files import read_lines

_REL = re.findall(
    r"\w+",
    "CUI1 AUI1 STYPE1 REL CUI2 AUI2 STYPE2 RELA RUI SRUI SAB SL RG DIR SUPPRESS CVF",
)
_CUI1, _KIND, _CUI2, _SAB, _SUPPRESS = map(_REL.index, ("CUI1", "REL", "CUI2", "SAB", "SUPPRESS"))
_UP = {"PAR": "tree", "RB": "broader"}
_DOWN = {"CHD": "tree", "RN": "broader"}
_SHAPE = re.compile(r"C\d{7}", re.ASCII)
_SIZE = 10_000_000


class Parents:
    """The parents of concepts, by CUI."""

    def __init__(self, tree: NDArray[np.uint64], broader: NDArray[np.uint64]) -> None:
        self._ranked = (tree, broader)

    def of(self, cui: str) -> tuple[str, ...]:
        """The parents of a concept, in order; none for a root, or what is in no tree."""
        if not _SHAPE.fullmatch(cui):
            return ()
        begin = int(cui[1:]) * _SIZE
        for pairs in self._ranked:
            first, last = np.searchsorted(
                pairs, np.array([begin, begin + _SIZE], dtype=np.uint64)
            ).tolist()
            if first < last:
                return tuple(f"C{int(pair) % _SIZE:07d}" for pair in pairs[first:last])
        return ()


def read_parents(path: Path, options: SourceOptions) -> Parents:
    """The parents that an MRREL.RRF tells of, from the sources that were asked for."""
    sources = frozenset(options.sources)
    found = {kind: array("Q") for kind in ("tree", "broader")}
    for row, line in read_lines(path):
        fields = split(line, _REL, path, row)
        relation = fields[_KIND]
        kind = _UP.get(relation) or _DOWN.get(relation)
        if kind is None or (sources and fields[_SAB] not in sources):
            continue
        if fields[_SUPPRESS] not in ("N", "") and not options.suppressed:
            continue
        below, above = fields[_CUI1], fields[_CUI2]
        if not _SHAPE.fullmatch(below) or not _SHAPE.fullmatch(above):
            raise FormatError("CUI1 and CUI2 must be CUIs such as C0004096", path, row)
        if relation in _DOWN:
            below, above = above, below
        if below != above:
            found[kind].append(int(below[1:]) * _SIZE + int(above[1:]))
    tree, broader = (np.unique(np.array(found[kind], dtype=np.uint64)) for kind in found)
    return Parents(tree, broader)
