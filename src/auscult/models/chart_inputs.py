"""What a model is given, as charts: plain texts, notes or a corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from auscult.core import Annotation, Code, Note
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.models.categories import Categories
from auscult.models.chart_scoring import ChartConfiguration
from auscult.models.chart_text import ChartText, read_chart

Texts = str | Note | Corpus | Iterable[Note | str]


def charts_of(given: Texts, category: str | None) -> Iterator[tuple[Note, ...]]:
    """The notes of each chart. A plain text is a chart of its own, of the given category.

    A corpus is read a batch of charts at a time; notes by themselves are all held, since those of
    a chart may stand anywhere among them.
    """
    if isinstance(given, Corpus):
        bare = given.select(annotators=[])
        for chart in track(bare.charts(), "predicting", len(bare.chart_ids())):
            if chart.notes:
                yield chart.notes
    else:
        yield from by_chart(notes_of(given, category))


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
