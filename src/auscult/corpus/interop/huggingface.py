"""A corpus as a Hugging Face dataset and back: one row a note, its annotations nested in it.

A row has the columns of a note, `annotations` (a list of structs: annotator, system, code, spans,
score, status, meta) and `chart_annotations`. The latter are on the first row of each chart: what
is said of the chart as a whole, and whatever else is on no note of the corpus, with its `note_id`.
A chart that has no note has a row without `note_id` for them.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import polars as pl
from polars.exceptions import PolarsError

from auscult.core import CorpusError, MissingExtraError, Status
from auscult.corpus.corpus import Corpus
from auscult.corpus.formats.webanno.features import load_meta
from auscult.corpus.manifest import Manifest
from auscult.corpus.schema import ANNOTATIONS, NOTES

if TYPE_CHECKING:
    from datasets import Dataset, DatasetDict

_OF_NOTE = ("annotator", "system", "code", "spans", "score", "status", "meta")
_OF_CHART = ("annotator", "system", "code", "note_id", "spans", "score", "status", "meta")
_DEFAULT_ANNOTATOR = "gold"


def to_hf(corpus: Corpus) -> Dataset:
    """The dataset of a corpus. The tables go over as Arrow; no row passes through Python."""
    datasets = _datasets()
    if corpus.lazy_records is not None:
        warnings.warn("The records of the corpus are not part of the dataset.", stacklevel=3)
    table = _nested(corpus).to_arrow()
    manifest = corpus.manifest
    info = datasets.DatasetInfo(
        dataset_name=manifest.name,
        description=manifest.description or "",
        license=manifest.license or "",
        homepage=manifest.source or "",
    )
    return datasets.Dataset(table, info=info)


def from_hf(dataset: Dataset | DatasetDict) -> Corpus:
    """The corpus of a dataset with these columns; of several splits, each names its notes' split.

    Only `note_id` is needed. Without `chart_id`, each note is a chart of its own.
    """
    datasets = _datasets()
    if isinstance(dataset, Mapping):
        parts = {name: part for name, part in dataset.items() if part.num_rows} or dict(dataset)
        tables = [_table(part, datasets).with_columns(_split(part, n)) for n, part in parts.items()]
        table, info = pl.concat(tables, how="diagonal_relaxed"), next(iter(parts.values())).info
    else:
        table, info = _table(dataset, datasets), getattr(dataset, "info", None)
    notes = _notes(table)
    annotations = pl.concat(
        [
            _unnested(table, "annotations", _OF_NOTE),
            _unnested(table, "chart_annotations", _OF_CHART),
        ]
    )
    _check_annotations(annotations)
    _check_meta(pl.concat([notes["meta"], annotations["meta"]]))
    return Corpus(notes.lazy(), annotations.lazy(), manifest=_manifest(info))


def _datasets() -> Any:
    try:
        import datasets
    except ImportError as error:
        raise MissingExtraError("Hugging Face datasets", "hf") from error
    return datasets


def _nested(corpus: Corpus) -> pl.DataFrame:
    notes = corpus.lazy_notes.with_row_index("_row")
    annotations = corpus.lazy_all_annotations.with_columns(pl.col("status").cast(pl.String))
    ids = ["note_id", "chart_id"]
    places = notes.select(*ids, "_row").unique(ids, keep="first", maintain_order=True)
    of_notes = (
        annotations.join(places, on=ids, maintain_order="left")
        .group_by("_row", maintain_order=True)
        .agg(annotations=pl.struct(_OF_NOTE))
    )
    of_charts = (
        annotations.join(places, on=ids, how="anti", maintain_order="left")
        .group_by("chart_id", maintain_order=True)
        .agg(chart_annotations=pl.struct(_OF_CHART))
    )
    first = notes.group_by("chart_id", maintain_order=True).agg(pl.col("_row").first())
    rows = notes.join(of_notes, on="_row", how="left", maintain_order="left").join(
        of_charts.join(first, on="chart_id").drop("chart_id"),
        on="_row",
        how="left",
        maintain_order="left",
    )
    noteless = of_charts.join(first, on="chart_id", how="anti", maintain_order="left")
    every, rest = pl.collect_all([rows.drop("_row"), noteless])
    return pl.concat([every, rest], how="diagonal").with_columns(
        pl.col("annotations", "chart_annotations").fill_null([])
    )


def _table(dataset: Any, datasets: Any) -> pl.DataFrame:
    if not isinstance(dataset, datasets.Dataset):
        raise CorpusError(
            f"Expected a datasets.Dataset or DatasetDict, got {type(dataset).__name__}. Load "
            "the dataset without streaming."
        )
    # The arrow format honors select() and shuffle(); the table underneath does not.
    table = cast(pl.DataFrame, pl.from_arrow(dataset.with_format("arrow")[:]))
    if "note_id" not in table.columns:
        raise CorpusError(
            f"The dataset has no column note_id; it has {', '.join(table.columns) or 'none'}. "
            'Rename one: dataset.rename_column("id", "note_id").'
        )
    return table


def _split(part: Any, name: str) -> pl.Expr:
    named = pl.lit(str(name))
    return (pl.col("split").fill_null(named) if "split" in part.column_names else named).alias(
        "split"
    )


def _notes(table: pl.DataFrame) -> pl.DataFrame:
    present = table.filter(pl.col("note_id").is_not_null())
    nameless = table.filter(pl.col("note_id").is_null())
    if "text" in table.columns and nameless["text"].count():
        raise CorpusError(f"{nameless['text'].count()} rows of the dataset have no note_id.")
    columns = [
        _as(name, kind, present) if name in present.columns else pl.lit(None, kind).alias(name)
        for name, kind in NOTES.items()
    ]
    notes = _evaluate(present, columns).with_columns(
        pl.col("chart_id").fill_null(pl.col("note_id"))
    )
    if (again := notes["note_id"].is_duplicated()).any():
        raise CorpusError(
            f"{again.sum()} rows share a note_id with another row; the first is "
            f"{notes['note_id'][again.arg_true()[0]]!r}. A note_id must be unique."
        )
    return notes


def _unnested(table: pl.DataFrame, column: str, fields: tuple[str, ...]) -> pl.DataFrame:
    """The annotations in a column of lists of structs."""
    if column not in table.columns or table[column].dtype == pl.Null:
        return ANNOTATIONS.to_frame()
    kind = table[column].dtype
    if not isinstance(kind, pl.List) or not isinstance(kind.inner, pl.Struct):
        raise CorpusError(
            f"The column {column} is {kind}; a list of structs with {', '.join(fields)} is needed."
        )
    missing = {"system", "code"} - {field.name for field in kind.inner.fields}
    if missing and table[column].list.len().sum():
        raise CorpusError(f"The structs in {column} lack {' and '.join(sorted(missing))}.")
    place = {
        "chart_id": pl.col("chart_id") if "chart_id" in table.columns else pl.col("note_id"),
        **({} if "note_id" in fields else {"note_id": pl.col("note_id")}),
    }
    rows = (
        table.filter(pl.col(column).list.len() > 0)
        .select(pl.col(column), **place)
        .explode(column)
        .unnest(column)
    )
    columns = [
        _as(name, kind, rows) if name in rows.columns else pl.lit(None, kind).alias(name)
        for name, kind in ANNOTATIONS.items()
    ]
    return _evaluate(rows, columns).with_columns(
        pl.col("annotator").fill_null(_DEFAULT_ANNOTATOR),
        pl.col("chart_id").fill_null(pl.col("note_id")),
        pl.col("spans").fill_null([]),
        pl.col("status").fill_null(Status.GIVEN),
    )


def _as(name: str, kind: Any, table: pl.DataFrame) -> pl.Expr:
    return pl.col(name) if table[name].dtype == kind else pl.col(name).cast(kind)


def _evaluate(table: pl.DataFrame, columns: list[pl.Expr]) -> pl.DataFrame:
    try:
        return table.select(columns)
    except PolarsError as error:
        wanted = ", ".join(f"{c.meta.output_name()}" for c in columns)
        raise CorpusError(
            f"A column of the dataset cannot be converted to the corpus schema ({wanted}); the "
            f"dataset has {', '.join(f'{n}: {k}' for n, k in table.schema.items())}."
        ) from error


def _check_annotations(annotations: pl.DataFrame) -> None:
    begin, end = pl.element().struct.field("begin"), pl.element().struct.field("end")
    possible = ((begin >= 0) & (begin <= end)).fill_null(False)
    wrong = {
        "have no system or no code": ~((pl.col("system") != "") & (pl.col("code") != "")).fill_null(
            False
        ),
        "have a span that is not 0 ≤ begin ≤ end": ~pl.col("spans").list.eval(possible).list.all(),
        "have spans but no note_id": pl.col("note_id").is_null() & (pl.col("spans").list.len() > 0),
    }
    for what, bad in wrong.items():
        count = annotations.select(bad.sum()).item()
        if count:
            raise CorpusError(f"{count} annotations of the dataset {what}.")


def _check_meta(metas: pl.Series) -> None:
    wrong = sum(load_meta(meta) is None for meta in metas.drop_nulls().unique())
    if wrong:
        raise CorpusError(f"{wrong} values in meta are not a JSON object of strings.")


def _manifest(info: Any) -> Manifest:
    return Manifest(
        name=getattr(info, "dataset_name", None) or "corpus",
        description=getattr(info, "description", None) or None,
        license=getattr(info, "license", None) or None,
        source=getattr(info, "homepage", None) or None,
    )
