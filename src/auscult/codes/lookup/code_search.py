"""One search for typed and marked words over everything that codes are called."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.codes.index.strings import Strings
from auscult.codes.lookup.aliases import read_aliases
from auscult.codes.lookup.building import SOURCES
from auscult.codes.lookup.by_meaning import TermRetriever
from auscult.codes.lookup.clinicians import ClinicianTable
from auscult.codes.lookup.descent import CodeHierarchy, Descent
from auscult.codes.lookup.matching import SAID_POWER, TermMatcher
from auscult.codes.lookup.query import QueryReader
from auscult.codes.lookup.readings import PhraseQuery, QueryReadings, Reading
from auscult.codes.lookup.terms import TermSource, reason
from auscult.core import Code, OptionError

LONGEST = 4_000
"""Maximum length of a query in characters."""
_CONSIDERED = 40
"""How many terms are followed to a code for each reading of a query, at least."""
_SOURCE_BIAS = {
    TermSource.INDEX: 1.0,
    TermSource.INCLUSION: 0.97,
    TermSource.DESCRIPTION: 0.93,
    TermSource.CLINICIANS: 0.98,
    TermSource.NEOPLASM: 0.95,
    TermSource.DRUG: 0.8,
    TermSource.EXTERNAL_CAUSE: 0.8,
}
_CHAPTERS = {
    re.compile(r"[OP]"): 0.82,
    re.compile(r"Q"): 0.9,
    re.compile(r"[V-Y]"): 0.85,
    re.compile(r"T(?:3[6-9]|[45]|6[0-5])"): 0.85,
    re.compile(r"Z"): 0.93,
}
"""Codes that nobody means unless the words ask for them: pregnancy, newborns, malformations,
external causes, poisonings, circumstances."""
_CATEGORY = 3
_RESIDUAL_BIAS = 0.8
_COMMON_BIAS = 0.04
_LITERAL = 0.06
"""What a term gains that has the very words of the query, not others of the same stem."""
_DOWN = 0.9
"""What a word of the query counts that is met on the way down from a heading."""
_BILLED = 1.25
_PRIOR = 0.05
_MEANT = 20
"""How many wordings are followed to a code by their meaning."""
_MEANT_FROM, _MEANT_POWER, _MEANT_BIAS = 0.5, 2.0, 0.7
"""The least cosine of a wording, how fast its score falls with the cosine, and what it counts
beside one that has all words of the query."""
_JOINTS = re.compile(r"[^a-z0-9']+")
_BOOK = "ICD-10-CM"


@dataclass(frozen=True, slots=True)
class CodeMatch:
    """A code that words may mean.

    `heading` is the way to more specific codes: the heading that the code stands for where nothing
    more is documented. `why` names the wording that led to it; it may quote the query, so it does
    not show in a `repr`.
    """

    code: Code
    description: str
    billable: bool
    score: float
    heading: str | None
    why: str = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "code": self.code.value,
            "description": self.description,
            "billable": self.billable,
            "heading": self.heading,
            "score": round(self.score, 4),
            "why": self.why,
        }


class CodeSearch:
    """Searches the codes of a system.

    One search serves any number of threads.
    """

    def __init__(
        self,
        system: str,
        codes: CodeHierarchy,
        arrays: Mapping[str, npt.NDArray[Any]],
        clinicians: ClinicianTable,
    ) -> None:
        self.system = system
        self.arrays = arrays
        self.values = list(Strings.of(arrays, "code"))
        """The codes that terms lead to, by the numbers that the arrays give them."""
        self._codes = codes
        self._labels = Strings.of(arrays, "label")
        self._term_code = arrays["term_code"]
        self._term_source = arrays["term_source"]
        self._reader = QueryReader(arrays)
        self._readings = QueryReadings(clinicians, read_aliases(arrays))
        self.descent = Descent(codes, self.values, arrays)
        self._common = clinicians.common_codes() if system == _BOOK else {}
        bias, reserve = self._bias(arrays), self._reserve()
        self.preferences = bias * reserve
        """How likely each term is to be meant, all its words given and nothing else known."""
        self._matcher = TermMatcher(arrays, bias, reserve)

    def search(
        self,
        text: str,
        *,
        limit: int = 9,
        typing: bool = False,
        note: str | None = None,
        billed: Collection[str] = (),
        prior: Mapping[str, int] | None = None,
        meanings: TermRetriever | None = None,
    ) -> list[CodeMatch]:
        """The billable codes that words may mean, the likeliest first.

        While the words are being `typing`, the last may be the beginning of a word. `note` is the
        text they were marked in, whose words tell ambiguous abbreviations apart. `billed` are the
        chart's billed codes, `prior` how often a corpus has each code; both move codes up.
        `meanings` finds wordings that share no word with the query, too.
        """
        if len(text) > LONGEST:
            raise OptionError(
                f"Expected a query of at most {LONGEST:,} characters, got {len(text):,}; search "
                "for one name at a time."
            )
        if limit < 1:
            raise OptionError(f"limit must be at least 1; got {limit}.")
        found: dict[str, tuple[float, str]] = {}
        candidates = self._candidates(text, limit, typing, note)
        if meanings is not None:
            candidates = chain(candidates, self._meant(text, meanings))
        for value, score, why in candidates:
            score *= self._preference(value, billed, prior or {})
            if value not in found or score > found[value][0]:
                found[value] = (score, why)
        best = sorted(found.items(), key=lambda item: (-item[1][0], item[0]))[:limit]
        return [self._match(value, *about) for value, about in best]

    def _candidates(
        self, text: str, limit: int, typing: bool, note: str | None
    ) -> Iterator[tuple[str, float, str]]:
        """Codes with a score and a reason, some of them more than once."""
        query = PhraseQuery.of(text, note)
        if self.system == _BOOK:  # which the clinicians' table has the codes of
            for meant in self._readings.whole(query):
                if meant.code in self._codes:
                    yield self.descent.default(meant.code), meant.score, meant.because
        for reading in self._readings.of(query):
            yield from self._matched(reading, max(_CONSIDERED, 3 * limit), typing)

    def _matched(
        self, reading: Reading, most: int, typing: bool
    ) -> Iterator[tuple[str, float, str]]:
        words = self._reader.words(reading.text, typing=typing)
        matches = self._matcher.match(words, most)
        stems = [frozenset(self._reader.stems[a.stem] for a in w.alternatives) for w in words]
        total = sum(word.weight for word in words) or 1.0
        for term, score, said, has in zip(*(row.tolist() for row in matches), strict=True):
            value = self.values[self._term_code[term]]
            label = self._labels[term]
            score *= reading.factor
            if not reading.because:
                literal = f" {_JOINTS.sub(' ', label.lower())} "
                shared = sum(f" {word.text} " in literal for word in words)
                score *= 1 + _LITERAL * shared / len(words)
            left = [at for at, is_there in enumerate(has) if not is_there]
            if left or not self.descent.is_billable(value):
                value, met = self.descent.down(value, [stems[at] for at in left])
                gained = sum(words[left[at]].weight for at in met) / total
                score *= (1 + _DOWN * gained / said) ** SAID_POWER
            label = reason(SOURCES[self._term_source[term]], label)
            yield value, score, f"{reading.because}; {label}" if reading.because else label

    def _meant(self, text: str, meanings: TermRetriever) -> Iterator[tuple[str, float, str]]:
        """Codes of wordings that mean the same, with a score and a reason."""
        for term, cosine in meanings.nearest(text, _MEANT):
            if cosine >= _MEANT_FROM:
                value, _ = self.descent.down(self.values[self._term_code[term]], [])
                label = reason(SOURCES[self._term_source[term]], self._labels[term])
                score = _MEANT_BIAS * cosine**_MEANT_POWER * float(self.preferences[term])
                yield value, score, f"similar meaning; {label}"

    def label(self, term: int) -> str:
        """A wording as a result shows it, by its number."""
        return self._labels[term]

    def _preference(self, value: str, billed: Collection[str], prior: Mapping[str, int]) -> float:
        factor = _BILLED if value in billed else 1.0
        return factor * (1 + _PRIOR * math.log1p(prior.get(value, 0)))

    def _match(self, value: str, score: float, why: str) -> CodeMatch:
        return CodeMatch(
            Code(self.system, value),
            self._codes.describe(value) or "",
            self._codes.is_billable(value),
            score,
            self.descent.heading(value),
            why,
        )

    def _bias(self, arrays: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.float32]:
        """How much each term counts before any query."""
        common = [1 + _COMMON_BIAS * self._common.get(value, 0) for value in self.values]
        of_source = np.array([_SOURCE_BIAS[source] for source in SOURCES])
        residual = np.where(arrays["term_residual"], _RESIDUAL_BIAS, 1.0)
        found = np.array(common)[self._term_code] * of_source[self._term_source] * residual
        bias: npt.NDArray[np.float32] = found.astype(np.float32)
        return bias

    def _reserve(self) -> npt.NDArray[np.float32]:
        """How much terms of chapters count that the words have to ask for."""
        reserves = _CHAPTERS if self.system == _BOOK else {}
        of_category = {
            category: next((r for pattern, r in reserves.items() if pattern.match(category)), 1.0)
            for category in {value[:_CATEGORY] for value in self.values}
        }
        of_code = [of_category[value[:_CATEGORY]] for value in self.values]
        reserve: npt.NDArray[np.float32] = np.array(of_code, np.float32)[self._term_code]
        return reserve
