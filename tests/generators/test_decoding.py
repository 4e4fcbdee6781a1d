"""Decoding against brute force, alone and in batches, and chance against its probabilities."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from torch import Tensor

from auscult.generators.contract import DecodingStrategy, TextDecoding
from auscult.generators.decoding import DecodingTask, State, beam, decode, draw, mark, sample

WORDS, LONGEST = 5, 4
PADDING, END, BEGIN = 0, WORDS, WORDS + 1


class Toy:
    """A network whose next word depends on the record and on the last two words."""

    begin, end = BEGIN, END
    never: tuple[int, ...] = (PADDING, BEGIN)

    def __init__(self, seed: int) -> None:
        dice = torch.Generator().manual_seed(seed)
        size = WORDS + 2
        self.table = 2 * torch.randn(3, size, size, size, generator=dice, dtype=torch.float64)
        self.asked = 0

    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        record, before = state
        self.asked += len(words)
        return self.table[record, before, words].clone(), (record, words)

    def task(self, records: list[int], longest: int = LONGEST) -> DecodingTask:
        kind = torch.tensor(records)
        return DecodingTask(self, (kind, torch.full_like(kind, BEGIN)), longest)

    def likelihood(self, record: int, text: tuple[int, ...], *, is_whole: bool) -> float:
        """The log-probability of a text, by the definition."""
        total, before, last = 0.0, BEGIN, BEGIN
        for at, word in enumerate([*text, END] if is_whole else text):
            total += self.after(record, before, last, is_first=at == 0)[word]
            before, last = last, word
        return total

    @cache  # noqa: B019 - a toy is small and lives as long as its test
    def after(self, record: int, before: int, last: int, *, is_first: bool) -> list[float]:
        """The log-probabilities of the words after two others; a text has at least one word."""
        scores = self.table[record, before, last].clone()
        scores[[PADDING, BEGIN, *([END] if is_first else [])]] = -math.inf
        return scores.log_softmax(0).tolist()


def normed(toy: Toy, record: int, text: tuple[int, ...], longest: int, norm: float) -> float:
    """The log-probability by the length, which counts the end unless the text was cut."""
    is_whole = len(text) < longest
    length: float = (len(text) + is_whole) ** norm
    return toy.likelihood(record, text, is_whole=is_whole) / length


def best_by_force(toy: Toy, record: int, norm: float) -> list[int]:
    """The best of all texts, those that are cut at the longest length included."""
    texts: list[tuple[int, ...]] = [
        text
        for length in range(1, LONGEST + 1)
        for text in itertools.product(range(1, WORDS), repeat=length)
    ]
    best = max(texts, key=lambda text: normed(toy, record, text, LONGEST, norm))
    return list(best)


def best_of_a_beam(toy: Toy, record: int, longest: int, width: int, norm: float) -> list[int]:
    """Beam search that never stops early: the best of all that were ever in the beam."""
    hypotheses: list[tuple[int, ...]] = [()]
    finished: list[tuple[int, ...]] = []
    for length in range(1, longest + 1):
        finished += [text for text in hypotheses if text]
        longer = [(*text, word) for text in hypotheses for word in range(1, WORDS)]
        longer.sort(key=lambda text: -toy.likelihood(record, text, is_whole=False))
        hypotheses = longer[:width]
        assert all(len(text) == length for text in hypotheses)
    finished += hypotheses
    best = max(finished, key=lambda text: normed(toy, record, text, longest, norm))
    return list(best)


@pytest.mark.parametrize("norm", [0.0, 0.5, 1.0, 2.0])
def test_a_wide_beam_finds_the_best_of_all_texts(norm: float) -> None:
    for seed in range(6):
        toy = Toy(seed)
        found = beam(toy.task([0, 1, 2]), width=4**LONGEST, length_penalty=norm)
        assert found == [best_by_force(toy, record, norm) for record in range(3)]


@pytest.mark.parametrize("width", [1, 2, 5])
@pytest.mark.parametrize("norm", [0.0, 0.5, 1.0])
def test_stopping_early_loses_no_text_that_could_still_win(width: int, norm: float) -> None:
    longest = 9
    for seed in range(10):
        toy = Toy(seed)
        found = beam(toy.task([0, 1, 2], longest), width, norm)
        assert found == [best_of_a_beam(toy, record, longest, width, norm) for record in range(3)]


@pytest.mark.parametrize("width", [1, 2, 5])
@pytest.mark.parametrize("norm", [0.0, 0.7, 1.0])
def test_in_a_batch_every_record_gets_the_text_it_gets_alone(width: int, norm: float) -> None:
    for seed in range(10):
        toy = Toy(seed)
        records = [0, 1, 2, 1, 0]
        alone = [beam(toy.task([record], 12), width, norm)[0] for record in records]
        assert beam(toy.task(records, 12), width, norm) == alone


def test_a_wider_beam_is_seldom_worse_and_a_length_norm_makes_texts_longer() -> None:
    narrow, wide, normed, plain = 0.0, 0.0, 0, 0
    for seed in range(20):
        toy = Toy(seed)
        for record in range(3):
            (one,) = beam(toy.task([record], 12), 1, 0.0)
            (five,) = beam(toy.task([record], 12), 5, 0.0)
            narrow += toy.likelihood(record, tuple(one), is_whole=len(one) < 12)
            wide += toy.likelihood(record, tuple(five), is_whole=len(five) < 12)
            plain += len(five)
            normed += len(beam(toy.task([record], 12), 5, 1.0)[0])
    assert wide > narrow
    assert normed > plain


def test_what_has_not_ended_is_kept_and_no_text_is_empty() -> None:
    toy = Toy(0)
    toy.table[..., END] = -1e9
    for text in beam(toy.task([0, 1, 2]), 3, 1.0):
        assert len(text) == LONGEST
    toy.table[..., END] = 1e9
    for way in ("greedy", "beam", "sample"):
        texts = decode(toy.task([0, 1, 2]), TextDecoding(strategy=way), np.full((3, LONGEST), 0.5))
        assert [len(text) for text in texts] == [1, 1, 1]
        assert not {PADDING, BEGIN, END} & {word for text in texts for word in text}


def test_greedy_takes_the_likeliest_word_each_time() -> None:
    toy = Toy(3)
    found = draw(toy.task([0, 1, 2], 8), TextDecoding(strategy="greedy"), torch.zeros(3, 8))
    for record, text in enumerate(found):
        before, last = BEGIN, BEGIN
        for at, word in enumerate(text):
            scores = toy.table[record, before, last].clone()
            scores[[PADDING, BEGIN, *([END] if at == 0 else [])]] = -math.inf
            assert int(scores.argmax()) == word
            before, last = last, word


def test_records_that_are_done_cost_nothing_more() -> None:
    toy = Toy(0)
    toy.table[..., END] = 1e9
    beam(toy.task([0] * 50, 100), 5, 0.0)
    assert toy.asked <= 2 * 50 * 5


def test_chance_follows_the_probabilities_and_their_limits() -> None:
    likely = torch.tensor([[0.5, 0.3, 0.15, 0.05]], dtype=torch.float64).log()
    dice = torch.rand(20_000, generator=torch.Generator().manual_seed(0), dtype=torch.float64)

    def shares(**how: float) -> list[float]:
        drawn = sample(likely.expand(len(dice), -1), TextDecoding(strategy="sample", **how), dice)
        counts = Counter(drawn.tolist())
        return [counts[word] / len(dice) for word in range(4)]

    assert shares() == pytest.approx([0.5, 0.3, 0.15, 0.05], abs=0.015)
    assert shares(top_k=2) == pytest.approx([0.625, 0.375, 0, 0], abs=0.015)
    assert shares(top_p=0.6) == pytest.approx([0.625, 0.375, 0, 0], abs=0.015)
    assert shares(top_p=0.5) == [1.0, 0, 0, 0]
    squared = np.array([0.5, 0.3, 0.15, 0.05]) ** 2
    assert shares(temperature=0.5) == pytest.approx(list(squared / squared.sum()), abs=0.015)


def test_dice_at_the_edges_choose_words_that_there_are() -> None:
    likely = torch.tensor([[0.0, -torch.inf]] * 2, dtype=torch.float64)
    dice = torch.tensor([0.0, 1.0 - 1e-16], dtype=torch.float64)
    assert sample(likely, TextDecoding(strategy="sample"), dice).tolist() == [0, 0]


@pytest.mark.parametrize("way", ["greedy", "beam", "sample"])
@pytest.mark.parametrize("longest", [1, LONGEST, 12])
def test_a_text_that_must_not_be_written_is_not(way: DecodingStrategy, longest: int) -> None:
    for seed in range(20):
        toy = Toy(seed)
        records = [0, 1, 2]
        dice = np.random.default_rng(seed).random((3, longest))
        free = decode(toy.task(records, longest), TextDecoding(strategy=way), dice)
        guarded = torch.tensor([mark(text) for text in free])
        task = replace(toy.task(records, longest), guarded=guarded)
        found = decode(task, TextDecoding(strategy=way), dice)
        assert all(text not in free for text in found)
        assert all(text for text in found)
