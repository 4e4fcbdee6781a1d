"""The loss against its formula in plain loops, and the pairs it is taken over."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from auscult.models.semantic.contrastive import multi_similarity, synonym_pairs


def plain(vectors: list[list[float]], groups: list[int], texts: list[int]) -> float:
    """The multi-similarity loss with its mining, from the paper's equations (9) to (13)."""

    def cosine(a: int, b: int) -> float:
        return sum(x * y for x, y in zip(vectors[a], vectors[b], strict=True))

    count, total = len(vectors), 0.0
    for a in range(count):
        others = [b for b in range(count) if texts[b] != texts[a]]
        same = [cosine(a, b) for b in others if groups[b] == groups[a]]
        other = [cosine(a, b) for b in others if groups[b] != groups[a]]
        near = [s for s in same if s - 0.2 < max(other, default=-2.0)]
        far = [s for s in other if s + 0.2 > min(same, default=2.0)]
        total += math.log(1 + sum(math.exp(-2 * (s - 0.5)) for s in near)) / 2
        total += math.log(1 + sum(math.exp(50 * (s - 0.5)) for s in far)) / 50
    return total / count


@pytest.mark.parametrize("seed", range(5))
def test_the_loss_is_that_of_the_paper(seed: int) -> None:
    dice = np.random.default_rng(seed)
    made = dice.normal(size=(9, 3))
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    groups, texts = dice.integers(0, 4, 9), dice.integers(0, 7, 9)
    found = multi_similarity(
        torch.from_numpy(made), torch.from_numpy(groups), torch.from_numpy(texts)
    )
    assert float(found) == pytest.approx(plain(made.tolist(), groups.tolist(), texts.tolist()))


def test_a_string_with_two_meanings_is_not_driven_from_itself() -> None:
    vectors = torch.tensor([[1.0, 0.0], [1.0, 0.0]])
    groups = torch.tensor([0, 1])
    assert float(multi_similarity(vectors, groups, torch.tensor([0, 0]))) == 0
    assert float(multi_similarity(vectors, groups, torch.tensor([0, 1]))) == 0  # no synonym here
    both = torch.cat([vectors, vectors])
    lost = multi_similarity(both, torch.tensor([0, 1, 0, 1]), torch.tensor([0, 1, 2, 3]))
    assert float(lost) > 0.4


def test_pairs_are_short_synonyms_of_one_concept() -> None:
    texts = ["a", "A", "b", "c", "long", "d", "e"]
    concepts = np.array([0, 0, 0, 0, 0, 1, 2])
    sizes = [1, 1, 1, 1, 40, 1, 1]
    found = synonym_pairs(concepts, texts, sizes, most=9, seed=0).tolist()
    words = [{texts[a].casefold(), texts[b].casefold()} for a, b in found]
    assert sorted(map(sorted, words)) == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert len(synonym_pairs(concepts, texts, sizes, most=1, seed=0)) == 1
    again = synonym_pairs(concepts, texts, sizes, most=9, seed=0).tolist()
    assert again == found


@pytest.mark.parametrize("names", [2, 3, 6, 7])
def test_every_name_is_in_a_pair_before_any_is_in_a_second(names: int) -> None:
    texts = [f"name {number}" for number in range(names)]

    def pairs(most: int) -> list[list[int]]:
        found = synonym_pairs(np.zeros(names, np.int64), texts, [1] * names, most, 1)
        return [list(map(int, pair)) for pair in found]

    enough = (names + 1) // 2
    assert {row for pair in pairs(enough) for row in pair} == set(range(names))
    every = pairs(99)
    assert every[:enough] == pairs(enough)
    assert len({frozenset(pair) for pair in every}) == len(every) == (1 if names == 2 else names)
