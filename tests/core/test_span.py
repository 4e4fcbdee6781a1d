"""The algebra of spans, against the plain meaning: sets of characters."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auscult.core import Span, SpanError
from auscult.core.span import (
    extent,
    is_filler,
    merge_adjacent,
    shared_length,
    splits_word,
    trim,
    union,
)

SPANS = st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda p: Span(min(p), max(p)))
TEXT = st.text(st.sampled_from("ab1 ,.-()\n\u00a0é+°"), min_size=30, max_size=30)


def characters(*spans: Span) -> set[int]:
    return {at for span in spans for at in range(span.begin, span.end)}


@given(SPANS, SPANS)
def test_two_spans_relate_as_their_characters_do(left: Span, right: Span) -> None:
    both = characters(left) & characters(right)
    assert left.overlaps(right) == bool(both)
    assert (left.intersection(right) is None) == (not both)
    if (shared := left.intersection(right)) is not None:
        assert characters(shared) == both
    if len(right):
        assert left.contains(right) == (characters(right) <= characters(left))


@given(st.lists(SPANS), st.lists(SPANS))
def test_union_keeps_the_characters_and_nothing_touches(
    left: list[Span], right: list[Span]
) -> None:
    joined = union(left)
    assert characters(*joined) == characters(*left)
    assert all(a.end < b.begin for a, b in itertools.pairwise(joined))
    assert shared_length(left, right) == len(characters(*left) & characters(*right))
    if left:
        assert extent(left) == Span(min(s.begin for s in left), max(s.end for s in left))


@given(SPANS, TEXT)
def test_trimming_takes_filler_off_the_edges_and_nothing_else(span: Span, text: str) -> None:
    trimmed = trim(span, text)
    assert span.contains(trimmed)
    kept = trimmed.of(text)
    assert kept == "" or not (is_filler(kept[0]) or is_filler(kept[-1]))
    gone = characters(span) - characters(trimmed)
    assert all(is_filler(text[at]) for at in gone)


@given(st.lists(SPANS, max_size=6), TEXT)
def test_merging_neighbors_adds_only_filler(spans: list[Span], text: str) -> None:
    merged = merge_adjacent(spans, text)
    assert characters(*spans) <= characters(*merged)
    assert all(is_filler(text[at]) for at in characters(*merged) - characters(*spans))
    for left, right in itertools.pairwise(merged):
        assert any(not is_filler(c) for c in text[left.end : right.begin])


def test_nested_spans_merge_into_the_outer_one() -> None:
    # MDACE's own merging shrinks the outer span to the inner one's end.
    assert merge_adjacent([Span(0, 20), Span(2, 5)], "x" * 25) == (Span(0, 20),)


@pytest.mark.parametrize(
    ("text", "span", "expected"),
    [
        ("Hypertension", Span(0, 5), True),
        ("naïve", Span(0, 3), True),
        ("e\u0301tat", Span(0, 1), True),
        ("COPD/asthma", Span(0, 4), False),
        ("5² cm", Span(0, 2), False),
    ],
)
def test_splitting_a_word(text: str, span: Span, expected: bool) -> None:
    assert splits_word(span, text) is expected


def test_what_cannot_be_is_an_error_that_shows_no_text() -> None:
    for begin, end in ((5, 2), (-1, 2)):
        with pytest.raises(SpanError, match="0 ≤ begin ≤ end"):
            Span(begin, end)
    with pytest.raises(SpanError) as caught:
        Span(0, 99).of("SECRET")
    assert "SECRET" not in str(caught.value)
    assert "utf16" in str(caught.value)
    with pytest.raises(SpanError, match="at least one"):
        extent([])
