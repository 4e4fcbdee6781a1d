"""The training charts of a corpus: which splits, whose codes, read by whom."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from auscult.core import OptionError
from auscult.core.deferred import polars as pl
from auscult.core.option_names import option
from auscult.core.plurals import counted
from auscult.corpus.annotators import choose_annotators
from auscult.corpus.corpus import Chart, Corpus
from auscult.corpus.readers import ChartChoice, read_charts, warn_of_unread
from auscult.corpus.selecting import matching, require_names
from auscult.corpus.split import splits_of
from auscult.learning.splits import NONE, dev_split

_ALL = "config={'charts': 'all'}"
"""In Python, the setting that counts unread charts."""


class _Chooses(Protocol):
    """The settings that choose annotators and charts."""

    @property
    def annotators(self) -> tuple[str, ...] | None: ...
    @property
    def systems(self) -> tuple[str, ...] | None: ...
    @property
    def categories(self) -> tuple[str, ...] | None: ...
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


@dataclass(frozen=True, slots=True)
class ChartStream:
    """Charts that are read from the corpus in batches on every iteration."""

    corpus: Corpus | None
    """None for no charts."""

    def __iter__(self) -> Iterator[Chart]:
        return iter(()) if self.corpus is None else self.corpus.charts()

    def __len__(self) -> int:
        return 0 if self.corpus is None else len(self.corpus.chart_ids())

    def some(self, chart_ids: Sequence[str]) -> list[Chart]:
        """The charts of some ids, in that order."""
        if self.corpus is None:
            return []
        there = {one.chart_id: one for one in self.corpus.select(charts=set(chart_ids)).charts()}
        return [there[chart_id] for chart_id in chart_ids]


@dataclass(frozen=True, slots=True)
class ChartStreams:
    """Like `ChosenCharts`, but as streams instead of charts in memory."""

    training: ChartStream
    tuning: ChartStream
    dev: str
    annotators: tuple[str, ...] | None

    def held(self) -> ChosenCharts:
        """The same with all charts in memory."""
        return ChosenCharts(list(self.training), list(self.tuning), self.dev, self.annotators)


def chart_streams(
    corpus: Corpus, config: _Chooses, train: str, dev: str | None, *, by_note: bool = False
) -> ChartStreams:
    """The charts that a configuration selects from a corpus.

    Code systems and note categories are selected as `Corpus.select` does it: codes of a whole chart
    stay with any of its notes, codes of a note go with the note. Only charts that the annotators
    have read count, unless the configuration says otherwise or notes are the unit (`by_note`).
    Annotations with status ranked or asked are left out.
    """
    corpus = replace(corpus, lazy_all_annotations=corpus.lazy_annotations)
    there = splits_of(corpus)
    dev = dev_split(there, train, dev, of="charts")
    used = [train] if dev == NONE else [train, dev]
    if config.categories is not None:
        _require_categories(corpus, config.categories)
        _warn_of_left_out(matching(corpus, splits=used if there else None), config.categories)
    require_names(corpus, annotators=config.annotators)
    corpus = corpus.select(systems=config.systems, categories=config.categories)
    whose = config.annotators or choose_annotators(corpus, None)
    corpus = matching(corpus, annotators=whose)
    if config.charts == "annotated" and not by_note:
        part = matching(corpus, splits=used) if there else corpus
        every = set(part.chart_ids())
        read = every & read_charts(part, whose)
        if every and not read:
            settings = option(
                "--annotator, --system and --category",
                "and the settings annotators, systems and categories",
            )
            raise OptionError(
                f"None of the {len(every):,} charts to train or tune on was read by "
                f"{' or '.join(whose or ['an annotator'])}. Check the split, "
                f"{settings}. If the charts were read and have no code, pass "
                f"{option('--charts all', _ALL)}."
            )
        warn_of_unread(len(read), len(every), whose, "--charts all", argument=_ALL)
        corpus = part.select(charts=read)
    if not there:
        warnings.warn(
            "The corpus has no splits, so the model is trained and tuned on all of its "
            f"{len(corpus.chart_ids()):,} charts, and none is left for evaluation. Split it first: "
            "auscult corpus split",
            stacklevel=3,
        )
        return ChartStreams(ChartStream(corpus), ChartStream(None), dev, whose)
    # A split may have lost all of its charts by now; what to say of that, the caller knows.
    training, tuning = (
        ChartStream(None if split == NONE else matching(corpus, splits=[split]))
        for split in (train, dev)
    )
    return ChartStreams(training, tuning, dev, whose)


def _require_categories(corpus: Corpus, names: Sequence[str]) -> None:
    """An error of its own where no note has a category: there is no name to choose then."""
    is_named = pl.col("category").str.strip_chars() != ""
    if not corpus.lazy_notes.select(is_named.any()).collect().item():
        asked = option("--category", "categories")
        raise OptionError(
            f"{asked} {' or '.join(names)} matches nothing: no note in the corpus has a category. "
            f"Train without {asked} to use all notes."
        )


def _warn_of_left_out(corpus: Corpus, categories: Sequence[str]) -> None:
    """Warn of notes that are not used because they have no category."""
    is_blank = pl.col("category").fill_null("").str.strip_chars() == ""
    left = corpus.lazy_notes.select(is_blank.sum()).collect().item()
    if left:
        warnings.warn(
            f"{counted(left, 'note')} without a category {'is' if left == 1 else 'are'} left out: "
            f"{option('--category asks', 'categories ask')} for {' or '.join(categories)}.",
            stacklevel=4,
        )
