"""What a model is given, as charts: plain texts, notes or a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from auscult.core import Annotation, Code, Note
from auscult.core.deferred import polars as pl
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.models.categories import Categories
from auscult.models.chart_scoring import ChartConfiguration
from auscult.models.chart_text import ChartText, read_chart

# Of notes that have to be gathered into charts: so many at a time, in so many passes.
_FEWEST_AT_ONCE, _MOST_AT_ONCE, _PASSES = 1_000, 50_000, 16
Texts = str | Note | Corpus | Iterable[Note | str]


def charts_of(given: Texts, category: str | None) -> Iterator[tuple[Note, ...]]:
    """The notes of each chart. A plain text is a chart of its own, of the given category.

    Of a corpus, only some notes are held at a time; notes by themselves are all held, since those
    of a chart may stand anywhere among them.
    """
    if isinstance(given, Corpus):
        yield from _charts_of_corpus(given)
    else:
        charts = list(by_chart(notes_of(given, category)))
        yield from track(charts, "predicting", len(charts))


def _charts_of_corpus(corpus: Corpus) -> Iterator[tuple[Note, ...]]:
    """The notes of each chart, in the order in which the charts first come.

    Where the notes of every chart stand together, one chart is held at a time. Where they do not
    (MIMIC-III's table goes by category), some charts are gathered at a time; each time the whole
    table is read.
    """
    charts_in_order = corpus.lazy_notes.select("chart_id").collect()["chart_id"]
    runs = charts_in_order.rechunk().rle().struct.unnest()  # polars 2.1 panics on several chunks
    charts = runs.group_by("value", maintain_order=True).agg(pl.col("len").sum())
    made: Iterator[tuple[Note, ...]]
    if charts.height == runs.height:
        made = (tuple(notes) for _, notes in groupby(corpus.iter_notes(), lambda n: n.chart_id))
    else:
        at_once = max(_FEWEST_AT_ONCE, min(_MOST_AT_ONCE, int(charts["len"].sum()) // _PASSES))
        batches = charts.group_by((charts["len"].cum_sum() - 1) // at_once, maintain_order=True)
        made = (
            notes
            for _, batch in batches
            for notes in by_chart(corpus.select(charts=batch["value"].to_list()).iter_notes())
        )
    yield from track(made, "predicting", charts.height)


def notes_of(given: Texts, category: str | None) -> Iterator[Note]:
    """The notes one by one; a plain text is a note and a chart of its own."""
    if isinstance(given, Corpus):
        yield from given.iter_notes()
        return
    several = [given] if isinstance(given, str | Note) else given
    for at, one in enumerate(several, 1):
        if isinstance(one, Note):
            yield one
        else:
            yield Note(f"text-{at}", f"text-{at}", category=category, text=one)


def text_of(
    notes: Sequence[Note], config: ChartConfiguration, reads: Categories | None = None
) -> ChartText:
    """The words of a chart's notes, as a configuration asks for them.

    `reads` gives the category that notes without one are read as, once the model is trained.
    """
    read = list((reads or Categories(config.categories)).chosen(notes))
    return read_chart(
        notes[0].chart_id if notes else "",
        read,
        longest=config.most_words(len(read)),
        numbers=config.keep_numbers,
    )


def codes_by_chart(annotations: Iterable[Annotation]) -> dict[str, list[Code]]:
    """The codes that annotations give to each chart, each once, as `Model.predict` takes them."""
    found: dict[str, dict[Code, None]] = {}
    for annotation in annotations:
        found.setdefault(annotation.chart_id, {})[annotation.code] = None
    return {chart_id: list(codes) for chart_id, codes in found.items()}


def by_chart(notes: Iterable[Note]) -> Iterator[tuple[Note, ...]]:
    """The notes of each chart, wherever in the sequence they stand."""
    charts: dict[str, list[Note]] = {}
    for note in notes:
        charts.setdefault(note.chart_id, []).append(note)
    yield from map(tuple, charts.values())
