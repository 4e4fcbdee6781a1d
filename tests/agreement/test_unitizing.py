"""α for unitizing against its formulas written out over explicit spans and gaps."""

from __future__ import annotations

from itertools import permutations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auscult.agreement.unitizing import (
    Marks,
    alpha_unitized,
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


def naive(
    coders: int, lengths: list[int], spans: Given, seen: list[set[int]] | None = None
) -> tuple[float, float]:
    """D_o and D_e summed over codes; `seen` has who read each note."""
    readers = seen or [set(range(coders))] * len(lengths)
    total = sum(lengths)
    read = sum(length * len(who) for length, who in zip(lengths, readers, strict=True))
    observed = expected = 0.0
    for code in {key[2] for key, found in spans.items() if apart(found)}:
        divided = [
            [sections(spans.get((coder, note, code), []), length) for coder in sorted(who)]
            for note, (length, who) in enumerate(zip(lengths, readers, strict=True))
        ]
        for note in divided:
            for one, other in permutations(note, 2):
                apart_by = sum(delta(g, h) for g in one for h in other)
                observed += apart_by / (len(note) - 1) / read / total
        flat = [section for note in divided for coder in note for section in coder]
        units = [n for _, n, marked in flat if marked]
        gaps = [n for _, n, marked in flat if not marked]
        by_chance = sum(
            (len(units) - 1) / 3 * (2 * n**3 - 3 * n**2 + n)
            + n**2 * sum(max(0, gap - n + 1) for gap in gaps)
            for n in units
        )
        pairs = read * (read - 1) - sum(n * (n - 1) for n in units)
        expected += 2 / total * by_chance / pairs
    return observed, expected


def test_krippendorffs_example() -> None:
    """Content Analysis, 2nd ed., p. 254: D_o 0.0144, D_e 0.0532 and 0.0490, α 0.859."""
    marks = Marks.of(2, [(300, 0)], EXAMPLE)
    assert observed_by_note(marks).sum() / (2 * 300**2) == pytest.approx(0.0144, abs=0.0001)
    assert expected_disagreement(marks) == pytest.approx([0.0532, 0.0490], abs=0.0001)
    assert alpha_unitized(marks).value == pytest.approx(0.8591, abs=0.0005)


spans = st.builds(
    lambda begin, length: Span(begin, begin + length), st.integers(0, 20), st.integers(1, 10)
)


@st.composite
def studies(
    draw: st.DrawFn, *, missing: bool = False
) -> tuple[int, list[int], Given, list[set[int]]]:
    """Coders, the lengths of the notes, spans, and who of the coders read each note."""
    coders = draw(st.integers(2, 4))
    lengths = draw(st.lists(st.integers(30, 60), min_size=1, max_size=4))
    everyone = st.just(set(range(coders)))
    two = st.sets(st.integers(0, coders - 1), min_size=2)
    seen = [draw(two if missing else everyone) for _ in lengths]
    keys = [
        (c, note, code) for note, who in enumerate(seen) for c in sorted(who) for code in (0, 1)
    ]
    chosen = draw(st.lists(st.sampled_from(keys), min_size=1, unique=True))
    return coders, lengths, {key: draw(st.lists(spans, max_size=4)) for key in chosen}, seen


def marks_of(coders: int, lengths: list[int], found: Given, seen: list[set[int]]) -> Marks:
    table = np.array([[coder in who for coder in range(coders)] for who in seen])
    return Marks.of(coders, [(length, at) for at, length in enumerate(lengths)], found, table)


@settings(deadline=None)
@given(st.one_of(studies(), studies(missing=True)))
def test_the_formulas(study: tuple[int, list[int], Given, list[set[int]]]) -> None:
    coders, lengths, found, seen = study
    observed, expected = naive(coders, lengths, found, seen)
    metric = alpha_unitized(marks_of(*study))
    if not expected:
        assert metric.undefined
    else:
        assert metric.value == pytest.approx(1 - observed / expected, abs=1e-9)


@settings(deadline=None)
@given(studies(missing=True), st.randoms(use_true_random=False))
def test_order_of_coders_means_nothing(
    study: tuple[int, list[int], Given, list[set[int]]], dice: Random
) -> None:
    coders, lengths, found, seen = study
    order = list(range(coders))
    dice.shuffle(order)
    moved = {(order[coder], note, code): marked for (coder, note, code), marked in found.items()}
    permuted = marks_of(coders, lengths, moved, [{order[coder] for coder in who} for who in seen])
    one, other = alpha_unitized(marks_of(*study)), alpha_unitized(permuted)
    assert one.undefined == other.undefined
    assert one.value is None or one.value == pytest.approx(other.value, abs=1e-9)


def test_random_coders_are_near_0() -> None:
    """Three coders who mark words here and there, one of whom has not read every other note."""
    dice = np.random.default_rng(11)
    found: Given = {}
    seen = [{0, 1, 2} if note % 2 else {0, 1} for note in range(400)]
    for note, who in enumerate(seen):
        for coder in sorted(who):
            begins = dice.choice(np.arange(0, 1000, 20), size=dice.integers(0, 4), replace=False)
            marked = [Span(int(b), int(b + dice.integers(3, 20))) for b in begins]
            found[coder, note, int(dice.integers(0, 2))] = marked
    value = alpha_unitized(marks_of(3, [1000] * 400, found, seen)).value
    assert value is not None
    assert abs(value) < 0.03


def test_a_note_that_others_read_has_no_gap_of_mine() -> None:
    """By hand: two notes of 10 characters, ann and bob on the first, bob and cat on the second."""
    found: Given = {(0, 0, 0): [Span(0, 4)], (1, 0, 0): [Span(0, 2)]}
    marks = marks_of(3, [10, 10], found, [{0, 1}, {1, 2}])
    # δ² is (4 − 2)², once each way round; 40 characters were read. Spans of 4 and 2 fit into gaps
    # of 6, 8, 10 and 10 characters in 3 + 5 + 7 + 7 and 5 + 7 + 9 + 9 places.
    observed = 2 * 4 / 40
    by_chance = (128 - 48 + 4) / 3 + 16 * 22 + (16 - 12 + 2) / 3 + 4 * 30
    expected = 2 * by_chance / (40 * 39 - 12 - 2)
    assert alpha_unitized(marks).value == pytest.approx(1 - observed / expected)


def test_disjoint_spans_do_not_agree() -> None:
    marks = Marks.of(2, [(100, 0)], {(0, 0, 0): [Span(10, 20)], (1, 0, 0): [Span(60, 70)]})
    value = alpha_unitized(marks).value
    assert value is not None
    assert value < 0.1


def test_nearer_boundaries_agree_more() -> None:
    values = []
    for shift in (0, 2, 5, 9):
        given = {(0, 0, 0): [Span(40, 60)], (1, 0, 0): [Span(40 + shift, 60 + shift)]}
        values.append(alpha_unitized(Marks.of(2, [(500, 0)], given)).value)
    assert values[0] == 1.0
    assert values == sorted(values, reverse=True)  # type: ignore[type-var]  # all are numbers


def test_order_of_notes_means_nothing() -> None:
    notes = [(300, 0), (120, 1), (80, 2)]
    given: Given = {**EXAMPLE, (0, 1, 0): [Span(0, 20)], (1, 2, 1): [Span(60, 80)]}
    place = {0: 2, 1: 0, 2: 1}
    moved = {(coder, place[note], code): found for (coder, note, code), found in given.items()}
    others = [notes[1], notes[2], notes[0]]
    first = alpha_unitized(Marks.of(2, notes, given), times=50)
    second = alpha_unitized(Marks.of(2, others, moved), times=50)
    assert first.value == pytest.approx(second.value)
    assert first.interval is not None


def test_one_coder_marks_twice() -> None:
    """Spans that overlap become one, those that touch stay two."""
    twice = Marks.of(2, [(50, 0)], {(0, 0, 0): [Span(0, 5), Span(3, 9), Span(9, 12)]})
    assert list(zip(twice.begin, twice.end, strict=True)) == [(0, 9), (9, 12)]
