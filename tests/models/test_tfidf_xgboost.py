"""The model `tfidf-xgboost`: one quantized table for all codes, one file for all trees."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import xgboost as xgb
from scipy import sparse

from auscult.core import AuscultError
from auscult.corpus.corpus import Corpus
from auscult.models.architecture import Resources, TrainingData
from auscult.models.examples import Example, codes_of
from auscult.models.fitting import training_examples
from auscult.models.label_space import LabelSpace
from auscult.models.tfidf_xgboost import TfidfXgboost, TfidfXgboostConfiguration
from auscult.models.tfidf_xgboost.code_samples import CodeSamples

Toy = Callable[..., Corpus]
CONFIG = TfidfXgboostConfiguration(min_df=1, n_estimators=40, early_stopping_rounds=5)


@pytest.fixture(scope="module")
def data(toy: Toy) -> TrainingData:
    """Charts with four codes, a fifth of them dev."""
    charts = list(toy(100).charts())
    labels = LabelSpace.of((codes_of(one.annotations) for one in charts), minimum=1)
    made = training_examples(charts, labels, CONFIG)
    return TrainingData(made[:80], made[80:], labels)


def scores(model: TfidfXgboost, examples: Sequence[Example]) -> np.ndarray:
    """The scores of all charts."""
    texts = (one.text for one in examples)
    return np.stack([one.scores for one in model.read(texts, lambda _text, _scores: np.array([]))])


def test_every_code_has_the_trees_that_it_has_alone(data: TrainingData) -> None:
    made = TfidfXgboost.fit(data, CONFIG, seed=3)
    found = scores(made, data.dev)
    settings = {
        "objective": "binary:logistic", "eval_metric": "auc", "tree_method": "hist",
        "max_depth": 3, "learning_rate": 0.1, "subsample": 0.8, "colsample_bytree": 0.5,
        "nthread": 1, "seed": 3,
    }  # fmt: skip
    rows = [made.vocabulary.matrix(one.text for one in part) for part in (data.train, data.dev)]
    for code in range(len(data.labels)):
        tables = [
            xgb.DMatrix(table, np.array([code in one.codes for one in part]))
            for table, part in zip(rows, (data.train, data.dev), strict=True)
        ]
        alone = xgb.train(
            settings, tables[0], 40, evals=[(tables[1], "dev")], early_stopping_rounds=5,
            verbose_eval=False,
        )  # fmt: skip
        alone = alone[: alone.best_iteration + 1]
        assert (found[:, code] == alone.inplace_predict(rows[1])).all()
        assert made.trees[code].num_boosted_rounds() == alone.num_boosted_rounds()


def test_all_trees_are_in_one_file_and_come_back(data: TrainingData, tmp_path: Path) -> None:
    made = TfidfXgboost.fit(data, CONFIG, seed=0)
    made.save(tmp_path)
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "numbers.npz", "trees.npz", "words.json",
    ]  # fmt: skip
    again = TfidfXgboost.load(tmp_path, Resources(data.labels, None), CONFIG)
    assert (scores(again, data.dev) == scores(made, data.dev)).all()
    with np.load(tmp_path / "trees.npz", allow_pickle=False) as held:
        assert held["codes"].tolist() == list(range(len(data.labels)))
    (tmp_path / "trees.npz").write_bytes((tmp_path / "trees.npz").read_bytes()[:-40])
    with pytest.raises(AuscultError, match="damaged"):
        TfidfXgboost.load(tmp_path, Resources(data.labels, None), CONFIG)


def test_fewer_bins_are_fewer_splits_to_choose_from(data: TrainingData) -> None:
    def splits(bins: int) -> int:
        config = CONFIG.model_copy(update={"max_bin": bins})
        model = TfidfXgboost.fit(data, config, seed=0)
        places = set[tuple[int, float]]()
        for trees in model.trees.values():
            for tree in json.loads(f"[{','.join(trees.get_dump(dump_format='json'))}]"):
                todo = [tree]
                while todo:
                    node = todo.pop()
                    todo += node.get("children", [])
                    if "split" in node:
                        places.add((node["split"], node["split_condition"]))
        return max((sum(one == word for one, _ in places) for word, _ in places), default=0)

    assert splits(2) <= 2 < splits(256)


def test_trees_of_many_charts_are_grown_on_a_sample_that_stands_for_all() -> None:
    dice = np.random.default_rng(0)
    matrix = sparse.csr_matrix(dice.random((1_000, 3)).astype(np.float32))
    rare, frequent = np.arange(7), np.arange(900)
    samples = CodeSamples(matrix, 100, 1, seed=0)
    for having, drawn in ((rare, 7), (frequent, 50)):
        table = samples.of(1, having)
        labels, weights = table.get_label(), table.get_weight()
        assert (table.num_row(), labels.sum()) == (100, drawn)
        assert weights[labels == 1].sum() == pytest.approx(len(having))
        assert weights[labels == 0].sum() == pytest.approx(1_000 - len(having))
        shown = table.get_data().toarray()
        assert (shown[:7] == matrix[:7].toarray()).all() or drawn == 50
        assert len({tuple(row) for row in shown.tolist()}) == 100
    assert samples.of(1, frequent).get_data().toarray().tolist() == shown.tolist()
    assert CodeSamples(matrix, 1_000, 1, seed=0).of(1, rare).num_row() == 1_000


def test_scores_keep_the_share_of_charts_that_have_a_code(data: TrainingData) -> None:
    many = TrainingData(list(data.train) * 5, [], data.labels)
    config = CONFIG.model_copy(update={"max_sample": 100})
    found = scores(TfidfXgboost.fit(many, config, seed=0), data.train)
    counts = np.bincount(np.concatenate([one.codes for one in data.train]))
    assert found.mean(axis=0) == pytest.approx(counts / len(data.train), abs=0.1)
