"""The model `tagger`: named entity recognition of nested spans.

One conditional random field for each nesting level, the innermost spans first; each level sees the
tags of those below. With a vocabulary it also sees the occurrences of terms. An abbreviation that
the note spells out is annotated wherever its long form is.

It finds mentions and does not link them: its annotations are CUI-less until a linker is run.
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

from auscult.codes.abbreviations import defined_in
from auscult.codes.find import CaseRule, TermFinder, longest
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code, Note, Span
from auscult.core.counts import Counts
from auscult.core.progress import track
from auscult.core.span import extent
from auscult.models.architecture import Resources, TrainingData
from auscult.models.entities.cui_less import nothing_of
from auscult.models.entities.gold_mentions import MarkedNote
from auscult.models.entities.name_index import semantic_types
from auscult.models.entities.tagger.crf import Crf
from auscult.models.entities.tagger.features import TokenFeatures
from auscult.models.entities.tagger.layers import (
    MAY_BEGIN,
    MAY_END,
    MAY_FOLLOW,
    Range,
    layers,
    to_ranges,
    to_tags,
)
from auscult.models.entities.tagger.tokens import Sentences, sentences
from auscult.models.folds import note_folds
from auscult.models.span_annotation import EntityMention, SpanConfiguration

_FILE = "tagger.json"
_RARE = 0.002
"""A nesting level with a smaller share of the mentions is not trained."""
_NOTES_AT_ONCE = 200


class TaggerConfiguration(SpanConfiguration):
    """Settings of the tagger."""

    c2: float = Field(0.5, gt=0, description="Coefficient of the L2 regularization.")
    max_iterations: int = Field(
        80, ge=1, description="Maximum number of L-BFGS iterations for each nesting level."
    )
    max_nesting: int = Field(4, ge=1, description="Maximum number of nesting levels of mentions.")
    abbreviations: bool = Field(
        True, description="Also annotate an abbreviation if the note spells out the mention."
    )
    evaluate: bool = Field(
        True,
        description="Evaluate on a held-out fifth of the training notes, which trains twice.",
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """A note in tokens, and what the vocabulary has there."""

    tokens: Sentences
    terms: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CrfTagger:
    """The fitted tagger: a conditional random field for each nesting level, and its terms."""

    config_type: ClassVar[type[TaggerConfiguration]] = TaggerConfiguration
    needs_vocabulary: ClassVar[bool] = False

    fields: tuple[Crf, ...]
    nothing: Code
    config: TaggerConfiguration
    vocabulary: Vocabulary | None
    types: tuple[str, ...]
    tuning: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def fit(
        cls,
        data: TrainingData,
        config: TaggerConfiguration,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> CrfTagger:
        """Train on notes with their gold mentions; evaluated on a held-out fifth first.

        A discontinuous mention is trained as the whole text from its first to its last character.
        """
        notes, vocabulary = data.notes, data.vocabulary
        types = config.semantic_types or ()
        if vocabulary is not None:
            types = semantic_types(config, notes, vocabulary)
        untrained = cls((), nothing_of(notes), config, vocabulary, types)
        measured = untrained._measured(notes, seed) if config.evaluate else {}
        return replace(untrained._train(notes), tuning=measured)

    def _measured(self, notes: Sequence[MarkedNote], seed: int) -> dict[str, Any]:
        inside, outside = next(note_folds(notes, 5, seed))
        if not inside:
            return {}
        trial = self._train(inside)
        counts = sum((_counted(trial, one) for one in outside), Counts())
        return {
            "on": "a fifth of the training notes",
            "precision": counts.precision,
            "recall": counts.recall,
            "f1": counts.f1,
        }

    def _train(self, notes: Sequence[MarkedNote]) -> CrfTagger:
        read = list(self._read(one.note for one in notes))
        nested = [
            layers(_ranges(one, note.tokens), self.config.max_nesting)
            for one, note in zip(notes, read, strict=True)
        ]
        sizes: Counter[int] = Counter()
        for of_note in nested:
            sizes.update({at: len(layer) for at, layer in enumerate(of_note)})
        deep = sum(1 for at in sizes if sizes[at] >= _RARE * sizes.total())
        lengths = np.concatenate([note.tokens.lengths for note in read])
        below: list[list[npt.NDArray[np.int64]]] = [[] for _ in read]
        fields = []
        for at in track(range(deep), "training nesting levels", deep):
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
            fields.append(
                Crf.fit(
                    table,
                    lengths,
                    np.concatenate(tags),
                    (MAY_FOLLOW, MAY_BEGIN, MAY_END),
                    c2=self.config.c2,
                    max_iterations=self.config.max_iterations,
                )
            )
            for seen, own in zip(below, tags, strict=True):
                seen.append(own)
        return CrfTagger(tuple(fields), self.nothing, self.config, self.vocabulary, self.types)

    def find(self, notes: Iterable[Note]) -> Iterator[EntityMention]:
        """The spans of notes, ordered by where they begin, longer ones first."""
        going_by = iter(notes)
        while batch := list(islice(going_by, _NOTES_AT_ONCE)):
            for note, read in zip(batch, self._read(batch), strict=True):
                for span, score in self._spans(note.text or "", read):
                    yield EntityMention(note, (span,), self.nothing, score)

    def _spans(self, text: str, read: _Read) -> list[tuple[Span, float]]:
        found: dict[Span, float] = {}
        below: list[npt.NDArray[np.int64]] = []
        if not len(read.tokens.words):
            return []
        for fields in self.fields:
            table = self._features.of(read.tokens, read.terms, *below)
            tags, sure = fields.tag(table, read.tokens.lengths)
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
    def _features(self) -> TokenFeatures:
        return TokenFeatures(
            "english" if self.vocabulary is None else self.vocabulary.manifest.language
        )

    @cached_property
    def _finder(self) -> TermFinder | None:
        if self.vocabulary is None:
            return None
        return TermFinder(self.vocabulary, types=self.types, case=CaseRule.LOOSE)

    def save(self, directory: Path) -> None:
        """Write the fields."""
        for at, fields in enumerate(self.fields):
            fields.save(directory / f"layer-{at}.npz")
        held = {
            "layers": len(self.fields),
            "system": self.nothing.system,
            "types": list(self.types),
            "tuning": dict(self.tuning),
        }
        (directory / _FILE).write_text(json.dumps(held, indent=1), encoding="utf-8")

    @classmethod
    def load(cls, directory: Path, resources: Resources, config: TaggerConfiguration) -> CrfTagger:
        """Read what `save` wrote."""
        vocabulary = resources.vocabulary
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


def _counted(tagger: CrfTagger, one: MarkedNote) -> Counts:
    gold = {extent(mark.spans) for mark in one.marks}
    return Counts.of(gold, {found.spans[0] for found in tagger.find([one.note])})


def _short_forms(text: str, found: Mapping[Span, float]) -> Iterator[tuple[Span, float]]:
    """The short forms of spans that the note spells out, wherever nothing is marked yet."""
    marked = {" ".join(span.of(text).split()): score for span, score in found.items()}
    for short, long in defined_in(text):
        if long in marked:
            for match in re.finditer(rf"(?<!\w){re.escape(short)}(?!\w)", text):
                span = Span(*match.span())
                if not any(span.overlaps(other) for other in found):
                    yield span, marked[long]
