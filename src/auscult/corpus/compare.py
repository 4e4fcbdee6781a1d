"""Whether two corpora are equal, and where they are not."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auscult.corpus.corpus import Corpus
from auscult.corpus.schema import ANNOTATIONS, NOTES


def differences(
    left: Corpus, right: Corpus, *, ignore: Sequence[str] = (), records: bool = True
) -> list[str]:
    """Describe how two corpora differ; an empty list if they are equal.

    Notes and annotations are compared as bags: order does not count, multiplicity does. `ignore`
    names columns that do not count. Manifests are not compared. No sentence shows any text.
    """
    found = []
    for name, schema, first, second in (
        ("notes", NOTES, left.lazy_notes, right.lazy_notes),
        ("annotations", ANNOTATIONS, left.lazy_all_annotations, right.lazy_all_annotations),
    ):
        columns = [c for c in schema if c not in ignore]
        found += _compare(name, columns, first.select(columns), second.select(columns))
    if records and (left.lazy_records is None) != (right.lazy_records is None):
        found.append("one corpus has records, the other has none")
    elif records and left.lazy_records is not None and right.lazy_records is not None:
        columns = sorted(
            set(left.lazy_records.collect_schema()) | set(right.lazy_records.collect_schema())
        )
        missing = [
            c
            for c in columns
            if (c in left.lazy_records.collect_schema())
            != (c in right.lazy_records.collect_schema())
        ]
        if missing:
            found.append(f"records: column {missing[0]} is in only one of the corpora")
        else:
            found += _compare(
                "records",
                columns,
                left.lazy_records.select(columns),
                right.lazy_records.select(columns),
            )
    return found


def _compare(
    name: str, columns: Sequence[str], first: pl.LazyFrame, second: pl.LazyFrame
) -> list[str]:
    left, right = _bag(first, columns), _bag(second, columns)
    if left.height != right.height:
        return [f"{name}: {left.height} against {right.height}"]
    return [
        f"{name}: {column} differs in {unequal} of {left.height}"
        for column in columns
        if (unequal := int(left[column].ne_missing(right[column]).sum()))
    ]


def _bag(table: pl.LazyFrame, columns: Sequence[str]) -> pl.DataFrame:
    """The rows in an order that depends on nothing but themselves."""
    rows = table.collect()
    keys = [
        rows[c].cast(pl.List(pl.String)).list.join("|") if rows[c].dtype.is_nested() else rows[c]
        for c in columns
    ]
    order = pl.DataFrame([key.alias(str(i)) for i, key in enumerate(keys)])
    ranked = order.with_row_index("_row").sort(pl.exclude("_row"), nulls_last=True)["_row"]
    return rows[ranked]
