"""The model `dictionary`: dictionary matching of terms, with disambiguation.

Terms are the strings of training mentions, the names of the vocabulary (exactly, by stems, or with
a spelling error), and abbreviations that the note spells out. Of several concepts of a term, the
one is predicted that training mentions used most and whose usual context words are present. Strings
that annotators left unannotated are not predicted; strings that they annotated as CUI-less are
CUI-less.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from auscult.codes.filters import TermFilter
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code, Note, Span
from auscult.core.progress import track
from auscult.core.span import extent
from auscult.models.architecture import Resources, TrainingData
from auscult.models.entities import string_forms
from auscult.models.entities.context_counts import around
from auscult.models.entities.cui_less import nothing_of
from auscult.models.entities.gold_mentions import MarkedNote
from auscult.models.entities.mention_statistics import MentionStatistics
from auscult.models.entities.name_index import semantic_types
from auscult.models.entities.phrases import Phrases
from auscult.models.entities.term_occurrences import (
    MatchKind,
    TermOccurrence,
    TermSpotter,
    stemmed_terms,
)
from auscult.models.entities.term_reliability import TermReliability, TypeOf
from auscult.models.folds import note_folds
from auscult.models.span_annotation import EntityMention, Places, SpanConfiguration

_FILE, _STEMS = "vocabulary.json", "stems.npz"
_NOTES_AT_ONCE = 500
_FOLDS = 5
_UNUSED = 0.3
"""The weight of a concept that no training mention has, relative to those that some have."""
_CONTEXTS = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)
_NESTED = 0.02
"""Share of nested training mentions above which nested terms are predicted."""
_TOGETHER = 0.8
"""Share of a string's mentions that must have a further concept for it to be predicted too."""


class DictionaryConfiguration(SpanConfiguration):
    """Settings of the dictionary matcher."""

    fuzzy: bool = Field(True, description="Match terms with a spelling error in a word.")
    stemming: bool = Field(True, description="Match terms by the stems of their words.")
    nested: bool | None = Field(
        None, description="Annotate terms inside others; default: if the training notes do."
    )
    threshold: float | None = Field(
        None, ge=0, le=1,
        description="Minimum probability of an entity mention; default: the one with the best F1.",
    )  # fmt: skip


@dataclass(frozen=True)
class DictionaryDecoding:
    """The weight of the context, whether nested terms are predicted, and the threshold."""

    context: float
    nested: bool
    least: float


