"""Records as sparse vectors of 0 and 1, by an encoder that is fitted once and kept.

What a column is follows from its type: text is a category, numbers are numbers, dates count by
their month, lists hold several categories. Every variable has a place for "missing" and one for
"anything else", which unseen and rare categories share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import BaseModel, ConfigDict
from scipy.sparse import csr_array

from auscult.core import AuscultError
from auscult.core.names import require_known
from auscult.core.plurals import counted

Kind = Literal["category", "number", "month", "several"]
Places = npt.NDArray[np.int64]
_MISSING, _OTHER, _FIRST = 0, 1, 2
_BANDS = 10
_KEYS = ("record_id", "chart_id", "subject_id", "hadm_id")


class Variable(BaseModel):
    """A column of the records, and what its places in the vector stand for.

    They are, in order: missing, anything else, each of `values`, and each band of a number.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: Kind
    values: tuple[str, ...]
    edges: tuple[float, ...] = ()

    @property
    def size(self) -> int:
        """How many places it has."""
        return _FIRST + len(self.values) + (len(self.edges) + 1 if self.kind == "number" else 0)

    def places(self, column: pl.Series) -> tuple[Places, Places]:
        """Rows and the places set in them, both of one length; a row may have several."""
        rows = np.arange(len(column), dtype=np.int64)
        if self.kind == "number":
            return self._of_numbers(column, rows)
        if self.kind == "several":
            lists = column.cast(pl.List(pl.String))
            empty = (lists.list.len().fill_null(0) == 0).to_numpy()
            flat = lists.list.unique(maintain_order=True)
            inner = np.repeat(rows, flat.list.len().fill_null(0).to_numpy())
            found = self._of_values(flat.list.explode(keep_nulls=False, empty_as_null=False))
            nothing = rows[empty]
            return (
                np.concatenate([nothing, inner]),
                np.concatenate([np.full(len(nothing), _MISSING), found]),
            )
        return rows, self._of_values(_as_text(column, self.kind))

    def _of_values(self, column: pl.Series) -> Places:
        known = {value: at for at, value in enumerate(self.values, _FIRST)}
        found = (
            _MISSING if value is None else known.get(value, _OTHER) for value in column.to_list()
        )
        return np.fromiter(found, np.int64, len(column))

    def _of_numbers(self, column: pl.Series, rows: Places) -> tuple[Places, Places]:
        """The band of every number, and its own place where it has one."""
        numbers = column.cast(pl.Float64, strict=False).to_numpy()
        unread = np.isnan(numbers) & column.is_not_null().to_numpy()
        bands = _FIRST + len(self.values) + np.searchsorted(self.edges, numbers, side="right")
        bands[np.isnan(numbers)] = _MISSING
        bands[unread] = _OTHER
        own = self._of_values(_as_text(pl.Series(numbers).fill_nan(None), "number"))
        is_own = own >= _FIRST
        return np.concatenate([rows, rows[is_own]]), np.concatenate([bands, own[is_own]])


class RecordEncoder(BaseModel):
    """Which variables there are. `least` records must share a category for it to have a place.

    >>> records = pl.DataFrame({"record_id": ["1", "2"], "sex": ["F", "F"]})
    >>> encoder = RecordEncoder.fit(records, least=2)
    >>> encoder.encode(pl.DataFrame({"sex": ["F", "M", None]})).toarray().astype(int).tolist()
    [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    variables: tuple[Variable, ...]
    least: int = 1
    left_out: tuple[str, ...] = ()
    """Uninformative columns: ids, and those in which no value is shared by enough records."""

    @classmethod
    def fit(
        cls,
        records: pl.DataFrame,
        *,
        variables: Sequence[str] | None = None,
        leave_out: Collection[str] = (),
        least: int = 5,
    ) -> RecordEncoder:
        """Learn the categories of the columns named, or of all that are no ids."""
        there = [name for name in records.columns if name not in _KEYS]
        for name in (*(variables or ()), *leave_out):
            require_known(name, there, "variable of the records")
        chosen = there if variables is None else list(variables)
        made, idle = [], []
        for name in (each for each in chosen if each not in leave_out):
            one = _fit(records[name], least)
            if one.values or one.edges:
                made.append(one)
            else:
                idle.append(name)
        if not made:
            raise AuscultError(
                f"None of {counted(len(chosen), 'variable')} has a value that {least} records "
                "share, so the records carry no information. Choose other variables, or lower "
                "min_frequency."
            )
        return cls(variables=tuple(made), least=least, left_out=(*idle, *leave_out))

    @cached_property
    def starts(self) -> dict[str, int]:
        """Where the places of each variable begin."""
        ends = np.cumsum([0, *(one.size for one in self.variables)])
        return {one.name: int(at) for one, at in zip(self.variables, ends, strict=False)}

    @property
    def size(self) -> int:
        """The length of a vector."""
        return sum(one.size for one in self.variables)

    def encode(self, records: pl.DataFrame) -> csr_array:
        """A row of 0s and 1s for each record. Columns the encoder does not know are passed over."""
        missing = [one.name for one in self.variables if one.name not in records.columns]
        if missing:
            raise AuscultError(
                f"The records lack {', '.join(missing[:5])}"
                + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
                + ", which the training data had. Add the columns; values may be missing."
            )
        rows, places = [], []
        for one in self.variables:
            row, place = one.places(records[one.name])
            rows.append(row)
            places.append(place + self.starts[one.name])
        at = (np.concatenate(rows), np.concatenate(places))
        shape = (records.height, self.size)
        made = csr_array((np.ones(len(at[0]), np.float32), at), shape=shape)
        made.sum_duplicates()  # of several values two may be unknown
        made.data[:] = 1
        return made


def _fit(column: pl.Series, least: int) -> Variable:
    kind = _kind(column.dtype)
    if kind == "several":
        text = column.cast(pl.List(pl.String)).list.unique().list.explode(
            keep_nulls=False, empty_as_null=False
        )  # fmt: skip
    else:
        text = _as_text(column, kind)
    seen = Counter(value for value in text.to_list() if value is not None)
    values = tuple(sorted(value for value, times in seen.items() if times >= least))
    if kind != "number":
        return Variable(name=column.name, kind=kind, values=values)
    numbers = column.cast(pl.Float64).drop_nulls().drop_nans().to_numpy()
    if not len(numbers):
        return Variable(name=column.name, kind=kind, values=())
    edges = np.unique(np.quantile(numbers, np.arange(1, _BANDS) / _BANDS, method="nearest"))
    return Variable(
        name=column.name, kind=kind, values=values, edges=tuple(edges[edges > numbers.min()])
    )


def _kind(dtype: pl.DataType) -> Kind:
    if dtype.is_numeric():
        return "number"
    if isinstance(dtype, pl.List | pl.Array):
        return "several"
    return "month" if dtype.is_temporal() and not isinstance(dtype, pl.Time) else "category"


def _as_text(column: pl.Series, kind: Kind) -> pl.Series:
    """The values as text; of numbers only whole ones, which are then written without a point."""
    if kind == "month":
        dates = column if column.dtype.is_temporal() else column.cast(pl.String).str.to_date(
            strict=False
        )  # fmt: skip
        return dates.dt.month().cast(pl.String)
    if kind == "number":
        numbers = column.cast(pl.Float64, strict=False)
        whole = numbers.is_finite() & (numbers == numbers.floor()) & (numbers.abs() < 1e15)
        kept = pl.select(pl.when(whole).then(numbers)).to_series()
        return kept.cast(pl.Int64).cast(pl.String)
    return column.cast(pl.String)
