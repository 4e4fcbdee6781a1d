"""α for unitising against its formulas written out over explicit spans and gaps."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auscult.agreement.unitising import (
    Marks,
    alpha_unitised,
    apart,
    expected_disagreement,
    observed_by_note,
)
from auscult.core import Span

Given = dict[tuple[int, int, int], list[Span]]
EXAMPLE: Given = {
    (0, 0, 0): [Span(75, 145), Span(220, 250)],
    (1, 0, 0): [Span(70, 150), Span(205, 225), Span(250, 270)],
    (0, 0, 1): [Span(30, 90), Span(150, 200)],
    (1, 0, 1): [Span(30, 90), Span(150, 200)],
}


def sections(spans: list[Span], length: int) -> list[tuple[int, int, bool]]:
    """Begin, length and kind of every section of a note: spans (true) and the gaps between."""
    found, at = [], 0
    for span in apart(spans):
        if span.begin > at:
            found.append((at, span.begin - at, False))
        found.append((span.begin, len(span), True))
        at = span.end
    if at < length:
        found.append((at, length - at, False))
    return found


def delta(one: tuple[int, int, bool], other: tuple[int, int, bool]) -> int:
    """The distance of two sections, as Krippendorff 2004 defines it case by case."""
    (b, n, v), (c, m, w) = one, other
    if v and w and -n < b - c < m:
        return (b - c) ** 2 + (b + n - c - m) ** 2
    if v and not w and m - n >= b - c >= 0:
        return n**2
    if w and not v and n - m >= c - b >= 0:
        return m**2
    return 0


def naive(coders: int, lengths: list[int], spans: Given) -> tuple[float, float]:
    """D_o and D_e summed over codes."""
    total = sum(lengths)
    observed = expected = 0.0
    for code in {key[2] for key, found in spans.items() if apart(found)}:
        divided = [
            [sections(spans.get((coder, note, code), []), length) for coder in range(coders)]
            for note, length in enumerate(lengths)
        ]
        for note in divided:
            for one, other in permutations(range(coders), 2):
                observed += sum(delta(g, h) for g in note[one] for h in note[other])
        flat = [section for note in divided for coder in note for section in coder]
        units = [n for _, n, marked in flat if marked]
        gaps = [n for _, n, marked in flat if not marked]
        by_chance = sum(
            (len(units) - 1) / 3 * (2 * n**3 - 3 * n**2 + n)
            + n**2 * sum(max(0, gap - n + 1) for gap in gaps)
            for n in units
        )
        pairs = coders * total * (coders * total - 1) - sum(n * (n - 1) for n in units)
        expected += 2 / total * by_chance / pairs
    return observed / (coders * (coders - 1) * total**2), expected


def test_krippendorffs_example() -> None:
    """Content Analysis, 2nd ed., p. 254: D_o 0.0144, D_e 0.0532 and 0.0490, α 0.859."""
    marks = Marks.of(2, [(300, 0)], EXAMPLE)
    assert observed_by_note(marks).sum() / (2 * 300**2) == pytest.approx(0.0144, abs=0.0001)
    assert expected_disagreement(marks) == pytest.approx([0.0532, 0.0490], abs=0.0001)
    assert alpha_unitised(marks).value == pytest.approx(0.8591, abs=0.0005)


spans = st.builds(
    lambda begin, length: Span(begin, begin + length), st.integers(0, 20), st.integers(1, 10)
)


@settings(deadline=None)
@given(
    st.integers(2, 3),
    st.lists(st.integers(30, 60), min_size=1, max_size=3),
    st.dictionaries(
        st.tuples(st.integers(0, 1), st.integers(0, 0), st.integers(0, 2)),
        st.lists(spans, max_size=4),
        min_size=1,
    ),
)
def test_the_formulas(coders: int, lengths: list[int], found: Given) -> None:
    marks = Marks.of(coders, [(length, at) for at, length in enumerate(lengths)], found)
    observed, expected = naive(coders, lengths, found)
    measure = alpha_unitised(marks)
    if not expected:
        assert measure.undefined
    else:
        assert measure.value == pytest.approx(1 - observed / expected, abs=1e-9)


def test_disjoint_spans_do_not_agree() -> None:
    marks = Marks.of(2, [(100, 0)], {(0, 0, 0): [Span(10, 20)], (1, 0, 0): [Span(60, 70)]})
    value = alpha_unitised(marks).value
    assert value is not None
    assert value < 0.1


def test_nearer_boundaries_agree_more() -> None:
    values = []
    for shift in (0, 2, 5, 9):
        given = {(0, 0, 0): [Span(40, 60)], (1, 0, 0): [Span(40 + shift, 60 + shift)]}
        values.append(alpha_unitised(Marks.of(2, [(500, 0)], given)).value)
    assert values[0] == 1.0
    assert values == sorted(values, reverse=True)  # type: ignore[type-var]  # all are numbers


def test_order_of_notes_means_nothing() -> None:
    notes = [(300, 0), (120, 1), (80, 2)]
    given: Given = {**EXAMPLE, (0, 1, 0): [Span(0, 20)], (1, 2, 1): [Span(60, 80)]}
    place = {0: 2, 1: 0, 2: 1}
    moved = {(coder, place[note], code): found for (coder, note, code), found in given.items()}
    others = [notes[1], notes[2], notes[0]]
    first = alpha_unitised(Marks.of(2, notes, given), times=50)
    second = alpha_unitised(Marks.of(2, others, moved), times=50)
    assert first.value == pytest.approx(second.value)
    assert first.interval is not None


def test_one_coder_marks_twice() -> None:
    """Spans that overlap become one, those that touch stay two."""
    twice = Marks.of(2, [(50, 0)], {(0, 0, 0): [Span(0, 5), Span(3, 9), Span(9, 12)]})
    assert list(zip(twice.begin, twice.end, strict=True)) == [(0, 9), (9, 12)]
