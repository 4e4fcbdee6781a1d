"""Find disagreements between annotators, each once and with its cause.

What an annotator says of a chart is a set of statements: a code, and where it is seen. Statements
that all annotators make who have seen the chart are agreed, also when other codes are stacked on
the same span. The rest is sorted into disagreements, each of which one decision can settle.

The causes are those that Cheng et al. 2023 (MDACE, section 3.4 and appendix C) found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import combinations

import polars as pl

from auscult.agreement.annotation_table import AnnotationTable, read_place
from auscult.codes.tables import chapter
from auscult.core import Code, OptionError, Span
from auscult.core.span import shared_length


class DisagreementCause(StrEnum):
    """The cause of a disagreement."""

    BOUNDARY = "boundary"
    """The same code on overlapping words."""
    ELSEWHERE = "elsewhere"
    """The same code with evidence elsewhere."""
    CODE = "code"
    """Another code for the same words; without words, another code of the same category."""
    SYMPTOM = "symptom"
    """A symptom code that not all annotators assigned: not essential for billing."""
    EXTERNAL = "external cause"
    """An external-cause code that not all annotators assigned: not essential for billing."""
    MISSING = "missing"
    """Any other code that not all annotators assigned."""


_OPTIONAL = {
    ("ICD-9-CM", "16"): DisagreementCause.SYMPTOM,
    ("ICD-9-CM", "E"): DisagreementCause.EXTERNAL,
    ("ICD-10-CM", "18"): DisagreementCause.SYMPTOM,
    ("ICD-10-CM", "20"): DisagreementCause.EXTERNAL,
}
_SAME_CATEGORY = 0.5
"""How alike two codes of one category are when neither points at text."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A code assigned to a chart or to one of its notes, with its evidence spans."""

    code: Code
    note_id: str | None = None
    spans: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        if self.spans and self.note_id is None:
            raise OptionError(f"A statement of {self.code} has spans but no note_id.")

    @property
    def order(self) -> tuple[Code, str, bool, tuple[Span, ...]]:
        """By code, the whole chart before its notes, and by place."""
        return self.code, self.note_id or "", self.note_id is not None, self.spans

    def overlap(self, other: Statement) -> float:
        """How much of the words of either are of both, from 0 to 1."""
        if self.note_id != other.note_id or not self.spans or not other.spans:
            return 0.0
        shared = shared_length(self.spans, other.spans)
        whole = shared_length(self.spans, self.spans) + shared_length(other.spans, other.spans)
        return shared / (whole - shared) if shared else 0.0


_SharedStatement = tuple[Statement, Sequence[int]]
"""A statement and the index of the annotator who made it."""
_NOBODY: frozenset[int] = frozenset()
Side = tuple[Statement, ...] | None
"""An annotator's statements in a disagreement; None if the annotator did not annotate the chart."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Statements about one chart that not all annotators make, by annotator in their order."""

    chart_id: str
    cause: DisagreementCause
    sides: tuple[Side, ...]

    @property
    def codes(self) -> tuple[Code, ...]:
        """The codes in question."""
        return tuple(sorted({s.code for side in self.sides for s in side or ()}))


@dataclass(frozen=True, slots=True)
class ChartStatements:
    """The statements of one chart that annotators agree on, and their disagreements."""

    chart_id: str
    annotators: tuple[int, ...]
    """The indices of the annotators who annotated the chart."""
    agreed: tuple[Statement, ...]
    disagreements: tuple[Disagreement, ...]


def disagreements(table: AnnotationTable) -> Iterator[ChartStatements]:
    """The statements of every chart that an annotator has seen, chart by chart."""
    for number, given in _by_chart(table):
        annotators = tuple(at for at in range(len(table.annotators)) if table.seen[number, at])
        yield compare(table.chart_ids[number], given, annotators, len(table.annotators))


