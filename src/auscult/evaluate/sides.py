"""The two sides of an evaluation: whose annotations are compared, and on which charts."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import polars as pl

from auscult.core import Code, CorpusError, OptionError
from auscult.core.option_names import option
from auscult.corpus import Corpus, formats
from auscult.corpus.annotators import choose_annotator
from auscult.corpus.corpus import locate_manifest
from auscult.corpus.formats.shared.files import read_text
from auscult.corpus.readers import read_charts, read_notes, warn_of_unread


class CountedCharts(StrEnum):
    """Which charts count."""

    ANNOTATED = "annotated"
    """Charts that gold's annotator has annotated, or read without finding a code."""
    ALL = "all"
    """Every chart of gold: an unread chart counts as a chart without codes."""
    UNION = "union"
    """Also charts that only the predictions have; everything predicted there is wrong."""


@dataclass(frozen=True, slots=True)
class Sides:
    """Gold and predicted annotations of the same charts.

    Both corpora have the notes of both, so the text is there when either side has it.
    """

    gold: Corpus
    predicted: Corpus
    chart_ids: tuple[str, ...]
    annotator: str | None = None
    predicted_annotator: str | None = None

    def codes(self) -> tuple[list[frozenset[Code]], list[frozenset[Code]]]:
        """The gold codes and the predicted codes of each of `chart_ids`.

        A code counts once per chart, however many spans of evidence it has; codes with status
        ranked or asked are not predicted.
        """
        return _codes(self.gold, self.chart_ids), _codes(self.predicted, self.chart_ids)


def _codes(corpus: Corpus, chart_ids: Sequence[str]) -> list[frozenset[Code]]:
    found: dict[str, set[Code]] = {chart: set() for chart in chart_ids}
    for annotation in corpus.iter_annotations():
        if annotation.chart_id in found:
            found[annotation.chart_id].add(annotation.code)
    return [frozenset(found[chart]) for chart in chart_ids]


def open_side(path: Path) -> Corpus:
    """A corpus, a file or folder of JSON lines, or a folder (or file) of MDACE's JSON."""
    if not path.exists():
        raise OptionError(
            f"{path} does not exist. Give a corpus, JSON lines or a folder of MDACE's JSON."
        )
    if path.is_dir() and locate_manifest(path).exists():
        return Corpus.open(path)
    if path.suffix == ".jsonl" and not path.stat().st_size:
        return Corpus.of([])  # who finds nothing writes nothing
    if path.suffix == ".jsonl" or (path / "annotations.jsonl").exists():
        return formats.read("jsonl", path)
    if path.suffix == ".json" or (path.is_dir() and next(path.rglob("*.json"), None)):
        return formats.read("mdace", path)
    raise OptionError(
        f"{path} is neither a corpus (it has no manifest.json) nor a folder of MDACE's JSON. "
        "Import it first: auscult corpus import FORMAT SOURCE OUT"
    )


