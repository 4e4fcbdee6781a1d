"""The vocabulary coder: terms found in notes, and which of their readings each place means.

Terms are training strings, names of the vocabulary as they are and but for endings or a slip, and
short forms that the note spells out. Of several readings the one is given that training marks used
most and whose usual company of words is here. Strings that training notes have but annotators left
alone are left alone; strings that they marked as CUI-less are CUI-less.
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

from auscult.coders.concepts import wording
from auscult.coders.concepts.contexts import around
from auscult.coders.concepts.contract import Found, Places, SpanConfiguration
from auscult.coders.concepts.folds import folds, nothing_of
from auscult.coders.concepts.knowledge import Knowledge, all_codes
from auscult.coders.concepts.marks import MarkedNote
from auscult.coders.concepts.names import types_of
from auscult.coders.concepts.occurrences import How, Occurrence, Spotter, stemmed_terms
from auscult.coders.concepts.phrases import Phrases
from auscult.coders.concepts.trust import Trust, TypeOf
from auscult.codes.filters import Filter
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code, Note, Span
from auscult.core.progress import track
from auscult.core.span import extent

_FILE, _STEMS = "vocabulary.json", "stems.npz"
_NOTES_AT_ONCE = 500
_FOLDS = 5
_UNUSED = 0.3
"""The weight of a reading that no training mark has, beside those that some have."""
_CONTEXTS = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0)
_NESTED = 0.02
"""The part of training marks inside others from which on nested terms are given."""
_TOGETHER = 0.8
"""The part of a string's marks in which a further concept must be there to be given too."""


class VocabularyConfiguration(SpanConfiguration):
    """How terms are found and read."""

    slips: bool = Field(True, description="Find terms with a slip in a word.")
    stems: bool = Field(True, description="Find terms whose words have other endings.")
    nested: bool | None = Field(
        None, description="Give terms inside others; by default if the training notes do."
    )
    least: float | None = Field(
        None, ge=0, le=1,
        description="Least likelihood of being marked; by default that with the best F1.",
    )  # fmt: skip


@dataclass(frozen=True)
class Reading:
    """How far context counts, whether terms inside others are given, and which at all."""

    context: float
    nested: bool
    least: float


