"""Majority annotations: the codes that enough annotators assigned.

Pestian et al. 2007, "A shared task involving multi-label classification of clinical free text",
made the gold of the 2007 challenge so: codes that two or more of three annotators gave. Its
majority can be empty, where everybody gave something and no two the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import nan

import numpy as np
import polars as pl

from auscult.agreement.annotation_table import (
    AnnotationTable,
    SeenCharts,
    annotations_of,
    read_place,
)
from auscult.core import Annotation, Code, Metric, OptionError, plurals
from auscult.core.metric_definition import MetricDefinition
from auscult.core.names import chosen
from auscult.core.option_names import option
from auscult.core.results import MetricRow, Result
from auscult.corpus import Corpus
from auscult.corpus.annotators import annotators_of

_NOTHING = "no annotator annotated anything"


class Level(StrEnum):
    """The unit of a vote."""

    CHART = "chart"
    NOTE = "note"
    SPAN = "span"


@dataclass(frozen=True, slots=True)
class Undecided:
    """A chart or note without a majority, or a code with exactly half of the votes."""

    chart_id: str
    note_id: str | None
    code: Code | None = None
    votes: int = 0
    annotators: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Majority(Result):
    """The majority annotations, and the charts or notes without a majority."""

    annotations: tuple[Annotation, ...] = field(repr=False)
    units: int
    """Charts or notes with an annotation."""
    empty: tuple[Undecided, ...]
    """Charts or notes among them where no code has a majority."""
    ties: tuple[Undecided, ...]
    """Codes with exactly half of the votes, where more than half is needed."""
    votes: int | None
    without_codes: tuple[str, ...] = ()
    """Charts to which most readers assigned no code; the majority has none either."""
    level: Level = Level.NOTE

    def metric_rows(self) -> Iterator[MetricRow]:
        """The share of charts or notes with a majority; then that of each code it assigned."""
        decided = self.units - len(self.empty)
        yield {}, self._share("with_majority", f"{self._unit}s with a majority", decided)
        found: dict[Code, set[tuple[str, str | None]]] = {}
        for one in self.annotations:
            note = None if self.level is Level.CHART else one.note_id
            found.setdefault(one.code, set()).add((one.chart_id, note))
        said = f"{self._unit}s with this code by majority"
        for code, units in sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0])):
            yield {"code": str(code)}, self._share("with_code", said, len(units))

    def headline(self) -> str:
        """How many annotations, on how many charts or notes, and what is undecided."""
        made = plurals.counted(len(self.annotations), "annotation")
        ties = f", {plurals.counted(len(self.ties), 'tie')}" if self.votes is None else ""
        without = f"{len(self.empty):,} without a majority{ties}"
        return f"{made} on {plurals.counted(self.units, self._unit)}, {without}"

    @property
    def _unit(self) -> str:
        return "chart" if self.level is Level.CHART else "note"

    def _share(self, name: str, what: str, count: int) -> Metric:
        definition = f"{what} / {self._unit}s that an annotator annotated"
        share = count / self.units if self.units else nan
        return MetricDefinition(name, definition, undefined=_NOTHING).metric(share, n=self.units)


def majority(
    corpus: Corpus,
    annotators: Sequence[str] | None = None,
    *,
    votes: int | None = None,
    keep_ties: bool = False,
    unit: Level | str = Level.NOTE,
    charts: SeenCharts | str = SeenCharts.ANNOTATED,
    name: str = "majority",
) -> Majority:
    """The codes that at least `votes` annotators assigned; by default more than half of those who
    annotated.

    Without `votes`, a code with exactly half of them is a tie: out, unless `keep_ties` is set.
    `unit` is what codes are given to: chart, note or span; the evidence that comes along is what
    itself has the votes. With `charts` "all", an annotator without an annotation in a chart counts
    as having found no code there. `name` signs the annotations; their `meta` lists the voters.

    >>> coded = {"y": ["AB", "BC", "EF"], "z": ["BC", "ABD", "EF"], "x": ["AB", "CDE", "E"]}
    >>> given = [Annotation(who, Code("ICD-9-CM", c), str(n), str(n))
    ...          for who, rows in coded.items() for n, row in enumerate(rows) for c in row]
    >>> found = majority(Corpus.of([], given), ["x", "y", "z"])
    >>> [(a.chart_id, a.code.value) for a in found.annotations][:5]
    [('0', 'A'), ('0', 'B'), ('1', 'B'), ('1', 'C'), ('1', 'D')]
    """
    level, seen = chosen(Level, unit, "unit"), chosen(SeenCharts, charts, "choice of charts")
    annotators = annotators_of(corpus) if annotators is None else annotators
    if votes is not None and not 1 <= votes <= len(annotators):
        raise OptionError(
            f"{option('--votes')} must be from 1 to {len(annotators)}, the number of "
            f"annotators; got {votes}."
        )
    if votes is not None and keep_ties:
        raise OptionError(
            f"With {option('--votes')} {votes} there are no ties to keep. Leave out "
            f"{option('--keep-ties')} or {option('--votes')}."
        )
    there = corpus.lazy_annotations.filter(pl.col("annotator") == name).head(1).collect()
    if len(there):
        raise OptionError(
            f"The corpus already has annotations by {name}. Choose another name with "
            f"{option('--sign-as', 'name')}."
        )
    found = annotations_of(corpus, annotators, seen=seen)
    if level is Level.SPAN and not found.has_spans:
        raise OptionError(
            "No annotator marked evidence spans, so there are no spans to vote on. Use "
            + option("--unit note or --unit chart.", "unit='note' or unit='chart'.")
        )
    key = ["chart"] if level is Level.CHART else ["chart", "note"]
    voted = [*key, "code"] if level is not Level.SPAN else [*key, "code", "place"]
    counted = _counted(found, voted)
    half = 2 * pl.col("votes") == pl.col("annotators")
    enough = (
        (2 * pl.col("votes") > pl.col("annotators")) if votes is None else pl.col("votes") >= votes
    )
    if keep_ties:
        enough = enough | half
    won = counted.filter(enough)
    ties = counted.filter(half) if votes is None else counted.clear()
    units = found.rows.select(key).unique().sort(key)
    empty = units.join(won.select(key), on=key, how="anti", nulls_equal=True).sort(key)
    evidence = _counted(found, ["chart", "note", "code", "place"]).filter(enough)
    speaking = np.zeros_like(found.seen)
    speaking[found.rows["chart"].to_numpy(), found.rows["annotator"].to_numpy()] = True
    silent = 2 * (found.seen & ~speaking).sum(axis=1) > found.seen.sum(axis=1)
    return Majority(
        tuple(_annotations(found, won, evidence, level, name)),
        len(units),
        tuple(_undecided(found, empty)),
        tuple(_undecided(found, ties)),
        votes,
        tuple(chart for at, chart in enumerate(found.chart_ids) if silent[at]),
        level,
    )


def _counted(found: AnnotationTable, key: list[str]) -> pl.DataFrame:
    """How many annotators said each, who, and how many could have."""
    looked = pl.DataFrame(
        {"chart": range(len(found.chart_ids)), "annotators": found.seen.sum(axis=1)}
    )
    return (
        found.rows.select(*key, "annotator")
        .unique()
        .group_by(key)
        .agg(votes=pl.len(), who=pl.col("annotator").sort())
        .join(looked, on="chart")
        .sort(key)
    )


def _annotations(
    found: AnnotationTable, won: pl.DataFrame, evidence: pl.DataFrame, level: Level, name: str
) -> list[Annotation]:
    """One annotation for each place that has the votes, or one without spans where none has."""
    note_ids: dict[int, str] = dict(found.notes.select("note", "note_id").iter_rows())
    places: dict[tuple[int, int | None, int], list[tuple[int | None, str]]] = {}
    pointed = evidence.filter(pl.col("place") != "").select("chart", "note", "code", "place")
    for chart, note, code, place in pointed.iter_rows():
        key = (chart, None if level is Level.CHART else note, code)
        places.setdefault(key, []).append((note, place))
    annotations = []
    for row in won.iter_rows(named=True):
        chart, note, code = row["chart"], row.get("note"), row["code"]
        meta = {
            "votes": f"{row['votes']} of {row['annotators']}",
            "voters": ", ".join(found.annotators[at] for at in row["who"]),
        }
        where = places.get((chart, note, code), [(note, "")])
        if level is Level.SPAN:
            where = [(note, row["place"])]
        for at, place in where:
            note_id = None if at is None else note_ids[at]
            annotations.append(
                Annotation(
                    name,
                    found.codes[code],
                    found.chart_ids[chart],
                    note_id,
                    read_place(place),
                    meta=meta,
                )
            )
    return annotations


def _undecided(found: AnnotationTable, rows: pl.DataFrame) -> list[Undecided]:
    note_ids: dict[int, str] = dict(found.notes.select("note", "note_id").iter_rows())
    listed = []
    for row in rows.iter_rows(named=True):
        note, code = row.get("note"), row.get("code")
        listed.append(
            Undecided(
                found.chart_ids[row["chart"]],
                None if note is None else note_ids[note],
                None if code is None else found.codes[code],
                row.get("votes", 0),
                row.get("annotators", 0),
            )
        )
    return listed
