"""UMLS in its Rich Release Format: MRCONSO.RRF, MRSTY.RRF for types, MRREL.RRF for parents.

MRCONSO has one row a string, in order of concept: CUI, language, status of the term (TS: P is
preferred), form of the string (STT: PF), whether it is the atom's preferred form (ISPREF), the
source (SAB), the kind of term there (TTY), the string, and whether it is suppressed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from auscult.codes.concept import Concept, Synonym
from auscult.codes.sources import SourceOptions
from auscult.codes.sources.rrf import split
from auscult.codes.sources.umls_relations import read_parents
from auscult.core import Code, FormatError, OptionError
from auscult.core.files import read_lines
from auscult.core.names import require_known

_CONSO = re.findall(
    r"\w+", "CUI LAT TS LUI STT SUI ISPREF AUI SAUI SCUI SDUI SAB TTY CODE STR SRL SUPPRESS CVF"
)
_STY = ["CUI", "TUI", "STN", "STY", "ATUI", "CVF"]
_AT = {name: at for at, name in enumerate(_CONSO)}
_CUI, _LAT, _TS, _STT, _ISPREF = (_AT[n] for n in ("CUI", "LAT", "TS", "STT", "ISPREF"))
_SAB, _TTY, _STR, _SUPPRESS = (_AT[n] for n in ("SAB", "TTY", "STR", "SUPPRESS"))


class _Row(NamedTuple):
    cui: str
    rank: tuple[bool, bool, bool]
    synonym: Synonym


def read(path: Path, options: SourceOptions) -> Iterator[Concept]:
    """The concepts of a folder with the files, or of the folder MRCONSO.RRF is in."""
    folder = path if path.is_dir() else path.parent
    conso = path if path.is_file() else _find(folder, "MRCONSO.RRF")
    if conso is None:
        raise OptionError(
            f"{folder} has no MRCONSO.RRF. Pass the META folder of a UMLS release; for other "
            "sources see: auscult vocab build --help"
        )
    sty = _find(folder, "MRSTY.RRF")
    types = {} if sty is None else _types(sty)
    rel = _find(folder, "MRREL.RRF")
    above = None if rel is None else read_parents(rel, options)
    seen: Counter[str] = Counter()
    languages: set[str] = set()
    rows = _rows(conso, options, seen, languages)
    for cui, group in groupby(rows, key=lambda row: row.cui):
        strings = list(group)
        # The first of the highest rank, as the file has them.
        name = max(strings, key=lambda row: row.rank).synonym.text
        yield Concept(
            Code("UMLS", cui),
            name,
            tuple(row.synonym for row in strings),
            types.get(cui, ()),
            parents=() if above is None else above.of(cui),
        )
    for language in options.languages:
        require_known(language, languages, "row in the language")
    missing = sorted(set(options.sources) - seen.keys())
    if missing:
        known = ", ".join(sorted(seen)) or "none"
        raise OptionError(
            f"{conso} has no rows of {', '.join(missing)} in {', '.join(options.languages)}. "
            f"It has: {known}."
        )


def _find(folder: Path, name: str) -> Path | None:
    for inner in ("", "META"):
        for packed in ("", ".gz"):
            file = folder / inner / f"{name}{packed}"
            if file.exists():
                return file
    return None


def _rows(
    path: Path, options: SourceOptions, seen: Counter[str], languages: set[str]
) -> Iterator[_Row]:
    sources, wanted = frozenset(options.sources), frozenset(options.languages)
    found = False
    for row, line in read_lines(path):
        fields = split(line, _CONSO, path, row)
        found = True
        languages.add(fields[_LAT])
        if wanted and fields[_LAT] not in wanted:
            continue
        source = fields[_SAB]
        seen[source] += 1
        if sources and source not in sources:
            continue
        if fields[_SUPPRESS] not in ("N", "") and not options.suppressed:
            continue
        rank = (fields[_TS] == "P", fields[_STT] == "PF", fields[_ISPREF] == "Y")
        yield _Row(fields[_CUI], rank, Synonym(fields[_STR], source, fields[_TTY]))
    if not found:
        raise FormatError("the file is empty", path)


def _types(path: Path) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    names: dict[str, str] = {}
    for row, line in read_lines(path):
        fields = split(line, _STY, path, row)
        name = names.setdefault(fields[3], fields[3])
        found[fields[0]] = (*found.get(fields[0], ()), name)
    return found
