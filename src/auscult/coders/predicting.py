"""Coding the notes of a corpus on any engine: what is sent to the workers, and what they count."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from auscult.coders import reads_concepts
from auscult.coders.about import About
from auscult.coders.categories import Categories
from auscult.coders.coder import Coder, codes_by_chart
from auscult.coders.concepts.coder import ConceptCoder, SpanAbout, places_of, together
from auscult.coders.concepts.contract import Places
from auscult.coders.familiar import warn_of_seen
from auscult.coders.stored import about_file, kind_at, read_about
from auscult.coders.unread import Unread
from auscult.core import Annotation, Code, CorpusError, Note, OptionError, Status
from auscult.core.digests import directory_digest
from auscult.core.names import require_known
from auscult.core.progress import track
from auscult.corpus import schema
from auscult.corpus.corpus import Corpus
from auscult.corpus.partitions import NOTES
from auscult.corpus.parts import Annotated, annotate_at_once, annotated
from auscult.engine import Engine
from auscult.learning.source import corpus_digest


@dataclass(frozen=True)
class Given:
    """The annotations of somebody in a corpus on disk, read for some charts at a time."""

    corpus: Path
    digest: str | None
    annotator: str

    @classmethod
    def of(cls, corpus: Corpus, annotator: str) -> Given:
        """An error unless the corpus has annotations of that name."""
        there = corpus.annotations.select("annotator").unique().collect()["annotator"].to_list()
        require_known(annotator, there, "annotator")
        if corpus.path is None:
            raise CorpusError("The annotations of a corpus in memory cannot be read by workers.")
        return cls(corpus.path, corpus_digest(corpus), annotator)

    @property
    def asked(self) -> list[Any]:
        """For a digest."""
        return [self.digest, self.annotator]

    @cached_property
    def _opened(self) -> Corpus:
        opened = Corpus.open(self.corpus)
        if corpus_digest(opened) != self.digest:
            raise CorpusError(
                f"The corpus {self.corpus} changed while it was read. Give the command again."
            )
        return opened

    def on(self, charts: Iterable[str]) -> Iterable[Annotation]:
        """The annotations on these charts."""
        wanted = pl.col("chart_id").is_in(list(charts)) & (pl.col("annotator") == self.annotator)
        return schema.iter_annotations(self._opened.annotations.filter(wanted))


@dataclass(frozen=True)
class Coding:
    """A coder of charts over tables of notes."""

    coder: Path
    digest: str
    annotator: str | None = None
    codes_of: Given | None = None
    never_empty: bool = False
    ranked: int | None = 0
    """None ranks all codes."""
    code_threshold: float | None = None
    evidence_threshold: float | None = None
    """Instead of the coder's own."""
    alternatives: bool = False
    """Also ranges that overlap a better one."""
    category: str | None = None
    """What notes without a category are read as, instead of the coder's usual one."""

    @property
    def asked(self) -> list[Any]:
        """What the annotations follow from."""
        given = self.codes_of.asked if self.codes_of else None
        thresholds = [self.code_threshold, self.evidence_threshold]
        how = [self.never_empty, self.ranked, *thresholds, self.alternatives, self.category]
        return [self.digest, self.annotator, given, *how]

    def begin(self) -> Callable[[pl.DataFrame], Annotated]:
        """Load the coder, if it is still the same."""
        coder = Coder.load(self.coder)
        require_same(self.coder, self.digest)
        coder = coder.with_thresholds(self.code_threshold, self.evidence_threshold)
        coder = coder.with_category(self.category)

        def annotate(table: pl.DataFrame) -> Annotated:
            notes, charts = _notes(table)
            also: dict[str, list[Code]] | None = None
            if self.codes_of is not None:
                also = codes_by_chart(self.codes_of.on(charts))
            unread = Unread()
            made = list(
                coder.code(
                    track(notes, "coding", len(notes)),
                    annotator=self.annotator,
                    also=also,
                    never_empty=self.never_empty,
                    ranked=len(coder.labels) if self.ranked is None else self.ranked,
                    alternatives=self.alternatives,
                    unread=unread,
                )
            )
            pairs = {(a.chart_id, a.code) for a in made if a.status is Status.GIVEN}
            pointed = {(a.chart_id, a.code) for a in made if a.spans} & pairs
            return schema.annotations_table(made), {
                "notes": len(notes),
                "charts": len(charts),
                "seen": len(coder.has_seen(charts)),
                "codes": len(pairs),
                "codes_with_evidence": len(pointed),
                "annotations": len(made),
                **_counts(unread),
            }

        return annotate


