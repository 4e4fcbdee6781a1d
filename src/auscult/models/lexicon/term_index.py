"""The terms as arrays: which codes a match may stand for, and how close its wording is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from auscult.models.lexicon.gold_evidence import FOLDS
from auscult.models.lexicon.lexicon_text import Key
from auscult.models.lexicon.ragged import Ints, expand, first_of_runs, pointers
from auscult.models.lexicon.strings import Hashes, Ids, NumberedStrings, hashed_rows, scrambled
from auscult.models.lexicon.terms import LONGEST, TermTable

WORDING = np.uint64(2)
"""Salt of the hash of a wording."""
_DERIVED = 0
"""How close the wording of a term is that nobody has used."""
_WAYS = 3
"""Columns that describe a derived term."""


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """The codes of matches: code `codes[k]` of match `matches[k]`, by match.

    `near` is how close the wording is (1 to 3; 0 if derived), `charts` are those behind the term,
    `ways` describe derived terms.
    """

    matches: Ints
    codes: Ints
    near: Ints
    charts: Ints
    ways: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.codes)

    def only(self, chosen: npt.NDArray[np.bool_]) -> Sources:
        """Some of them."""
        return Sources(
            self.matches[chosen], self.codes[chosen], self.near[chosen], self.charts[chosen],
            self.ways[chosen],
        )  # fmt: skip


class TermIndex:
    """The terms of a table, by the number of their key among `keys`.

    Folds are numbered from 1; without fold 0 all charts count.
    """

    def __init__(
        self, terms: TermTable, keys: Sequence[Key], labels: int, strings: NumberedStrings
    ) -> None:
        self._labels = labels
        entries = [
            (at, code, wording, count, terms.parts.get((key, wording, code)))
            for at, key in enumerate(keys)
            for wording, codes in terms.wordings.get(key, {}).items()
            for code, count in codes.items()
        ]
        entries.sort(key=lambda entry: entry[:2])
        key_of = np.array([entry[0] for entry in entries], np.int64)
        self._starts = pointers(key_of, len(keys))
        self._codes = np.array([entry[1] for entry in entries], np.int64)
        self._counts = np.array([entry[3] for entry in entries], np.int64)
        self._wordings, self._bags = wording_hashes(
            *_padded((entry[2] for entry in entries), strings), strings
        )
        self._parts = np.zeros((len(entries), FOLDS + 1), np.int32)
        for at, (*_, parts) in enumerate(entries):
            for fold, count in (parts or {}).items():
                self._parts[at, fold + 1] = count
        self._keys = len(keys)
        self._derive(terms, keys)

    def _derive(self, terms: TermTable, keys: Sequence[Key]) -> None:
        number = {key: at for at, key in enumerate(keys)}
        entries = [
            ((0 if without is None else without + 1) * len(keys) + number[key], code, way)
            for without, derived in terms.derived.items()
            for key, codes in derived.items()
            for code, way in codes.items()
        ]
        entries.sort(key=lambda entry: entry[:2])
        rows = np.array([entry[0] for entry in entries], np.int64)
        self._derived_starts = pointers(rows, (FOLDS + 1) * len(keys))
        self._derived_codes = np.array([entry[1] for entry in entries], np.int64)
        self._derived_charts = np.array([entry[2].charts for entry in entries], np.int64)
        self._derived_ways = np.array(
            [entry[2].numbers() for entry in entries], np.float64
        ).reshape(-1, _WAYS)
        derived_keys = rows % max(len(keys), 1)
        every = np.unique(
            np.concatenate(
                [
                    np.repeat(np.arange(len(keys)), np.diff(self._starts)) * self._labels
                    + self._codes,
                    derived_keys * self._labels + self._derived_codes,
                ]
            )
        )
        self._every_starts = pointers(every // self._labels, len(keys))
        self._every_code = every % self._labels

    def sources(self, keys: Ids, wordings: Hashes, bags: Hashes, folds: Ids) -> Sources:
        """The codes that matches of keys may stand for, each match without a fold."""
        match, entry = expand(self._starts[keys], self._starts[keys + 1] - self._starts[keys])
        charts = self._counts[entry] - self._parts[entry, folds[match]]
        match, entry, charts = match[charts > 0], entry[charts > 0], charts[charts > 0]
        near = (
            1
            + (self._bags[entry] == bags[match]).astype(np.int64)
            + (self._wordings[entry] == wordings[match])
        )
        codes = self._codes[entry]
        starts = first_of_runs(match, codes)
        known = match[starts] * self._labels + codes[starts]
        if len(starts):
            near, charts = np.maximum.reduceat(near, starts), np.add.reduceat(charts, starts)
        rows = folds.astype(np.int64) * self._keys + keys
        counts = self._derived_starts[rows + 1] - self._derived_starts[rows]
        other, derived = expand(self._derived_starts[rows], counts)
        others = other * self._labels + self._derived_codes[derived]
        is_new = ~np.isin(others, known)
        other, derived = other[is_new], derived[is_new]
        made = Sources(
            np.concatenate([match[starts], other]),
            np.concatenate([codes[starts], self._derived_codes[derived]]),
            np.concatenate([near, np.full(len(other), _DERIVED)]),
            np.concatenate([charts, self._derived_charts[derived]]),
            np.concatenate([np.zeros((len(starts), _WAYS)), self._derived_ways[derived]]),
        )
        if not len(other):
            return made
        order = np.argsort(made.matches, kind="stable")
        return Sources(
            made.matches[order], made.codes[order], made.near[order], made.charts[order],
            made.ways[order],
        )  # fmt: skip

    def all_codes(self, keys: Ids) -> tuple[Ints, Ints]:
        """Every code that keys may stand for without some fold, as places of keys and codes."""
        starts = self._every_starts[keys]
        place, entry = expand(starts, self._every_starts[keys + 1] - starts)
        return place, self._every_code[entry]


def wording_hashes(rows: Ids, sizes: Ids, strings: NumberedStrings) -> tuple[Hashes, Hashes]:
    """Two hashes of rows of strings: of the strings in order, and of which ones there are."""
    ordered = hashed_rows(strings.hashes[rows], sizes, np.full(len(rows), WORDING))
    is_there = np.arange(rows.shape[1]) < sizes[:, None]
    names = np.sort(np.where(is_there, rows, -1), axis=1)
    is_first = names >= 0
    is_first[:, 1:] &= names[:, 1:] != names[:, :-1]
    hashes = strings.hashes[np.maximum(names, 0)]
    each = np.where(is_first, scrambled(hashes), np.uint64(0))
    return ordered, each.sum(axis=1, dtype=np.uint64)


def _padded(wordings: Iterable[Key], strings: NumberedStrings) -> tuple[Ids, Ids]:
    given = list(wordings)
    rows = np.zeros((len(given), LONGEST), np.int32)
    for at, wording in enumerate(given):
        rows[at, : len(wording)] = strings.numbers(wording)
    return rows, np.array([len(wording) for wording in given], np.int32)
