"""The tagger: a recogniser of spans, nested ones too, learnt from marked notes.

A conditional random field for every layer of nesting, the innermost spans first; each layer sees
the tags of those below. With a vocabulary it also sees where terms of the training concepts' types
stand. What a note spells out and the tagger marks, it marks in its short form throughout.

It says where concepts are, not which: its annotations are CUI-less until a normaliser reads them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy import sparse

from auscult.coders.concepts.contract import Found, Places, SpanConfiguration
from auscult.coders.concepts.folds import folds, nothing_of
from auscult.coders.concepts.knowledge import all_codes
from auscult.coders.concepts.marks import MarkedNote
from auscult.coders.concepts.names import types_of
from auscult.coders.concepts.tagger.crf import Crf
from auscult.coders.concepts.tagger.features import Features
from auscult.coders.concepts.tagger.layers import (
    MAY_BEGIN,
    MAY_END,
    MAY_FOLLOW,
    Range,
    layers,
    to_ranges,
    to_tags,
)
from auscult.coders.concepts.tagger.tokens import Sentences, sentences
from auscult.codes.abbreviations import defined_in
from auscult.codes.find import Case, Finder, longest
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code, Note, Span
from auscult.core.counts import Counts
from auscult.core.progress import track
from auscult.core.span import extent

_FILE = "tagger.json"
_RARE = 0.002
"""A layer of fewer of the marks than this is not learnt."""
_NOTES_AT_ONCE = 200


class TaggerConfiguration(SpanConfiguration):
    """How spans are recognised."""

    penalty: float = Field(1.0, gt=0, description="Penalty on large weights.")
    rounds: int = Field(80, ge=1, description="Rounds of optimisation of each layer.")
    deepest: int = Field(4, ge=1, description="Layers of nesting at most.")
    abbreviations: bool = Field(
        True, description="Mark short forms wherever the note spells out one of the spans."
    )
    measure: bool = Field(
        True, description="Measure itself on a fifth of the training notes; learns twice for it."
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """A note in tokens, and what the vocabulary has there."""

    tokens: Sentences
    terms: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tagger:
    """A field for every layer, and the terms that it sees."""

    config_type: ClassVar[type[TaggerConfiguration]] = TaggerConfiguration
    needs_vocabulary: ClassVar[bool] = False
    needs_places: ClassVar[bool] = False
    takes_places: ClassVar[bool] = False

    fields: tuple[Crf, ...]
    nothing: Code
    config: TaggerConfiguration
    vocabulary: Vocabulary | None
    types: tuple[str, ...]
    tuning: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def fit(
        cls,
        notes: Sequence[MarkedNote],
        vocabulary: Vocabulary | None,
        config: TaggerConfiguration,
        *,
        seed: int,
    ) -> Tagger:
        """Learn from notes with their marks; measured first by learning from four fifths of them.

        A mark of several spans is learnt as all the text from its first to its last character.
        """
        types = config.types or ()
        if vocabulary is not None and config.types is None:
            types = types_of(all_codes(notes), vocabulary)
        unlearnt = cls((), nothing_of(notes), config, vocabulary, types)
        measured = unlearnt._measured(notes, seed) if config.measure else {}
        return replace(unlearnt._learn(notes), tuning=measured)

    def _measured(self, notes: Sequence[MarkedNote], seed: int) -> dict[str, Any]:
        inside, outside = next(folds(notes, 5, seed))
        if not inside:
            return {}
        trial = self._learn(inside)
        counts = sum((_counted(trial, one) for one in outside), Counts())
        return {
            "on": "a fifth of the training notes",
            "precision": counts.precision,
            "recall": counts.recall,
            "f1": counts.f1,
        }

    def _learn(self, notes: Sequence[MarkedNote]) -> Tagger:
        read = list(self._read(one.note for one in notes))
        nested = [
            layers(_ranges(one, note.tokens), self.config.deepest)
            for one, note in zip(notes, read, strict=True)
        ]
        sizes: Counter[int] = Counter()
        for of_note in nested:
            sizes.update({at: len(layer) for at, layer in enumerate(of_note)})
        deep = sum(1 for at in sizes if sizes[at] >= _RARE * sizes.total())
        lengths = np.concatenate([note.tokens.lengths for note in read])
        below: list[list[npt.NDArray[np.int64]]] = [[] for _ in read]
        learnt = []
        for at in track(range(deep), "learning layers", deep):
            tags = [
                to_tags(of_note[at] if at < len(of_note) else (), len(note.tokens.words))
                for of_note, note in zip(nested, read, strict=True)
            ]
            table = sparse.vstack(
                [
                    self._features.of(note.tokens, note.terms, *seen)
                    for note, seen in zip(read, below, strict=True)
                ],
                format="csr",
            )
            learnt.append(
                Crf.learn(
                    table,
                    lengths,
                    np.concatenate(tags),
                    (MAY_FOLLOW, MAY_BEGIN, MAY_END),
                    penalty=self.config.penalty,
                    rounds=self.config.rounds,
                )
            )
            for seen, own in zip(below, tags, strict=True):
                seen.append(own)
        return Tagger(tuple(learnt), self.nothing, self.config, self.vocabulary, self.types)

    def annotate(self, notes: Iterable[Note], places: Places | None = None) -> Iterator[Found]:
        """The spans of notes, by where they begin, longer ones first."""
        going_by = iter(notes)
        while batch := list(islice(going_by, _NOTES_AT_ONCE)):
            for note, read in zip(batch, self._read(batch), strict=True):
                for span, score in self._spans(note.text or "", read):
                    yield Found(note, (span,), self.nothing, score)

    def _spans(self, text: str, read: _Read) -> list[tuple[Span, float]]:
        found: dict[Span, float] = {}
        below: list[npt.NDArray[np.int64]] = []
        if not len(read.tokens.words):
            return []
        for learnt in self.fields:
            table = self._features.of(read.tokens, read.terms, *below)
            tags, sure = learnt.tag(table, read.tokens.lengths)
            below.append(tags)
            for first, last in to_ranges(tags.tolist()):
                span = read.tokens.span(first, last)
                found.setdefault(span, float(sure[first : last + 1].min()))
        if self.config.abbreviations:
            for span, score in _short_forms(text, found):
                found.setdefault(span, score)
        return sorted(found.items(), key=lambda item: (item[0].begin, -item[0].end))

    def _read(self, notes: Iterable[Note]) -> Iterator[_Read]:
        texts = [note.text or "" for note in notes]
        if self._finder is None:
            for text in texts:
                tokens = sentences(text)
                yield _Read(tokens, np.zeros(len(tokens.words), np.int64))
            return
        for text, terms in zip(texts, self._finder.find_all(texts), strict=True):
            tokens = sentences(text)
            places = [tokens.tokens_of(occurrence.span) for occurrence in longest(terms)]
            yield _Read(tokens, _flat([one for one in places if one], len(tokens.words)))

    @cached_property
    def _features(self) -> Features:
        return Features("english" if self.vocabulary is None else self.vocabulary.manifest.language)

    @cached_property
    def _finder(self) -> Finder | None:
        if self.vocabulary is None:
            return None
        return Finder(self.vocabulary, types=self.types, case=Case.LOOSE)

    def save(self, directory: Path) -> None:
        """Write the fields."""
        for at, learnt in enumerate(self.fields):
            learnt.save(directory / f"layer-{at}.npz")
        held = {
            "layers": len(self.fields),
            "system": self.nothing.system,
            "types": list(self.types),
            "tuning": dict(self.tuning),
        }
        (directory / _FILE).write_text(json.dumps(held, indent=1), encoding="utf-8")

    @classmethod
    def load(
        cls, directory: Path, vocabulary: Vocabulary | None, config: TaggerConfiguration
    ) -> Tagger:
        """What `save` wrote."""
        held = json.loads((directory / _FILE).read_text(encoding="utf-8"))
        fields = tuple(Crf.load(directory / f"layer-{at}.npz") for at in range(held["layers"]))
        nothing = nothing_of([], held["system"])
        return cls(fields, nothing, config, vocabulary, tuple(held["types"]), held["tuning"])


def _flat(ranges: Sequence[Range], count: int) -> npt.NDArray[np.int64]:
    """The tags of ranges, the first of those that touch winning."""
    kept: list[Range] = []
    for one in sorted(set(ranges), key=lambda r: (r[0], -r[1])):
        if not kept or one[0] > kept[-1][1]:
            kept.append(one)
    return to_tags(kept, count)


def _ranges(one: MarkedNote, tokens: Sentences) -> list[Range]:
    found = (tokens.tokens_of(extent(mark.spans)) for mark in one.marks)
    return [place for place in found if place is not None]


def _counted(tagger: Tagger, one: MarkedNote) -> Counts:
    gold = {extent(mark.spans) for mark in one.marks}
    return Counts.of(gold, {found.spans[0] for found in tagger.annotate([one.note])})


def _short_forms(text: str, found: Mapping[Span, float]) -> Iterator[tuple[Span, float]]:
    """The short forms of spans that the note spells out, wherever nothing is marked yet."""
    marked = {" ".join(span.of(text).split()): score for span, score in found.items()}
    for short, long in defined_in(text):
        if long in marked:
            for match in re.finditer(rf"(?<!\w){re.escape(short)}(?!\w)", text):
                span = Span(*match.span())
                if not any(span.overlaps(other) for other in found):
                    yield span, marked[long]
