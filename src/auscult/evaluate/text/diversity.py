"""How varied texts are: different n-grams, vocabulary, lengths."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from auscult.core import Measure

_NOTHING = "there is no text with that many words"


def diversity(texts: Sequence[Sequence[str]]) -> dict[str, Measure]:
    """Distinct-1 and distinct-2 (Li et al. 2016), words known, and the mean length."""
    found = [_distinct(texts, n) for n in (1, 2)]
    words = len({word for text in texts for word in text})
    found.append(Measure("vocabulary", "Different words in all texts", float(words), n=len(texts)))
    lengths = [len(text) for text in texts]
    mean = float(np.mean(lengths)) if lengths else None
    found.append(
        Measure(
            "length", "Mean number of words in a text", mean, n=len(texts),
            undefined=None if lengths else "there is no text",
        )
    )  # fmt: skip
    return {one.name: one for one in found}


def _distinct(texts: Sequence[Sequence[str]], n: int) -> Measure:
    grams = [tuple(text[at : at + n]) for text in texts for at in range(len(text) - n + 1)]
    said = f"Different {n}-grams / all {n}-grams of all texts"
    value = len(set(grams)) / len(grams) if grams else None
    return Measure(
        f"distinct_{n}", said, value, n=len(texts), undefined=None if grams else _NOTHING
    )