@dataclass(frozen=True, eq=False)
class VocabularyCoder:
    """What was learnt, over the vocabulary it is to be used with."""

    config_type: ClassVar[type[VocabularyConfiguration]] = VocabularyConfiguration
    needs_vocabulary: ClassVar[bool] = True
    needs_places: ClassVar[bool] = False
    takes_places: ClassVar[bool] = True

    vocabulary: Vocabulary
    types: tuple[str, ...]
    knowledge: Knowledge
    surfaces: Mapping[str, Sequence[str]]
    stemmed: Phrases
    trust: Trust
    reading: Reading
    nothing: Code
    config: VocabularyConfiguration
    tuning: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"VocabularyCoder({self.knowledge!r}, {self.reading!r})"

    @classmethod
    def fit(
        cls,
        notes: Sequence[MarkedNote],
        vocabulary: Vocabulary | None,
        config: VocabularyConfiguration,
        *,
        seed: int,
    ) -> VocabularyCoder:
        """Learn from notes with their marks."""
        assert vocabulary is not None  # it is needed, and so it is there
        types = config.types if config.types is not None else types_of(all_codes(notes), vocabulary)
        language = vocabulary.manifest.language
        made = cls(
            vocabulary,
            tuple(types),
            Knowledge.learn(notes, language),
            _surfaces(notes),
            _stemmed(vocabulary, types) if config.stems else Phrases.of([]),
            Trust(),
            Reading(
                _tuned_context(notes, language, seed),
                config.nested if config.nested is not None else _is_nested(notes),
                0.0,
            ),
            nothing_of(notes),
            config,
        )
        # Each note is read with what the others teach, as a new one would be.
        found: list[list[Occurrence]] = []
        gold: list[set[Span]] = []
        for inside, outside in track(folds(notes, _FOLDS, seed), "reading", _FOLDS):
            known = replace(
                made, knowledge=Knowledge.learn(inside, language), surfaces=_surfaces(inside)
            )
            found += known._spotter.find([one.note for one in outside])
            gold += [{extent(mark.spans) for mark in one.marks} for one in outside]
        trust, least, measured = Trust.learn(
            found, gold, nested=made.reading.nested, type_of=_types(vocabulary)
        )
        least = least if config.least is None else config.least
        return replace(
            made,
            trust=trust,
            reading=replace(made.reading, least=least),
            tuning={"on": "training notes, out of fold", **measured},
        )

    def annotate(self, notes: Iterable[Note], places: Places | None = None) -> Iterator[Found]:
        """The terms of notes and what they mean; at given places, or CUI-less there."""
        going_by = iter(notes)
        while batch := list(islice(going_by, _NOTES_AT_ONCE)):
            for note, occurrences in zip(batch, self._spotter.find(batch), strict=True):
                if places is None:
                    for one in self.trust.kept(
                        occurrences, self.reading.least, nested=self.reading.nested
                    ):
                        yield from self._read(note, (one.span,), one)
                else:
                    there = {one.span: one for one in occurrences}
                    for spans in places.get(note.note_id, ()):
                        found = there.get(extent(spans))
                        if found is None:
                            yield Found(note, spans, self.nothing, 0.5)
                        else:
                            yield from self._read(note, spans, found)

    def _read(self, note: Note, spans: tuple[Span, ...], one: Occurrence) -> Iterator[Found]:
        trust = self.trust.of(one)
        for code, share in read(one, note.text or "", self.knowledge, self.reading.context):
            yield Found(note, spans, code, trust * share)

    @cached_property
    def _spotter(self) -> Spotter:
        return Spotter(
            self.vocabulary,
            self.types,
            self.knowledge,
            self.surfaces,
            self.stemmed,
            slips=self.config.slips and self.config.stems,
        )

    def save(self, directory: Path) -> None:
        """Write what was learnt; the vocabulary stays where it is."""
        self.knowledge.save(directory)
        self.stemmed.save(directory / _STEMS)
        held = {
            "types": list(self.types),
            "surfaces": {normal: list(said) for normal, said in self.surfaces.items()},
            "trust": self.trust.to_dict(),
            "reading": asdict(self.reading),
            "system": self.nothing.system,
            "tuning": dict(self.tuning),
        }
        (directory / _FILE).write_text(json.dumps(held, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(
        cls, directory: Path, vocabulary: Vocabulary | None, config: VocabularyConfiguration
    ) -> VocabularyCoder:
        """What `save` wrote."""
        assert vocabulary is not None
        held = json.loads((directory / _FILE).read_text(encoding="utf-8"))
        return cls(
            vocabulary,
            tuple(held["types"]),
            Knowledge.load(directory),
            held["surfaces"],
            Phrases.load(directory / _STEMS),
            Trust.from_dict(held["trust"], _types(vocabulary)),
            Reading(**held["reading"]),
            nothing_of([], held["system"]),
            config,
            held["tuning"],
        )


def read(
    one: Occurrence, text: str, knowledge: Knowledge, context: float
) -> list[tuple[Code, float]]:
    """The readings of a place that are given, with the probability of each."""
    if len(one.readings) == 1:
        return [(code, 1.0) for code in one.readings]
    scores = {code: math.log(times + _UNUSED) for code, times in one.readings.items()}
    if context:
        words = around(text, one.span, knowledge.language)
        for code in scores:
            scores[code] += context * knowledge.contexts.fit(words, code)
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
            found.setdefault(wording.normal(mark.text), set()).add(mark.text)
    return {normal: sorted(said) for normal, said in found.items()}


def _stemmed(vocabulary: Vocabulary, types: Sequence[str]) -> Phrases:
    concept_of = vocabulary.arrays["term_concept"]
    everything = np.arange(len(concept_of))
    allowed = Filter(vocabulary, types).allows(everything, concept_of.astype(np.int64))
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
    """How far context is to count, by the strings with several readings, out of fold."""
    right: Counter[float] = Counter()
    for inside, outside in folds(notes, _FOLDS, seed):
        knowledge = Knowledge.learn(inside, language)
        for one in outside:
            for mark in one.marks:
                used = knowledge.used(mark.text)
                if used is None or len(used.codes) < 2:
                    continue
                readings = {code: float(times) for code, times in used.codes.items()}
                place = Occurrence(extent(mark.spans), How.USED, "", readings, used)
                for weight in _CONTEXTS:
                    right[weight] += read(place, one.text, knowledge, weight)[0][0] in mark.codes
    return max(_CONTEXTS, key=lambda weight: (right[weight], -weight))
