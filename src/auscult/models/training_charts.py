"""The training charts of a corpus: which splits, whose codes, read by whom."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import polars as pl

from auscult.core import Note, OptionError
from auscult.core.names import require_known
from auscult.core.plurals import counted
from auscult.corpus.annotators import choose_annotators
from auscult.corpus.corpus import Chart, Corpus
from auscult.corpus.readers import ChartChoice, read_charts, warn_of_unread
from auscult.learning.splits import NONE, dev_split
from auscult.models.categories import uncategorized


class _Chooses(Protocol):
    """The settings that choose annotators and charts."""

    @property
    def annotators(self) -> tuple[str, ...] | None: ...
    @property
    def systems(self) -> tuple[str, ...] | None: ...
    @property
    def charts(self) -> ChartChoice: ...


@dataclass(frozen=True, slots=True)
class ChosenCharts:
    """The training charts, the dev charts, the name of the dev split, and the annotators.

    Without `annotators`, everyone's codes count.
    """

    training: list[Chart]
    tuning: list[Chart]
    dev: str
    annotators: tuple[str, ...] | None


def chosen_charts(
    corpus: Corpus, config: _Chooses, train: str, dev: str | None, *, by_note: bool = False
) -> ChosenCharts:
    """The charts that a configuration selects from a corpus.

    Only charts that the annotators have read count, unless the configuration says otherwise or
    notes are the unit (`by_note`). Annotations with status ranked or asked are left out.
    """
    corpus = replace(corpus, lazy_all_annotations=corpus.lazy_annotations).select(
        systems=_known(corpus.lazy_annotations, "system", config.systems)
    )
    whose = choose_annotators(corpus, config.annotators)
    corpus = corpus.select(annotators=whose)
    there = [
        split
        for split in corpus.lazy_notes.select("split").unique().collect()["split"].sort()
        if split is not None
    ]
    dev = dev_split(there, train, dev, of="charts")
    if config.charts == "annotated" and not by_note:
        part = corpus.select(splits=[train, dev]) if there else corpus
        every = set(part.chart_ids())
        read = every & read_charts(part, whose)
        if every and not read:
            raise OptionError(
                f"None of the {len(every):,} charts to train or tune on was read by "
                f"{' or '.join(whose or ['an annotator'])}. Check the split, --annotator and "
                "--system. If the charts were read and have no code, pass --charts all."
            )
        warn_of_unread(len(read), len(every), whose, "--charts all")
        corpus = part.select(charts=read)
    if not there:
        charts = list(corpus.charts())
        warnings.warn(
            "The corpus has no splits, so the model is trained and tuned on all of its "
            f"{len(charts):,} charts, and none is left for evaluation. Split it first: "
            "auscult corpus split",
            stacklevel=3,
        )
        return ChosenCharts(charts, [], dev, whose)
    tuning = [] if dev == NONE else list(corpus.select(splits=[dev]).charts())
    return ChosenCharts(list(corpus.select(splits=[train]).charts()), tuning, dev, whose)


def _known(
    table: pl.LazyFrame, column: str, names: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    if names is not None:
        there = table.select(pl.col(column).drop_nulls().unique()).collect()[column].to_list()
        for name in names:
            require_known(name, there, column)
    return names


def require_categories(corpus: Corpus, names: Sequence[str] | None) -> None:
    """Raise an error unless the corpus has notes of each of the categories."""
    if names is None:
        return
    column = corpus.lazy_notes.select(pl.col("category").drop_nulls().unique()).collect()[
        "category"
    ]
    if not (there := [name for name in column.to_list() if name.strip()]):
        raise OptionError(
            f"--category {' or '.join(names)} matches nothing: no note in the corpus has a "
            "category. Train without --category to use all notes."
        )
    for name in names:
        require_known(name, there, "category")


def warn_of_left_out(notes: Iterable[Note], categories: Sequence[str] | None) -> None:
    """Warn of notes that are not used because they have no category."""
    if categories is not None and (left := uncategorized(notes)):
        warnings.warn(
            f"{counted(left, 'note')} without a category {'is' if left == 1 else 'are'} left out: "
            f"--category asks for {' or '.join(categories)}.",
            stacklevel=3,
        )