@dataclass(frozen=True)
class Reading:
    """A coder of concepts over tables of notes, at the places of an annotator or of others."""

    coder: Path
    digest: str
    annotator: str | None = None
    vocabulary: Path | None = None
    spans_of: Given | None = None
    spans_by: Sequence[tuple[Path, str]] = ()
    """Coders that find spans, each with its digest."""
    category: str | None = None
    """What notes without a category are read as, instead of the coders' usual ones."""

    @property
    def asked(self) -> list[Any]:
        """What the annotations follow from; a vocabulary is checked by its digest on loading."""
        finders = [digest for _, digest in self.spans_by]
        given = self.spans_of and self.spans_of.asked
        return [self.digest, self.annotator, given, finders, self.category]

    def begin(self) -> Callable[[pl.DataFrame], Annotated]:
        """Load the coders, if they are still the same."""
        coder, *finders = (
            ConceptCoder.load(path, self.vocabulary).with_category(self.category)
            for path in (self.coder, *(path for path, _ in self.spans_by))
        )
        for path, digest in ((self.coder, self.digest), *self.spans_by):
            require_same(path, digest)

        def annotate(table: pl.DataFrame) -> Annotated:
            notes, charts = _notes(table)
            places: Places | None = None
            if self.spans_of is not None:
                places = places_of(self.spans_of.on(charts))
            for finder in finders:
                going_by = track(notes, "finding spans", len(notes))
                more = places_of(finder.annotate(going_by, unread=Unread()))
                places = together(places or {}, more)
            going_by = track(notes, "reading spans", len(notes))
            unread = Unread()
            made = schema.annotations_table(
                coder.annotate(going_by, places, annotator=self.annotator, unread=unread)
            )
            return made, {
                "notes": len(notes),
                "charts": len(charts),
                "seen": len(coder.has_seen(charts)),
                "annotations": made.height,
                **_counts(unread),
            }

        return annotate


@contextmanager
def predicted(
    corpus: Corpus,
    how: Coding | Reading,
    out: Path | None,
    engine: Engine,
    *,
    splits: Collection[str] = (),
    notes: int = NOTES,
) -> Iterator[tuple[Corpus, Counter[str]]]:
    """The corpus, or some splits of it, with what a coder makes of it, and counts.

    To be written to `out` inside the `with`. A corpus in memory, or one that is not written, is
    coded in one go by this process.
    """
    part = corpus.select(splits=splits) if splits else corpus
    if not part.notes.select(pl.len()).collect().item():
        where = corpus.path or "The input"
        raise OptionError(f"{where} has no notes{' in that split' if splits else ''}.")
    if corpus.path is None or out is None:
        made, found = annotate_at_once(part, how)
        _warn(how, corpus, part, counts := Counter(found))
        yield replace(part, all_annotations=made.lazy(), path=None), counts
        return
    with annotated(
        corpus, how, out, engine, splits=splits or None, notes=notes, doing="coding"
    ) as (table, counts):
        _warn(how, corpus, part, counts)
        yield replace(part, all_annotations=table, path=None), counts


def categories_of(coder: Path, category: str | None = None) -> Categories:
    """Which notes the coder in a directory reads, and as what those without a category."""
    about = _about(coder)
    return Categories.of(about.source, about.configuration.get("categories"), category)


def _about(coder: Path) -> About | SpanAbout:
    file = about_file(coder)
    if reads_concepts(kind_at(coder)):
        return read_about(file, SpanAbout)
    return read_about(file, About)


def _counts(unread: Unread) -> dict[str, int]:
    """What adds up over partitions."""
    names = ("empty", "cut", "words_cut", "uncategorized")
    return {name: getattr(unread, name) for name in names}


def _warn(how: Coding | Reading, corpus: Corpus, part: Corpus, counts: Counter[str]) -> None:
    """Warn of what was not read, and of charts that the coder knows."""
    source = _about(how.coder).source
    unread = Unread(
        counts["empty"], counts["cut"], counts["words_cut"], counts["charts"],
        counts["uncategorized"],
    )  # fmt: skip
    if unread.is_everything:
        column = part.notes.select("category").drop_nulls().collect()["category"]
        unread.categories.update(column.to_list())
    unread.warn(categories_of(how.coder, how.category))
    if how.category is not None and not unread.uncategorized:
        warnings.warn(
            f"--category {how.category} has no effect: every note already has a category.",
            stacklevel=3,
        )
    warn_of_seen(how.coder, source, corpus, counts["seen"], counts["charts"])


def require_same(path: Path, digest: str) -> None:
    """An error when a coder is no longer what it was when the work began."""
    if directory_digest(path) != digest:
        raise OptionError(
            f"The coder {path} changed while it was at work. Give the command again: what the "
            "other one did is not used."
        )


def _notes(table: pl.DataFrame) -> tuple[list[Note], list[str]]:
    notes = list(schema.iter_notes(table.lazy()))
    return notes, list(dict.fromkeys(note.chart_id for note in notes))
