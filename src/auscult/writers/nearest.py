"""The writer `nearest`, to be beaten: the text of the training record that is most alike.

It copies whole texts of patients, and its directory has them all.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array

from auscult.core import AuscultError
from auscult.corpus.records import RecordEncoder
from auscult.learning.arrays import stored_arrays
from auscult.writers.contract import Decoding, Examples, Words, WriterConfiguration

_TEXTS, _VECTORS = "texts.json", "vectors.npz"
_AT_ONCE = 500


class Nearest:
    """Likeness is the Jaccard index of the places set; of several the first in training."""

    config_type: ClassVar[type[WriterConfiguration]] = WriterConfiguration

    def __init__(self, vectors: csr_array, texts: list[Words]) -> None:
        self.vectors = vectors
        self.texts = texts

    @classmethod
    def fit(
        cls, train: Examples, dev: Examples, encoder: RecordEncoder, config: Any,
        *, seed: int, directory: Path | None = None,
    ) -> Self:  # fmt: skip
        """Remember everything."""
        return cls(train.vectors, list(train.words))

    def write(self, vectors: csr_array, decoding: Decoding, *, seed: int) -> list[Words]:
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
        """What `save` wrote."""
        try:
            texts = [tuple(words) for words in json.loads((directory / _TEXTS).read_bytes())]
            with stored_arrays(directory / _VECTORS) as kept:
                indices, indptr, shape = kept["indices"], kept["indptr"], tuple(kept["shape"])
        except (OSError, ValueError, LookupError) as error:
            raise AuscultError(f"{directory} lacks texts or vectors; train again.") from error
        ones = np.ones(len(indices), np.float32)
        return cls(csr_array((ones, indices, indptr), shape=shape), texts)
