"""The label set of a challenge from a file, and the code systems it may be of."""

from __future__ import annotations

import csv
from collections.abc import Collection
from pathlib import Path

import polars as pl

from auscult.core import Code, FormatError, OptionError
from auscult.core.files import read_text
from auscult.core.names import require_known
from auscult.corpus import Corpus


def systems_of(corpus: Corpus, annotator: str) -> list[str]:
    """The code systems that an annotator uses; what others use says nothing about theirs."""
    used = (
        corpus.lazy_annotations.filter(pl.col("annotator") == annotator).select("system").unique()
    )
    return used.collect()["system"].sort().to_list()


def read_codes(file: Path, systems: Collection[str]) -> list[Code]:
    """The codes that a file lists, one a line or in the columns `code` and `system`.

    The latter is how a release has them (`codes.csv`). Without a column that says it, codes are of
    the one system there is.
    """
    rows = [[cell.strip() for cell in row] for row in csv.reader(read_text(file).splitlines())]
    header = [name.lower() for name in rows[0]] if rows else []
    if "code" not in header:
        header = ["code"]
        rows = [["code"], *([row[0]] for row in rows if row)]
    if "system" not in header and len(systems) != 1:
        raise OptionError(
            f"{file} has no column system, and the gold codes are of {len(systems)} code "
            f"systems: {', '.join(systems)}. Add a column: code,system"
        )
    codes: dict[Code, None] = {}
    for number, row in enumerate(rows[1:], 2):
        if any(row):
            codes[_code(dict(zip(header, row, strict=False)), systems, file, number)] = None
    if not codes:
        raise OptionError(
            f"{file} lists no codes; expected one code per line, or the columns code,system."
        )
    return list(codes)


def _code(cells: dict[str, str], systems: Collection[str], file: Path, row: int) -> Code:
    system = cells.get("system", next(iter(systems), ""))
    if not cells.get("code") or not system:
        raise FormatError("expected a code and its code system", file, row)
    return Code(require_known(system, systems, "code system among the gold codes"), cells["code"])
