"""The conditional random field against sums over all taggings, written out."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from auscult.models.entities.tagger.crf import Crf
from auscult.models.entities.tagger.layers import (
    MAY_BEGIN,
    MAY_END,
    MAY_FOLLOW,
    TAGS,
    layers,
    to_ranges,
    to_tags,
)

ALLOWED = (MAY_FOLLOW, MAY_BEGIN, MAY_END)


def made(seed: int, width: int) -> Crf:
    dice = np.random.default_rng(seed)
    never = -1e4
    return Crf(
        dice.normal(size=(width, TAGS)).astype(np.float32),
        np.where(MAY_FOLLOW, dice.normal(size=(TAGS, TAGS)), never).astype(np.float32),
        np.where(MAY_BEGIN, dice.normal(size=TAGS), never).astype(np.float32),
        np.where(MAY_END, dice.normal(size=TAGS), never).astype(np.float32),
    )


def score(crf: Crf, scores: np.ndarray, tags: tuple[int, ...]) -> float:
    total = float(crf.begins[tags[0]] + crf.ends[tags[-1]])
    total += sum(float(scores[at, tag]) for at, tag in enumerate(tags))
    return total + sum(float(crf.follows[a, b]) for a, b in pairwise(tags))


@pytest.mark.parametrize("seed", range(4))
def test_best_tags_and_their_likelihood_are_those_of_all_taggings(seed: int) -> None:
    dice = np.random.default_rng(seed)
    lengths = np.array([2, 4, 1, 3])
    table = sparse.csr_matrix(dice.integers(0, 2, size=(10, 6)).astype(np.float32))
    crf = made(seed, 6)
    tags, sure = crf.tag(table, lengths)
    scores = np.asarray(table @ crf.weights)
    begin = 0
    for length in lengths.tolist():
        part = scores[begin : begin + length]
        every = {t: score(crf, part, t) for t in product(range(TAGS), repeat=length)}
        best = max(every, key=lambda t: every[t])
        assert tuple(tags[begin : begin + length].tolist()) == best
        weights = {t: np.exp(s - every[best]) for t, s in every.items()}
        total = sum(weights.values())
        for at in range(length):
            share = sum(w for t, w in weights.items() if t[at] == best[at]) / total
            assert sure[begin + at] == pytest.approx(share, abs=1e-5)
        begin += length


def test_it_learns_what_the_features_say() -> None:
    dice = np.random.default_rng(0)
    lengths = np.full(80, 6)
    words = dice.integers(0, 5, size=480)
    spans = [(at, at) for at in range(480) if words[at] == 2]
    tags = to_tags(spans, 480)
    table = sparse.csr_matrix(np.eye(5, dtype=np.float32)[words])
    crf = Crf.fit(table, lengths, tags, ALLOWED, c2=0.05, max_iterations=50)
    found, _ = crf.tag(table, lengths)
    assert found.tolist() == tags.tolist()


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 5)), max_size=10))
def test_layers_hold_every_range_once_and_none_touch(pairs: list[tuple[int, int]]) -> None:
    ranges = {(first, first + more) for first, more in pairs}
    found = layers(ranges, 100)
    assert sorted(one for layer in found for one in layer) == sorted(ranges)
    for layer in found:
        assert to_ranges(to_tags(layer, 20).tolist()) == layer
        covered = [at for first, last in layer for at in range(first, last + 1)]
        assert len(covered) == len(set(covered))
