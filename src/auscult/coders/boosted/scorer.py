"""The coder `tfidf-xgboost`: counts of words, tf-idf, boosted trees for each code.

The classifier of Cao et al. 2022, appendix B.2. Evidence is the share of each word in the score
(Lundberg and Lee 2017, exact for trees), so that it points at what the trees went by.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import xgboost as xgb
from pydantic import Field
from scipy import sparse

from auscult.coders.boosted.words import Words
from auscult.coders.contract import Configuration, Pointed, Reading, Scores, Wanted
from auscult.coders.examples import Example
from auscult.coders.labels import LabelSpace
from auscult.coders.linear.changed import changes
from auscult.coders.perturbation import Perturbation, reread
from auscult.coders.sequence import ChartText
from auscult.core import AuscultError
from auscult.core.progress import track
from auscult.learning.arrays import stored_arrays

_WORDS = "words.json"
_NUMBERS = "numbers.npz"
_TREES = "trees-{:05}.ubj"
_AT_ONCE = 256


class BoostedConfiguration(Configuration):
    """How the trees are grown."""

    calibrated: bool = Field(
        False,
        description="Make scores probabilities, by the charts that thresholds are tuned on; by "
        "default they are the trees' own, which is what audits are about.",
    )
    least: int = Field(3, ge=1, description="Training charts a word must be in to be known.")
    rounds: int = Field(200, ge=1, description="Trees a code, unless stopped early.")
    patience: int = Field(
        30,
        ge=1,
        description="Trees without a larger area under the ROC curve on dev before the end.",
    )
    depth: int = Field(3, ge=1, description="Questions from the top of a tree to its end.")
    learning_rate: float = Field(0.1, gt=0, description="How much each tree adds.")
    gamma: float = Field(0.0, ge=0, description="What a question must gain to be asked.")
    ridge: float = Field(1.0, ge=0, description="Shrinks what the leaves say; xgboost's lambda.")
    least_weight: float = Field(1.0, ge=0, description="Of a leaf; xgboost's min_child_weight.")
    positive_weight: float = Field(
        1.0, gt=0, description="What a chart with the code weighs; xgboost's scale_pos_weight."
    )
    charts_share: float = Field(0.8, gt=0, le=1, description="Of the charts, for each tree.")
    words_share: float = Field(0.5, gt=0, le=1, description="Of the words, for each tree.")
    least_charts: int = Field(
        3, ge=1, description="Charts a code must have; rarer codes get no more than their share."
    )
    threads: int = Field(1, ge=1, description="Another number may change the last digits.")


class Boosted:
    """A vocabulary, and trees for each code."""

    config_type: ClassVar[type[Configuration]] = BoostedConfiguration
    evidence_step: ClassVar[float] = 0.05
    joins_words: ClassVar[bool] = True
    folds: ClassVar[int] = 5

    held_out: Sequence[Reading] = ()

    def __init__(
        self,
        vocabulary: Words,
        trees: Mapping[int, xgb.Booster],
        shares: npt.NDArray[np.float32],
    ) -> None:
        self.vocabulary = vocabulary
        self.trees = dict(trees)
        self._shares = shares  # (codes,): of the training charts, for codes without trees
        self._asked = {code: _words_asked(one, vocabulary) for code, one in trees.items()}

    @classmethod
    def fit(
        cls,
        train: Sequence[Example],
        dev: Sequence[Example],
        labels: LabelSpace,
        config: BoostedConfiguration,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Grow the trees of one code after another; dev decides how many, if there is one."""
        vocabulary = Words.of((one.text for one in train), least=config.least)
        table = vocabulary.matrix(one.text for one in train)
        watched = vocabulary.matrix(one.text for one in dev) if dev else None
        counts = np.bincount(
            np.concatenate([np.zeros(0, np.int64), *(one.codes for one in train)]),
            minlength=len(labels),
        )
        trees: dict[int, xgb.Booster] = {}
        for code in track(range(len(labels)), "growing trees", len(labels)):
            if config.least_charts <= counts[code] < len(train) and len(vocabulary.grams):
                seen = (table, _has(train, code))
                held = None if watched is None else (watched, _has(dev, code))
                trees[code] = _grow(seen, held, config, seed)
        return cls(vocabulary, trees, (counts / len(train)).astype(np.float32))

    def read(self, texts: Iterable[ChartText], wanted: Wanted) -> Iterator[Reading]:
        """Score charts; a word's weight for a code is what it adds to the log-odds."""
        source = iter(texts)
        while some := list(islice(source, _AT_ONCE)):
            table = self.vocabulary.matrix(some)
            scores = np.tile(self._shares, (len(some), 1))
            for code, trees in self.trees.items():
                scores[:, code] = trees.inplace_predict(table)
            for row, text in enumerate(some):
                evidence = {
                    code: self._pointed(text, table[row], code)
                    for code in wanted(text, scores[row]).tolist()
                    if code in self.trees
                }
                yield Reading(text, scores[row], evidence)

    def scores_of_edits(
        self, text: ChartText, perturbed: Sequence[Perturbation], code: int, config: Configuration
    ) -> Scores:
        """The scores after each perturbation; only what the trees ask for is handed to them."""
        if code not in self.trees:
            return np.full(len(perturbed), self._shares[code], np.float32)
        counts = self._counts(text)
        every = []
        for one, change in zip(
            perturbed, changes(self.vocabulary, text, perturbed, config), strict=True
        ):
            if change is None:
                change = self._counts(reread(text, one, config))
                change.subtract(counts)
            every.append(change)
        table = self.vocabulary.changed(counts, every, self._asked[code])
        scores: Scores = self.trees[code].inplace_predict(table)
        return scores

    def _counts(self, text: ChartText) -> Counter[int]:
        return Counter(place for place, _, _ in self.vocabulary.known(text))

    def knows(self, words: Sequence[str]) -> list[bool]:
        """Whether each word is in the vocabulary."""
        return [self.vocabulary.place(word.lower()) is not None for word in words]

    def _pointed(self, text: ChartText, row: sparse.csr_matrix, code: int) -> Pointed:
        shares = self.trees[code].predict(xgb.DMatrix(row), pred_contribs=True)[0]
        places = np.array(
            [-1 if (at := self.vocabulary.place(word)) is None else at for word in text.words]
        )
        counts = np.bincount(places[places >= 0], minlength=len(shares))
        # A word that comes five times has a fifth of its share each time. The last is the bias.
        each = np.maximum(shares, 0) / np.maximum(counts, 1)
        by_word = np.where(places >= 0, each[places], 0).astype(np.float32)
        largest = float(by_word.max(initial=0))
        return Pointed.words(by_word / largest if largest else by_word)

    def save(self, directory: Path) -> None:
        """Write words as JSON, numbers as arrays, trees in xgboost's own format."""
        text = json.dumps(self.vocabulary.grams, ensure_ascii=False, separators=(",", ":"))
        (directory / _WORDS).write_text(text + "\n", encoding="utf-8")
        np.savez(directory / _NUMBERS, rarity=self.vocabulary.rarity, shares=self._shares)
        for code, trees in self.trees.items():
            trees.save_model(directory / _TREES.format(code))

    @classmethod
    def load(cls, directory: Path, labels: LabelSpace, config: BoostedConfiguration) -> Self:
        """What `save` wrote."""
        try:
            words = json.loads((directory / _WORDS).read_text(encoding="utf-8"))
            with stored_arrays(directory / _NUMBERS) as held:
                vocabulary, shares = Words(words, held["rarity"], 1), held["shares"]
            trees = {}
            for code in range(len(labels)):
                file = directory / _TREES.format(code)
                if file.exists():
                    trees[code] = xgb.Booster({"nthread": config.threads}, model_file=file)
            return cls(vocabulary, trees, shares)
        except (OSError, ValueError, LookupError, TypeError, xgb.core.XGBoostError) as error:
            raise AuscultError(
                f"{directory} does not hold a whole coder of trees: a file is missing or damaged. "
                "Train it again."
            ) from error


