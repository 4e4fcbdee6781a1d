"""The annotations of several annotators in a corpus, and which charts each has annotated."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
import polars as pl

from auscult.agreement.ratings import Bools
from auscult.core import Code, OptionError, Span
from auscult.core.names import require_known
from auscult.core.option_names import option
from auscult.core.plurals import counted
from auscult.corpus import Corpus
from auscult.corpus.readers import readings

_ROWS = {
    "annotator": pl.Int64,
    "chart": pl.Int64,
    "note": pl.Int64,
    "code": pl.Int64,
    "place": pl.String,
}
ORDER = ["chart", "note", "place", "code", "annotator"]
"""How `rows` are sorted."""


class SeenCharts(StrEnum):
    """Which charts count as annotated by an annotator."""

    ANNOTATED = "annotated"
    """Charts with an annotation by the annotator, or with the annotator in `read_by`."""
    ALL = "all"
    """All charts of the corpus: no annotation means that the annotator found no code."""


@dataclass(frozen=True, slots=True)
class AnnotationTable:
    """Annotations of several annotators with chart, note, code and annotator as numbers.

    `rows` has the columns annotator, chart, note (null for the chart as a whole), code and `place`:
    the spans as text, in order and equal when the spans are (empty without spans). `notes` has
    note, note_id and chart, for the charts that count. `seen` is charts × annotators.
    """

    annotators: tuple[str, ...]
    chart_ids: tuple[str, ...] = field(repr=False)
    codes: tuple[Code, ...] = field(repr=False)
    seen: Bools = field(repr=False)
    notes: pl.DataFrame = field(repr=False)
    rows: pl.DataFrame = field(repr=False)
    corpus: Corpus = field(repr=False)

    @property
    def has_spans(self) -> bool:
        """Whether any of the annotators points at text."""
        return bool((self.rows["place"] != "").any())


def annotations_of(
    corpus: Corpus,
    annotators: Sequence[str],
    *,
    seen: SeenCharts = SeenCharts.ANNOTATED,
    always: str | None = None,
) -> AnnotationTable:
    """The annotations of the named annotators, on the charts that any of them annotated.

    `always` names one that has seen every chart whatever it says there, as a majority has.
    """
    names = check_annotators(corpus, annotators)
    given = (
        corpus.lazy_annotations.filter(pl.col("annotator").is_in(names))
        .select("annotator", "system", "code", "chart_id", "note_id", _place())
        .unique()
        .collect()
    )
    numbers = pl.DataFrame({"name": names, "annotator": np.arange(len(names))})
    read = readings(corpus).filter(pl.col("annotator").is_in(names)).collect()
    every = corpus.chart_ids() if seen is SeenCharts.ALL else _in_order(corpus, read)
    charts = pl.DataFrame(
        {"chart_id": every, "chart": np.arange(len(every))},
        schema_overrides={"chart_id": pl.String},
    )
    codes = given.select("system", "code").unique().sort("system", "code").with_row_index("number")
    notes = _notes(corpus, given).join(charts, on="chart_id", maintain_order="left")
    notes = notes.select(pl.int_range(pl.len()).alias("note"), "note_id", "chart", "chart_id")
    rows = (
        given.rename({"annotator": "name"})
        .join(numbers, on="name")
        .join(charts, on="chart_id")
        .join(codes, on=["system", "code"])
        .join(notes.drop("chart"), on=["note_id", "chart_id"], how="left")
        .select(
            "annotator", "chart", "note", pl.col("number").cast(pl.Int64).alias("code"), "place"
        )
        .sort(ORDER, nulls_last=False)
    )
    saw = np.full((len(every), len(names)), fill_value=seen is SeenCharts.ALL)
    looked = read.rename({"annotator": "name"}).join(numbers, on="name").join(charts, on="chart_id")
    saw[looked["chart"].to_numpy(), looked["annotator"].to_numpy()] = True
    if always is not None:
        saw[:, names.index(always)] = True
    found = AnnotationTable(
        tuple(names),
        tuple(every),
        tuple(Code(*row) for row in codes.select("system", "code").iter_rows()),
        saw,
        notes.drop("chart_id"),
        rows,
        corpus,
    )
    _check_overlap(found, seen)
    return found


def with_statements(
    found: AnnotationTable, statements: Iterable[tuple[int, str, Code, str | None, Sequence[Span]]]
) -> AnnotationTable:
    """The same table with other statements: annotator, chart, code, note and spans of each."""
    charts = {chart_id: at for at, chart_id in enumerate(found.chart_ids)}
    listed = list(statements)
    codes = sorted({row[2] for row in listed})
    code_of = {code: at for at, code in enumerate(codes)}
    notes = {(note_id, chart): note for note, note_id, chart in found.notes.iter_rows()}
    rows = [
        (
            annotator,
            charts[chart_id],
            None if note_id is None else notes[note_id, charts[chart_id]],
            code_of[code],
            write_place(spans),
        )
        for annotator, chart_id, code, note_id, spans in listed
    ]
    table = pl.DataFrame(rows, schema=_ROWS, orient="row").unique().sort(ORDER, nulls_last=False)
    return replace(found, codes=tuple(codes), rows=table)


def check_annotators(corpus: Corpus, annotators: Sequence[str]) -> list[str]:
    """The names, each once and each in the corpus, and at least two."""
    known = corpus.lazy_annotations.select("annotator").unique().collect()["annotator"].to_list()
    names = [require_known(name, known, "annotator in the corpus") for name in annotators]
    if len(set(names)) != len(names):
        raise OptionError(f"An annotator is named twice: {', '.join(names)}.")
    if len(names) < 2:
        others = ", ".join(sorted(set(known) - set(names))) or "nobody else"
        raise OptionError(
            "Inter-annotator agreement needs at least two annotators; got "
            f"{', '.join(names) or 'none'}. The corpus also has {others}."
        )
    return names


def read_place(place: str) -> tuple[Span, ...]:
    """The spans of a place.

    >>> read_place("4-9,12-20"), read_place("")
    ((Span(begin=4, end=9), Span(begin=12, end=20)), ())
    """
    edges = (part.split("-") for part in place.split(",") if part)
    return tuple(sorted(Span(int(begin), int(end)) for begin, end in edges))


def write_place(spans: Sequence[Span]) -> str:
    """Spans as a place, the other way round.

    >>> write_place([Span(12, 20), Span(4, 9)])
    '4-9,12-20'
    """
    return ",".join(f"{span.begin}-{span.end}" for span in sorted(set(spans)))


def _place() -> pl.Expr:
    edge = pl.element().struct
    written = edge.field("begin").cast(pl.String) + "-" + edge.field("end").cast(pl.String)
    joined = pl.col("spans").list.eval(written.sort_by(edge.field("begin"), edge.field("end")))
    return joined.list.unique(maintain_order=True).list.join(",").fill_null("").alias("place")


def _in_order(corpus: Corpus, given: pl.DataFrame) -> list[str]:
    annotated = set(given["chart_id"])
    return [chart for chart in corpus.chart_ids() if chart in annotated]


def _notes(corpus: Corpus, given: pl.DataFrame) -> pl.DataFrame:
    """Every note of the corpus, and those that only annotations know."""
    known = corpus.lazy_notes.select("note_id", "chart_id").collect()
    named = given.select("note_id", "chart_id").drop_nulls().unique().sort("chart_id", "note_id")
    fresh = named.join(known, on=["note_id", "chart_id"], how="anti", maintain_order="left")
    return pl.concat([known, fresh])


def _check_overlap(found: AnnotationTable, seen: SeenCharts) -> None:
    """An error when no chart was seen by two annotators, a warning when an annotator lacks some."""
    together = found.seen.sum(axis=1) > 1
    if not together.any():
        each = ", ".join(
            f"{name} {count:,}"
            for name, count in zip(found.annotators, found.seen.sum(axis=0).tolist(), strict=True)
        )
        raise OptionError(
            "The annotators have no chart in common, so agreement cannot be computed (charts "
            f"annotated: {each}). Choose other annotators, or merge the corpora first."
        )
    lacking = {
        name: int((together & ~found.seen[:, at]).sum())
        for at, name in enumerate(found.annotators)
        if (together & ~found.seen[:, at]).any()
    }
    alone = int((~together).sum())
    if seen is SeenCharts.ANNOTATED and (lacking or alone):
        parts = [f"{counted(alone, 'chart')} annotated by one annotator only"] if alone else []
        if lacking:
            said_nothing = [
                f"{name} on {counted(count, 'chart')}" for name, count in lacking.items()
            ]
            parts.append(f"no annotation by {', '.join(said_nothing)} that two others annotated")
        warnings.warn(
            f"{'; '.join(parts)}. These count as not read. If they were read and have no code, "
            + option("pass --charts all.", "pass charts='all'."),
            stacklevel=3,
        )
