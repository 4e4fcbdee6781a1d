"""The combination of codes of each chart or note: all codes that an annotator assigned to it."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import polars as pl

from auscult.core import Code, OptionError
from auscult.corpus.corpus import Corpus

Coded = Literal["chart", "note"]
"""The unit that has a combination of codes: a note, or a chart with the codes of all its notes."""


def combinations(
    corpus: Corpus, annotator: str, unit: Coded = "chart"
) -> dict[str, frozenset[Code]]:
    """The codes of every chart or note that the corpus has, by id; without any, the empty set.

    >>> from auscult.core import Annotation, Note
    >>> cough = Annotation("ann", Code("ICD-9-CM", "786.2"), "c1", "n1")
    >>> combinations(Corpus.of([Note("n1", "c1"), Note("n2", "c2")], [cough]), "ann")["c2"]
    frozenset()
    """
    key = f"{unit}_id"
    ids = corpus.lazy_notes.select(key).unique(maintain_order=True).collect()[key]
    found: dict[str, set[Code]] = {name: set() for name in ids}
    rows = (
        corpus.lazy_annotations.filter(pl.col("annotator") == annotator, pl.col(key).is_not_null())
        .select(key, "system", "code")
        .unique()
        .collect()
    )
    for name, system, value in rows.iter_rows():
        if name in found:
            found[name].add(Code(system, value))
    return {name: frozenset(codes) for name, codes in found.items()}


def by_note(corpus: Corpus) -> Corpus:
    """The corpus with each note as its own chart, for coding single notes."""
    on_chart = corpus.lazy_all_annotations.filter(pl.col("note_id").is_null()).select(pl.len())
    if number := on_chart.collect().item():
        raise OptionError(
            f"{number:,} annotations are on whole charts, so documents must be charts, not "
            "notes. Leave out --document note."
        )
    return replace(
        corpus,
        lazy_notes=corpus.lazy_notes.with_columns(chart_id=pl.col("note_id")),
        lazy_all_annotations=corpus.lazy_all_annotations.with_columns(chart_id=pl.col("note_id")),
        path=None,
    )
