"""The model `linear`: tf-idf of word n-grams, and a regression of every code on them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy import sparse
from scipy.special import expit

from auscult.core import AuscultError
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
from auscult.models.linear.code_weights import fit_weights
from auscult.models.linear.edited_scores import changed_rows
from auscult.models.linear.features import NgramVocabulary, PlainGrams, stacked
from auscult.models.perturbation import Perturbation

_GRAMS = "grams.json"
_WEIGHTS = "weights.npz"


class LinearConfiguration(ChartConfiguration):
    """Settings of the linear model."""

    max_ngram: int = Field(2, ge=1, le=5, description="Length of the longest n-gram, in words.")
    min_df: int = Field(
        2, ge=1, description="Minimum document frequency of an n-gram, in training charts."
    )
    sections: bool = Field(
        True, description="Use the section heading above a word as part of its feature."
    )
    C: float = Field(10.0, gt=0, description="Inverse of the regularization strength.")
    min_positives: int = Field(
        1,
        ge=1,
        description="Minimum number of training charts with a code for it to get weights; rarer "
        "codes score their base rate.",
    )
    max_sample: int = Field(
        4_000,
        ge=100,
        description="Maximum number of training charts that weights are fitted on at once. Beyond "
        "it, codes are fitted on samples: frequent ones on each part of the charts, rarer ones on "
        "their charts and as many others.",
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
        """Count the n-grams of the training charts, and fit the weights of every code."""
        train, labels = data.train, data.labels
        texts = [one.text for one in train]
        kind = cls.vocabulary_type if config.sections else PlainGrams
        vocabulary = kind.of(texts, longest=config.max_ngram, least=config.min_df)
        table = vocabulary.matrix(texts)
        return cls.fit_table(
            vocabulary, table, [one.codes for one in train], len(labels), config, seed
        )

    @classmethod
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
        weights, bias = fit_weights(
            table, gold, codes, strength=1 / config.C, least=config.min_positives,
            most=config.max_sample, seed=seed,
        )  # fmt: skip
        return cls(vocabulary, weights, bias)

    def logits(self, table: sparse.csr_matrix) -> npt.NDArray[np.float32]:
        """The log-odds of every code for each row of a table of n-grams."""
        found: npt.NDArray[np.float32] = (table @ self._by_gram).toarray() + self._bias
        return found

    def read(
        self, texts: Iterable[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        """Score charts; a word's weight for a code is the sum over the n-grams that cover it."""
        for text in texts:
            known = np.array(self.vocabulary.known(text), np.int64).reshape(-1, 3).T
            at, values = self.vocabulary.row(known[0])
            row = sparse.csr_matrix(
                (values, at, [0, len(at)]), shape=(1, len(self.vocabulary.grams))
            )
            scores: Scores = expit((row @ self._by_gram).toarray()[0] + self._bias).astype(
                np.float32
            )
            asked = evidence_for(text, scores).tolist()
            value_of = values[np.searchsorted(at, known[0])] if asked else values
            evidence = {code: self._evidence(text, known, value_of, code) for code in asked}
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
        self, text: ChartText, known: npt.NDArray[np.int64], value_of: Scores, code: int
    ) -> EvidenceWeights:
        part = slice(self._weights.indptr[code], self._weights.indptr[code + 1])
        having, weights = self._weights.indices[part], self._weights.data[part]
        by_word = np.zeros(len(text), np.float32)
        if len(having):
            near = np.minimum(np.searchsorted(having, known[0]), len(having) - 1)
            for at in np.flatnonzero(having[near] == known[0]).tolist():
                begin, end = known[1:, at]
                by_word[begin:end] += weights[near[at]] * value_of[at] / (end - begin)
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
