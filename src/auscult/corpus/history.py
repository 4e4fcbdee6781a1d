"""How a corpus came to be: what was done, with which options, and what each step left out.

It is kept in the manifest and goes along with every corpus that is made of another, so that the
whole way from a collection to a test set is one table, as in Pestian et al. 2007, Table 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from auscult.corpus.combinations import Coded
from auscult.corpus.corpus import Corpus
from auscult.corpus.manifest import Provenance, ProvenanceStep


def recorded(
    corpus: Corpus,
    by: str,
    options: Mapping[str, Any],
    steps: Iterable[tuple[str, int, int]] = (),
) -> Corpus:
    """The corpus with one more thing in its history; steps are (name, removed, left)."""
    listed = tuple(ProvenanceStep(name=name, removed=gone, left=left) for name, gone, left in steps)
    made = Provenance(by=by, options=dict(options), steps=listed)
    return corpus.described(history=(*corpus.manifest.history, made))


COLLECTION = "collection"
"""The name of the step that says how many documents there were."""


@dataclass(frozen=True, slots=True)
class FunnelRow:
    """One row of the way from a collection to a test set."""

    step: str
    by: str
    """The command that did it."""
    document: Coded
    removed: int
    left: int

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "step": self.step,
            "by": self.by,
            "document": self.document,
            "removed": self.removed,
            "left": self.left,
        }


def recorded_collection(corpus: Corpus, by: str, options: Mapping[str, Any]) -> Corpus:
    """The corpus with how many charts it begins with, and notes where those are not as many."""
    counts = corpus.lazy_notes.select(
        pl.col("chart_id").n_unique().alias("chart"), pl.len().alias("note")
    ).collect()
    return recorded_by_unit(
        corpus,
        by,
        options,
        {unit: [(COLLECTION, 0, counts[unit].item())] for unit in counts.columns},
    )


def recorded_by_unit(
    corpus: Corpus,
    by: str,
    options: Mapping[str, Any],
    steps: Mapping[str, Iterable[tuple[str, int, int]]],
) -> Corpus:
    """The corpus with the same steps counted in charts and in notes, once where both are equal."""
    listed = {unit: list(rows) for unit, rows in steps.items()}
    if listed["note"] == listed["chart"]:
        del listed["note"]
    for unit, rows in listed.items():
        corpus = recorded(corpus, by, {**options, "document": unit}, rows)
    return corpus


def funnel(corpus: Corpus) -> list[FunnelRow]:
    """The way from a collection to this corpus, as Table 2 of Pestian et al. 2007 has it.

    How many documents there were is a row of its own only where no row before says it.

    >>> made = recorded(Corpus.of([]), "import", {"document": "chart"}, [("collection", 0, 9)])
    >>> made = recorded(made, "sample", {}, [("collection", 0, 9), ("no code", 2, 7)])
    >>> [(row.by, row.step, row.left) for row in funnel(made)]
    [('import', 'collection', 9), ('sample', 'no code', 7)]
    """
    rows: list[FunnelRow] = []
    last: dict[str, int] = {}
    for made in corpus.manifest.history:
        by_note = "note" in (made.options.get("document"), made.options.get("by"))
        unit: Coded = "note" if by_note else "chart"
        for step in made.steps:
            if step.name == COLLECTION and last.get(unit) == step.left:
                continue
            rows.append(FunnelRow(step.name, made.by, unit, step.removed, step.left))
            last[unit] = step.left
    return rows


def table(corpus: Corpus) -> list[tuple[str, str, int, int]]:
    """All steps that a corpus has behind it: by what, which, how many it left out and left.

    >>> made = recorded(Corpus.of([]), "sample", {}, [("collection", 0, 9), ("no code", 2, 7)])
    >>> table(recorded(made, "split", {"seed": 1}, [("train", 0, 4), ("test", 0, 3)]))[1]
    ('sample', 'no code', 2, 7)
    """
    return [
        (made.by, step.name, step.removed, step.left)
        for made in corpus.manifest.history
        for step in made.steps
    ]