def pair(
    gold: Corpus,
    predicted: Corpus,
    *,
    annotator: str | None = None,
    predicted_annotator: str | None = None,
    split: str | Collection[str] | None = None,
    note_category: Collection[str] = (),
    charts: CountedCharts = CountedCharts.ANNOTATED,
    also: Corpus | None = None,
    called: tuple[str, str] = ("PREDICTED", "--predicted-annotator"),
    counts_all: str | None = "--charts all",
) -> Sides:
    """The annotations of one annotator on each side, narrowed to the same notes and charts.

    `split` names a split of the notes, or is a collection of chart ids. `also` is a further corpus
    of predictions whose charts count where all do. `called` is what messages call the predictions
    and the option that names their annotator, `counts_all` the option that counts unread charts,
    if there is one.
    """
    gold, annotator = only_annotator(gold, annotator, "GOLD", "--annotator")
    predicted, predicted_annotator = only_annotator(
        predicted, predicted_annotator, *called, is_gold=False
    )
    _check_same_notes(gold, predicted)
    held = set(gold.chart_ids())
    whose = None if annotator is None else [annotator]
    # Of gold alone: predictions are made on notes that may name readers too.
    read = read_charts(gold, whose) & held
    if note_category and charts is CountedCharts.ANNOTATED:
        read &= _read_in(gold, note_category, whose)
    if split is not None and not isinstance(split, str):
        _warn_of_unknown(split, held)
    notes = _all_notes(gold, predicted)
    if charts is CountedCharts.UNION and also is not None:
        notes = _all_notes(replace(gold, lazy_notes=notes), also)
    gold, predicted = replace(gold, lazy_notes=notes), replace(predicted, lazy_notes=notes)
    chart_ids = _charts(
        gold, predicted, read if charts is CountedCharts.ANNOTATED else held, charts
    )
    every = len(held) if charts is CountedCharts.ANNOTATED else None
    if charts is CountedCharts.UNION and also is not None:
        # Sorted, so that the order is the same from either model's point of view.
        chart_ids = sorted({*chart_ids, *also.chart_ids()})
    if split is not None or note_category:
        chosen = gold.select(
            splits=[split] if isinstance(split, str) else None,
            categories=note_category or None,
            charts=None if split is None or isinstance(split, str) else split,
        )
        kept = set(chosen.chart_ids())
        chart_ids = [chart_id for chart_id in chart_ids if chart_id in kept]
        every = len(held & kept) if charts is CountedCharts.ANNOTATED else None
    if not chart_ids and every:
        none = "GOLD has no annotations on any" if annotator is None else f"{annotator} read none"
        raise OptionError(
            f"{none} of the {every:,} charts to evaluate. Check "
            f"{option('--annotator')} and {option('--split')}. If the "
            "charts were read and have no code, mark them first: auscult corpus mark-read"
        )
    if not chart_ids:
        check = option("--split, --category and --charts", "split and charts")
        raise OptionError(f"No chart is left to evaluate. Check {check}.")

    def narrowed(corpus: Corpus) -> Corpus:
        if note_category:
            # Annotations of a whole chart have no category; gold of other notes is gone too.
            of_notes = corpus.lazy_all_annotations.filter(pl.col("note_id").is_not_null())
            corpus = replace(corpus, lazy_all_annotations=of_notes)
        return corpus.select(
            splits=[split] if isinstance(split, str) else None,
            categories=note_category or None,
            charts=chart_ids,
        )

    sides = Sides(
        narrowed(gold), narrowed(predicted), tuple(chart_ids), annotator, predicted_annotator
    )
    if every is not None:
        warn_of_unread(
            len(chart_ids), every, annotator and [annotator], counts_all, argument="charts='all'"
        )
    _check_coverage(sides, predicted, called[0])
    return sides


def read_chart_ids(file: Path) -> list[str]:
    """The chart ids of a list such as MDace-ev-test.csv: one a line, under a heading or not."""
    lines = [line.strip().strip('"') for line in read_text(file).splitlines()]
    ids = [line for line in lines if line]
    if ids and not ids[0].isdigit() and all(chart_id.isdigit() for chart_id in ids[1:]):
        ids = ids[1:]
    if not ids:
        raise OptionError(f"{file} lists no charts.")
    return ids


def only_annotator(
    corpus: Corpus, annotator: str | None, side: str, flag: str, *, is_gold: bool = True
) -> tuple[Corpus, str | None]:
    """The corpus with one annotator's annotations, as `choose_annotator` chooses."""
    chosen = choose_annotator(corpus, annotator, side, flag, is_gold=is_gold)
    return (corpus if chosen is None else corpus.select(annotators=[chosen])), chosen


