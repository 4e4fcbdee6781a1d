"""One search for typed and marked words over everything that codes are called."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.codes.index.strings import Strings
from auscult.codes.lookup.building import SOURCES
from auscult.codes.lookup.clinicians import ClinicianTable, Wording, WordingKind
from auscult.codes.lookup.descent import CodeHierarchy, Descent
from auscult.codes.lookup.matching import SAID_POWER, Matcher
from auscult.codes.lookup.query import QueryReader
from auscult.codes.lookup.terms import TermSource
from auscult.codes.lookup.words import words_of
from auscult.core import Code, OptionError

LONGEST = 4_000
"""Maximum length of a query in characters."""
_CONSIDERED = 60
"""How many terms are followed to a code for each reading of a query."""
_SOURCE_BIAS = {
    TermSource.INDEX: 1.0,
    TermSource.INCLUSION: 0.97,
    TermSource.DESCRIPTION: 0.93,
    TermSource.CLINICIANS: 0.98,
    TermSource.NEOPLASM: 0.95,
    TermSource.DRUG: 0.8,
    TermSource.EXTERNAL_CAUSE: 0.8,
}
_CHAPTERS = (
    (re.compile(r"O"), 0.82),
    (re.compile(r"P"), 0.82),
    (re.compile(r"Q"), 0.9),
    (re.compile(r"[V-Y]"), 0.85),
    (re.compile(r"T(?:3[6-9]|[45]|6[0-5])"), 0.85),
    (re.compile(r"Z"), 0.93),
)
"""Codes that nobody means unless the words ask for them: pregnancy, newborns, malformations, external
causes, poisonings, circumstances."""
_RESIDUAL_BIAS = 0.8
_COMMON_BIAS = 0.04
_DOWN = 0.9
_LITERAL = 0.06
_ALIAS = 0.95
_MOST_READINGS = 6
_SHORT = (WordingKind.ABBREVIATION, WordingKind.SHORTHAND, WordingKind.SPELLING)
_EXACT = 1.12
_SENSE = 0.06
_READINGS = 3
_BILLED = 1.25
_PRIOR = 0.05


@dataclass(frozen=True, slots=True)
class CodeMatch:
    """A code that words may mean.

    `why` names the wording that led to it. It may quote the query, so it does not show in a `repr`.
    """

    code: Code
    description: str
    billable: bool
    score: float
    why: str = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "code": self.code.value,
            "description": self.description,
            "billable": self.billable,
            "score": round(self.score, 4),
            "why": self.why,
        }


@dataclass(frozen=True, slots=True, repr=False)
class _Reading:
    """One way to understand a query."""

    text: str
    factor: float
    because: str = ""


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
        self._codes = codes
        self._clinicians = clinicians
        self._values = list(Strings(arrays["code_texts"], arrays["code_text_offsets"]))
        self._labels = Strings(arrays["label_texts"], arrays["label_text_offsets"])
        self._term_code = arrays["term_code"]
        self._term_source = arrays["term_source"]
        self._reader = QueryReader(arrays)
        self._aliases: dict[str, list[str]] = {}
        for word, other in zip(
            Strings(arrays["alias_from_texts"], arrays["alias_from_text_offsets"]),
            Strings(arrays["alias_to_texts"], arrays["alias_to_text_offsets"]),
            strict=True,
        ):
            self._aliases.setdefault(word, []).append(other)
        self._descent = Descent(codes)
        self._common = clinicians.common_codes() if system == "ICD-10-CM" else {}
        self._matcher = Matcher(arrays, self._bias(arrays), self._reserve())

    def search(
        self,
        text: str,
        *,
        limit: int = 9,
        typing: bool = False,
        note: str | None = None,
        billed: Collection[str] = (),
        prior: Mapping[str, int] | None = None,
    ) -> list[CodeMatch]:
        """The billable codes that words may mean, the likeliest first.

        While the words are being `typing`, the last may be the beginning of a word. `note` is the
        text they were marked in, whose words tell ambiguous abbreviations apart. `billed` are the
        chart's billed codes, `prior` how often a corpus has each code; both move codes up.
        """
        if len(text) > LONGEST:
            raise OptionError(
                f"The query has {len(text)} characters; a name has at most {LONGEST}."
            )
        if limit < 1:
            raise OptionError(f"limit must be at least 1; got {limit}.")
        found: dict[str, tuple[float, str]] = {}
        for value, score, why in self._candidates(text, typing, note):
            score *= self._preference(value, billed, prior or {})
            if value not in found or score > found[value][0]:
                found[value] = (score, why)
        best = sorted(found.items(), key=lambda item: (-item[1][0], item[0]))[:limit]
        return [self._match(value, *about) for value, about in best]

    def _candidates(
        self, text: str, typing: bool, note: str | None
    ) -> Iterator[tuple[str, float, str]]:
        words = words_of(text)
        context = frozenset(words) | frozenset(words_of(note or "")[:2_000])
        capitals = [token.isupper() for token in re.findall(r"[^\W_]+", text)]
        if len(capitals) != len(words):
            capitals = [True] * len(words)
        if self.system == "ICD-10-CM":
            yield from self._whole(words, context, capitals)
        for reading in self._readings(text, words, capitals, context):
            yield from self._matched(reading, typing)

    def _whole(
        self, words: list[str], context: frozenset[str], capitals: list[bool]
    ) -> Iterator[tuple[str, float, str]]:
        """What the whole query means by the clinicians' table."""
        meant = self._clinicians.meanings(
            words, context, in_capitals=capitals[0] if capitals else True
        )
        for rank, wording in enumerate(one for one in meant if one.code):
            value = self._descent.default(wording.code)
            yield value, _EXACT * (1 - _SENSE * rank), _said(wording)

    def _readings(
        self, text: str, words: list[str], capitals: list[bool], context: frozenset[str]
    ) -> list[_Reading]:
        """The query as it stands, and with its abbreviations, then its lay words, spelled out."""
        spans = list(self._clinicians.spans(words, capitals, context))
        short = [span for span in spans if span[2][0].kind in _SHORT]
        readings = {text: _Reading(text, 1.0)}
        for some in (short, spans):
            most = max((len(meanings) for _, _, meanings in some), default=0)
            for rank in range(min(most, _READINGS)):
                reading = _spelled_out(words, some, rank)
                readings.setdefault(reading.text, reading)
        for word in words:
            for other in self._aliases.get(word, ()):
                spelled = " ".join(other if one == word else one for one in words)
                reading = _Reading(spelled, _ALIAS, f"{word}: {other}")
                readings.setdefault(reading.text, reading)
        return list(readings.values())[:_MOST_READINGS]

    def _matched(self, reading: _Reading, typing: bool) -> Iterator[tuple[str, float, str]]:
        words = self._reader.words(reading.text, typing=typing)
        matches = self._matcher.match(words, _CONSIDERED)
        stems = [frozenset(self._reader.stems[a.stem] for a in w.alternatives) for w in words]
        total = sum(word.weight for word in words) or 1.0
        for term, score, said, has in zip(*(row.tolist() for row in matches), strict=True):
            value = self._values[self._term_code[term]]
            label = self._labels[term]
            literal = set(words_of(label))
            shared = sum(word.text in literal for word in words)
            score *= reading.factor * (1 + _LITERAL * shared / len(words))
            left = [at for at, is_there in enumerate(has) if not is_there]
            if left or not self._codes.is_billable(value):
                value, met = self._descent.down(value, [stems[at] for at in left])
                gained = sum(words[left[at]].weight for at in met) / total
                score *= (1 + _DOWN * gained / said) ** SAID_POWER
            label = f"{SOURCES[self._term_source[term]]}: {label}"
            yield value, score, f"{reading.because}; {label}" if reading.because else label

    def _preference(self, value: str, billed: Collection[str], prior: Mapping[str, int]) -> float:
        factor = _BILLED if value in billed else 1.0
        return factor * (1 + _PRIOR * math.log1p(prior.get(value, 0)))

    def _match(self, value: str, score: float, why: str) -> CodeMatch:
        return CodeMatch(
            Code(self.system, value),
            self._codes.describe(value) or "",
            self._codes.is_billable(value),
            score,
            why,
        )

    def _bias(self, arrays: Mapping[str, npt.NDArray[Any]]) -> npt.NDArray[np.float32]:
        """How much each term counts before any query."""
        common = [1 + _COMMON_BIAS * self._common.get(value, 0) for value in self._values]
        of_source = np.array([_SOURCE_BIAS[source] for source in SOURCES])
        residual = np.where(arrays["term_residual"], _RESIDUAL_BIAS, 1.0)
        found = np.array(common)[self._term_code] * of_source[self._term_source] * residual
        return found.astype(np.float32)

    def _reserve(self) -> npt.NDArray[np.float32]:
        """How much terms of chapters count that the words have to ask for."""
        reserves = dict(_CHAPTERS) if self.system == "ICD-10-CM" else {}
        of_code = [
            next((bias for pattern, bias in reserves.items() if pattern.match(value)), 1.0)
            for value in self._values
        ]
        return np.array(of_code, np.float32)[self._term_code]


def _spelled_out(
    words: list[str], spans: list[tuple[int, int, tuple[Wording, ...]]], rank: int
) -> _Reading:
    """A query with each wording in the place of what it means, by its sense of this rank."""
    parts: list[str] = []
    because: list[str] = []
    last = 0
    for begin, end, meanings in spans:
        meant = meanings[min(rank, len(meanings) - 1)]
        parts += [*words[last:begin], meant.means]
        because.append(_said(meant))
        last = end
    return _Reading(" ".join([*parts, *words[last:]]), 1.0 - _SENSE * rank, "; ".join(because))


def _said(wording: Wording) -> str:
    kind = "abbreviation" if wording.kind is WordingKind.ABBREVIATION else wording.kind.value
    return f"{kind} {wording.term}: {wording.means}" if wording.means else f"{kind} {wording.term}"
