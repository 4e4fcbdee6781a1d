"""Embeddings of what codes are called: a retriever of the code search by meaning.

They are made the first time that a search is asked for them, and kept with the compiled tables.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from auscult.codes.compiled import Arrays, compiled
from auscult.codes.lookup.building import SOURCES
from auscult.codes.lookup.code_search import CodeSearch
from auscult.codes.lookup.terms import TermSource
from auscult.core import MissingExtraError
from auscult.core.progress import track
from auscult.models.neural.encoder_source import MINILM
from auscult.models.semantic.name_embeddings import DIGITS
from auscult.models.semantic.name_encoder import NameEncoder
from auscult.models.semantic.vector_index import ExactIndex, VectorIndex

_LAYOUT = 1
"""To be raised when the arrays change."""
_PART = 4_096
_SOURCES = (TermSource.DESCRIPTION, TermSource.INCLUSION, TermSource.INDEX)
"""What says in words what a code is; a table of drugs names substances."""
_ASKED_FOR = 0.8
"""Wordings that are less likely than this to be meant unless they are asked for are left out."""
_LONGEST = 7
"""Characters of a code with its dot; longer ones only add the encounter to what they are."""


@dataclass(frozen=True, eq=False)
class CodeMeanings:
    """The wordings of a code search by the nearness of their meaning."""

    encoder: NameEncoder
    terms: npt.NDArray[np.int64]
    index: VectorIndex

    @classmethod
    def of(cls, search: CodeSearch, encoder: str = MINILM) -> CodeMeanings:
        """The embeddings for a search, made if they are not there; that takes minutes."""
        made = _encoder(encoder)
        digest = hashlib.sha256(made.origin.source.digest.encode())
        digest.update(search.arrays["label_texts"].tobytes())
        key = f"meanings-{search.system}-{_LAYOUT}-{digest.hexdigest()[:32]}"
        arrays = compiled(key, lambda: _embedded(search, made))
        vectors = np.asarray(arrays["vectors"], np.float32)
        return cls(made, np.asarray(arrays["terms"], np.int64), ExactIndex(vectors))

    def nearest(self, text: str, most: int) -> list[tuple[int, float]]:
        """See `TermRetriever`. Case and spacing of the phrase do not matter."""
        rows, cosines = self.index.nearest(self.encoder.embed([text], precision="32"), most)
        terms = self.terms[rows[0]].tolist()
        return list(zip(terms, np.round(cosines[0], DIGITS).tolist(), strict=True))


@lru_cache(maxsize=2)
def _encoder(name: str) -> NameEncoder:
    try:
        return NameEncoder.pretrained(name)
    except ModuleNotFoundError as error:
        raise MissingExtraError("Search by meaning", "minilm") from error


def _embedded(search: CodeSearch, encoder: NameEncoder) -> Arrays:
    terms = _terms(search)
    texts = [search.label(term) for term in terms.tolist()]
    vectors = np.zeros((len(terms), encoder.width), np.float16)
    order = np.argsort([len(text) for text in texts], kind="stable")
    begins = range(0, len(order), _PART)
    for begin in track(begins, "embedding wordings", len(begins)):
        rows = order[begin : begin + _PART]
        vectors[rows] = encoder.embed([texts[row] for row in rows.tolist()])
    return {"terms": terms, "vectors": vectors}


def _terms(search: CodeSearch) -> npt.NDArray[np.int64]:
    """The wordings to embed, the likeliest of those that read alike."""
    arrays = search.arrays
    of_source = np.isin(arrays["term_source"], [SOURCES.index(source) for source in _SOURCES])
    is_wanted = of_source & ~arrays["term_residual"].astype(bool)
    is_wanted &= search.preferences >= _ASKED_FOR
    is_wanted &= np.array([len(value) <= _LONGEST for value in search.values])[arrays["term_code"]]
    by_text: dict[str, int] = {}
    for term in np.flatnonzero(is_wanted).tolist():
        text = search.label(term).casefold()
        other = by_text.setdefault(text, term)
        if search.preferences[term] > search.preferences[other]:
            by_text[text] = term
    return np.array(sorted(by_text.values()), np.int64)