def _check_same_notes(gold: Corpus, predicted: Corpus) -> None:
    """Check that a note in both corpora is the same, since offsets and charts are compared."""
    if gold.lazy_notes is predicted.lazy_notes:
        return
    # Hashes of a stream of notes, so that the texts themselves need not be in memory.
    text = pl.when(pl.col("text").is_not_null()).then(pl.col("text").hash()).alias("text")
    columns = ("note_id", "chart_id", text)
    both = gold.lazy_notes.select(columns).join(
        predicted.lazy_notes.select(columns), on="note_id", suffix="_predicted"
    )
    moved = pl.col("chart_id") != pl.col("chart_id_predicted")
    differs = (pl.col("text") != pl.col("text_predicted")).fill_null(value=False)
    wrong = (
        both.filter(moved | differs)
        .select("note_id", "chart_id", "chart_id_predicted", moved=moved)
        .collect(engine="streaming")
    )
    if not len(wrong):
        return
    note_id, chart_id, elsewhere, is_moved = wrong.row(0)
    more = f" ({len(wrong):,} notes differ so)" if len(wrong) > 1 else ""
    if is_moved:
        raise CorpusError(
            f"Note {note_id} belongs to chart {chart_id} in GOLD and to {elsewhere} in "
            f"PREDICTED{more}. Predict on the corpus that GOLD was made from."
        )
    raise CorpusError(
        f"Note {note_id} has one text in GOLD and another in PREDICTED{more}, so offsets do not "
        "mean the same. Predict on the corpus that GOLD was made from."
    )


def _all_notes(gold: Corpus, predicted: Corpus) -> pl.LazyFrame:
    """The notes of both, with the text of whichever side has it."""
    if gold.lazy_notes is predicted.lazy_notes:
        return gold.lazy_notes
    has_none = pl.col("text").is_null().any()
    lacking = gold.lazy_notes.select(has_none).collect(engine="streaming").item()
    if lacking:
        return gold.merge(predicted).lazy_notes
    fresh = predicted.lazy_notes.join(gold.lazy_notes.select("note_id"), on="note_id", how="anti")
    return pl.concat([gold.lazy_notes, fresh])


def _read_in(
    gold: Corpus, categories: Collection[str], annotators: Collection[str] | None
) -> frozenset[str]:
    """The charts of which a note of these categories was read."""
    notes = gold.lazy_notes.filter(pl.col("category").is_in(list(categories)))
    table = notes.select("note_id", "chart_id").collect()
    read = read_notes(gold, annotators)
    return frozenset(chart_id for note_id, chart_id in table.iter_rows() if note_id in read)


def _charts(
    gold: Corpus, predicted: Corpus, counting: Collection[str], charts: CountedCharts
) -> list[str]:
    every = dict.fromkeys([*gold.chart_ids(), *predicted.chart_ids()])
    return list(every) if charts is CountedCharts.UNION else [c for c in every if c in counting]


def _warn_of_unknown(charts: Collection[str], known: Collection[str]) -> None:
    unknown = sum(chart_id not in known for chart_id in charts)
    if unknown:
        warnings.warn(
            f"{unknown:,} of the {len(charts):,} charts in the list are not in GOLD, and are left "
            "out.",
            stacklevel=4,
        )


def _check_coverage(sides: Sides, predicted: Corpus, called: str) -> None:
    """Raise an error if the two sides share no charts, and warn if they share few."""
    if not len(sides.gold.lazy_annotations.head(1).collect()):
        warnings.warn(
            f"GOLD has no annotation on the {len(sides.chart_ids):,} charts to evaluate, so "
            "no prediction can be right and the metrics mean nothing.",
            stacklevel=3,
        )
    given = set(predicted.lazy_all_annotations.select("chart_id").unique().collect()["chart_id"])
    here = given & set(sides.chart_ids)
    if given and not here:
        raise OptionError(
            f"None of the {len(given):,} charts in {called} is among the "
            f"{len(sides.chart_ids):,} to evaluate. Check that both use the same chart ids, "
            f"and check {option('--split')}."
        )
    without = len(sides.chart_ids) - len(here)
    if without:
        warnings.warn(
            f"{without:,} of {len(sides.chart_ids):,} charts have no predictions in "
            f"{called}; all their gold codes count as missed.",
            stacklevel=3,
        )
