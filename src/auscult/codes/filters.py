"""Keeping to concepts of some semantic types and terms of some sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.codes.vocabulary import Vocabulary
from auscult.core.names import require_known


class TermFilter:
    """Which terms may be answered with; no types and no sources allow all."""

    def __init__(
        self, vocabulary: Vocabulary, types: Sequence[str] = (), sources: Sequence[str] = ()
    ) -> None:
        manifest, arrays = vocabulary.manifest, vocabulary.arrays
        self._concepts: npt.NDArray[np.bool_] | None = None
        self._sources: npt.NDArray[np.bool_] | None = None
        self._term_source = arrays["term_source"]
        if types:
            wanted = np.zeros(max(1, len(manifest.types)), dtype=bool)
            for name in types:
                require_known(name, manifest.types, "semantic type")
                wanted[manifest.types.index(name)] = True
            fits = np.concatenate([[0], np.cumsum(wanted[arrays["concept_types"]])])
            offsets = arrays["concept_type_offsets"]
            self._concepts = fits[offsets[1:]] > fits[offsets[:-1]]
        if sources:
            self._sources = np.zeros(len(manifest.sources), dtype=bool)
            for name in sources:
                require_known(name, manifest.sources, "source")
                self._sources[manifest.sources.index(name)] = True

    @property
    def is_open(self) -> bool:
        """Whether everything is allowed."""
        return self._concepts is None and self._sources is None

    def allows(self, terms: npt.NDArray[Any], concepts: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """Which of the terms, of these concepts, are allowed."""
        allowed = np.ones(len(terms), dtype=bool)
        if self._concepts is not None:
            allowed &= self._concepts[concepts]
        if self._sources is not None:
            allowed &= self._sources[self._term_source[terms]]
        return allowed

    def allows_concept(self, concept: int) -> bool:
        """Whether a concept is of an allowed type, whatever the sources of its terms."""
        return self._concepts is None or bool(self._concepts[concept])
