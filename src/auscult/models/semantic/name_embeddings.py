"""The embeddings of a vocabulary's names, in a folder inside the vocabulary.

`auscult vocab embed` makes them. They move with the vocabulary; when it is built again with other
names, they are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, ValidationError

from auscult.codes.vocabulary import Vocabulary
from auscult.core import AuscultError, MissingExtraError, OptionError
from auscult.core.storage import locate
from auscult.models.semantic.vector_index import EXACT, Floats, Halves, VectorIndex, open_index

if TYPE_CHECKING:
    from auscult.models.semantic.name_encoder import NameEncoder

FOLDER, MANIFEST = "embeddings", "embeddings.json"
TERMS, VECTORS = "terms.npy", "vectors.npy"
_ENCODER = ("weights.safetensors", "config.json", "tokenizer.json", "encoder.json")
"""The files of the encoder, named here since the modules that write them are slow to import."""
_REMEMBERED = 100_000
DIGITS = 4
"""Cosines are rounded, so that the size of a batch of queries changes nothing."""


class EmbeddingsManifest(BaseModel):
    """The manifest of the embeddings."""

    model_config = ConfigDict(frozen=True)

    layout: int = 1
    made_by: str
    vocabulary: str
    """The digest of the vocabulary."""
    types: tuple[str, ...] = ()
    encoder: str
    """The encoder, before fine-tuning."""
    settings: dict[str, Any] = {}
    seed: int
    names: int
    width: int
    digest: str
    """SHA-256 of the vectors."""


@dataclass(frozen=True, eq=False)
class NameEmbeddings:
    """The vectors of some names of a vocabulary, and the encoder for further strings.

    `terms` are the vocabulary's numbers of the names, in order.
    """

    vocabulary: Vocabulary = field(repr=False)
    manifest: EmbeddingsManifest
    terms: npt.NDArray[np.int64] = field(repr=False)
    vectors: Halves = field(repr=False)
    directory: Path
    _known: dict[str, Floats] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, vocabulary: Vocabulary, digest: str | None = None) -> NameEmbeddings:
        """The embeddings of a vocabulary; an error if they do not have the given digest."""
        directory = vocabulary.path / FOLDER
        again = _again(vocabulary)
        file = locate(directory, MANIFEST)
        if not file.exists():
            raise OptionError(
                f"The vocabulary {vocabulary.path} has no embeddings. Make them with: {again}"
            )
        try:
            manifest = EmbeddingsManifest.model_validate_json(file.read_bytes())
            terms = np.load(locate(directory, TERMS), allow_pickle=False)
            vectors = np.load(locate(directory, VECTORS), mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError, ValidationError) as error:
            raise _damaged(directory, again) from error
        is_whole = all(locate(directory, name).exists() for name in _ENCODER)
        if vectors.shape != (len(terms), manifest.width) or not is_whole:
            raise _damaged(directory, again)
        if manifest.vocabulary != vocabulary.manifest.digest:
            raise OptionError(
                f"The embeddings in {directory} are of another vocabulary (digest "
                f"{manifest.vocabulary[:12]}…). Make them again: {again} --overwrite"
            )
        if digest is not None and manifest.digest != digest:
            raise OptionError(
                f"The embeddings in {directory} are not those the model was trained with "
                f"(digest {digest[:12]}…). Restore those, or train the model again."
            )
        require_libraries(len(terms))
        return cls(vocabulary, manifest, terms, vectors.view(np.ndarray), directory)

    def embed(self, texts: Sequence[str]) -> Floats:
        """The vectors of strings, (N, D), cached."""
        if not texts:
            return np.zeros((0, self.manifest.width), np.float32)
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            if len(self._known) + len(new) > _REMEMBERED:
                self._known.clear()
                new = list(dict.fromkeys(texts))
            self._known.update(zip(new, self._encoder.embed(new, precision="32"), strict=True))
        return np.stack([self._known[text] for text in texts])

    def nearest(self, text: str, most: int) -> list[tuple[int, float]]:
        """The indices of the terms nearest to a string, and their cosines."""
        rows, cosines = self._index.nearest(self.embed([text]), most)
        terms = self.terms[rows[0]].tolist()
        return list(zip(terms, np.round(cosines[0], DIGITS).tolist(), strict=True))

    def likeness(self, text: str, concepts: Iterable[int]) -> list[tuple[float, float]]:
        """The cosines of a string and of each concept's nearest name and first name.

        0 where the concept has no names.
        """
        offsets = self.vocabulary.arrays["concept_terms"]
        vector = self.embed([text])[0]
        found = []
        for concept in concepts:
            ends = offsets[concept : concept + 2].astype(np.int64)
            begin, end = self.terms.searchsorted(ends).tolist()
            near = self.vectors[begin:end].astype(np.float32) @ vector
            nearest, first = (float(near.max()), float(near[0])) if len(near) else (0.0, 0.0)
            found.append((round(nearest, DIGITS), round(first, DIGITS)))
        return found

    @cached_property
    def _encoder(self) -> NameEncoder:
        from auscult.models.semantic.name_encoder import NameEncoder

        try:
            return NameEncoder.load(self.directory)
        except AuscultError as error:  # which speaks of a model to train again
            raise _damaged(self.directory, _again(self.vocabulary)) from error

    @cached_property
    def _index(self) -> VectorIndex:
        return open_index(self.vectors, self.directory)


def require_libraries(names: int) -> None:
    """Raise an error if the libraries for a number of names are not installed."""
    from importlib.util import find_spec

    needed = ["torch", "transformers", *(["usearch"] if names > EXACT else [])]
    if any(find_spec(name) is None for name in needed):
        raise MissingExtraError("Embeddings of names", "semantic")


def _again(vocabulary: Vocabulary) -> str:
    return f"auscult vocab embed {vocabulary.path}"


def _damaged(directory: Path, again: str) -> AuscultError:
    return AuscultError(
        f"The embeddings in {directory} are incomplete or damaged. Make them again: "
        f"{again} --overwrite"
    )
