"""The base class of results: tables of metrics with a terminal and a notebook representation.

A result derives from `Result` and says in `metric_rows` which metrics it has. `import auscult`
stays light: polars is imported when a table is made.
"""

from __future__ import annotations

import html
import re
import textwrap
from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from auscult.core.errors import MissingExtraError
from auscult.core.metric import Metric

if TYPE_CHECKING:
    import polars as pl

MetricRow = tuple[Mapping[str, str | int | float | None], Metric]
"""What a metric is of, such as `{"system": "ours", "group": "seen 1-5"}`, and the metric.

A metric of the whole has no such labels.
"""
COLUMNS = ("name", "value", "low", "high", "n", "definition", "undefined")
"""The columns of a table of metrics; one column per label precedes them."""
_LINES = 20
WIDTH = 80
"""The columns of a terminal that a `repr` fits into."""
NAME = 44
"""The columns that a name has in a `repr`; a longer one is broken between its words."""


class Result:
    """The base of all results.

    >>> class Both(Result):
    ...     def metric_rows(self):
    ...         yield {}, Metric("f1", "2TP / (2TP + FP + FN)", 0.5, (0.4, 0.6), 30)
    ...         yield {"code": "I10"}, Metric("f1", "2TP / (2TP + FP + FN)", undefined="not there")
    >>> Both()
    Both
      f1  0.500  [0.400, 0.600]
    1 more row, by code: .to_polars()
    >>> Both().to_polars()["code"].to_list()
    [None, 'I10']
    """

    __slots__ = ()
    quoting: ClassVar[frozenset[str]] = frozenset()
    """Labels that quote note text: left out of `repr`; the HTML carries a warning."""

    @abstractmethod
    def metric_rows(self) -> Iterator[MetricRow]:
        """Every metric with what it is of, those of the whole first."""

    def headline(self) -> str:
        """What was measured, in a few words: charts, systems, options."""
        return ""

    def to_polars(self) -> pl.DataFrame:
        """One row per metric: labels, name, value, low, high, n, definition, undefined.

        `low` and `high` bound the interval; `undefined` says why there is no value.
        """
        return table_of(self.metric_rows())

    def to_pandas(self) -> Any:
        """The same table as a pandas data frame (extra `pandas`)."""
        return as_pandas(self.to_polars())

    def __repr__(self) -> str:
        rows = list(self.metric_rows())
        shown: list[tuple[list[str], str, str]] = []
        taken = 0
        for row in _first(rows):
            name = broken(_name(row, self.quoting), NAME).split("\n")
            taken += len(name)
            if shown and taken > _LINES:
                break
            shown.append((name, *_cells(row[1])))
        widths = [
            max((len(line) for name, *_ in shown for line in name), default=0),
            max((len(value) for _, value, _ in shown), default=0),
        ]
        lines, reasons = [_title(self)], dict[str, int]()
        for name, value, beside in shown:
            if len(beside) > WIDTH - 6 - sum(widths):
                # Said once below: several metrics often lack the same.
                beside = f"({reasons.setdefault(beside, len(reasons) + 1)})"
            first = f"  {name[0]:<{widths[0]}}  {value:>{widths[1]}}  {beside}"
            lines += [first.rstrip(), *(f"    {line}" for line in name[1:])]
        for reason, number in reasons.items():
            lines += _wrapped(f"({number}) {reason}", "  ", "      ")
        return "\n".join([*lines, *(part for line in _more(rows, len(shown))
                                    for part in _wrapped(line, "", "  "))])  # fmt: skip

    def _repr_html_(self) -> str:
        rows = list(self.metric_rows())
        shown = _first(rows)[:_LINES]
        more = _more(rows, len(shown))
        cells = [
            [_name(row), *_cells(row[1]), "" if row[1].n is None else f"{row[1].n:,}",
             row[1].definition]
            for row in shown
        ]  # fmt: skip
        head = ("metric", "value", "interval", "n", "definition")
        if self.quoting:
            more.append("This table quotes text of clinical notes.")
        below = "".join(f"<p>{html.escape(line)}</p>" for line in more)
        return f"<p><b>{html.escape(_title(self))}</b></p>{html_table(head, cells)}{below}"


def table_of(rows: Iterable[MetricRow]) -> pl.DataFrame:
    """The table of metrics, with a column for each label that any of them has."""
    import polars as pl

    rows = list(rows)
    labels = list(dict.fromkeys(key for found, _ in rows for key in found))
    columns: dict[str, Any] = {
        key: pl.Series([found.get(key) for found, _ in rows], strict=False) for key in labels
    }
    kinds = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "n": pl.Int64}
    for name in COLUMNS:
        values = [_value(metric, name) for _, metric in rows]
        columns[name] = pl.Series(values, dtype=kinds.get(name, pl.String))
    return pl.DataFrame(columns)


def as_pandas(frame: pl.DataFrame) -> Any:
    """A polars data frame as one of pandas; an error says what to install."""
    try:
        return frame.to_pandas()
    except ImportError as error:
        raise MissingExtraError("A pandas data frame", "pandas") from error


def labeled(
    labels: Mapping[str, str | int | float | None], rows: Iterable[MetricRow]
) -> Iterator[MetricRow]:
    """The rows of one result as part of another, with labels that say which part."""
    for found, metric in rows:
        yield {**labels, **found}, metric


def html_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A small HTML table; every cell is escaped."""
    first = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{first}</tr></thead><tbody>{body}</tbody></table>"


def broken(name: str, width: int) -> str:
    """A name on as many lines as it needs, broken between its words.

    >>> print(broken("macro_recall_over_gold_codes", 20))
    macro_recall_over_
    gold_codes
    """
    lines = [""]
    words = re.findall(r"[^_\s]*_|[^_\s]+\s*|\s+", name)
    parts = [word[at : at + width] for word in words for at in range(0, len(word), width)]
    for part in parts:
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(line.rstrip() for line in lines)


def _value(metric: Metric, column: str) -> object:
    if column in ("low", "high"):
        return None if metric.interval is None else metric.interval[column == "high"]
    return getattr(metric, column)


def _title(result: Result) -> str:
    name, about = type(result).__name__, result.headline()
    return f"{name}: {about}" if about else name


def _first(rows: list[MetricRow]) -> list[MetricRow]:
    """What a screen begins with: the metrics of the whole, if there are any."""
    return [row for row in rows if not row[0]] or rows


def _more(rows: list[MetricRow], shown: int) -> list[str]:
    """How many more there are, and of what."""
    if not (left := len(rows) - shown):
        return []
    keys = list(dict.fromkeys(key for labels, _ in rows for key in labels))
    by = f", by {', '.join(keys)}" if keys else ""
    return [f"{left:,} more row{'s' if left > 1 else ''}{by}: .to_polars()"]


def _wrapped(line: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        line, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )


def _name(row: MetricRow, hidden: Collection[str] = ()) -> str:
    labels, metric = row
    parts = [
        value if isinstance(value, str) else f"{key} {value:g}"
        for key, value in labels.items()
        if value is not None and key not in hidden and not key.endswith(("_low", "_high"))
    ]
    return " · ".join([*parts, metric.name])


def _cells(metric: Metric) -> tuple[str, str]:
    if metric.value is None:
        return "–", metric.undefined or ""
    low_high = metric.interval
    value = f"{metric.value:.3f}"
    return value, "" if low_high is None else f"[{low_high[0]:.3f}, {low_high[1]:.3f}]"