def compare(
    chart_id: str,
    given: Collection[tuple[Statement, Sequence[int]]],
    annotators: Sequence[int],
    number: int | None = None,
) -> ChartStatements:
    """What was agreed in a chart, from who made each statement and who has seen the chart.

    >>> hypertension = Statement(Code("ICD-10-CM", "I10"), "n", (Span(0, 12),))
    >>> shorter = Statement(Code("ICD-10-CM", "I10"), "n", (Span(0, 5),))
    >>> found = compare("c", [(hypertension, [0]), (shorter, [1])], [0, 1])
    >>> [one.cause.value for one in found.disagreements]
    ['boundary']
    """
    number = max(annotators, default=-1) + 1 if number is None else number
    everyone = frozenset(annotators)
    agreed = sorted((s for s, who in given if len(who) == len(everyone)), key=_order)
    holders: dict[Code, frozenset[int]] = {}
    by_code: dict[Code, list[_SharedStatement]] = {}
    for statement, who in given:
        code = statement.code
        holders[code] = holders.get(code, _NOBODY) | frozenset(who)
        if len(who) < len(everyone):
            by_code.setdefault(code, []).append((statement, who))

    def item(cause: DisagreementCause, said: Iterable[_SharedStatement]) -> Disagreement:
        sides: list[Side] = [() if at in everyone else None for at in range(number)]
        for statement, who in sorted(said, key=lambda one: one[0].order):
            for at in who:
                sides[at] = (*(sides[at] or ()), statement)
        return Disagreement(chart_id, cause, tuple(sides))

    found: list[Disagreement] = []
    partial: dict[Code, list[_SharedStatement]] = {}
    for code in sorted(by_code):
        said = by_code[code]
        if holders[code] < everyone:
            partial[code] = said
            continue
        lone: list[_SharedStatement] = []
        for group in _overlapping(said):
            if len({at for _, who in group for at in who}) > 1 and len(group) > 1:
                found.append(item(DisagreementCause.BOUNDARY, group))
            else:
                lone += group
        if lone:
            found.append(item(DisagreementCause.ELSEWHERE, lone))
    for codes in _confused(partial, holders):
        together = [one for code in codes for one in partial[code]]
        found.append(item(DisagreementCause.CODE if len(codes) > 1 else _kind(codes[0]), together))
    if len(found) > 1:
        found.sort(key=lambda one: (one.codes, one.cause, *map(_side_order, one.sides)))
    return ChartStatements(chart_id, tuple(annotators), tuple(agreed), tuple(found))


def count_causes(charts: Collection[ChartStatements]) -> dict[DisagreementCause, int]:
    """How many disagreements each cause has, all causes named."""
    counts = Counter(one.cause for chart in charts for one in chart.disagreements)
    return {cause: counts[cause] for cause in DisagreementCause}


def _order(statement: Statement) -> tuple[Code, str, bool, tuple[Span, ...]]:
    return statement.order


def _side_order(side: Side) -> list[tuple[Code, str, bool, tuple[Span, ...]]]:
    return [statement.order for statement in side or ()]


@cache
def _kind(code: Code) -> DisagreementCause:
    found = chapter(code)
    if found is None:
        return DisagreementCause.MISSING
    return _OPTIONAL.get((code.system, found.number), DisagreementCause.MISSING)


def _overlapping(said: Sequence[_SharedStatement]) -> list[list[_SharedStatement]]:
    """The statements of one code in groups of those that overlap, directly or through others."""
    groups: list[list[_SharedStatement]] = []
    for one in said:
        touching = [g for g in groups if any(one[0].overlap(other) for other, _ in g)]
        merged = [other for group in touching for other in group] + [one]
        groups = [g for g in groups if g not in touching] + [merged]
    return groups


def _confused(
    partial: Mapping[Code, Sequence[_SharedStatement]], holders: Mapping[Code, frozenset[int]]
) -> list[list[Code]]:
    """The codes that not all gave, those together that different annotators gave for the same
    words.

    The most alike are put together first, and a code goes with one other of each annotator at most.
    """
    candidates = [
        (alike, one, other)
        for one, other in combinations(partial, 2)
        if not holders[one] & holders[other] and (alike := _alike(partial[one], partial[other])) > 0
    ]
    group_of = {code: [code] for code in partial}
    for _, one, other in sorted(candidates, key=lambda c: (-c[0], c[1], c[2])):
        left, right = group_of[one], group_of[other]
        taken = [_NOBODY.union(*(holders[code] for code in group)) for group in (left, right)]
        if left is not right and not taken[0] & taken[1]:
            joined = left + right
            for code in joined:
                group_of[code] = joined
    unique = {id(group): group for group in group_of.values()}
    return [sorted(group) for group in unique.values()]


def _alike(one: Sequence[_SharedStatement], other: Sequence[_SharedStatement]) -> float:
    overlap = max((a.overlap(b) for a, _ in one for b, _ in other), default=0.0)
    if overlap or _category(one[0][0].code) != _category(other[0][0].code):
        return overlap
    bare = {s.note_id for s, _ in one if not s.spans}
    return _SAME_CATEGORY if any(s.note_id in bare for s, _ in other if not s.spans) else 0.0


def _category(code: Code) -> tuple[str, str]:
    """What stands before the dot; a code without one is its own category."""
    return code.system, code.value.partition(".")[0]


def _by_chart(table: AnnotationTable) -> Iterator[tuple[int, list[_SharedStatement]]]:
    """Every chart by number with who made each statement about it."""
    names: dict[int | None, str | None] = dict(table.notes.select("note", "note_id").iter_rows())
    names[None] = None
    spans = {place: read_place(place) for place in table.rows["place"].unique()}
    grouped = (
        table.rows.group_by("chart", "note", "code", "place", maintain_order=True)
        .agg(pl.col("annotator").sort())
        .sort("chart", maintain_order=True)
    )
    current: list[_SharedStatement] = []
    at = 0
    for chart, note, code, place, annotators in grouped.iter_rows():
        while at < chart:
            yield at, current
            current = []
            at += 1
        current.append((Statement(table.codes[code], names[note], spans[place]), annotators))
    while at < len(table.chart_ids):
        yield at, current
        current = []
        at += 1
