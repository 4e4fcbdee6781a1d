"""Memorization: do synthetic texts reveal the texts that the generator was trained on?"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array

from auscult.core import Metric
from auscult.core.randomness import shuffled
from auscult.evaluate.text.ngrams import unique_ngrams
from auscult.statistics.bootstrap import Floats, intervals

Text = Sequence[str]
_GRAMS = 2
_RARE = 5
_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Memorization:
    """Metrics of synthetic texts, each beside the same metric of authentic texts."""

    metrics: dict[str, Metric]
    leaked: tuple[int, ...] = ()
    """The indices of the secrets that were generated."""
    distances: Floats = field(default_factory=lambda: np.zeros(0), repr=False)
    held_out_distances: Floats = field(default_factory=lambda: np.zeros(0), repr=False)


def memorization(
    synthetic: Sequence[Text],
    training: Sequence[Text],
    held_out: Sequence[Text] = (),
    *,
    secrets: Sequence[Text] = (),
    times: int = 1000,
    seed: int = 0,
) -> Memorization:
    """Compare synthetic texts, and held-out authentic ones, with the training texts.

    `secrets` are names, identifiers or planted words that must not be generated.
    """
    known = {tuple(text) for text in training}
    halves = _halves(training, seed)
    found = [
        _share("copied", "Synthetic texts identical, word for word, to a training text",
               [tuple(text) in known for text in synthetic], times, seed),
        _share("copied_held_out", "Held-out authentic texts identical to a training text",
               [tuple(text) in known for text in held_out], times, seed),
        _share("copied_between_halves",
               "Texts of one random half of the training texts that are also in the other half",
               [tuple(text) in halves[1] for text in halves[0]], times, seed),
        _share("rare", f"Synthetic texts with a word that fewer than {_RARE} training texts have",
               _with_rare(synthetic, training), times, seed),
    ]  # fmt: skip
    ours, theirs = distances(synthetic, training), distances(held_out, training)
    definition = f"Mean over {{}} of 1 − the largest Jaccard index of 1- to {_GRAMS}-grams with a "
    definition += "training text"
    found += [
        _mean("nearest_distance", definition.format("synthetic texts"), ours, times, seed),
        _mean(
            "nearest_distance_held_out", definition.format("held-out texts"), theirs, times, seed
        ),
    ]
    leaked = tuple(at for at, secret in enumerate(secrets) if _is_in(secret, synthetic))
    if secrets:
        found.append(
            Metric("leaked", "Secrets of which a word occurs in a synthetic text / secrets",
                    len(leaked) / len(secrets), n=len(secrets))
        )  # fmt: skip
    return Memorization({one.name: one for one in found}, leaked, ours, theirs)


def distances(texts: Sequence[Text], training: Sequence[Text]) -> Floats:
    """The distance of each text to the nearest training text, from 0 (the same) to 1."""
    if not len(texts) or not len(training):
        return np.zeros(0)
    places: dict[tuple[str, ...], int] = {}
    known = _grams(training, places)
    asked = _grams(texts, places)
    known.resize((known.shape[0], asked.shape[1]))
    sizes = known.sum(axis=1)
    nearest = []
    for begin in range(0, asked.shape[0], _AT_ONCE):
        some = asked[begin : begin + _AT_ONCE]
        shared = (some @ known.T).toarray()
        union = some.sum(axis=1)[:, None] + sizes[None, :] - shared
        nearest.append((shared / np.maximum(union, 1)).max(axis=1))
    return 1.0 - np.concatenate(nearest)


def _grams(texts: Sequence[Text], places: dict[tuple[str, ...], int]) -> csr_array:
    indices: list[int] = []
    ends = [0]
    for text in texts:
        found = unique_ngrams(text, _GRAMS)
        indices += sorted(places.setdefault(gram, len(places)) for gram in found)
        ends.append(len(indices))
    ones = np.ones(len(indices))
    return csr_array((ones, indices, ends), shape=(len(texts), max(1, len(places))))


def _halves(training: Sequence[Text], seed: int) -> tuple[list[tuple[str, ...]], set[Text]]:
    order = shuffled(range(len(training)), random.Random(seed))
    middle = len(order) // 2
    texts = [tuple(training[at]) for at in order]
    return texts[:middle], set(texts[middle:])


def _with_rare(synthetic: Sequence[Text], training: Sequence[Text]) -> list[bool]:
    counts = Counter(word for text in training for word in set(text))
    return [any(counts[word] < _RARE for word in text) for text in synthetic]


def _is_in(secret: Text, texts: Sequence[Text]) -> bool:
    """Whether any text has a word of a secret that is not just a number."""
    words = {word for word in secret if not word.isdecimal()} or set(secret)
    return any(not words.isdisjoint(text) for text in texts)


def _share(name: str, definition: str, which: Sequence[bool], times: int, seed: int) -> Metric:
    return _mean(name, definition, np.array(which, np.float64), times, seed)


def _mean(name: str, definition: str, values: Floats, times: int, seed: int) -> Metric:
    if not len(values):
        return Metric(name, definition, undefined="there is no such text", n=0)

    def mean(weights: Floats) -> Floats:
        averaged: Floats = (weights @ values / weights.sum(axis=1))[:, None]
        return averaged

    low, high = intervals(mean, len(values), times=times, seed=seed)[0]
    interval = None if np.isnan(low) else (float(low), float(high))
    return Metric(name, definition, float(values.mean()), interval=interval, n=len(values))
