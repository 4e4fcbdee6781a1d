"""Rows of n-grams after a few words of a chart have changed, without reading the chart again.

A row is made by the same arithmetic in the same order as for a chart that is read from the
beginning, so it is the same to the last bit. Where a change reaches further than its words (into
a heading, past the cut), the chart is read again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from auscult.core.edits import Edit
from auscult.models.chart_scoring import ChartConfiguration
from auscult.models.chart_text import ChartText
from auscult.models.linear.features import HEADING, NgramVocabulary, Places, Row, sections
from auscult.models.perturbation import EditedSegment, Perturbation, reread, segments, spliced


def changed_rows(
    vocabulary: NgramVocabulary,
    text: ChartText,
    perturbed: Sequence[Perturbation],
    config: ChartConfiguration,
) -> Iterator[Row]:
    """The row of the chart after each perturbation."""
    places = np.array([place for place, _, _ in vocabulary.known(text)], np.int64)
    at, counts = np.unique(places, return_counts=True)
    every = changes(vocabulary, text, perturbed, config)
    for one, change in zip(perturbed, every, strict=True):
        if change is None:
            again = vocabulary.known(reread(text, one, config))
            yield vocabulary.row([place for place, _, _ in again])
        else:
            now, how_often = _shifted(at, counts, change)
            yield now, vocabulary.weigh(now, how_often)


def changes(
    vocabulary: NgramVocabulary,
    text: ChartText,
    perturbed: Sequence[Perturbation],
    config: ChartConfiguration,
) -> Iterator[Counter[int] | None]:
    """How many more of each n-gram the chart has after each perturbation.

    None when the chart must be read again to know.
    """
    section = sections(text) if vocabulary.sectioned else None
    for one in perturbed:
        found = segments(text, one, config)
        if found is None:
            yield None
            continue
        change: Counter[int] = Counter()
        now = section
        if section is not None and not _is_within_lines(text, found):
            now = sections(spliced(text, one, found))
        for sign, gram in _changes(text, found, section, now, vocabulary.longest):
            if (place := vocabulary.place(gram)) is not None:
                change[place] += sign
        yield change


def _shifted(at: Places, counts: Places, change: Counter[int]) -> tuple[Places, Places]:
    """Sorted places and their counts, some of them now more or fewer."""
    moved = sorted(place for place, by in change.items() if by)
    if not moved:
        return at, counts
    places = np.array(moved, np.int64)
    by = np.array([change[place] for place in moved], np.int64)
    where = np.searchsorted(at, places)
    is_there = np.zeros(len(places), bool)
    inside = where < len(at)
    is_there[inside] = at[where[inside]] == places[inside]
    counts = counts.copy()
    counts[where[is_there]] += by[is_there]
    if not is_there.all():
        at = np.insert(at, where[~is_there], places[~is_there])
        counts = np.insert(counts, where[~is_there], by[~is_there])
    left = counts > 0
    return (at, counts) if left.all() else (at[left], counts[left])


def _changes(
    text: ChartText,
    found: Sequence[EditedSegment],
    before: Sequence[str] | None,
    after: Sequence[str] | None,
    longest: int,
) -> Iterator[tuple[int, str]]:
    """The n-grams taken away (−1) and brought (+1), with the sections of all words then and now."""
    for segment in found:
        yield from ((-1, word) for word in text.words[segment.begin : segment.end])
        yield from ((1, word) for word in segment.words)
    if before is not None and after is not None:
        yield from _by_section(text, found, before, after)
    if longest > 1:
        for segment in _joined(text, found, longest):
            yield from _grams(text, segment, longest)


def _by_section(
    text: ChartText, found: Sequence[EditedSegment], before: Sequence[str], after: Sequence[str]
) -> Iterator[tuple[int, str]]:
    """The words of segments by their section, and with another heading all that stand under it."""
    moved = before is not after
    done = shift = 0
    for segment in (*found, EditedSegment(0, len(text), len(text), (), Edit(0, 0, ""))):
        for at in range(done, segment.begin) if moved else ():
            if before[at] != after[at + shift]:
                yield from _named(-1, before[at], text.words[at])
                yield from _named(1, after[at + shift], text.words[at])
        for at in range(segment.begin, segment.end):
            yield from _named(-1, before[at], text.words[at])
        for step, word in enumerate(segment.words):
            # Where no heading changes, all words of a segment are in the section of its first.
            section = after[segment.begin + shift + step] if moved else before[segment.begin]
            yield from _named(1, section, word)
        done = segment.end
        shift += len(segment.words) - (segment.end - segment.begin)


def _named(sign: int, section: str, word: str) -> Iterator[tuple[int, str]]:
    if section:
        yield sign, f"{section}|{word}"


def _grams(text: ChartText, segment: EditedSegment, longest: int) -> Iterator[tuple[int, str]]:
    """The longer n-grams that have a word of a segment, or go across it."""
    first, past = np.searchsorted(text.note_of, [segment.note, segment.note + 1]).tolist()
    low, high = max(first, segment.begin - longest + 1), min(past, segment.end + longest - 1)
    before, after = text.words[low : segment.begin], text.words[segment.end : high]
    for sign, words in ((-1, text.words[segment.begin : segment.end]), (1, segment.words)):
        line = (*before, *words, *after)
        for size in range(2, longest + 1):
            for at in range(max(0, len(before) - size + 1), len(before) + len(words)):
                if at + size <= len(line):
                    yield sign, " ".join(line[at : at + size])


def _joined(text: ChartText, found: Sequence[EditedSegment], longest: int) -> list[EditedSegment]:
    """The segments, those so near to each other that an n-gram reaches from one to the next as one.

    The words between them are taken away and brought again, which changes nothing.
    """
    made: list[EditedSegment] = []
    for segment in found:
        is_near = made and segment.begin - made[-1].end < longest - 1
        if is_near and made[-1].note == segment.note:
            last = made.pop()
            between = text.words[last.end : segment.begin]
            words = (*last.words, *between, *segment.words)
            made.append(replace(last, end=segment.end, words=words))
        else:
            made.append(segment)
    return made


def _is_within_lines(text: ChartText, found: Sequence[EditedSegment]) -> bool:
    """Whether every change stays in the section it was in, and leaves all headings as they are."""
    for segment in found:
        source, edit = text.notes[segment.note].text or "", segment.edit
        begin = source.rfind("\n", 0, edit.begin) + 1
        end = source.find("\n", edit.begin)
        end = len(source) if end < 0 else end
        if segment.begin == segment.end or edit.end > end or "\n" in edit.text:
            return False
        line = source[begin:end]
        changed = line[: edit.begin - begin] + edit.text + line[edit.end - begin :]
        before, after = HEADING.match(line), HEADING.match(changed)
        if (before and before[0]) != (after and after[0]):
            return False
        if before and edit.begin < begin + before.end():
            return False
    return True
