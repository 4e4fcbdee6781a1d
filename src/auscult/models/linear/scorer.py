"""The model `linear`: tf-idf of word n-grams, and a logistic regression for each code."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy import sparse
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from auscult.core import AuscultError
from auscult.core.progress import track
from auscult.core.threads import one_blas_thread
from auscult.learning.arrays import stored_arrays
from auscult.models.architecture import Resources, TrainingData
from auscult.models.chart_scoring import (
    ChartConfiguration,
    ClassWeight,
    EvidenceRequest,
    EvidenceWeights,
    ScoredChart,
    Scores,
)
from auscult.models.chart_text import ChartText
from auscult.models.linear.edited_scores import changed_rows
from auscult.models.linear.features import NgramVocabulary, PlainGrams, stacked
from auscult.models.perturbation import Perturbation

_GRAMS = "grams.json"
_WEIGHTS = "weights.npz"
_OTHERS = 2_000
"""Minimum number of negative charts for the regression of a code; frequent codes get more."""
_PER_CHART = 20
_KEPT = 2_000
"""Number of weights kept for a code, the largest."""


class LinearConfiguration(ChartConfiguration):
    """Settings of the linear model."""

    max_ngram: int = Field(2, ge=1, le=5, description="Length of the longest n-gram, in words.")
    min_df: int = Field(
        2, ge=1, description="Minimum document frequency of an n-gram, in training charts."
    )
    sections: bool = Field(
        True, description="Use the section heading above a word as part of its feature."
    )
    C: float = Field(100.0, gt=0, description="Inverse of the regularization strength.")
    class_weight: ClassWeight = Field(
        "none", description="Weight classes by inverse frequency (balanced), or all alike (none)."
    )
    min_positives: int = Field(
        3,
        ge=1,
        description="Minimum number of training charts with a code for it to get a classifier; "
        "rarer codes score their base rate.",
    )


class Linear:
    """An n-gram vocabulary, and a weight of each n-gram for each code."""

    config_type: ClassVar[type[ChartConfiguration]] = LinearConfiguration
    evidence_step: ClassVar[float] = 0.05
    joins_words: ClassVar[bool] = True
    folds: ClassVar[int] = 5

    vocabulary_type: ClassVar[type[NgramVocabulary]] = NgramVocabulary

    held_out: Sequence[ScoredChart] = ()

    def __init__(
        self,
        vocabulary: NgramVocabulary,
        weights: sparse.csc_matrix,
        bias: npt.NDArray[np.float32],
    ) -> None:
        self.vocabulary = vocabulary
        self._weights = weights  # (n-grams, codes)
        self._bias = bias
        self._by_gram = weights.tocsr()

    @classmethod
    def fit(
        cls,
        data: TrainingData,
        config: LinearConfiguration,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Train one logistic regression for each code.

        A code is trained on its charts and a sample of the others, so that thousands of codes on
        tens of thousands of charts stay feasible; the bias is corrected for the sampling.
        """
        train, labels = data.train, data.labels
        texts = [one.text for one in train]
        kind = cls.vocabulary_type if config.sections else PlainGrams
        vocabulary = kind.of(texts, longest=config.max_ngram, least=config.min_df)
        table = vocabulary.matrix(texts)
        return cls.fit_table(
            vocabulary, table, [one.codes for one in train], len(labels), config, seed
        )

    @classmethod
    @one_blas_thread()
    def fit_table(
        cls,
        vocabulary: NgramVocabulary,
        table: sparse.csr_matrix,
        gold: Sequence[npt.NDArray[np.int64]],
        codes: int,
        config: LinearConfiguration,
        seed: int,
    ) -> Self:
        """Train on a table of n-grams, with a row for each chart, and the codes of each chart."""
        having: dict[int, list[int]] = {}
        for row, found in enumerate(gold):
            for code in found.tolist():
                having.setdefault(code, []).append(row)
        order = np.random.default_rng(seed).permutation(len(gold))
        columns: list[sparse.csc_matrix] = []
        bias = np.zeros(codes, np.float32)
        for code in track(range(codes), "training a classifier for each code", codes):
            rows = having.get(code, [])
            share = (len(rows) + 0.1) / (len(gold) + 1)
            bias[code] = np.log(share / (1 - share))
            column = np.zeros(len(vocabulary.grams), np.float32)
            if config.min_positives <= len(rows) < len(gold) and len(column):
                column, bias[code] = _fit_code(table, np.array(rows), order, config)
            columns.append(_largest(column))
        return cls(vocabulary, sparse.hstack(columns, format="csc", dtype=np.float32), bias)

    def logits(self, table: sparse.csr_matrix) -> npt.NDArray[np.float32]:
        """The log-odds of every code for each row of a table of n-grams."""
        found: npt.NDArray[np.float32] = (table @ self._by_gram).toarray() + self._bias
        return found

    def read(
        self, texts: Iterable[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        """Score charts; a word's weight for a code is the sum over the n-grams that cover it."""
        for text in texts:
            known = self.vocabulary.known(text)
            at, values = self.vocabulary.row([place for place, _, _ in known])
            row = sparse.csr_matrix(
                (values, at, [0, len(at)]), shape=(1, len(self.vocabulary.grams))
            )
            scores: Scores = expit((row @ self._by_gram).toarray()[0] + self._bias).astype(
                np.float32
            )
            evidence: dict[int, EvidenceWeights] = {}
            value_of = dict(zip(at.tolist(), values.tolist(), strict=True))
            for code in evidence_for(text, scores).tolist():
                evidence[code] = self._evidence(text, known, value_of, code)
            yield ScoredChart(text, scores, evidence)

    def scores_of_edits(
        self,
        text: ChartText,
        perturbed: Sequence[Perturbation],
        code: int,
        config: ChartConfiguration,
    ) -> Scores:
        """The scores after each perturbation, from the n-grams that it changes."""
        rows = changed_rows(self.vocabulary, text, perturbed, config)
        table = stacked(rows, len(self.vocabulary.grams))
        logits = (table @ self._weights[:, [code]].tocsr()).toarray()[:, 0] + self._bias[code]
        scores: Scores = expit(logits).astype(np.float32)
        return scores

    def knows(self, words: Sequence[str]) -> list[bool]:
        """Whether each word is in the vocabulary."""
        return [self.vocabulary.place(word.lower()) is not None for word in words]

    def _evidence(
        self,
        text: ChartText,
        known: list[tuple[int, int, int]],
        value_of: dict[int, float],
        code: int,
    ) -> EvidenceWeights:
        part = slice(self._weights.indptr[code], self._weights.indptr[code + 1])
        weight_of = dict(
            zip(self._weights.indices[part].tolist(), self._weights.data[part].tolist(),
                strict=True)
        )  # fmt: skip
        by_word = np.zeros(len(text), np.float32)
        for place, begin, end in known:
            weight = weight_of.get(place)
            if weight is not None:
                by_word[begin:end] += weight * value_of[place] / (end - begin)
        np.maximum(by_word, 0, out=by_word)
        largest = float(by_word.max(initial=0))
        return EvidenceWeights.words(by_word / largest if largest else by_word)

    def save(self, directory: Path) -> None:
        """Write n-grams as JSON, weights as arrays."""
        held = {"longest": self.vocabulary.longest, "grams": self.vocabulary.grams}
        text = json.dumps(held, ensure_ascii=False, separators=(",", ":"))
        (directory / _GRAMS).write_text(text + "\n", encoding="utf-8")
        np.savez(
            directory / _WEIGHTS,
            data=self._weights.data,
            indices=self._weights.indices,
            indptr=self._weights.indptr,
            bias=self._bias,
            rarity=self.vocabulary.rarity,
        )

    @classmethod
    def load(cls, directory: Path, resources: Resources, config: LinearConfiguration) -> Self:
        """What `save` wrote."""
        labels = resources.labels
        try:
            held = json.loads((directory / _GRAMS).read_text(encoding="utf-8"))
            with stored_arrays(directory / _WEIGHTS) as kept:
                kind = cls.vocabulary_type if config.sections else PlainGrams
                vocabulary = kind(held["grams"], kept["rarity"], held["longest"])
                weights = sparse.csc_matrix(
                    (kept["data"], kept["indices"], kept["indptr"]),
                    shape=(len(vocabulary.grams), len(labels)),
                )
                return cls(vocabulary, weights, kept["bias"])
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise AuscultError(
                f"{directory} does not hold a complete linear model: a file is missing or damaged. "
                "Train it again."
            ) from error


def _fit_code(
    table: sparse.csr_matrix, rows: npt.NDArray[np.int64], order: npt.NDArray[np.int64],
    config: LinearConfiguration,
) -> tuple[npt.NDArray[np.float32], float]:  # fmt: skip
    others = order[~np.isin(order, rows)]
    sampled = others[: max(_OTHERS, _PER_CHART * len(rows))]
    seen = np.concatenate([rows, sampled])
    gold = np.arange(len(seen)) < len(rows)
    part = table[seen]
    model = LogisticRegression(
        C=config.C, class_weight="balanced" if config.class_weight == "balanced" else None,
        solver="liblinear", tol=1e-2, random_state=0,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(part, gold)
    weights = model.coef_[0].astype(np.float32)
    # What the regression took the odds of the code to be, back to what they are among all charts.
    taken = 1.0 if config.class_weight == "balanced" else len(rows) / len(sampled)
    return weights, float(model.intercept_[0] + np.log(len(rows) / len(others) / taken))


def _largest(column: npt.NDArray[np.float32]) -> sparse.csc_matrix:
    at = np.flatnonzero(np.abs(column) > 1e-4)
    if len(at) > _KEPT:
        at = np.sort(at[np.argsort(-np.abs(column[at]), kind="stable")[:_KEPT]])
    return sparse.csc_matrix(
        (column[at], at.astype(np.int32), [0, len(at)]), shape=(len(column), 1)
    )