def _grow(
    seen: tuple[sparse.csr_matrix, npt.NDArray[np.bool_]],
    held: tuple[sparse.csr_matrix, npt.NDArray[np.bool_]] | None,
    config: BoostedConfiguration,
    seed: int,
) -> xgb.Booster:
    settings: dict[str, Any] = {
        "objective": "binary:logistic",
        "eval_metric": "auc",
        "tree_method": "hist",
        "max_depth": config.depth,
        "learning_rate": config.learning_rate,
        "gamma": config.gamma,
        "lambda": config.ridge,
        "min_child_weight": config.least_weight,
        "scale_pos_weight": config.positive_weight,
        "subsample": config.charts_share,
        "colsample_bytree": config.words_share,
        "nthread": config.threads,
        "seed": seed,
    }
    watches = held is not None and 0 < held[1].sum() < len(held[1])
    grown = xgb.train(
        settings,
        xgb.DMatrix(seen[0], seen[1]),
        config.rounds,
        evals=[(xgb.DMatrix(held[0], held[1]), "dev")] if held is not None and watches else [],
        early_stopping_rounds=config.patience if watches else None,
        verbose_eval=False,
    )
    best: xgb.Booster = grown[: grown.best_iteration + 1] if watches else grown
    return best


def _has(examples: Sequence[Example], code: int) -> npt.NDArray[np.bool_]:
    return np.array([code in one.codes for one in examples])


def _words_asked(trees: xgb.Booster, vocabulary: Words) -> npt.NDArray[np.bool_]:
    """Which words any of the trees asks for."""
    asked = np.zeros(len(vocabulary.grams), bool)
    for name in trees.get_score(importance_type="weight"):
        asked[int(name.removeprefix("f"))] = True
    return asked
