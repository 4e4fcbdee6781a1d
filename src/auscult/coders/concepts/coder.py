"""A coder of concepts that has learnt: annotates notes, is saved and loaded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from auscult.coders import span_coder as kind_of
from auscult.coders.about import LAYOUT, Source, chart_digest
from auscult.coders.categories import Categories
from auscult.coders.concepts.contract import Places, SpanCoder, SpanConfiguration
from auscult.coders.stored import KEPT, about_file, read_about, read_trained_on, write
from auscult.coders.unread import Unread
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Annotation, Note, OptionError, Span
from auscult.learning.about import Learnt


class VocabularyUsed(BaseModel):
    """The vocabulary a coder learnt with, and where it was then."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    path: str
    digest: str


class SpanAbout(Learnt):
    """What a saved coder of concepts says of itself: its `coder.json`."""

    layout: int = LAYOUT
    vocabulary: VocabularyUsed | None
    source: Source
    notes: int
    left_out: int = 0
    """Training notes without a mark, from which nothing was learnt."""
    marks: int
    discontinuous: int = 0
    """How many of the marks are of several spans."""
    concepts: int
    tuning: dict[str, Any]
    """What was measured on training notes that were not learnt from."""


@dataclass(frozen=True, eq=False)
class ConceptCoder:
    """What was learnt (`learner`) and what it is (`about`)."""

    about: SpanAbout
    config: SpanConfiguration
    learner: SpanCoder
    trained_on: frozenset[str]
    category: str | None = None
    """What notes without a category are read as, if not as of the usual one."""

    def __repr__(self) -> str:
        return f"ConceptCoder(kind={self.about.kind!r}, concepts={self.about.concepts})"

    @property
    def name(self) -> str:
        """What its annotations are signed with unless another name is given."""
        return self.about.kind

    @cached_property
    def reads(self) -> Categories:
        """Which notes it reads, and as what those without a category."""
        return Categories.of(self.about.source, self.config.categories, self.category)

    def with_category(self, category: str | None) -> ConceptCoder:
        """The same that reads notes without a category as of this one; None is the usual one.

        An error if it does not read notes of that category.
        """
        if category is not None:
            self.reads.read_as(category)
        return replace(self, category=category)

    def annotate(
        self,
        notes: Iterable[Note],
        places: Places | None = None,
        *,
        annotator: str | None = None,
        unread: Unread | None = None,
    ) -> Iterator[Annotation]:
        """Annotations of notes, in order; several on one span are concepts that all fit.

        `places` are the spans to read, by note: somebody's marks, whose meaning alone is wanted. A
        coder that only says what is meant needs them; one that only finds spans refuses them.
        `unread` counts what was not read, which is warned of otherwise.
        """
        if self.learner.needs_places and places is None:
            raise OptionError(
                f"The {self.about.kind} says what spans mean and finds none itself. Name whose "
                "spans to read (--spans-of ANNOTATOR), or a coder that finds some (--spans-by "
                "CODER)."
            )
        if places is not None and not self.learner.takes_places:
            raise OptionError(
                f"The {self.about.kind} finds spans itself and does not say what given ones mean. "
                "Leave --spans-of and --spans-by out, or name a normaliser."
            )
        left = Unread() if unread is None else unread
        chosen = left.passing(notes, self.reads)
        who = annotator or self.name
        for found in self.learner.annotate(chosen, places):
            note = found.note
            yield Annotation(
                who, found.code, note.chart_id, note.note_id, found.spans, round(found.score, 4)
            )
        if unread is None:
            left.warn(self.reads)

    def has_seen(self, chart_ids: Iterable[str]) -> list[str]:
        """Those of the charts that the coder learnt from."""
        return [chart for chart in chart_ids if chart_digest(chart) in self.trained_on]

    def save(self, path: Path | str, *, overwrite: bool = True) -> None:
        """Write the coder into a directory, at one stroke; by default in the place of another."""
        write(Path(path), self.about, self.trained_on, self.learner.save, overwrite=overwrite)

    @classmethod
    def load(cls, path: Path | str, vocabulary: Path | None = None) -> ConceptCoder:
        """The coder in a directory; its vocabulary from where it was, or from another place."""
        path = Path(path)
        file = about_file(path)
        about = read_about(file, SpanAbout)
        kind = kind_of(about.kind)
        config = KEPT.configuration(file, about.kind, kind.config_type, about.configuration)
        opened = _vocabulary(about, vocabulary)
        learner = kind.load(path, opened, config)
        return cls(about, config, learner, read_trained_on(path, about.source))


def places_of(annotations: Iterable[Annotation]) -> dict[str, list[tuple[Span, ...]]]:
    """The spans of annotations, by note, each once."""
    found: dict[str, dict[tuple[Span, ...], None]] = {}
    for annotation in annotations:
        if annotation.note_id is not None and annotation.spans:
            found.setdefault(annotation.note_id, {})[annotation.spans] = None
    return {note_id: list(spans) for note_id, spans in found.items()}


def together(first: Places, second: Places) -> dict[str, list[tuple[Span, ...]]]:
    """The spans of two, by note: the first's, and of the second's those that overlap none of them.

    >>> together({"n": [(Span(0, 4),)]}, {"n": [(Span(2, 6),), (Span(8, 9),)]})
    {'n': [(Span(begin=0, end=4),), (Span(begin=8, end=9),)]}
    """
    found = {note_id: list(places) for note_id, places in first.items()}
    for note_id, places in second.items():
        taken = [span for spans in first.get(note_id, ()) for span in spans]
        free = [spans for spans in places if not any(a.overlaps(b) for a in spans for b in taken)]
        if free:
            found.setdefault(note_id, []).extend(free)
    return found


def _vocabulary(about: SpanAbout, elsewhere: Path | None) -> Vocabulary | None:
    used = about.vocabulary
    if used is None:
        return None
    path = elsewhere or Path(used.path)
    if not path.exists():
        raise OptionError(
            f"The coder learnt with the vocabulary {used.name}, which is no longer at {path}. Say "
            "where it is with --vocabulary."
        )
    opened = Vocabulary.open(path)
    if opened.manifest.digest != used.digest:
        raise OptionError(
            f"The vocabulary at {path} is not the one the coder learnt with ({used.name}, digest "
            f"{used.digest[:12]}). Name that one with --vocabulary, or train again."
        )
    return opened
