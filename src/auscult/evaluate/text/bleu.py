"""Standard BLEU of a corpus, through sacrebleu, in a form that can be resampled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from auscult.statistics.bootstrap import Floats

MISSING = "it needs sacrebleu: pip install 'auscult[text]'"
_ORDERS = 4


def bleu_counts(references: Sequence[str], candidates: Sequence[str]) -> Floats | None:
    """Of each pair its n-gram hits, n-grams, length and reference length; None without sacrebleu.

    Texts are words with blanks between them, and are not tokenized again.
    """
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ModuleNotFoundError:
        return None
    metric = BLEU(tokenize="none", effective_order=True)
    rows = []
    for reference, candidate in zip(references, candidates, strict=True):
        found = metric.sentence_score(candidate, [reference])
        rows.append([*found.counts, *found.totals, found.sys_len, found.ref_len])
    return np.array(rows, np.float64).reshape(-1, 2 * _ORDERS + 2)


def bleu(weights: Floats, counts: Floats, *, smooth_method: str = "exp") -> Floats:
    """BLEU, between 0 and 1, for weights (draws × pairs): (draws,); NaN for empty texts.

    `smooth_method` is that of sacrebleu.
    """
    from sacrebleu.metrics.bleu import BLEU

    compute: Any = BLEU.compute_bleu
    found = []
    for summed in (weights @ counts).round().astype(int).tolist():
        hits, grams = summed[:_ORDERS], summed[_ORDERS : 2 * _ORDERS]
        produced, expected = summed[-2:]
        if not produced:
            found.append(np.nan)
            continue
        one = compute(hits, grams, produced, expected, smooth_method=smooth_method)
        found.append(one.score / 100)
    return np.array(found)
