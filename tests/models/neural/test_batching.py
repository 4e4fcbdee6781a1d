"""Batches: every chart once an epoch, alike in length, in an order that only the seed decides."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.models.neural.conftest import make_chart

from auscult.learning.batch_order import order
from auscult.learning.word_vocabulary import UNKNOWN, WordVocabulary
from auscult.models.examples import Example
from auscult.models.neural.batching import EncodedChart, collate, item

LENGTHS = st.lists(st.integers(1, 5_000), min_size=1, max_size=300)


@given(LENGTHS, st.integers(1, 9), st.integers(0, 5), st.integers(0, 5))
def test_every_item_is_in_one_batch(lengths: list[int], size: int, seed: int, epoch: int) -> None:
    batches = order(lengths, size, seed=seed, epoch=epoch)
    assert sorted(at for batch in batches for at in batch) == list(range(len(lengths)))
    assert max(map(len, batches)) <= size
    assert batches == order(lengths, size, seed=seed, epoch=epoch)


def test_the_order_changes_with_the_epoch_and_with_the_seed() -> None:
    lengths = list(range(1, 200))
    first = order(lengths, 4, seed=0, epoch=0)
    assert first != order(lengths, 4, seed=0, epoch=1)
    assert first != order(lengths, 4, seed=1, epoch=0)


def test_little_is_padded_and_short_charts_do_not_all_come_first() -> None:
    lengths = np.random.default_rng(0).lognormal(7, 0.6, 2_000).astype(int).tolist()
    batches = order(lengths, 8, seed=0, epoch=0)
    padded = sum(len(batch) * max(lengths[at] for at in batch) for batch in batches)
    assert padded < 1.1 * sum(lengths)
    half = [lengths[at] for batch in batches[: len(batches) // 2] for at in batch]
    assert 0.8 < np.mean(half) / np.mean(lengths) < 1.2


def test_a_batch_has_the_words_codes_and_evidence_of_its_charts() -> None:
    short = EncodedChart(np.array([5, 6]), np.array([1]), ((1, np.array([0])),))
    long = EncodedChart(
        np.array([7, 8, 9]), np.array([0, 2]), ((0, np.array([1, 2])), (2, np.array([0])))
    )
    batch = collate([short, long], 4)
    assert batch.words.tolist() == [[5, 6, 0], [7, 8, 9]]
    assert batch.mask.tolist() == [[True, True, False], [True, True, True]]
    assert batch.gold.tolist() == [[0, 1, 0, 0], [1, 0, 1, 0]]
    assert list(zip(batch.rows.tolist(), batch.codes.tolist(), strict=True)) == [
        (0, 1), (1, 0), (1, 2),
    ]  # fmt: skip
    assert batch.evidence.int().tolist() == [[1, 0, 0], [0, 1, 1], [1, 0, 0]]


def test_evidence_that_was_cut_off_is_no_evidence_and_overlapping_ranges_count_once() -> None:
    made = make_chart("c", ["a", "b", "c", "d"], [0, 1])
    pointed = {0: np.zeros((0, 2), np.int32), 1: np.array([[0, 2], [1, 3]], np.int32)}
    one = item(Example(made.text, made.codes, pointed), WordVocabulary(("a", "b")))
    assert [(code, words.tolist()) for code, words in one.evidence] == [(1, [0, 1, 2])]
    assert one.words.tolist() == [2, 3, UNKNOWN, UNKNOWN]


def test_known_words_are_those_of_enough_charts_however_often_one_chart_says_them() -> None:
    texts = [make_chart(str(at), ["rash", *extra]).text.words
             for at, extra in enumerate((["gout"] * 5, ["gout"], ["cough"]))]  # fmt: skip
    assert WordVocabulary.of(texts, least=3).words == ("rash",)
    assert WordVocabulary.of(texts, least=2).words == ("gout", "rash")
