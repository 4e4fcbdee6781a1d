"""The annotations that a model made, as a list that is also a table."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import TYPE_CHECKING, Any

from auscult.core import Annotation
from auscult.core.plurals import counted
from auscult.core.results import as_pandas
from auscult.corpus import schema

if TYPE_CHECKING:
    import polars as pl

_SHOWN = 10


class Predictions(list[Annotation]):
    """A list of annotations. Its `repr` counts them; it quotes no text."""

    def to_polars(self) -> pl.DataFrame:
        """One row per annotation, with the columns of a corpus's annotations."""
        return schema.annotations_table(self)

    def to_pandas(self) -> Any:
        """The same as a pandas data frame."""
        return as_pandas(self.to_polars())

    def __repr__(self) -> str:
        charts = len({one.chart_id for one in self})
        common = ", ".join(f"{code} ({times:,})" for code, times in self._common())
        size = f"{counted(len(self), 'annotation')} on {counted(charts, 'chart')}"
        return f"Predictions({size}{f': {common}' if common else ''})"

    def _repr_html_(self) -> str:
        head = "<tr><th>chart</th><th>note</th><th>code</th><th>spans</th><th>score</th></tr>"
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in _cells(one)) + "</tr>"
            for one in self[:_SHOWN]
        )
        more = f"<p>and {len(self) - _SHOWN:,} more</p>" if len(self) > _SHOWN else ""
        return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>{more}"

    def _common(self) -> list[tuple[str, int]]:
        return Counter(str(one.code) for one in self).most_common(3)


def _cells(one: Annotation) -> tuple[object, ...]:
    spans = "; ".join(f"{span.begin}–{span.end}" for span in one.spans)
    score = "" if one.score is None else f"{one.score:.2f}"
    return one.chart_id, one.note_id or "", one.code, spans, score
