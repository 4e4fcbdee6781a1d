"""Diversity of texts: distinct n-grams, vocabulary size, length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from auscult.core import Metric

_NOTHING = "there is no text with that many words"


def diversity(texts: Sequence[Sequence[str]]) -> dict[str, Metric]:
    """Distinct-1 and distinct-2 (Li et al. 2016), vocabulary size, and mean length."""
    found = [_distinct(texts, n) for n in (1, 2)]
    words = len({word for text in texts for word in text})
    found.append(
        Metric("vocabulary", "Number of distinct words in all texts", float(words), n=len(texts))
    )
    lengths = [len(text) for text in texts]
    mean = float(np.mean(lengths)) if lengths else None
    found.append(
        Metric(
            "length", "Mean number of words in a text", mean, n=len(texts),
            undefined=None if lengths else "there is no text",
        )
    )  # fmt: skip
    return {one.name: one for one in found}


def _distinct(texts: Sequence[Sequence[str]], n: int) -> Metric:
    grams = [tuple(text[at : at + n]) for text in texts for at in range(len(text) - n + 1)]
    definition = f"Distinct {n}-grams / all {n}-grams of all texts"
    value = len(set(grams)) / len(grams) if grams else None
    return Metric(
        f"distinct_{n}", definition, value, n=len(texts), undefined=None if grams else _NOTHING
    )
