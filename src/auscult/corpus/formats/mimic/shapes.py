"""What MIMIC-III and MIMIC-IV share: how their columns become those of a corpus, and back.

Columns go by their names in lower case here, however a file writes them. While a table is being
written, the corpus's own columns go by their names with `was_` before them, beside the columns
they become: so a writer can apply the reader to what it writes, and count exactly what is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import polars as pl

from auscult.core import FormatError
from auscult.corpus.formats.contract import Losses
from auscult.corpus.formats.shared.tables import find_table

WITHOUT_ADMISSION = "subject:"
"""The prefix of the chart id of notes and codes that belong to a patient but to no admission."""

_WAS = "was_"
_MOMENT = r"^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)$"
_DATE = r"^\d{4}-\d{2}-\d{2}$"
_ESCAPES = {c: json.dumps(c, ensure_ascii=False)[1:-1] for c in [*map(chr, range(32)), '"', "\\"]}

NOTE_CHANGES = {
    "note_id": ("note ids", "read back changed"),
    "chart_id": ("chart ids of notes", "read back changed"),
    "subject_id": ("patient ids of notes", "read back changed"),
    "category": ("categories that are blank or have surrounding white space", "stripped"),
    "time": ("times of notes that are not ISO 8601", "read back changed"),
    "split": ("notes in a split", "the split is left out"),
    "text": ("texts with NUL characters", "written as U+FFFD"),
    "meta": ("notes with meta beyond the table's columns", "that meta is left out"),
}
"""The loss reported for each column that a table of notes does not preserve."""


def columns(names: str) -> tuple[str, ...]:
    """The columns of a table, in order."""
    return tuple(names.split())


def tables_in(folder: Path, names: Iterable[str]) -> dict[str, Path]:
    """The tables of those names that a folder has."""
    if not folder.is_dir():
        raise FormatError("expected a folder", folder)
    found = {name: find_table(folder, name) for name in names}
    return {name: path for name, path in found.items() if path is not None}


def subfolder_hint(folder: Path, names: Iterable[str], parts: Iterable[str] = ("",)) -> str:
    """Where, one folder further down, the tables are, as the rest of a sentence; often nothing.

    `parts` are the folders in which a source has its tables.
    """
    wanted = list(names)
    for below in sorted(path for path in folder.iterdir() if path.is_dir()):
        places = [below / part for part in parts if (below / part).is_dir()]
        if any(tables_in(place, wanted) for place in places):
            return f"; {below} has such tables; pass it as the source"
    return ""


def non_empty(column: str) -> pl.Expr:
    """A column, null where it is empty."""
    return pl.when(pl.col(column) != "").then(pl.col(column))


def stripped(column: str) -> pl.Expr:
    """A column without white space around its values, null where it is blank."""
    bare = pl.col(column).str.strip_chars()
    return pl.when(bare != "").then(bare)


def identifier(column: str) -> pl.Expr:
    """A column of ids. Whole numbers that passed through a float column lose their `.0`."""
    return non_empty(column).str.replace(r"^(\d+)\.0$", "$1")


def chart_id() -> pl.Expr:
    """The admission, or, without one, the patient."""
    return pl.coalesce(identifier("hadm_id"), WITHOUT_ADMISSION + identifier("subject_id"))


def moment(column: str) -> pl.Expr:
    """A date, or a date and a time, as ISO 8601. What is neither stays as it came."""
    return non_empty(column).str.replace(_MOMENT, "${1}T$2")


def day(column: str) -> pl.Expr:
    """A column of dates, whose time of day is midnight where there is one."""
    return non_empty(column).str.replace(r"[ T]00:00:00$", "")


def meta(fields: Mapping[str, pl.Expr]) -> pl.Expr:
    """The fields that are not null as JSON, written as the rest of Auscult writes it."""
    old, new = list(_ESCAPES), list(_ESCAPES.values())
    members = [
        f'"{name}": "' + fields[name].str.replace_many(old, new) + '"' for name in sorted(fields)
    ]
    joined = pl.concat_str(members, separator=", ", ignore_nulls=True)
    return pl.when(joined != "").then("{" + joined + "}")


def of_categories(notes: pl.LazyFrame, categories: Sequence[str]) -> pl.LazyFrame:
    """The notes of some categories, in any case; all when none is named."""
    wanted = [category.strip().lower() for category in categories]
    return notes.filter(pl.col("category").str.to_lowercase().is_in(wanted)) if wanted else notes


def was(column: str) -> pl.Expr:
    """A column of the corpus while it is being written."""
    return pl.col(_WAS + column)


def was_meta(field: str) -> pl.Expr:
    """A field of the meta while it is being written."""
    return was("meta").str.json_path_match(f"$.{field}")


def was_admission() -> pl.Expr:
    """The admission of a note; null where its chart is the patient's."""
    own = WITHOUT_ADMISSION + was("subject_id")
    return pl.when(was("chart_id").ne_missing(own)).then(was("chart_id"))


def was_moment() -> pl.Expr:
    """The time, written as MIMIC writes a date and a time; null where it is only a date."""
    time = was("time")
    return pl.when(~time.str.contains(_DATE)).then(time.str.replace(_MOMENT, "$1 $2"))


def was_day() -> pl.Expr:
    """The date in the time."""
    dated = was("time").str.contains(_DATE) | was("time").str.contains(_MOMENT)
    return pl.when(dated).then(was("time").str.head(10))


def without_nul(value: pl.Expr) -> pl.Expr:
    """Text with U+FFFD for NUL, which no CSV file holds."""
    return value.str.replace_all("\0", "\ufffd", literal=True)


def with_ids(table: pl.LazyFrame, what: str, ids: Sequence[str], losses: Losses) -> pl.LazyFrame:
    """The rows with all these ids; the others are counted as lost."""
    blank = pl.any_horizontal(pl.col(ids).fill_null("").str.strip_chars() == "")
    count = table.select(blank.sum()).collect(engine="streaming").item()
    losses.add(what, f"{what} without {' or without '.join(ids)}", "left out", count)
    return table.filter(~blank) if count else table


def becoming(table: pl.LazyFrame, written: Mapping[str, pl.Expr]) -> pl.LazyFrame:
    """A table of the corpus beside the columns it is written as."""
    renamed = table.rename({name: _WAS + name for name in table.collect_schema()})
    return renamed.with_columns(without_nul(value).alias(name) for name, value in written.items())


def count_changes(
    table: pl.LazyFrame,
    read: Mapping[str, pl.Expr],
    says: Mapping[str, tuple[str, str]],
    losses: Losses,
) -> None:
    """Count the values that the reader's expressions would not give back, column by column."""
    of = "annotations" if "spans" in read else "notes"
    changed = table.select(was(name).ne_missing(read[name]).sum().alias(name) for name in says)
    for name, count in changed.collect(engine="streaming").row(0, named=True).items():
        losses.add(f"{of}.{name}", *says[name], count)