@dataclass(frozen=True, eq=False)
class DictionaryMatcher:
    """The fitted dictionary matcher, with the vocabulary it was trained with."""

    config_type: ClassVar[type[DictionaryConfiguration]] = DictionaryConfiguration
    needs_vocabulary: ClassVar[bool] = True

    vocabulary: Vocabulary
    types: tuple[str, ...]
    knowledge: MentionStatistics
    surfaces: Mapping[str, Sequence[str]]
    stemmed: Phrases
    reliability: TermReliability
    reading: DictionaryDecoding
    nothing: Code
    config: DictionaryConfiguration
    tuning: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"DictionaryMatcher({self.knowledge!r}, {self.reading!r})"

    @classmethod
    def fit(
        cls,
        data: TrainingData,
        config: DictionaryConfiguration,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> DictionaryMatcher:
        """Train on notes with their gold mentions."""
        notes, vocabulary = data.notes, data.vocabulary
        assert vocabulary is not None  # it is needed, and so it is there
        types = semantic_types(config, notes, vocabulary)
        language = vocabulary.manifest.language
        made = cls(
            vocabulary,
            tuple(types),
            MentionStatistics.fit(notes, language),
            _surfaces(notes),
            _stemmed(vocabulary, types) if config.stemming else Phrases.of([]),
            TermReliability(),
            DictionaryDecoding(
                _tuned_context(notes, language, seed),
                config.nested if config.nested is not None else _is_nested(notes),
                0.0,
            ),
            nothing_of(notes),
            config,
        )
        # Each note is read with the statistics of the others, as a new one would be.
        found: list[list[TermOccurrence]] = []
        gold: list[set[Span]] = []
        for inside, outside in track(note_folds(notes, _FOLDS, seed), "reading", _FOLDS):
            known = replace(
                made,
                knowledge=MentionStatistics.fit(inside, language),
                surfaces=_surfaces(inside),
            )
            found += known._spotter.find([one.note for one in outside])
            gold += [{extent(mark.spans) for mark in one.marks} for one in outside]
        reliability, least, measured = TermReliability.fit(
            found, gold, nested=made.reading.nested, type_of=_types(vocabulary)
        )
        least = least if config.threshold is None else config.threshold
        return replace(
            made,
            reliability=reliability,
            reading=replace(made.reading, least=least),
            tuning={"on": "training notes, out of fold", **measured},
        )

    def find(self, notes: Iterable[Note]) -> Iterator[EntityMention]:
        """The terms in notes and what they mean."""
        for note, occurrences in self._occurrences(notes):
            least, nested = self.reading.least, self.reading.nested
            for one in self.reliability.kept(occurrences, least, nested=nested):
                yield from self._read(note, (one.span,), one)

    def link(self, notes: Iterable[Note], places: Places) -> Iterator[EntityMention]:
        """The concepts of the given spans; CUI-less where no term matches."""
        for note, occurrences in self._occurrences(notes):
            there = {one.span: one for one in occurrences}
            for spans in places.get(note.note_id, ()):
                found = there.get(extent(spans))
                if found is None:
                    yield EntityMention(note, spans, self.nothing, 0.5)
                else:
                    yield from self._read(note, spans, found)

    def _occurrences(self, notes: Iterable[Note]) -> Iterator[tuple[Note, list[TermOccurrence]]]:
        going_by = iter(notes)
        while batch := list(islice(going_by, _NOTES_AT_ONCE)):
            yield from zip(batch, self._spotter.find(batch), strict=True)

    def _read(
        self, note: Note, spans: tuple[Span, ...], one: TermOccurrence
    ) -> Iterator[EntityMention]:
        reliability = self.reliability.of(one)
        for code, share in read(one, note.text or "", self.knowledge, self.reading.context):
            yield EntityMention(note, spans, code, reliability * share)

    @cached_property
    def _spotter(self) -> TermSpotter:
        return TermSpotter(
            self.vocabulary,
            self.types,
            self.knowledge,
            self.surfaces,
            self.stemmed,
            slips=self.config.fuzzy and self.config.stemming,
        )

    def save(self, directory: Path) -> None:
        """Write the fitted statistics; the vocabulary is not copied."""
        self.knowledge.save(directory)
        self.stemmed.save(directory / _STEMS)
        held = {
            "types": list(self.types),
            "surfaces": {
                normal: list(surfaces_of) for normal, surfaces_of in self.surfaces.items()
            },
            "reliability": self.reliability.to_dict(),
            "reading": asdict(self.reading),
            "system": self.nothing.system,
            "tuning": dict(self.tuning),
        }
        (directory / _FILE).write_text(json.dumps(held, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(
        cls, directory: Path, resources: Resources, config: DictionaryConfiguration
    ) -> DictionaryMatcher:
        """Read what `save` wrote."""
        vocabulary = resources.vocabulary
        assert vocabulary is not None
        held = json.loads((directory / _FILE).read_text(encoding="utf-8"))
        return cls(
            vocabulary,
            tuple(held["types"]),
            MentionStatistics.load(directory),
            held["surfaces"],
            Phrases.load(directory / _STEMS),
            TermReliability.from_dict(held["reliability"], _types(vocabulary)),
            DictionaryDecoding(**held["reading"]),
            nothing_of([], held["system"]),
            config,
            held["tuning"],
        )


def read(
    one: TermOccurrence, text: str, knowledge: MentionStatistics, context: float
) -> list[tuple[Code, float]]:
    """The concepts predicted for an occurrence, each with its probability."""
    if len(one.readings) == 1:
        return [(code, 1.0) for code in one.readings]
    scores = {code: math.log(times + _UNUSED) for code, times in one.readings.items()}
    if context:
        words = around(text, one.span, knowledge.language)
        for code in scores:
            scores[code] += context * knowledge.contexts.log_ratio(words, code)
    top = max(scores.values())
    total = sum(math.exp(score - top) for score in scores.values())
    best = min(scores, key=lambda code: (-scores[code], code))
    given = [best]
    if one.used is not None and one.used.share(best) >= _TOGETHER:
        given += [c for c in one.used.codes if c != best and one.used.share(c) >= _TOGETHER]
    return [(code, math.exp(scores[code] - top) / total) for code in given]


def _types(vocabulary: Vocabulary) -> TypeOf:
    """The semantic types of concepts, as one string."""

    @lru_cache(maxsize=50_000)
    def type_of(code: Code) -> str:
        number = vocabulary.number_of(code)
        return "" if number is None else "|".join(vocabulary.concept_at(number).types)

    return type_of


def _surfaces(notes: Sequence[MarkedNote]) -> dict[str, list[str]]:
    """How marked strings were written, by normal form."""
    found: dict[str, set[str]] = {}
    for one in notes:
        for mark in one.marks:
            found.setdefault(string_forms.normal(mark.text), set()).add(mark.text)
    return {normal: sorted(surfaces_of) for normal, surfaces_of in found.items()}


def _stemmed(vocabulary: Vocabulary, types: Sequence[str]) -> Phrases:
    concept_of = vocabulary.arrays["term_concept"]
    everything = np.arange(len(concept_of))
    allowed = TermFilter(vocabulary, types).allows(everything, concept_of.astype(np.int64))
    terms = everything[allowed].tolist()
    phrases, rows = stemmed_terms(vocabulary, track(terms, "reading names", len(terms)))
    made = Phrases.of(phrases)
    return Phrases(made.hashes, np.array(rows, np.int64)[made.rows], made.longest)


def _is_nested(notes: Sequence[MarkedNote]) -> bool:
    inside = total = 0
    for one in notes:
        reach = -1
        for mark in one.marks:
            whole = extent(mark.spans)
            inside += whole.end <= reach
            reach = max(reach, whole.end)
            total += 1
    return inside >= _NESTED * total


def _tuned_context(notes: Sequence[MarkedNote], language: str, seed: int) -> float:
    """The weight of the context, tuned out of fold on the strings with several concepts."""
    right: Counter[float] = Counter()
    for inside, outside in note_folds(notes, _FOLDS, seed):
        knowledge = MentionStatistics.fit(inside, language)
        for one in outside:
            for mark in one.marks:
                used = knowledge.used(mark.text)
                if used is None or len(used.codes) < 2:
                    continue
                readings = {code: float(times) for code, times in used.codes.items()}
                place = TermOccurrence(extent(mark.spans), MatchKind.USED, "", readings, used)
                for weight in _CONTEXTS:
                    right[weight] += read(place, one.text, knowledge, weight)[0][0] in mark.codes
    return max(_CONTEXTS, key=lambda weight: (right[weight], -weight))
