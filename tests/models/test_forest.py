"""Forests as arrays: what scikit-learn's own trees say, saved and joined."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesClassifier

from auscult.core import AuscultError
from auscult.models.forest import Floats, Forest, Growth

GROWTH = Growth(trees=7, leaf=3, tried=0.5)


def numbers(rows: int, seed: int) -> Floats:
    return np.random.default_rng(seed).normal(size=(rows, 6)).astype(np.float32)


@pytest.fixture(scope="module")
def forest() -> Forest:
    table = numbers(500, 0)
    return Forest.grow(table, table[:, 0] * table[:, 1] > 0, GROWTH, 3)


@given(st.integers(0, 1_000), st.sampled_from([3, 20]))
@settings(max_examples=10, deadline=None)
def test_it_says_what_the_trees_of_scikit_learn_say(seed: int, deepest: int) -> None:
    dice = np.random.default_rng(seed)
    table = numbers(300, seed)
    gold = table[:, 0] + 0.3 * dice.normal(size=300) > 0
    theirs = ExtraTreesClassifier(
        7, max_depth=deepest, min_samples_leaf=3, max_features=0.5, random_state=seed
    ).fit(table, gold)
    ours = Forest.grow(table, gold, replace(GROWTH, deepest=deepest), seed)
    asked = numbers(3_000, seed + 1)
    np.testing.assert_allclose(ours.apply(asked), theirs.predict_proba(asked)[:, 1], atol=1e-5)


def test_of_too_many_rows_a_sample_is_enough() -> None:
    table = numbers(2_000, 0)
    gold = table[:, 0] > 0
    sampled = Forest.grow(table, gold, replace(GROWTH, most=200), 0)
    assert len(sampled.value) < len(Forest.grow(table, gold, GROWTH, 0).value) / 2
    assert np.mean((sampled.apply(table) > 0.5) == gold) > 0.85


def test_sums_of_trees_add_up(forest: Forest) -> None:
    asked = numbers(50, 4)
    parts = forest.sums(asked, slice(3)) + forest.sums(asked, slice(3, None))
    assert np.allclose(parts / GROWTH.trees, forest.apply(asked), atol=1e-6)


def test_saved_it_says_the_same(forest: Forest, tmp_path: Path) -> None:
    forest.save(tmp_path / "forest")
    asked = numbers(100, 1)
    assert np.array_equal(Forest.load(tmp_path / "forest").apply(asked), forest.apply(asked))


def test_forests_together_say_the_mean(forest: Forest) -> None:
    table, asked = numbers(500, 2), numbers(100, 1)
    other = Forest.grow(table, table[:, 2] > 0, GROWTH, 4)
    mean = (forest.apply(asked) + other.apply(asked)) / 2
    assert np.allclose(Forest.together([forest, other]).apply(asked), mean, atol=1e-6)


@pytest.mark.parametrize("is_positive", [False, True])
def test_rows_of_one_kind_teach_that_kind(is_positive: bool) -> None:
    forest = Forest.grow(numbers(20, 0), np.full(20, is_positive), GROWTH, 0)
    assert forest.apply(numbers(3, 1)).tolist() == [float(is_positive)] * 3


def test_no_rows_have_no_answers(forest: Forest) -> None:
    assert len(forest.apply(numbers(0, 0))) == 0


@pytest.mark.parametrize("spoil", [b"", b"{", b"\xff" * 64, None])
def test_a_damaged_file_is_refused(forest: Forest, tmp_path: Path, spoil: bytes | None) -> None:
    file = tmp_path / "forest"
    forest.save(file)
    file.write_bytes(file.read_bytes()[:-8] if spoil is None else spoil)
    with pytest.raises(AuscultError, match="missing or damaged"):
        Forest.load(file)
    with pytest.raises(AuscultError, match="missing or damaged"):
        Forest.load(tmp_path / "nothing")
