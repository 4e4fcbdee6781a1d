"""The model `tfidf-xgboost`: tf-idf of words, and gradient-boosted trees for each code.

The classifier of Cao et al. 2022, appendix B.2. Evidence is the SHAP value of each word (Lundberg
and Lee 2017, exact for trees).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import xgboost as xgb
from pydantic import Field
from scipy import sparse

from auscult.core import AuscultError
from auscult.core.progress import track
from auscult.learning.arrays import stored_arrays
from auscult.models.architecture import Resources, TrainingData
from auscult.models.chart_scoring import (
    ChartConfiguration,
    EvidenceRequest,
    EvidenceWeights,
    ScoredChart,
    Scores,
)
from auscult.models.chart_text import ChartText
from auscult.models.examples import Example
from auscult.models.linear.edited_scores import changes
from auscult.models.perturbation import Perturbation, reread
from auscult.models.tfidf_xgboost.code_samples import CodeSamples, label_rows, rows_table
from auscult.models.tfidf_xgboost.word_counts import WordCounter

_WORDS = "words.json"
_NUMBERS = "numbers.npz"
_TREES = "trees.npz"
_AT_ONCE = 256
_FEW, _SAMPLE = 100, 4_000
"""Number of codes up to which trees are grown on all charts; and on how many they are with more."""
Rows = npt.NDArray[np.int64]
"""The charts that have a code, as rows."""


class TfidfXgboostConfiguration(ChartConfiguration):
    """Settings of the model."""

    calibrate: bool = Field(
        False,
        description="Calibrate scores to probabilities on the charts that thresholds are tuned on; "
        "off by default, so that audits see the scores of the trees.",
    )
    min_df: int = Field(
        3, ge=1, description="Minimum document frequency of a word, in training charts."
    )
    n_estimators: int = Field(200, ge=1, description="Maximum number of trees for each code.")
    early_stopping_rounds: int = Field(
        30,
        ge=1,
        description="Trees without improvement of the AUROC on dev before training stops.",
    )
    max_depth: int = Field(3, ge=1, description="Maximum depth of a tree.")
    learning_rate: float = Field(
        0.1, gt=0, description="Learning rate: the weight of each new tree."
    )
    gamma: float = Field(0.0, ge=0, description="Minimum loss reduction required to split a leaf.")
    reg_lambda: float = Field(1.0, ge=0, description="L2 regularization of the leaf weights.")
    min_child_weight: float = Field(
        1.0, ge=0, description="Minimum sum of instance weights in a child node."
    )
    scale_pos_weight: float = Field(
        1.0, gt=0, description="Weight of the charts that have the code."
    )
    subsample: float = Field(
        0.8, gt=0, le=1, description="Fraction of the charts sampled for each tree."
    )
    colsample_bytree: float = Field(
        0.5, gt=0, le=1, description="Fraction of the words sampled for each tree."
    )
    max_bin: int = Field(
        256,
        ge=2,
        description="Maximum number of bins for a word's weights; training time grows with it.",
    )
    min_positives: int = Field(
        3,
        ge=1,
        description="Minimum number of training charts with a code for it to get a classifier; "
        "rarer codes score their base rate.",
    )
    max_sample: int | None = Field(
        None,
        ge=100,
        description="Maximum number of training charts for the trees of a code. If there are more, "
        "the trees are trained on a sample, weighted to represent all charts; at most half of it "
        "has the code. Default: all charts for up to 100 codes, 4,000 for more.",
    )
    threads: int = Field(
        1, ge=1, description="Number of CPU threads; another number may change the last digits."
    )


class TfidfXgboost:
    """A vocabulary, and trees for each code."""

    config_type: ClassVar[type[ChartConfiguration]] = TfidfXgboostConfiguration
    evidence_step: ClassVar[float] = 0.05
    joins_words: ClassVar[bool] = True
    folds: ClassVar[int] = 5

    held_out: Sequence[ScoredChart] = ()

    def __init__(
        self,
        vocabulary: WordCounter,
        trees: Mapping[int, xgb.Booster],
        shares: npt.NDArray[np.float32],
    ) -> None:
        self.vocabulary = vocabulary
        self.trees = dict(trees)
        self._shares = shares  # (codes,): of the training charts, for codes without trees
        self._asked: dict[int, npt.NDArray[np.bool_]] = {}

    @classmethod
    def fit(
        cls,
        data: TrainingData,
        config: TfidfXgboostConfiguration,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Train the trees of each code; dev decides their number, if there is one."""
        train, dev, labels = data.train, data.dev, data.labels
        vocabulary = WordCounter.of((one.text for one in train), least=config.min_df)
        having, held = _by_code(train, len(labels)), _by_code(dev, len(labels))
        counts = np.array([len(rows) for rows in having])
        enough = (counts >= config.min_positives) & (counts < len(train))
        grown = np.flatnonzero(enough).tolist() if vocabulary.grams else []
        trees: dict[int, xgb.Booster] = {}
        if grown:
            seen, kept = (vocabulary.matrix(one.text for one in part) for part in (train, dev))
            most = config.max_sample or (len(train) if len(grown) <= _FEW else _SAMPLE)
            samples = CodeSamples(seen, most, config.threads, seed)
            watched = rows_table(kept, config.threads) if dev else None
        for code in track(grown, "growing trees", len(grown)):
            stops_at = watched if 0 < len(held[code]) < len(dev) else None
            if stops_at is not None:
                label_rows(stops_at, held[code])
            trees[code] = _grow(samples.of(code, having[code]), stops_at, config, seed)
        return cls(vocabulary, trees, (counts / len(train)).astype(np.float32))

    def read(
        self, texts: Iterable[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        """Score charts; a word's weight for a code is what it adds to the log-odds."""
        source = iter(texts)
        while some := list(islice(source, _AT_ONCE)):
            table = self.vocabulary.matrix(some)
            scores = np.tile(self._shares, (len(some), 1))
            rows = xgb.DMatrix(table, nthread=1) if self.trees else None  # for all codes
            for code, trees in self.trees.items():
                scores[:, code] = trees.predict(rows)
            for row, text in enumerate(some):
                evidence = {
                    code: self._evidence(text, table[row], code)
                    for code in evidence_for(text, scores[row]).tolist()
                    if code in self.trees
                }
                yield ScoredChart(text, scores[row], evidence)

    def scores_of_edits(
        self,
        text: ChartText,
        perturbed: Sequence[Perturbation],
        code: int,
        config: ChartConfiguration,
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
        if code not in self._asked:
            self._asked[code] = _words_asked(self.trees[code], self.vocabulary)
        table = self.vocabulary.changed(counts, every, self._asked[code])
        scores: Scores = self.trees[code].inplace_predict(table)
        return scores

    def _counts(self, text: ChartText) -> Counter[int]:
        return Counter(place for place, _, _ in self.vocabulary.known(text))

    def knows(self, words: Sequence[str]) -> list[bool]:
        """Whether each word is in the vocabulary."""
        return [self.vocabulary.place(word.lower()) is not None for word in words]

    def _evidence(self, text: ChartText, row: sparse.csr_matrix, code: int) -> EvidenceWeights:
        shares = self.trees[code].predict(xgb.DMatrix(row), pred_contribs=True)[0]
        places = np.array(
            [-1 if (at := self.vocabulary.place(word)) is None else at for word in text.words]
        )
        counts = np.bincount(places[places >= 0], minlength=len(shares))
        # A word that comes five times has a fifth of its share each time. The last is the bias.
        each = np.maximum(shares, 0) / np.maximum(counts, 1)
        by_word = np.where(places >= 0, each[places], 0).astype(np.float32)
        largest = float(by_word.max(initial=0))
        return EvidenceWeights.words(by_word / largest if largest else by_word)

    def save(self, directory: Path) -> None:
        """Write words as JSON, numbers as arrays, and all trees, each code's in xgboost's UBJ."""
        text = json.dumps(self.vocabulary.grams, ensure_ascii=False, separators=(",", ":"))
        (directory / _WORDS).write_text(text + "\n", encoding="utf-8")
        np.savez(directory / _NUMBERS, rarity=self.vocabulary.rarity, shares=self._shares)
        raw = [bytes(trees.save_raw("ubj")) for trees in self.trees.values()]
        np.savez(
            directory / _TREES,
            codes=np.array(list(self.trees), np.int64),
            ends=np.cumsum([len(one) for one in raw], dtype=np.int64),
            trees=np.frombuffer(b"".join(raw), np.uint8),
        )

    @classmethod
    def load(cls, directory: Path, resources: Resources, config: TfidfXgboostConfiguration) -> Self:
        """What `save` wrote."""
        try:
            words = json.loads((directory / _WORDS).read_text(encoding="utf-8"))
            with stored_arrays(directory / _NUMBERS) as held:
                vocabulary, shares = WordCounter(words, held["rarity"], 1), held["shares"]
            with stored_arrays(directory / _TREES) as held:
                codes, ends, raw = held["codes"].tolist(), held["ends"].tolist(), held["trees"]
            settings = {"nthread": config.threads}
            trees = {
                code: xgb.Booster(settings, model_file=bytearray(raw[begin:end].tobytes()))
                for code, (begin, end) in zip(codes, pairwise([0, *ends]), strict=True)
            }
            return cls(vocabulary, trees, shares)
        except (OSError, ValueError, LookupError, TypeError, xgb.core.XGBoostError) as error:
            raise AuscultError(
                f"{directory} does not hold a complete tf-idf + XGBoost model: a file is "
                "missing or damaged. Train it again."
            ) from error


def _by_code(examples: Sequence[Example], codes: int) -> list[Rows]:
    """The rows of the charts that have each code."""
    every = [one.codes for one in examples]
    code_of = np.concatenate([np.zeros(0, np.int64), *every])
    row_of = np.repeat(np.arange(len(every)), [len(one) for one in every])
    order = np.argsort(code_of, kind="stable")
    edges = np.searchsorted(code_of[order], np.arange(1, codes))
    return np.split(row_of[order], edges)


def _grow(
    table: xgb.DMatrix, watched: xgb.DMatrix | None, config: TfidfXgboostConfiguration, seed: int
) -> xgb.Booster:
    settings: dict[str, Any] = {
        "objective": "binary:logistic",
        "eval_metric": "auc",
        "tree_method": "hist",
        "max_depth": config.max_depth,
        "learning_rate": config.learning_rate,
        "gamma": config.gamma,
        "lambda": config.reg_lambda,
        "min_child_weight": config.min_child_weight,
        "scale_pos_weight": config.scale_pos_weight,
        "max_bin": config.max_bin,
        "subsample": config.subsample,
        "colsample_bytree": config.colsample_bytree,
        "nthread": config.threads,
        "seed": seed,
    }
    grown = xgb.train(
        settings,
        table,
        config.n_estimators,
        evals=[] if watched is None else [(watched, "dev")],
        early_stopping_rounds=None if watched is None else config.early_stopping_rounds,
        verbose_eval=False,
    )
    best: xgb.Booster = grown if watched is None else grown[: grown.best_iteration + 1]
    return best


def _words_asked(trees: xgb.Booster, vocabulary: WordCounter) -> npt.NDArray[np.bool_]:
    """Which words any of the trees asks for."""
    asked = np.zeros(len(vocabulary.grams), bool)
    for name in trees.get_score(importance_type="weight"):
        asked[int(name.removeprefix("f"))] = True
    return asked
