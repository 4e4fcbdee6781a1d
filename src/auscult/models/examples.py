"""Training examples: the words of a chart, its codes, and the words that are their evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from auscult.core import Annotation, Code, Note, Span
from auscult.core.tokens import tokens
from auscult.corpus.corpus import Chart
from auscult.models.chart_text import ChartText
from auscult.models.label_space import LabelSpace

Ranges = npt.NDArray[np.int32]
"""Ranges of words, one a row: the first word and the one after the last."""


class _Coded(Protocol):
    @property
    def codes(self) -> npt.NDArray[np.int64]: ...


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A chart with its gold codes, as indices in the label space, and their evidence.

    `evidence` has an entry for every code with annotated evidence, even if all of it was truncated.
    `references` is the same evidence by annotation, so that the parts of a discontinuous one stay
    together. `unseen` are gold codes outside the label space. `words_missed` counts words of
    evidence that were truncated, or belong to such a code.
    """

    text: ChartText
    codes: npt.NDArray[np.int64]
    evidence: Mapping[int, Ranges] = field(default_factory=dict)
    spans_cut: Mapping[int, int] = field(default_factory=dict)
    unseen: frozenset[Code] = frozenset()
    references: Mapping[int, tuple[Ranges, ...]] = field(default_factory=dict)
    words_missed: int = 0

    @property
    def chart_id(self) -> str:
        """The chart's id."""
        return self.text.chart_id

    def without_evidence(self) -> Example:
        """The same chart with its codes only."""
        return replace(self, evidence={}, spans_cut={}, references={}, words_missed=0)


@dataclass(frozen=True, slots=True)
class Truncation:
    """What was truncated of charts longer than the maximum length."""

    charts: int
    charts_cut: int
    words: int
    words_cut: int
    spans: int
    spans_cut: int
    codes: int
    """Pairs of chart and code that have evidence."""
    codes_cut: int
    """Of those, the ones whose evidence was truncated completely."""


def example(chart: Chart, text: ChartText, labels: LabelSpace) -> Example:
    """A chart as an example. A span that touches no remaining word counts as truncated."""
    return coded_example(text, codes_of(chart.annotations), chart.annotations, chart.notes, labels)


def coded_example(
    text: ChartText,
    codes: Collection[Code],
    annotations: Iterable[Annotation],
    notes: Sequence[Note],
    labels: LabelSpace,
) -> Example:
    """A chart's words with its codes, and the evidence that annotations on its notes give."""
    ranges: dict[int, set[tuple[int, int]]] = {}
    references: dict[int, set[tuple[tuple[int, int], ...]]] = {}
    cut: dict[int, int] = {}
    missed: set[tuple[str, Code, int]] = set()
    for annotation in annotations:
        at = labels.index.get(annotation.code)
        if annotation.note_id is None or not annotation.spans:
            continue
        found = [text.words_in(annotation.note_id, span) for span in annotation.spans]
        if at is None or text.cut or None in found:
            missed.update(_missed(notes, annotation, text, is_unseen=at is None))
        if at is None:
            continue
        parts = tuple(sorted(words for words in found if words is not None))
        ranges.setdefault(at, set()).update(parts)
        if parts:
            references.setdefault(at, set()).add(parts)
        cut[at] = cut.get(at, 0) + found.count(None)
    return Example(
        text,
        np.array(sorted(labels.index[code] for code in codes if code in labels.index), np.int64),
        {at: np.array(sorted(found), np.int32).reshape(-1, 2) for at, found in ranges.items()},
        {at: count for at, count in cut.items() if count},
        frozenset(code for code in codes if code not in labels.index),
        {
            at: tuple(np.array(parts, np.int32) for parts in sorted(found))
            for at, found in references.items()
        },
        len(missed),
    )


def usual_category(made: Iterable[Example]) -> str | None:
    """The category of note with most of the evidence.

    Without any evidence it is the category with which most charts begin, discharge summaries first.
    """
    with_evidence: Counter[str | None] = Counter()
    first: Counter[str | None] = Counter()
    for one in made:
        categories = one.text.categories
        first[categories[0]] += 1
        for ranges in one.evidence.values():
            with_evidence.update(categories[at] for at in one.text.note_of[ranges[:, 0]].tolist())
    [(category, _)] = (with_evidence or first).most_common(1) or [(None, 0)]
    return category


def _missed(
    notes: Sequence[Note], annotation: Annotation, text: ChartText, *, is_unseen: bool
) -> Iterator[tuple[str, Code, int]]:
    """The number of words of evidence that no model of these words and codes can find."""
    note_id = annotation.note_id or ""
    note_text = next((note.text for note in notes if note.note_id == note_id), None)
    for span in annotation.spans:
        for token in tokens((note_text or "")[span.begin : span.end]):
            begin = span.begin + token.span.begin
            here = Span(begin, span.begin + token.span.end)
            if is_unseen or text.words_in(note_id, here) is None:
                yield note_id, annotation.code, begin


def examples(
    charts: Iterable[Chart], labels: LabelSpace, read: Callable[[Chart], ChartText]
) -> list[Example]:
    """Charts as examples, those without a word left out."""
    made = (example(chart, read(chart), labels) for chart in charts)
    return [one for one in made if len(one.text)]


def codes_of(annotations: Iterable[Annotation]) -> set[Code]:
    """The codes that annotations give to a chart, whoever gave them."""
    return {annotation.code for annotation in annotations}


def count_codes(charts: Iterable[_Coded], labels: int) -> npt.NDArray[np.int64]:
    """How many charts have each code of a label space of this size, (L,)."""
    codes = np.concatenate([np.zeros(0, np.int64), *(one.codes for one in charts)])
    return np.bincount(codes, minlength=labels)


def truncation(made: Iterable[Example]) -> Truncation:
    """Count what was truncated."""
    made = list(made)
    return Truncation(
        charts=len(made),
        charts_cut=sum(one.text.cut > 0 for one in made),
        words=sum(len(one.text) + one.text.cut for one in made),
        words_cut=sum(one.text.cut for one in made),
        spans=sum(
            sum(map(len, one.evidence.values())) + sum(one.spans_cut.values()) for one in made
        ),
        spans_cut=sum(sum(one.spans_cut.values()) for one in made),
        codes=sum(len(one.evidence) for one in made),
        codes_cut=sum(not len(found) for one in made for found in one.evidence.values()),
    )
