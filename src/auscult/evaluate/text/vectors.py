"""Word vectors trained on the given texts, and the similarity of texts by them.

The vectors factorize the positive pointwise mutual information of words and their contexts, which
word2vec does implicitly (Levy and Goldberg 2014), here deterministically and without a dependency.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from sklearn.utils.extmath import randomized_svd

from auscult.core import AuscultError
from auscult.core.threads import one_blas_thread

_SMOOTHING = 0.75
"""Rare contexts would otherwise have the highest information of all (Levy et al. 2015)."""


@dataclass(frozen=True, slots=True, eq=False)
class WordVectors:
    """A vector for each word that enough texts have."""

    places: Mapping[str, int] = field(repr=False)
    vectors: npt.NDArray[np.float64] = field(repr=False)

    @classmethod
    @one_blas_thread()
    def fit(
        cls, texts: Iterable[Sequence[str]], *, size: int = 100, window: int = 5, least: int = 2
    ) -> WordVectors:
        """Fit to texts, given as words."""
        every = [list(words) for words in texts]
        seen = Counter(word for words in every for word in set(words))
        known = sorted(word for word, count in seen.items() if count >= least)
        places = {word: at for at, word in enumerate(known)}
        if len(known) < 3:
            raise AuscultError(
                f"Only {len(known)} words are in {least} texts or more, too few to train word "
                "vectors. Use more texts."
            )
        informative = _information(_pairs(every, places, window), len(known))
        rank = min(size, len(known) - 1)
        left, strengths, _ = randomized_svd(informative, rank, n_iter=5, random_state=0)
        return cls(places, left * np.sqrt(strengths))

    def text(self, words: Sequence[str]) -> npt.NDArray[np.float64] | None:
        """The mean vector of the words that are known; None when there is none."""
        at = [self.places[word] for word in words if word in self.places]
        return self.vectors[at].mean(axis=0) if at else None

    def similarity(self, one: Sequence[str], other: Sequence[str]) -> float | None:
        """The cosine of two texts' mean vectors; None where one has no known word."""
        left, right = self.text(one), self.text(other)
        if left is None or right is None:
            return None
        lengths = float(np.linalg.norm(left) * np.linalg.norm(right))
        return float(np.clip(left @ right / lengths, -1.0, 1.0)) if lengths else None


def _pairs(texts: Sequence[Sequence[str]], places: Mapping[str, int], window: int
           ) -> Counter[tuple[int, int]]:  # fmt: skip
    """How often each word has each other within a window; symmetric."""
    counts: Counter[tuple[int, int]] = Counter()
    for words in texts:
        known = [places[word] for word in words if word in places]
        for at, word in enumerate(known):
            for near in known[at + 1 : at + 1 + window]:
                counts[word, near] += 1
                counts[near, word] += 1
    return counts


def _information(counts: Counter[tuple[int, int]], words: int) -> csr_array:
    at = np.array(sorted(counts), np.int64).reshape(-1, 2)
    times = np.array([counts[one, other] for one, other in at.tolist()], np.float64)
    by_word = np.bincount(at[:, 0], times, words)
    by_context = np.bincount(at[:, 1], times, words) ** _SMOOTHING
    share = by_context / by_context.sum()
    found = np.log(times / (by_word[at[:, 0]] * share[at[:, 1]]))
    kept = found > 0
    return csr_array((found[kept], (at[kept, 0], at[kept, 1])), shape=(words, words))
