"""Evaluation of synthetic texts against the authentic texts of the same records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from auscult.core import Metric, OptionError
from auscult.core.results import MetricRow, Result
from auscult.evaluate.text.bleu import MISSING, bleu, bleu_counts
from auscult.evaluate.text.cider import Rarity, cider
from auscult.evaluate.text.diversity import diversity
from auscult.evaluate.text.ngrams import overlap
from auscult.evaluate.text.vectors import WordVectors
from auscult.statistics.bootstrap import Floats, intervals, point

Text = Sequence[str]
_DEFINITIONS = {
    "ngram_sensitivity": "Mean over pairs of the share of the authentic text's unique 1- to "
    "n-grams that the synthetic text has; n ≤ 4 and ≤ either's length",
    "ngram_ppv": "Mean over pairs of the share of the synthetic text's unique 1- to n-grams that "
    "the authentic text has; n ≤ 4 and ≤ either's length",
    "cider": "Mean over pairs of the mean over n of the tf-idf cosine of n-grams; n ≤ 4 and ≤ "
    "either's length, a zero vector counts as 0",
    "embedding_similarity": "Mean over pairs of the cosine of mean word vectors; a text without a "
    "known word counts as 0",
}
_BLEU = "BLEU-4 of the corpus, one reference each, by sacrebleu without tokenizing"


@dataclass(frozen=True, slots=True, repr=False)
class TextResult(Result):
    """Metrics of pairs, and the value of each pair. `zeros` counts pairs that were undefined."""

    metrics: dict[str, Metric]
    diversity: dict[str, dict[str, Metric]]
    by_pair: dict[str, Floats] = field(repr=False)
    zeros: dict[str, int]

    def metric_rows(self) -> Iterator[MetricRow]:
        """The metrics of pairs; then the diversity of each side."""
        for metric in self.metrics.values():
            yield {}, metric
        for side, found in self.diversity.items():
            for metric in found.values():
                yield {"side": side}, metric

    def headline(self) -> str:
        """How many pairs of texts."""
        pairs = max(map(len, self.by_pair.values()), default=0)
        return f"{pairs:,} pairs of texts"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            **{name: one.to_dict() for name, one in self.metrics.items()},
            "diversity": {
                side: {name: one.to_dict() for name, one in found.items()}
                for side, found in self.diversity.items()
            },
            "undefined_pairs": self.zeros,
        }


def evaluate_texts(
    authentic: Sequence[Text],
    synthetic: Sequence[Text],
    *,
    vectors: WordVectors | None = None,
    times: int = 1000,
    seed: int = 0,
) -> TextResult:
    """Compare text i of both sides, as words, for every i.

    `vectors` are trained on authentic training texts, or else on the authentic texts here. The
    document frequency of n-grams is that in the authentic texts here. Intervals resample pairs.
    """
    if len(authentic) != len(synthetic) or not authentic:
        raise OptionError(
            f"Texts are compared pair by pair; got {len(authentic):,} authentic and "
            f"{len(synthetic):,} synthetic ones."
        )
    by_pair, zeros = _by_pair(authentic, synthetic, vectors or WordVectors.fit(authentic))
    names = list(by_pair)
    values = np.stack([by_pair[name] for name in names], axis=1)  # (pairs, measures)
    joined = [[" ".join(text) for text in side] for side in (authentic, synthetic)]
    counts = bleu_counts(*joined)

    def statistic(weights: Floats) -> Floats:
        means: Floats = weights @ values / weights.sum(axis=1)[:, None]
        if counts is None:
            return means
        return np.concatenate([means, bleu(weights, counts)[:, None]], axis=1)

    exact = point(statistic, len(authentic))
    edges = intervals(statistic, len(authentic), times=times, seed=seed)
    metrics = {
        name: _metric(name, _DEFINITIONS[name], exact[at], edges[at], len(authentic))
        for at, name in enumerate(names)
    }
    if counts is None:
        metrics["bleu"] = Metric("bleu", _BLEU, undefined=MISSING, n=len(authentic))
    else:
        metrics["bleu"] = _metric("bleu", _BLEU, exact[-1], edges[-1], len(authentic))
    varied = {"authentic": diversity(authentic), "synthetic": diversity(synthetic)}
    return TextResult(metrics, varied, by_pair, zeros)


def _by_pair(
    authentic: Sequence[Text], synthetic: Sequence[Text], vectors: WordVectors
) -> tuple[dict[str, Floats], dict[str, int]]:
    rarity = Rarity.of(authentic)
    shared = [overlap(one, other) for one, other in zip(authentic, synthetic, strict=True)]
    alike = [cider(one, other, rarity) for one, other in zip(authentic, synthetic, strict=True)]
    near = [vectors.similarity(one, other) for one, other in zip(authentic, synthetic, strict=True)]
    found = {
        "ngram_sensitivity": np.array([one.sensitivity for one in shared]),
        "ngram_ppv": np.array([one.ppv for one in shared]),
        "cider": np.array([one or 0.0 for one in alike]),
        "embedding_similarity": np.array([one or 0.0 for one in near]),
    }
    empty = sum(not one.reference or not one.candidate for one in shared)
    zeros = {"ngrams": empty, "cider": alike.count(None), "embedding_similarity": near.count(None)}
    return found, zeros


def _metric(name: str, definition: str, value: float, edges: Floats, pairs: int) -> Metric:
    if np.isnan(value):
        return Metric(name, definition, undefined="no synthetic text has a word", n=pairs)
    low, high = (float(edge) for edge in edges)
    interval = None if np.isnan(low) else (low, high)
    return Metric(name, definition, float(value), interval=interval, n=pairs)
