"""Learning curves: the same model, trained on growing parts of the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from auscult.corpus import Corpus
from auscult.models.model import Model
from auscult.models.training import done, train


def learning_curve(
    corpus: Corpus, out: Path, kind: str, config: Mapping[str, Any] | None = None,
    *, fractions: Sequence[float], overwrite: bool = False, **chosen: Any,
) -> Iterator[tuple[float, Model]]:  # fmt: skip
    """Train with growing fractions of the evidence, to `out`/fraction-F (MDACE, Table 7).

    The charts of a smaller fraction are a subset of those of a larger one. A model that exists
    already is not trained again.
    """
    for fraction in fractions:
        place = out / f"fraction-{fraction:g}"
        less = {**(config or {}), "evidence_fraction": fraction}
        if place.exists() and not overwrite:
            yield fraction, done(place, corpus, kind, less, **chosen)
        else:
            yield fraction, train(corpus, place, kind, less, overwrite=overwrite, **chosen)
