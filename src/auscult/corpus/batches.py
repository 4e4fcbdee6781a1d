"""Charts in the order in which they were finished, and suggestions with what became of them.

An export of the workbench with suggestions says both, in `meta`.
"""

from __future__ import annotations

from collections.abc import Collection

import polars as pl

from auscult.core import Annotation, Status
from auscult.corpus.corpus import Corpus
from auscult.corpus.readers import read_charts
from auscult.corpus.schema import load_meta

FINISHED_BY = "finished by "
"""In the `meta` of a note, with a name: when that annotator finished its chart."""
VERDICT_OF = "verdict of "
"""In the `meta` of a suggestion, with a name: whether that annotator accepted or rejected it."""


def finished_charts(corpus: Corpus, annotators: Collection[str]) -> list[str]:
    """The charts that one of the annotators has finished, the first one first.

    A gold standard finishes nothing: its charts are done when the last of their coders is.
    """
    times: dict[str, dict[str, str]] = {}
    told = corpus.lazy_notes.select("chart_id", "meta").filter(pl.col("meta").is_not_null())
    for chart_id, meta in told.collect().iter_rows():
        for key, value in load_meta(meta).items():
            if key.startswith(FINISHED_BY):
                times.setdefault(chart_id, {})[key.removeprefix(FINISHED_BY)] = value
    coders = {name for found in times.values() for name in found}
    own = coders.intersection(annotators)
    read = read_charts(corpus, annotators)
    last: dict[str, str] = {}
    for chart_id, found in times.items():
        counted = [at for name, at in found.items() if name in own or not own]
        if counted and chart_id in read:
            last[chart_id] = max(counted)
    return sorted(last, key=lambda chart_id: (last[chart_id], chart_id))


def is_suggestion(one: Annotation) -> bool:
    """Whether an annotation of an export is a suggestion: with words, and said by nobody."""
    return one.status is Status.RANKED and one.note_id is not None and bool(one.spans)


def verdicts_on(one: Annotation) -> dict[str, str]:
    """Who accepted or rejected a suggestion."""
    return {
        key.removeprefix(VERDICT_OF): said
        for key, said in one.meta.items()
        if key.startswith(VERDICT_OF)
    }
