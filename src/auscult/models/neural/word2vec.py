"""Initialization of word embeddings from pretrained vectors, in word2vec's text format.

Vectors are not trained here. gensim does it well, but is LGPL, brings scipy along and gives the
same vectors twice only on one thread; its `save_word2vec_format` writes what is read here, and so
do fastText and the published vectors of clinical text.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import nn

from auscult.core import FormatError
from auscult.learning.word_vocabulary import UNKNOWN, WordVocabulary


@torch.no_grad()
def start_from_vectors(embedding: nn.Embedding, vocabulary: WordVocabulary, file: Path) -> int:
    """Let known words start from the vectors of a file, at the spread the others have.

    The file's first line may be the number of words and of dimensions; every other is a word and
    its numbers. Words of the file that are not known are passed over. Returns how many were found.
    """
    size = embedding.embedding_dim
    found: dict[int, np.ndarray[tuple[int], np.dtype[np.float32]]] = {}
    try:
        with file.open(encoding="utf-8", errors="replace") as lines:
            for row, line in enumerate(lines, 1):
                word, *numbers = line.split()[: size + 2] or [""]
                if row == 1 and len(numbers) == 1:
                    continue
                if len(numbers) != size:
                    raise FormatError(
                        f"expected a word and {size} numbers (the setting `embedding_dim`), got "
                        f"{len(numbers) if len(numbers) < size else f'more than {size}'}",
                        file,
                        row,
                    )
                place = int(vocabulary.places([word])[0])
                if place != UNKNOWN:
                    found[place] = _vector(numbers, file, row)
    except OSError as error:
        raise FormatError("the file of word vectors cannot be read", file) from error
    if found:
        vectors = torch.from_numpy(np.stack(list(found.values())))
        embedding.weight[list(found)] = vectors / vectors.std().clamp_min(1e-6)
    return len(found)


def _vector(
    numbers: list[str], file: Path, row: int
) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    try:
        vector = np.array([float(number) for number in numbers], np.float32)
    except (ValueError, OverflowError) as error:
        raise FormatError("expected numbers after the word", file, row) from error
    if not np.isfinite(vector).all():
        raise FormatError("a number of the vector is not finite", file, row)
    return vector
