"""How a corpus came to be: what was done, with which options, and what each step left out.

It is kept in the manifest and goes along with every corpus that is made of another, so that the
whole way from a collection to a test set is one table, as in Pestian et al. 2007, Table 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

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
