"""A table of terms: CSV or TSV with a heading, one row a concept or one row a term.

Columns: `id` and `name`, and as there are `synonyms` (several, with | between), `term` (one
synonym a row), `type` (several, with | between), `source`, `term_type`, `system`, `count`, `xref`
and `parents` (several, with |). Rows with the same id are one concept. Columns that are called
otherwise are named by the option `columns`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from auscult.codes.concept import Concept, Synonym
from auscult.codes.exclusions import Exclusions
from auscult.codes.sources import SourceOptions
from auscult.codes.sources.xrefs import read_xref
from auscult.core import Code, FormatError, OptionError
from auscult.core.files import read_lines
from auscult.core.names import require_known

COLUMNS = (
    "id",
    "name",
    "synonyms",
    "term",
    "type",
    "source",
    "term_type",
    "system",
    "count",
    "xref",
    "parents",
)
_DIGITS = 9
_ALIASES = {"id": ("code", "cui", "concept_id"), "name": ("label", "preferred_name", "str")}


def read(path: Path, options: SourceOptions, exclusions: Exclusions) -> Iterator[Concept]:
    """The concepts of a table."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    rows = _rows(path, "\t" if ".tsv" in suffixes else ",")
    _, heading = next(rows, (0, []))
    if not heading:
        raise FormatError(
            "the file is empty; expected a header row with the columns id and name", path
        )
    at = _columns(heading, options.columns, path)
    default = options.system or path.name.split(".")[0]
    for row, cells in rows:
        place = f"{path.name} row {row}"
        if len(cells) != len(heading):
            exclusions.add("rows with too few or too many columns", place)
            continue
        values = {name: cells[column].strip() for name, column in at.items()}
        if not values["id"]:
            exclusions.add("rows without an id", place)
            continue
        yield _concept(values, default, path, row)


def _rows(path: Path, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The rows with the number of the line each ends on. Quoted cells may hold line ends."""
    lines = (line + "\n" for _, line in read_lines(path))
    table = csv.reader(lines, delimiter=separator, strict=True)
    try:
        for cells in table:
            if cells:
                yield table.line_num, cells
    except csv.Error as error:
        raise FormatError(f"the table cannot be read: {error}", path, table.line_num) from error


def _columns(heading: list[str], named: dict[str, str], path: Path) -> dict[str, int]:
    present = {name.strip().lower(): at for at, name in reversed(list(enumerate(heading)))}
    found = {}
    for name in named:
        require_known(name, COLUMNS, "column")
    for name in COLUMNS:
        for candidate in [named[name]] if name in named else [name, *_ALIASES.get(name, ())]:
            if candidate.strip().lower() in present:
                found[name] = present[candidate.strip().lower()]
                break
        else:
            if name in named:
                raise OptionError(
                    f"{path} has no column {named[name]!r}. It has: {', '.join(heading)}."
                )
    if "id" not in found or not {"name", "term"} & found.keys():
        raise FormatError(
            f"expected columns id and name (or term); the file has {', '.join(heading)}. If "
            "yours have other names, map them: --column id=NAME --column name=NAME",
            path,
            1,
        )
    return found


def _concept(values: dict[str, str], system: str, path: Path, row: int) -> Concept:
    def several(name: str) -> list[str]:
        return [part.strip() for part in values.get(name, "").split("|") if part.strip()]

    count = values.get("count") or "0"
    if not count.isdecimal() or len(count) > _DIGITS:
        raise FormatError(
            f"count must be an integer of at most {_DIGITS} digits; got {count[:20]!r}",
            path,
            row,
        )
    source, term_type = values.get("source", ""), values.get("term_type", "")
    system = values.get("system") or system
    term, name = values.get("term", ""), values.get("name", "")
    texts = [term or name, *([name] if term and name else ()), *several("synonyms")]
    synonyms = [
        Synonym(text, source, term_type, int(count) if at == 0 else 0)
        for at, text in enumerate(texts)
        if text
    ]
    return Concept(
        Code(system, values["id"]),
        name or term,
        tuple(synonyms),
        tuple(several("type")),
        tuple(xref for text in several("xref") if (xref := read_xref(text))),
        tuple(several("parents")),
    )
