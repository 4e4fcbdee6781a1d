"""What each of several coders said in a corpus, and which charts each has seen."""

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
from auscult.core.words import counted
from auscult.corpus import Corpus
from auscult.corpus.readers import readings

_ROWS = {
    "coder": pl.Int64,
    "chart": pl.Int64,
    "note": pl.Int64,
    "code": pl.Int64,
    "place": pl.String,
}
_ORDER = ["chart", "note", "place", "code", "coder"]


class Seen(StrEnum):
    """Which charts a coder has seen."""

    ANNOTATED = "annotated"
    """Those the coder annotated at least once, or is named as a reader of (`read_by`)."""
    ALL = "all"
    """All charts of the corpus: whoever said nothing of a chart found nothing in it."""


@dataclass(frozen=True, slots=True)
class Said:
    """Annotations of several coders with chart, note, code and coder as numbers.

    `rows` has the columns coder, chart, note (null for the chart as a whole), code and `place`: the
    spans as text, in order and equal when the spans are (empty without spans). `notes` has note,
    note_id and chart, for the charts that count. `seen` is charts × coders.
    """

    coders: tuple[str, ...]
    chart_ids: tuple[str, ...] = field(repr=False)
    codes: tuple[Code, ...] = field(repr=False)
    seen: Bools = field(repr=False)
    notes: pl.DataFrame = field(repr=False)
    rows: pl.DataFrame = field(repr=False)
    corpus: Corpus = field(repr=False)

    @property
    def has_spans(self) -> bool:
        """Whether any of the coders points at text."""
        return bool((self.rows["place"] != "").any())


def said(
    corpus: Corpus,
    annotators: Sequence[str],
    *,
    seen: Seen = Seen.ANNOTATED,
    always: str | None = None,
) -> Said:
    """What the coders named said, on the charts that any of them has seen.

    `always` names one that has seen every chart whatever it says there, as a majority has.
    """
    names = check_annotators(corpus, annotators)
    given = (
        corpus.annotations.filter(pl.col("annotator").is_in(names))
        .select("annotator", "system", "code", "chart_id", "note_id", _place())
        .unique()
        .collect()
    )
    coders = pl.DataFrame({"annotator": names, "coder": np.arange(len(names))})
    read = readings(corpus).filter(pl.col("annotator").is_in(names)).collect()
    every = corpus.chart_ids() if seen is Seen.ALL else _in_order(corpus, read)
    charts = pl.DataFrame(
        {"chart_id": every, "chart": np.arange(len(every))},
        schema_overrides={"chart_id": pl.String},
    )
    codes = given.select("system", "code").unique().sort("system", "code").with_row_index("number")
    notes = _notes(corpus, given).join(charts, on="chart_id", maintain_order="left")
    notes = notes.select(pl.int_range(pl.len()).alias("note"), "note_id", "chart", "chart_id")
    rows = (
        given.join(coders, on="annotator")
        .join(charts, on="chart_id")
        .join(codes, on=["system", "code"])
        .join(notes.drop("chart"), on=["note_id", "chart_id"], how="left")
        .select("coder", "chart", "note", pl.col("number").cast(pl.Int64).alias("code"), "place")
        .sort(_ORDER, nulls_last=False)
    )
    saw = np.full((len(every), len(names)), fill_value=seen is Seen.ALL)
    looked = read.join(coders, on="annotator").join(charts, on="chart_id")
    saw[looked["chart"].to_numpy(), looked["coder"].to_numpy()] = True
    if always is not None:
        saw[:, names.index(always)] = True
    found = Said(
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


def restated(
    found: Said, statements: Iterable[tuple[int, str, Code, str | None, Sequence[Span]]]
) -> Said:
    """The same coders, charts and notes with other statements: coder, chart, code, note, spans."""
    charts = {chart_id: at for at, chart_id in enumerate(found.chart_ids)}
    listed = list(statements)
    codes = sorted({row[2] for row in listed})
    code_of = {code: at for at, code in enumerate(codes)}
    notes = {(note_id, chart): note for note, note_id, chart in found.notes.iter_rows()}
    rows = [
        (
            coder,
            charts[chart_id],
            None if note_id is None else notes[note_id, charts[chart_id]],
            code_of[code],
            write_place(spans),
        )
        for coder, chart_id, code, note_id, spans in listed
    ]
    table = pl.DataFrame(rows, schema=_ROWS, orient="row").unique().sort(_ORDER, nulls_last=False)
    return replace(found, codes=tuple(codes), rows=table)


def check_annotators(corpus: Corpus, annotators: Sequence[str]) -> list[str]:
    """The names, each once and each in the corpus, and at least two."""
    known = corpus.annotations.select("annotator").unique().collect()["annotator"].to_list()
    names = [require_known(name, known, "annotator in the corpus") for name in annotators]
    if len(set(names)) != len(names):
        raise OptionError(f"An annotator is named twice: {', '.join(names)}.")
    if len(names) < 2:
        others = ", ".join(sorted(set(known) - set(names))) or "nobody else"
        raise OptionError(
            f"Agreement needs two annotators at least; got {', '.join(names) or 'none'}. The "
            f"corpus also has {others}."
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
    known = corpus.notes.select("note_id", "chart_id").collect()
    named = given.select("note_id", "chart_id").drop_nulls().unique().sort("chart_id", "note_id")
    fresh = named.join(known, on=["note_id", "chart_id"], how="anti", maintain_order="left")
    return pl.concat([known, fresh])


def _check_overlap(found: Said, seen: Seen) -> None:
    """An error when no chart was seen by two coders, a warning when a coder lacks some."""
    together = found.seen.sum(axis=1) > 1
    if not together.any():
        each = ", ".join(
            f"{name} {count:,}"
            for name, count in zip(found.coders, found.seen.sum(axis=0).tolist(), strict=True)
        )
        raise OptionError(
            f"The annotators have no chart in common, so they can neither agree nor disagree "
            f"(charts annotated: {each}). Choose others, or merge the corpora that belong together."
        )
    lacking = {
        name: int((together & ~found.seen[:, at]).sum())
        for at, name in enumerate(found.coders)
        if (together & ~found.seen[:, at]).any()
    }
    alone = int((~together).sum())
    if seen is Seen.ANNOTATED and (lacking or alone):
        parts = [f"{counted(alone, 'chart')} with annotations of one coder only"] if alone else []
        if lacking:
            said_nothing = [
                f"{name} on {counted(count, 'chart')}" for name, count in lacking.items()
            ]
            parts.append(f"nothing said by {', '.join(said_nothing)} that two others annotated")
        warnings.warn(
            f"{'; '.join(parts)}. That counts as not seen. If they were read and nothing was "
            "found, pass --seen all.",
            stacklevel=3,
        )
