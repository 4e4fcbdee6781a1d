"""The terms of a corpus: a vocabulary's, found in its notes, and those that annotators marked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from auscult.codes.find import TermFinder, longest
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Annotation, Code, Note, OptionError, Span
from auscult.core.progress import track
from auscult.corpus import schema
from auscult.corpus.corpus import Corpus
from auscult.corpus.partitioned import Annotated

_NOTES_AT_ONCE = 1_000


def annotated_strings(corpus: Corpus) -> Iterator[tuple[str, Code]]:
    """The text under each annotation's spans, and its code."""
    on: dict[str, list[Annotation]] = {}
    for annotation in corpus.iter_annotations():
        if annotation.note_id is not None and annotation.spans:
            on.setdefault(annotation.note_id, []).append(annotation)
    for note in corpus.iter_notes():
        for annotation in on.get(note.note_id, ()):
            if note.text is not None:
                parts = (span.of(note.text) for span in annotation.spans)
                yield " ".join(parts), annotation.code


def find_terms(
    notes: Iterable[Note],
    finder: TermFinder,
    *,
    annotator: str = "vocabulary",
    only_longest: bool = False,
    only_best: bool = False,
) -> Iterator[list[Annotation]]:
    """The terms in notes as annotations, a batch of notes at a time.

    `only_longest` leaves out terms inside longer ones; `only_best` gives a span that may mean
    several concepts to the first of them alone.
    """
    going_by = iter(track(notes, "finding terms"))
    while batch := list(islice(going_by, _NOTES_AT_ONCE)):
        found = []
        texts = finder.find_all(note.text or "" for note in batch)
        for note, occurrences in zip(batch, texts, strict=True):
            if only_longest:
                occurrences = longest(occurrences)
            seen: set[Span] = set()
            for o in occurrences:
                if only_best and o.span in seen:
                    continue
                seen.add(o.span)
                found.append(
                    Annotation(annotator, o.code, note.chart_id, note.note_id, (o.span,), o.score)
                )
        yield found


@dataclass(frozen=True)
class TermAnnotator:
    """The terms of a vocabulary in tables of notes, on whatever engine."""

    vocabulary: Path
    digest: str
    types: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    case: str = "strict"
    annotator: str = "vocabulary"
    only_longest: bool = False
    only_best: bool = False

    @property
    def asked(self) -> list[Any]:
        """What the annotations follow from."""
        chosen = [list(self.types), list(self.sources), self.case]
        return [self.digest, *chosen, self.annotator, self.only_longest, self.only_best]

    def begin(self) -> Callable[[pl.DataFrame], Annotated]:
        """Open the vocabulary, if it is still the same."""
        opened = Vocabulary.open(self.vocabulary)
        if opened.manifest.digest != self.digest:
            raise OptionError(
                f"The vocabulary {self.vocabulary} changed during the run. Run the command "
                "again; results of the old vocabulary are discarded."
            )
        finder = TermFinder(opened, types=self.types, sources=self.sources, case=self.case)

        def annotate(table: pl.DataFrame) -> Annotated:
            batches = find_terms(
                schema.iter_notes(table.lazy()),
                finder,
                annotator=self.annotator,
                only_longest=self.only_longest,
                only_best=self.only_best,
            )
            found = pl.concat([schema.annotations_table(batch) for batch in ([], *batches)])
            return found, {"notes": table.height, "annotations": found.height}

        return annotate


def add_found(corpus: Corpus, found: Iterable[list[Annotation]]) -> Corpus:
    """The corpus with batches of annotations beside those it has, kept as a table."""
    tables = [schema.annotations_table(batch) for batch in found]
    added = pl.concat([schema.annotations_table([]), *tables])
    both = pl.concat([corpus.lazy_all_annotations, added.lazy()])
    return replace(corpus, lazy_all_annotations=both, path=None)
