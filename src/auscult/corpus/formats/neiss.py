"""NEISS: emergency visits for injuries, a CSV file as the US CPSC publishes it, .csv or .csv.gz.

A row is a visit: its narrative is a note, and everything else is the record with the same id. The
columns of records have the published names in lower case; age and weight are numbers,
treatment_date is a date. Ages below two, which are published as 200 and the months (206 is half a
year), become years. Columns that are not published ones are passed over.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from auscult.core import FormatError
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import FormatOptions, Loss, Losses
from auscult.corpus.formats.shared import visits
from auscult.corpus.formats.shared.roundtrip import count_losses
from auscult.corpus.formats.shared.tables import check_csv, scan
from auscult.corpus.manifest import Manifest
from auscult.corpus.schema import RECORD_KEY

_ID, _TEXT, _DATE = "CPSC_Case_Number", "Narrative", "Treatment_Date"
_COLUMNS = (
    _DATE, "Age", "Sex", "Race", "Other_Race", "Hispanic", "Body_Part", "Diagnosis",
    "Other_Diagnosis", "Body_Part_2", "Diagnosis_2", "Other_Diagnosis_2", "Disposition",
    "Location", "Fire_Involvement", "Product_1", "Product_2", "Product_3", "Alcohol", "Drug",
    "Stratum", "PSU", "Weight",
)  # fmt: skip
_KINDS: dict[str, visits.Kind] = {"Age": "number", "Weight": "number", _DATE: "date"}
_TARGET = "neiss.csv"
_MONTHS = 200
EXAMPLE = "neiss2023.csv injuries"


class ReadOptions(FormatOptions):
    """Nothing to choose."""


class WriteOptions(FormatOptions):
    """Nothing to choose."""


def read(source: Path, options: ReadOptions) -> Corpus:  # noqa: ARG001 - none
    """The visits of a file, or of the neiss.csv in a folder."""
    file = source / _TARGET if source.is_dir() else source
    if not file.exists():
        raise FormatError(f"there is no {_TARGET} in the folder", source)
    table = check_csv(file)
    published = {column.lower() for column in table.columns}
    there = [column for column in _COLUMNS if column.lower() in published]
    rows = scan(table, [_ID, _TEXT, *there], filled=[[_ID]]).collect()
    visits.require_ids(rows[_ID], table.path)
    made = {name.lower(): visits.typed(rows[name], _KINDS.get(name, "category"), table.path)
            for name in there}  # fmt: skip
    if "age" in made:
        made["age"] = _in_years(made["age"])
    dated = made[_DATE.lower()].cast(pl.String) if _DATE in there else None
    notes = visits.notes(rows[_ID], rows[_TEXT], time=dated)
    records = visits.records(rows[_ID], made) if made else None
    manifest = Manifest(name=source.stem, source="NEISS, US Consumer Product Safety Commission")
    return Corpus.of(notes, records=records, manifest=manifest)


def _in_years(ages: pl.Series) -> pl.Series:
    years = pl.when(ages > _MONTHS).then(((ages - _MONTHS) / 12).round(3)).otherwise(ages)
    return pl.select(years).to_series()


def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]:  # noqa: ARG001 - none
    """Write a folder with neiss.csv."""
    losses = Losses()
    target.mkdir()
    table = corpus.lazy_notes.select(
        pl.col("note_id").alias(_ID), pl.col("text").alias(_TEXT)
    ).collect()
    if corpus.lazy_records is not None:
        records = corpus.lazy_records.collect()
        named = {name.lower(): name for name in _COLUMNS if name.lower() in records.columns}
        kinds = visits.kinds_of(records.select(RECORD_KEY, *named))
        keyed = visits.as_text(records, kinds).rename({name: named[name] for name in kinds})
        table = table.join(keyed, left_on=_ID, right_on=RECORD_KEY, how="left",
                           maintain_order="left")  # fmt: skip
    there = [column for column in _COLUMNS if column in table.columns]
    visits.sink(table.select(_ID, *there, _TEXT), target / _TARGET, losses)
    count_losses(corpus, read(target, ReadOptions()), losses)
    return losses.list()
