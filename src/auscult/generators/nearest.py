"""The generator `nearest`, a baseline: the text of the most similar training record.

It copies whole texts of patients, and its directory contains them all.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array

from auscult.core import AuscultError
from auscult.corpus.records import RecordEncoder
from auscult.generators.contract import GeneratorConfiguration, TextDecoding, TextExamples, Words
from auscult.learning.arrays import stored_arrays

_TEXTS, _VECTORS = "texts.json", "vectors.npz"
_AT_ONCE = 500


class NearestGenerator:
    """Similarity is the Jaccard index of the indices set; of ties, the first in training."""

    config_type: ClassVar[type[GeneratorConfiguration]] = GeneratorConfiguration

    def __init__(self, vectors: csr_array, texts: list[Words]) -> None:
        self.vectors = vectors
        self.texts = texts

    @classmethod
    def fit(
        cls, train: TextExamples, dev: TextExamples, encoder: RecordEncoder, config: Any,
        *, seed: int, directory: Path | None = None,
    ) -> Self:  # fmt: skip
        """Keep all training records and texts."""
        return cls(train.vectors, list(train.words))

    def write(self, vectors: csr_array, decoding: TextDecoding, *, seed: int) -> list[Words]:
        """The text of the nearest record, for each."""
        own = self.vectors.sum(axis=1)
        found: list[Words] = []
        for begin in range(0, vectors.shape[0], _AT_ONCE):
            some = vectors[begin : begin + _AT_ONCE]
            shared = (some @ self.vectors.T).toarray()
            union = own[None, :] + some.sum(axis=1)[:, None] - shared
            nearest = (shared / np.maximum(union, 1)).argmax(axis=1)
            found += [self.texts[at] for at in nearest]
        return found

    def save(self, directory: Path) -> None:
        """Write vectors and texts."""
        (directory / _TEXTS).write_text(json.dumps(self.texts), encoding="utf-8")
        np.savez_compressed(
            directory / _VECTORS,
            indices=self.vectors.indices,
            indptr=self.vectors.indptr,
            shape=np.array(self.vectors.shape),
        )

    @classmethod
    def load(cls, directory: Path, encoder: RecordEncoder, config: Any) -> Self:
        """Read what `save` wrote."""
        try:
            texts = [tuple(words) for words in json.loads((directory / _TEXTS).read_bytes())]
            with stored_arrays(directory / _VECTORS) as kept:
                indices, indptr, shape = kept["indices"], kept["indptr"], tuple(kept["shape"])
        except (OSError, ValueError, LookupError) as error:
            raise AuscultError(
                f"{directory} is incomplete: texts or vectors are missing; train again."
            ) from error
        ones = np.ones(len(indices), np.float32)
        return cls(csr_array((ones, indices, indptr), shape=shape), texts)
