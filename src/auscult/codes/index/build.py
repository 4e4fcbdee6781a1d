"""From a stream of concepts to the arrays of a vocabulary.

Concepts are numbered by how often a corpus has them, then by how many synonyms they have, then by
code, and terms by their concept. So whatever is in order of number is in order of prevalence too,
and the same stream gives the same arrays.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.codes.concept import Concept, Synonym
from auscult.codes.exclusions import Exclusions
from auscult.codes.index import stems, trie, trigrams
from auscult.codes.index.folding import fold
from auscult.codes.index.scan import scan
from auscult.codes.index.strings import pack
from auscult.codes.index.table import build_table
from auscult.codes.index.tokens import tokenize
from auscult.codes.index.wordlists import stop_words
from auscult.core import AuscultError

Arrays = dict[str, npt.NDArray[Any]]
NO_STEM = 0xFFFFFFFF
_SHORT_FORM = 5
_FREQUENT = 1_000
_MOST_NAMES = 1 << 16


class NameNumbers:
    """Names by number, in the order they first came."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        """The number of a name, a new one if it is new."""
        return self._numbers.setdefault(name, len(self._numbers))

    def list(self) -> list[str]:
        """All names."""
        return list(self._numbers)


class Builder:
    """Takes concepts one by one and keeps them packed."""

    def __init__(self, language: str, exclusions: Exclusions) -> None:
        stems.check_language(language)
        self._language = language
        self._exclusions = exclusions
        self.systems, self.sources, self.term_types, self.types = (NameNumbers() for _ in range(4))
        self._concepts: dict[tuple[str, str], int] = {}
        self._concept_types: list[tuple[int, ...]] = []
        self._xrefs: dict[int, list[tuple[str, str]]] = {}
        self._parents: dict[int, list[str]] = {}
        self._texts = bytearray()
        self._text_ends = array("Q")
        self._rows = {name: array("Q") for name in ("concept", "source", "type", "count")}
        self._is_name = bytearray()
        self._is_short = bytearray()
        self._words = NameNumbers()
        self._sequences = array("Q")
        self._lengths = array("Q")

    def __len__(self) -> int:
        return len(self._concepts)

    def add(self, concept: Concept) -> None:
        """Take a concept in; one that came before gains synonyms and keeps its first name."""
        name = self._clean(concept.name, concept)
        rows = {
            (s.text, s.source, s.term_type, s.count): s.text == name
            for s in self._usable(concept.synonyms, concept)
        }
        if name is not None and not any(rows.values()):
            rows = {(name, "", "", 0): True, **rows}
        if not rows:
            self._exclusions.add("concepts without a usable name", str(concept.code))
            return
        key = (concept.code.system, concept.code.value)
        is_new = key not in self._concepts
        number = self._concepts.setdefault(key, len(self._concepts))
        if is_new:
            self._concept_types.append(())
            self.systems.number(concept.code.system)
        has_name = not is_new
        for (text, source, term_type, count), named in rows.items():
            self._add_term(number, text, source, term_type, count, named and not has_name)
            has_name = has_name or named
        types = dict.fromkeys(
            [*self._concept_types[number], *map(self.types.number, concept.types)]
        )
        self._concept_types[number] = tuple(types)
        if concept.xrefs:
            known = self._xrefs.setdefault(number, [])
            known += [p for c in concept.xrefs if (p := (c.system, c.value)) not in known]
        if concept.parents:
            above = self._parents.setdefault(number, [])
            above += [parent for parent in concept.parents if parent not in above]

    def _usable(self, synonyms: tuple[Synonym, ...], concept: Concept) -> list[Synonym]:
        found = []
        for synonym in synonyms:
            text = self._clean(synonym.text, concept)
            if text is not None:
                found.append(Synonym(text, synonym.source, synonym.term_type, synonym.count))
        return found

    def _clean(self, text: str, concept: Concept) -> str | None:
        cleaned = " ".join(text.split())
        if not cleaned:
            self._exclusions.add("synonyms without text", str(concept.code))
            return None
        if not cleaned.isprintable() and any(_is_control(c) for c in cleaned):
            self._exclusions.add("synonyms with control characters", str(concept.code))
            return None
        return cleaned

    def _add_term(
        self, concept: int, text: str, source: str, term_type: str, count: int, is_name: bool
    ) -> None:
        self._texts += text.encode("utf-8")
        self._text_ends.append(len(self._texts))
        self._rows["concept"].append(concept)
        self._rows["source"].append(self.sources.number(source))
        self._rows["type"].append(self.term_types.number(term_type))
        self._rows["count"].append(count)
        self._is_name.append(is_name)
        self._is_short.append(is_short_form(text))
        words = tokenize(fold(text).text)
        self._sequences.extend(map(self._words.number, words))
        self._lengths.append(len(words))

    def finish(self) -> Arrays:
        """The arrays."""
        terms = len(self._text_ends)
        if terms == 0:
            raise AuscultError(
                "No concept in the source has a name, so no vocabulary can be built."
            )
        for names, what in (
            (self.systems, "code systems"),
            (self.sources, "sources"),
            (self.term_types, "term types"),
            (self.types, "semantic types"),
        ):
            if len(names.list()) > _MOST_NAMES:
                raise AuscultError(
                    f"There are {len(names.list()):,} {what}, more than {_MOST_NAMES:,}: the "
                    "wrong column was probably read as them. Check --column."
                )
        words = self._words.list()
        sequences = ranks(words).astype(np.uint32)[np.frombuffer(self._sequences, dtype=np.uint64)]
        lengths = np.frombuffer(self._lengths, dtype=np.uint64).astype(np.int64)
        words.sort()
        edges, nodes = trie.build_paths(sequences, np.concatenate([[0], np.cumsum(lengths)]))
        order, concept_order = self._order(nodes)
        place = np.empty(terms, dtype=np.int64)
        place[order] = np.arange(terms)
        arrays = self._concept_arrays(concept_order)
        arrays |= self._term_arrays(order, concept_order)
        arrays |= trie.build_arrays(edges, nodes[order], len(words))
        arrays |= word_arrays(words)
        arrays |= self._stem_arrays(words, sequences, np.repeat(place, lengths), terms)
        arrays |= trigrams.build_arrays(words)
        return arrays

    def _order(self, nodes: npt.NDArray[np.uint32]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The terms, and the concepts, in their final order."""
        concept = self._column("concept").astype(np.int64)
        distinct = np.unique((concept << 32) | nodes) >> 32
        synonyms = np.bincount(distinct, minlength=len(self._concepts))
        counts = np.bincount(concept, weights=self._column("count"), minlength=len(self._concepts))
        concept_order = np.lexsort((ranks(list(self._concepts)), -synonyms, -counts))
        rank = np.empty(len(concept_order), dtype=np.int64)
        rank[concept_order] = np.arange(len(concept_order))
        is_name = np.frombuffer(self._is_name, dtype=np.uint8)
        by_text = ranks(self._term_texts())
        source, kind = self._column("source"), self._column("type")
        return np.lexsort((kind, source, by_text, 1 - is_name, rank[concept])), concept_order

    def _column(self, name: str) -> npt.NDArray[np.uint64]:
        return np.frombuffer(self._rows[name], dtype=np.uint64)

    def _term_texts(self) -> list[bytes]:
        ends = self._text_ends
        return [bytes(self._texts[a:b]) for a, b in zip([0, *ends[:-1]], ends, strict=True)]

    def _concept_arrays(self, concept_order: npt.NDArray[Any]) -> Arrays:
        codes = list(self._concepts)
        in_order = concept_order.tolist()
        sizes = np.bincount(self._column("concept").astype(np.int64), minlength=len(codes))
        systems = {name: at for at, name in enumerate(self.systems.list())}
        types = [self._concept_types[at] for at in in_order]
        blob, offsets = pack(codes[at][1] for at in in_order)
        detail_blob, detail_offsets = pack(self._details(at) for at in in_order)
        by_id = sorted(range(len(codes)), key=lambda at: (codes[in_order[at]][1], at))
        return {
            "concept_ids": blob,
            "concept_id_offsets": offsets,
            "concept_by_id": np.array(by_id, dtype="<u4"),
            "concept_system": np.array([systems[codes[at][0]] for at in in_order], dtype="<u2"),
            "concept_terms": np.concatenate([[0], np.cumsum(sizes[concept_order])]).astype("<u4"),
            "concept_type_offsets": np.array(
                list(accumulate(map(len, types), initial=0)), dtype="<u4"
            ),
            "concept_types": np.array([t for found in types for t in found], dtype="<u2"),
            "concept_details": detail_blob,
            "concept_detail_offsets": detail_offsets,
        }

    def _details(self, concept: int) -> str:
        found: dict[str, Any] = {}
        if concept in self._xrefs:
            found["xrefs"] = self._xrefs[concept]
        if concept in self._parents:
            found["parents"] = self._parents[concept]
        return json.dumps(found, ensure_ascii=False) if found else ""

    def _term_arrays(self, order: npt.NDArray[Any], concept_order: npt.NDArray[Any]) -> Arrays:
        texts = self._term_texts()
        blob = b"".join(texts[at] for at in order.tolist())
        sizes = np.fromiter((len(text) for text in texts), dtype=np.int64, count=len(texts))[order]
        return {
            "term_texts": np.frombuffer(blob, dtype=np.uint8),
            "term_text_offsets": np.concatenate([[0], np.cumsum(sizes)]).astype("<u8"),
            "term_concept": np.repeat(
                np.arange(len(self._concepts), dtype="<u4"),
                np.bincount(self._column("concept").astype(np.int64))[concept_order],
            ),
            "term_source": self._column("source")[order].astype("<u2"),
            "term_type": self._column("type")[order].astype("<u2"),
            "term_count": self._column("count")[order].astype("<u4"),
            "term_is_short": np.frombuffer(self._is_short, dtype=np.uint8)[order],
        }

    def _stem_arrays(
        self,
        texts: list[str],
        sequences: npt.NDArray[np.uint32],
        owners: npt.NDArray[np.int64],
        terms: int,
    ) -> Arrays:
        stop = stop_words(self._language)
        stemmed = stems.stem_all(texts, self._language)
        counted = [
            s if t[0].isalnum() and t not in stop else None
            for t, s in zip(texts, stemmed, strict=True)
        ]
        known = sorted({s for s in counted if s is not None})
        numbers = {text: at for at, text in enumerate(known)}
        word_stem = np.array(
            [NO_STEM if s is None else numbers[s] for s in counted], dtype=np.uint32
        )
        of_word = word_stem[sequences]
        kept = of_word != NO_STEM
        pairs = np.unique(
            (of_word[kept].astype(np.uint64) << np.uint64(32)) | owners[kept].astype(np.uint64)
        )
        stem_of = (pairs >> np.uint64(32)).astype(np.int64)
        term_of = (pairs & np.uint64(0xFFFFFFFF)).astype(np.int64)
        counts = np.bincount(stem_of, minlength=len(known))
        weights = np.log1p(terms / np.maximum(counts, 1))
        term_weight = np.bincount(term_of, weights=weights[stem_of], minlength=terms)
        by_weight = np.lexsort((term_of, term_weight[term_of], stem_of))
        ends = np.cumsum(counts)
        # A bitmap answers sooner than the list does for stems that very many terms have.
        frequent = np.flatnonzero(counts > max(_FREQUENT, terms / 64))
        bitmaps = np.zeros((len(frequent), terms // 8 + 1), dtype=np.uint8)
        for row, at in enumerate(frequent.tolist()):
            has = np.zeros(terms // 8 * 8 + 8, dtype=bool)
            has[term_of[ends[at] - counts[at] : ends[at]]] = True
            bitmaps[row] = np.packbits(has, bitorder="little")
        blob, offsets = pack(known)
        return {
            "stems": blob,
            "stem_text_offsets": offsets,
            "word_stem": word_stem.astype("<u4"),
            "stem_offsets": np.concatenate([[0], ends]).astype("<u4"),
            "bitmap_of_stem": frequent.astype("<u4"),
            "bitmaps": bitmaps,
            "stem_terms": term_of.astype("<u4"),
            "stem_terms_by_weight": term_of[by_weight].astype("<u4"),
            "term_weight": term_weight.astype("<f8"),
        }


def word_arrays(words: list[str]) -> Arrays:
    """The words in order, and the table in which scanned text looks them up."""
    numbers = scan("\n".join(words)).numbers
    if len(np.unique(numbers)) != len(words) or 0 in numbers:
        raise AuscultError(
            "Two words of the source have the same hash (a one-in-millions coincidence). Leave "
            "out one of the rarer terms and build the vocabulary again."
        )
    slots, values = build_table(numbers)
    blob, offsets = pack(words)
    return {
        "words": blob,
        "word_offsets": offsets,
        "word_slots": slots,
        "word_values": values,
    }


def ranks(items: Sequence[Any]) -> npt.NDArray[np.int64]:
    """The place of each item once they are in order."""
    found = np.empty(len(items), dtype=np.int64)
    found[sorted(range(len(items)), key=items.__getitem__)] = np.arange(len(items))
    return found


def is_short_form(text: str) -> bool:
    """Whether a string is an abbreviation by its look, so that its case tells it from a word.

    >>> [is_short_form(text) for text in ("AS", "COPD", "HbA1c", "T4", "K", "Mg")]
    [True, True, True, True, True, True]
    >>> [is_short_form(text) for text in ("asthma", "pt", "Cold", "SEVERE")]
    [False, False, False, False]
    """
    if len(text) > _SHORT_FORM or " " in text:
        return False
    letters = [c for c in text if c.isalpha()]
    if not any(map(str.isupper, letters)):
        return False
    # Two letters are a symbol, as of an element: `Mg` is not `mg`.
    return any(map(str.isupper, text[1:])) or len(letters) <= 2


def _is_control(character: str) -> bool:
    return character < " " or "\x7f" <= character <= "\x9f" or "\ud800" <= character <= "\udfff"
