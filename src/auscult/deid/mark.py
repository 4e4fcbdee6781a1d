"""Detected PHI as annotations: codes of the system PHI with their spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from auscult.core import Annotation, Span
from auscult.corpus.corpus import Corpus
from auscult.deid.recognizers import Recognizer
from auscult.deid.run import review_items

ANNOTATOR = "deid"
DOUBT = "doubt"
"""The key in `meta` with the reason why a finding is uncertain."""


def marked(
    corpus: Corpus,
    *,
    recognizers: Sequence[Recognizer] | None = None,
    day_first: bool = False,
    annotator: str = ANNOTATOR,
) -> Iterator[Annotation]:
    """An annotation for everything that would be replaced, nobody having decided otherwise."""
    charts = dict(corpus.lazy_notes.select("note_id", "chart_id").collect().iter_rows())
    for item in review_items(corpus, recognizers=recognizers, day_first=day_first, everything=True):
        found = item.found
        if found.hide:
            yield Annotation(
                annotator,
                found.kind.code,
                charts[item.note_id],
                item.note_id,
                (Span(found.begin, found.end),),
                meta={DOUBT: found.doubt} if found.doubt else {},
            )
