"""Records with a text each: any CSV file, plain or gzipped, whose columns a TOML file names.

```toml
record_id = "visit"      # the column of ids; these two are needed
text = "complaint"
subject_id = "mrn"       # and chart_id, category, time, split, where there are such columns
[variables]              # what the record is; other columns are passed over
age = "number"           # category, number, date, or several (a;b;c)
sex = "category"
dx = { kind = "several", column = "diagnoses", separator = "|" }
```

The source is the CSV file, with `--columns FILE`, or a folder with records.csv and columns.toml.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from auscult.core import FormatError
from auscult.core.files import read_text
from auscult.core.names import shown
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.contract import FormatOptions, Loss, Losses
from auscult.corpus.formats.shared import visits
from auscult.corpus.formats.shared.roundtrip import count_losses
from auscult.corpus.formats.shared.tables import check_csv, find_table, scan
from auscult.corpus.manifest import Manifest
from auscult.corpus.schema import RECORD_KEY

_COLUMNS = "columns.toml"
_FIELDS = ("chart_id", "subject_id", "category", "time", "split")
EXAMPLE = "visits.csv visits --columns visits.toml"


class ReadOptions(FormatOptions):
    """Where the columns are named."""

    columns: Path | None = Field(None, description="TOML file that names the columns.")


class WriteOptions(FormatOptions):
    """Nothing to choose."""


class _Variable(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: visits.Kind
    column: str | None = None
    separator: str = Field(visits.SEPARATOR, min_length=1)


class _Columns(BaseModel):
    """What a TOML file says."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    record_id: str
    text: str
    chart_id: str | None = None
    subject_id: str | None = None
    category: str | None = None
    time: str | None = None
    split: str | None = None
    variables: dict[str, _Variable] = {}

    @field_validator("variables", mode="before")
    @classmethod
    def _in_short(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        return {n: {"kind": each} if isinstance(each, str) else each for n, each in given.items()}


def read(source: Path, options: ReadOptions) -> Corpus:
    """The visits of a file, their variables as records."""
    file, columns = source, options.columns
    if source.is_dir():
        found = find_table(source, "records")
        if found is None:
            raise FormatError("there is no records.csv in the folder", source)
        file, columns = found, columns or source / _COLUMNS
    if columns is None:
        raise FormatError("a TOML file must describe its columns: --columns FILE", source)
    named = _read_columns(columns)
    fields = {name: getattr(named, name) for name in _FIELDS if getattr(named, name) is not None}
    wanted = {name: one.column or name for name, one in named.variables.items()}
    needed = dict.fromkeys([named.record_id, named.text, *fields.values(), *wanted.values()])
    table = check_csv(file)
    rows = scan(table, list(needed), filled=[[named.record_id]]).collect()
    ids = rows[named.record_id]
    visits.require_ids(ids, file)
    told = {field: rows[column] for field, column in fields.items()}
    made = {
        name: visits.typed(rows[column], named.variables[name].kind, file,
                           named.variables[name].separator)
        for name, column in wanted.items()
    }  # fmt: skip
    return Corpus.of(
        visits.notes(ids, rows[named.text], **told),
        records=visits.records(ids, made, told.get("chart_id")) if made else None,
        manifest=Manifest(name=source.stem, source=f"records of {file.name}"),
    )


def write(corpus: Corpus, target: Path, options: WriteOptions) -> list[Loss]:  # noqa: ARG001 - none
    """Write a folder with records.csv and the columns.toml that names its columns."""
    target.mkdir()
    losses = Losses()
    notes = corpus.lazy_notes.select(
        pl.col("note_id").alias(RECORD_KEY), *_FIELDS, "text"
    ).collect()  # fmt: skip
    kinds: dict[str, visits.Kind] = {}
    if corpus.lazy_records is not None:
        records = corpus.lazy_records.collect()
        kinds = visits.kinds_of(records)
        keyed = visits.as_text(records, kinds, prefix="variable: ")
        notes = notes.join(keyed, on=RECORD_KEY, how="left", maintain_order="left")
    visits.sink(notes, target / "records.csv", losses)
    lines = [f'{name} = "{name}"' for name in (RECORD_KEY, "text", *_FIELDS)]
    lines += ["[variables]"] if kinds else []
    lines += [
        f"{_quoted(name)} = {{ kind = {_quoted(kind)}, column = {_quoted(f'variable: {name}')} }}"
        for name, kind in kinds.items()
    ]
    (target / _COLUMNS).write_text("\n".join(lines) + "\n", encoding="utf-8")
    count_losses(corpus, read(target, ReadOptions(columns=None)), losses)
    return losses.list()


def _read_columns(file: Path) -> _Columns:
    try:
        return _Columns.model_validate(tomllib.loads(read_text(file)))
    except tomllib.TOMLDecodeError as error:
        raise FormatError("not valid TOML; the help of this format has an example", file) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][:2])
        raise FormatError(f"{shown(where)}: {first['msg']}", file) from error
    except RecursionError as error:
        raise FormatError("not valid TOML: it is nested too deeply", file) from error


def _quoted(text: str) -> str:
    """A TOML string, which is a JSON string but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
