"""Thresholds and spans, against exhaustive search and hand-worked charts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score
from tests.examples import examples

from auscult.core import Annotation, AuscultError, Code, Note, Span, Status
from auscult.corpus.corpus import Chart
from auscult.models.chart_scoring import EvidenceWeights, ScoredChart
from auscult.models.chart_text import ChartText, read_chart
from auscult.models.decoding import (
    Decoding,
    choose,
    decode,
    spans,
    tune_codes,
    tune_evidence,
    tune_recall,
)
from auscult.models.examples import example, truncation
from auscult.models.label_space import LabelSpace

FEVER, COUGH = Code("ICD-10-CM", "R50.9"), Code("ICD-10-CM", "R05")
LABELS = LabelSpace((COUGH, FEVER), (1, 1))
TEXT = "High fever, 39.5; dry cough."


def chart(*annotations: Annotation, text: str = TEXT, chart_id: str = "c") -> Chart:
    return Chart(chart_id, (Note("n", chart_id, text=text),), annotations)


def on(code: Code, *spans: tuple[int, int]) -> Annotation:
    return Annotation("a", code, "c", "n", tuple(Span(*span) for span in spans))


def reading(text: ChartText, scores: list[float], **evidence: list[float]) -> ScoredChart:
    pointed = {
        int(at[1:]): EvidenceWeights.words(np.array(weights, np.float32))
        for at, weights in evidence.items()
    }
    return ScoredChart(text, np.array(scores, np.float32), pointed)


def test_evidence_becomes_ranges_of_words_and_what_is_cut_is_counted() -> None:
    given = chart(on(FEVER, (0, 10)), on(COUGH, (18, 27)), on(Code("X", "1"), (0, 4)))
    text = read_chart("c", given.notes, longest=3)
    assert text.words == ("high", "fever", "5")
    made = example(given, text, LABELS)
    assert made.codes.tolist() == [0, 1]
    assert made.evidence[1].tolist() == [[0, 2]]
    assert made.evidence[0].tolist() == []
    assert made.unseen == {Code("X", "1")}
    counted = truncation([made])
    assert (counted.words, counted.words_cut) == (5, 2)
    assert (counted.spans, counted.spans_cut) == (2, 1)
    assert (counted.codes, counted.codes_cut) == (2, 1)


SCORES = st.lists(
    st.tuples(st.integers(0, 6).map(lambda n: n / 6), st.booleans()), min_size=2, max_size=30
)


@given(SCORES)
@settings(max_examples=examples(80))
def test_the_code_threshold_has_the_best_micro_f1_of_all(pairs: list[tuple[float, bool]]) -> None:
    scores = np.array([score for score, _ in pairs], np.float32)
    gold = np.array([is_gold for _, is_gold in pairs])
    labels = LabelSpace(tuple(Code("X", f"{n:02}") for n in range(len(pairs))), (1,) * len(pairs))
    given = chart(*(on(labels.codes[at], (0, 4)) for at in np.flatnonzero(gold)))
    text = read_chart("c", given.notes)
    tuned = tune_codes([ScoredChart(text, scores)], [example(given, text, labels)])
    if not gold.any():
        return
    tried = {score for score in scores.tolist() if score > 0}  # a score of 0 never gives a code
    every = [f1_score(gold, scores >= threshold) for threshold in tried]
    passing = np.isin(
        np.arange(len(scores)), choose(scores, tuned.threshold, labels, never_empty=False)
    )
    assert not passing[scores == 0].any()
    reached = f1_score(gold, passing)
    assert reached == max(every, default=0)
    assert tuned.counts.f1 is not None
    assert abs(tuned.counts.f1 - reached) < 1e-12


@pytest.mark.parametrize("score", [0.3, 0.5, 0.9, 0.99999, 1e-45])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_scores_next_to_each_other_are_told_apart(score: float, kind: type[np.floating]) -> None:
    """The middle of two neighbors is one of them."""
    upper = kind(score)
    scores = np.array([np.nextafter(upper, kind(0)), upper], kind)
    given = chart(on(FEVER, (5, 10)))
    text = read_chart("c", given.notes)
    tuned = tune_codes([ScoredChart(text, scores)], [example(given, text, LABELS)])
    assert (tuned.counts.tp, tuned.counts.fp, tuned.counts.fn) == (1, 0, 0)
    assert choose(scores, tuned.threshold, LABELS, never_empty=False).tolist() == [1]


def test_a_recall_is_not_reached_by_codes_of_which_nothing_is_said() -> None:
    given = chart(on(FEVER, (5, 10)), on(COUGH, (18, 27)))
    text = read_chart("c", given.notes)
    made = [example(given, text, LABELS)]
    assert tune_recall([reading(text, [0.0, 0.9])], made, 0.5).threshold == pytest.approx(0.9)
    with pytest.raises(AuscultError, match="has a score for 1 of their 2 gold codes"):
        tune_recall([reading(text, [0.0, 0.9])], made, 0.9)


def test_gold_codes_outside_the_label_space_count_as_missed() -> None:
    given = chart(on(FEVER, (5, 10)), on(Code("X", "1"), (0, 4)))
    text = read_chart("c", given.notes)
    tuned = tune_codes([reading(text, [0.1, 0.9])], [example(given, text, LABELS)])
    assert (tuned.counts.tp, tuned.counts.fp, tuned.counts.fn) == (1, 0, 1)


def test_evidence_out_of_reach_counts_as_missed() -> None:
    """Cut off, or of a code outside the label space; each word once, as evaluation counts it."""
    given = chart(
        on(FEVER, (0, 10)), on(FEVER, (5, 10)), on(Code("X", "1"), (0, 10)), on(FEVER, (15, 24))
    )
    whole = example(given, read_chart("c", given.notes), LABELS)
    assert whole.words_missed == 2
    text = read_chart("c", given.notes, longest=1)
    made = example(given, text, LABELS)
    # "fever" once, and "5", "dry" and "co", besides the two words of the other code.
    assert made.words_missed == 6
    tuned = tune_evidence([reading(text, [0.0, 0.0], _1=[0.9])], [made], 0.05)
    assert (tuned.counts.tp, tuned.counts.fp, tuned.counts.fn) == (1, 0, made.words_missed)
    assert made.without_evidence().words_missed == 0


def test_a_bracket_that_opens_in_evidence_is_closed() -> None:
    text = "Has high blood pressure (HTN), treated."
    note = Note("n", "c", text=text)
    read = read_chart("c", [note])
    words = EvidenceWeights(
        np.array([1], np.int32), np.array([5], np.int32), np.ones(1, np.float32)
    )
    [(_, span, _)] = spans(read, words, Decoding(joins_words=False))
    assert span.of(text) == "high blood pressure (HTN)"


def test_the_evidence_threshold_is_tuned_on_tokens_of_gold_codes() -> None:
    given = chart(on(FEVER, (0, 10)))
    text = read_chart("c", given.notes)
    weights = [0.3, 0.31, 0.0, 0.11, 0.0]
    readings = [reading(text, [0.0, 0.0], _1=weights, _0=[0.9] * 5)]
    tuned = tune_evidence(readings, [example(given, text, LABELS)], 0.02)
    assert 0.11 < tuned.threshold <= 0.3
    assert tuned.counts.f1 == 1.0


def test_neighboring_words_are_one_span_and_the_best_code_comes_first() -> None:
    text = read_chart("c", chart().notes, numbers=True)
    assert text.words == ("high", "fever", "39", "5", "dry", "cough")
    made = reading(text, [0.6, 0.8], _1=[0.2, 0.5, 0, 0, 0, 0], _0=[0, 0, 0, 0, 0.05, 0.4])
    decoding = Decoding(code_threshold=0.5, evidence_threshold=0.1)
    found = list(decode(made, LABELS, decoding, "me", codes=np.array([0, 1])))
    assert [(a.code, [s.of(TEXT) for s in a.spans]) for a in found] == [
        (FEVER, ["High fever"]),
        (COUGH, ["cough"]),
    ]
    assert [a.meta["weight"] for a in found] == ["0.5", "0.4"]


def test_spans_never_run_from_one_note_into_the_next() -> None:
    notes = [Note("1", "c", text="the fever"), Note("2", "c", text="fever went")]
    text = read_chart("c", notes)
    made = reading(text, [0.0, 1.0], _1=[0, 1.0, 1.0, 0])
    found = list(decode(made, LABELS, Decoding(), "me", codes=np.array([1])))
    assert [(a.note_id, a.spans) for a in found] == [("1", (Span(4, 9),)), ("2", (Span(0, 5),))]


def test_a_code_without_evidence_is_given_to_the_chart_and_others_are_marked_as_below() -> None:
    text = read_chart("c", chart().notes)
    made = reading(text, [0.3, 0.9])
    for status, name in ((Status.RANKED, "ranked"), (Status.ASKED, "asked")):
        more: Any = {name: [0]}
        found = list(decode(made, LABELS, Decoding(), "me", codes=np.array([1]), **more))
        assert [(a.code, a.note_id, a.spans, a.status) for a in found] == [
            (FEVER, None, (), Status.GIVEN),
            (COUGH, None, (), status),
        ]


def test_ranges_of_their_own_stay_apart() -> None:
    text = read_chart("c", chart().notes, numbers=True)
    pointed = EvidenceWeights(
        np.array([0, 1, 4], np.int32),
        np.array([2, 2, 6], np.int32),
        np.array([0.9, 0.2, 0.8], np.float32),
    )
    made = ScoredChart(text, np.array([0, 1], np.float32), {1: pointed})
    decoding = Decoding(evidence_threshold=0.1, joins_words=False)
    every = list(decode(made, LABELS, decoding, "me", codes=np.array([1]), alternatives=True))
    assert [a.spans[0].of(TEXT) for a in every] == ["High fever", "fever", "dry cough"]
    found = list(decode(made, LABELS, decoding, "me", codes=np.array([1])))
    assert [a.spans[0].of(TEXT) for a in found] == ["High fever", "dry cough"]
    assert [a.meta["weight"] for a in found] == ["0.9", "0.8"]


def test_of_ranges_that_weigh_the_same_the_first_one_pointed_at_is_shown() -> None:
    text = read_chart("c", chart().notes, numbers=True)
    decoding = Decoding(evidence_threshold=0.1, joins_words=False)

    def shown(*ranges: tuple[int, int]) -> list[str]:
        begins, ends = np.array(ranges, np.int32).T
        pointed = EvidenceWeights(begins, ends, np.ones(len(ranges), np.float32))
        return [span.of(TEXT) for _, span, _ in spans(text, pointed, decoding)]

    assert shown((1, 2), (0, 2)) == ["fever"]
    assert shown((0, 2), (1, 2)) == ["High fever"]
    # What overlaps none that is shown is shown, even if it overlaps one that is not.
    assert shown((0, 2), (1, 5), (4, 6)) == ["High fever", "dry cough"]


RANGES = st.lists(
    st.tuples(st.integers(0, 8), st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=12
)


@given(RANGES, st.integers(0, 4))
@settings(max_examples=examples(80))
def test_ranges_shown_do_not_overlap_and_are_the_best_of_their_places(
    ranges: list[tuple[int, int, int]], threshold: int
) -> None:
    text = read_chart("c", [Note("n", "c", text="a b c d e f g h i j k l")])
    begins, lengths, weights = np.array(ranges, np.int32).T
    pointed = EvidenceWeights(begins, begins + lengths, weights.astype(np.float32))
    decoding = Decoding(evidence_threshold=threshold, joins_words=False)
    best = [(span, weight) for _, span, weight in spans(text, pointed, decoding)]
    every = [
        (span, weight) for _, span, weight in spans(text, pointed, decoding, alternatives=True)
    ]
    assert len(every) == sum(weight >= threshold for _, _, weight in ranges)
    assert set(best) <= set(every)
    assert not any(one.overlaps(other) for (one, _), (other, _) in pairwise(best))
    for span, weight in every:
        assert any(one.overlaps(span) and its >= weight for one, its in best)


def test_never_empty_gives_the_best_code_and_of_equals_the_most_frequent() -> None:
    labels = LabelSpace(tuple(Code("X", value) for value in "abc"), (5, 7, 9))
    scores = np.array([0.1, 0.3, 0.2], np.float32)
    assert choose(scores, 0.5, labels, never_empty=False).tolist() == []
    assert choose(scores, 0.5, labels, never_empty=True).tolist() == [1]
    assert choose(scores, 0.2, labels, never_empty=True).tolist() == [1, 2]
    assert choose(np.zeros(3, np.float32), 0.5, labels, never_empty=True).tolist() == [2]
