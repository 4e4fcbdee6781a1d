"""The set of codes that an annotator gave each chart or note: its combination."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import polars as pl

from auscult.core import Code, OptionError
from auscult.corpus.corpus import Corpus

Coded = Literal["chart", "note"]
"""What has a combination: a chart, with the codes of all its notes and its own, or a note."""


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
    ids = corpus.notes.select(key).unique(maintain_order=True).collect()[key]
    found: dict[str, set[Code]] = {name: set() for name in ids}
    rows = (
        corpus.annotations.filter(pl.col("annotator") == annotator, pl.col(key).is_not_null())
        .select(key, "system", "code")
        .unique()
        .collect()
    )
    for name, system, value in rows.iter_rows():
        if name in found:
            found[name].add(Code(system, value))
    return {name: frozenset(codes) for name, codes in found.items()}


def by_note(corpus: Corpus) -> Corpus:
    """The corpus with each note as a chart of its own, for when it is notes that are coded."""
    on_chart = corpus.all_annotations.filter(pl.col("note_id").is_null()).select(pl.len())
    if number := on_chart.collect().item():
        raise OptionError(
            f"{number:,} annotations are on whole charts, so that it is charts that can be coded, "
            "not notes. Leave out --document note."
        )
    return replace(
        corpus,
        notes=corpus.notes.with_columns(chart_id=pl.col("note_id")),
        all_annotations=corpus.all_annotations.with_columns(chart_id=pl.col("note_id")),
        path=None,
    )
