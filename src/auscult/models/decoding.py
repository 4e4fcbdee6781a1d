"""From scores and weights to annotations, by two thresholds.

One threshold decides which codes are predicted, the other which words are evidence. Both are tuned
on charts that the model was not trained on, and saved with the model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from auscult.core import Annotation, AuscultError, Note, Span, Status
from auscult.core.counts import Counts
from auscult.core.span import close_bracket, trim
from auscult.models.calibration import Calibration
from auscult.models.chart_scoring import EvidenceWeights, ScoredChart, Scores
from auscult.models.chart_text import ChartText
from auscult.models.examples import Example
from auscult.models.kept_readings import Reading, SparseScores
from auscult.models.label_space import LabelSpace

WEIGHT = "weight"
"""The key under which an annotation's `meta` holds the weight of its evidence."""


class Decoding(BaseModel):
    """Calibration and thresholds of a model.

    A score or weight equal to its threshold passes. The open threshold is that of codes outside the
    label space.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    code_threshold: FiniteFloat = 0.5
    open_threshold: FiniteFloat = 0.5
    evidence_threshold: FiniteFloat = Field(0.0, ge=0)
    evidence_words: int | None = Field(None, ge=1)
    """At most this many words or ranges per code and chart, those with the largest weights."""
    evidence_thresholds: Mapping[str, float] = Field(default_factory=dict)
    """The tuned thresholds of attribution methods that were in use before."""
    joins_words: bool = True
    calibration: Calibration | None = None


@dataclass(frozen=True, slots=True)
class TunedThreshold:
    """A threshold with the counts on the charts it was tuned on."""

    threshold: float
    counts: Counts


def tune_codes(readings: Sequence[Reading], made: Sequence[Example]) -> TunedThreshold:
    """The code threshold with the highest micro-F1.

    Every score above 0 that a gold code has is tried: between two of them a lower threshold only
    adds wrong codes. Gold codes outside the label space count as missed. Of equal ones the highest
    threshold is taken, midway to the next score below, so that it does not hang on the last digit.
    Where no gold code has such a score, no code passes.
    """
    right, missed = _of_gold(readings, made)
    found = right[right > 0]
    levels, first = np.unique(found, return_index=True)
    tp = len(found) - first
    if not len(levels):
        top = max(SparseScores.of(reading.scores).top() for reading in readings)
        threshold = float(np.nextafter(np.float32(top), np.float32(np.inf))) if top > 0 else 0.5
        return TunedThreshold(threshold, Counts(0, 0, len(right) + missed))
    passing = np.zeros(len(levels), np.int64)
    for reading in readings:  # one at a time, for all of them can be more than memory holds
        scores = SparseScores.of(reading.scores)
        high = scores.values[scores.values >= levels[0]]
        np.add.at(passing, np.searchsorted(levels, high, side="right") - 1, 1)
        if scores.others and scores.rest >= levels[0]:
            passing[np.searchsorted(levels, scores.rest, side="right") - 1] += scores.others
    passing = passing[::-1].cumsum()[::-1]
    f1 = 2 * tp / (passing + len(right) + missed)
    best = len(levels) - 1 - int(np.argmax(f1[::-1]))
    here, true = levels[best], int(tp[best])
    below = max(SparseScores.of(reading.scores).below(here) for reading in readings)
    middle = (float(here) + below) / 2
    if here.dtype.type(middle) <= below:  # next to each other, so that the middle is one of them
        middle = float(here)
    counts = Counts(true, int(passing[best]) - true, len(right) + missed - true)
    return TunedThreshold(middle, counts)


def count_at(readings: Sequence[Reading], made: Sequence[Example], threshold: float) -> Counts:
    """The counts of the codes whose score passes a threshold."""
    right, missed = _of_gold(readings, made)
    passing = sum(SparseScores.of(reading.scores).passing(threshold) for reading in readings)
    tp = int((right >= threshold).sum())
    return Counts(tp, passing - tp, len(right) + missed - tp)


def count_across(
    readings: Sequence[Reading],
    made: Sequence[Example],
    folds: Iterable[tuple[Sequence[int], Sequence[int]]],
) -> Counts:
    """The counts on each fold, at the threshold with the highest micro-F1 on the other folds.

    A fold is a pair of indices: of the charts outside it, and of those in it.
    """
    total = Counts()
    for inside, outside in folds:
        tuned = tune_codes([readings[at] for at in inside], [made[at] for at in inside])
        held_out = [readings[at] for at in outside], [made[at] for at in outside]
        total += count_at(*held_out, tuned.threshold)
    return total


def tune_recall(
    readings: Sequence[Reading], made: Sequence[Example], recall: float
) -> TunedThreshold:
    """The highest code threshold with at least this recall.

    Every score above 0 of a gold code is tried; gold codes outside the label space, and those
    without a score, cannot be found.
    """
    right, unseen = _of_gold(readings, made)
    found = right[right > 0][::-1]
    needed = int(np.ceil(recall * (len(right) + unseen) - 1e-9))
    if not 0 < needed <= len(found):
        raise AuscultError(
            f"A recall of {recall:g} cannot be reached on these charts: the model has a score for "
            f"{len(found):,} of their {len(right) + unseen:,} gold codes."
        )
    threshold = float(found[needed - 1])
    return TunedThreshold(threshold, count_at(readings, made, threshold))


def log_loss(
    readings: Sequence[Reading], made: Sequence[Example], share: Scores | None = None
) -> float:
    """Binary cross-entropy of the scores, averaged over charts and codes.

    With `share`, the fraction of training charts with each code, it is weighted as in `code_loss`.
    """
    total = weight = 0.0
    for reading, one in zip(readings, made, strict=True):
        scores = SparseScores.of(reading.scores)
        gold = one.codes
        wrong = np.setdiff1d(scores.codes, gold, assume_unique=True)
        if share is None:
            of_gold, of_wrong = np.ones(len(gold)), np.ones(len(wrong))
            of_rest = float(scores.size - len(gold) - len(wrong))
        else:
            shares = share.astype(np.float64)
            of_gold, of_wrong = 1 - shares[gold], shares[wrong]
            of_rest = float(shares.sum() - shares[gold].sum() - of_wrong.sum())
        total -= float(of_gold @ np.log(_sure(scores.at(gold))))
        total -= float(of_wrong @ np.log1p(-_sure(scores.at(wrong))))
        left = scores.size - len(scores.codes)
        if left:  # some have the stand-in, the others 0
            odds = np.log1p(-_sure(np.array([scores.rest, 0.0])))
            total -= of_rest * float(odds @ [scores.others, left - scores.others]) / left
        weight += float(of_gold.sum() + of_wrong.sum()) + of_rest
    return total / weight


def softmax_loss(readings: Sequence[Reading], made: Sequence[Example]) -> float:
    """Categorical cross-entropy, averaged over charts, of scores that add up to 1 in each.

    The codes of a chart share its weight; charts without one of the label space do not count.
    """
    losses = [
        -float(np.log(_sure(SparseScores.of(reading.scores).at(one.codes))).mean())
        for reading, one in zip(readings, made, strict=True)
        if len(one.codes)
    ]
    return float(np.mean(losses)) if losses else 0.0


def _sure(scores: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    return np.clip(scores.astype(np.float64), 1e-7, 1 - 1e-7)


def tune_evidence(
    readings: Sequence[Reading], made: Sequence[Example], step: float
) -> TunedThreshold:
    """The evidence threshold with the highest token-match micro-F1 over the gold codes.

    Evidence words that the model cannot select count as missed: those that were truncated, and
    those of codes outside the label space.
    """
    missed = sum(one.words_missed for one in made)
    weights, gold = [np.zeros(0, np.float32)], [np.zeros(0, bool)]
    for reading, one in zip(readings, made, strict=True):
        for code, ranges in one.evidence.items():
            length = len(one.text)
            is_gold = np.zeros(length, bool)
            for begin, end in ranges:
                is_gold[begin:end] = True
            evidence = reading.evidence.get(code)
            given = np.zeros(length, np.float32) if evidence is None else evidence.by_word(length)
            relevant = is_gold | (given > 0)
            weights.append(given[relevant])
            gold.append(is_gold[relevant])
    every, hits = np.concatenate(weights), np.concatenate(gold)
    best = TunedThreshold(step, _counts(every, hits, step, missed))
    for threshold in np.arange(2, round(1 / step)) * step:
        counts = _counts(every, hits, float(threshold), missed)
        if (counts.f1 or 0.0) > (best.counts.f1 or 0.0):
            best = TunedThreshold(round(float(threshold), 6), counts)
    return best


def decode(
    reading: ScoredChart,
    labels: LabelSpace,
    decoding: Decoding,
    annotator: str,
    *,
    codes: npt.NDArray[np.int64],
    ranked: Sequence[int] | npt.NDArray[np.int64] = (),
    asked: Sequence[int] | npt.NDArray[np.int64] = (),
    alternatives: bool = False,
) -> Iterator[Annotation]:
    """Annotations for `codes`, one for each span of evidence, the best code first.

    A code whose evidence does not pass the threshold is given to the chart as a whole. Codes in
    `ranked` and `asked` follow, with the evidence there is for them. Spans of one code do not
    overlap, unless `alternatives` are to be shown too.
    """
    groups = ((codes, Status.GIVEN), (ranked, Status.RANKED), (asked, Status.ASKED))
    for group, status in groups:
        places = np.asarray(group, np.int64)
        for at in places[np.argsort(-reading.scores[places], kind="stable")]:
            code, score = labels.codes[at], float(reading.scores[at])
            evidence = reading.evidence.get(int(at))
            found = []
            if evidence is not None:
                found = list(spans(reading.text, evidence, decoding, alternatives=alternatives))
            for note, span, weight in found:
                yield Annotation(
                    annotator, code, note.chart_id, note.note_id, (span,), score, status,
                    {WEIGHT: f"{weight:.4g}"},
                )  # fmt: skip
            if not found:
                whole = reading.text.chart_id
                yield Annotation(annotator, code, whole, score=score, status=status)


def spans(
    text: ChartText, evidence: EvidenceWeights, decoding: Decoding, *, alternatives: bool = False
) -> Iterator[tuple[Note, Span, float]]:
    """The spans of evidence whose weight passes the threshold, in order, each with its weight.

    Of ranges that overlap only the best is a span, unless `alternatives` are asked for.
    """
    passing = np.flatnonzero(evidence.weights >= decoding.evidence_threshold)
    if decoding.evidence_words is not None:
        heaviest = np.argsort(-evidence.weights[passing], kind="stable")
        passing = np.sort(passing[heaviest[: decoding.evidence_words]])
    if decoding.joins_words:
        ranges = _joined(text, evidence, passing)
    else:
        ranges = _own(evidence, passing if alternatives else _best(evidence, passing, len(text)))
    for begin, end, weight in ranges:
        note, span = text.place(begin, end)
        note_text = note.text or ""
        yield note, close_bracket(trim(span, note_text), note_text), weight


def choose(
    scores: Scores, threshold: float, labels: LabelSpace, *, never_empty: bool
) -> npt.NDArray[np.int64]:
    """The codes that pass the threshold; with `never_empty` the best one when none does.

    Of several codes with the same score, the most frequent one is the best.
    """
    chosen = np.flatnonzero(scores >= threshold)
    if len(chosen) or not never_empty or not len(scores):
        return chosen
    best = np.flatnonzero(scores == np.nanmax(scores))
    return best[[np.argmax(np.array(labels.counts)[best])]]


def _of_gold(readings: Sequence[Reading], made: Sequence[Example]) -> tuple[Scores, int]:
    """The scores of the gold codes, in rising order, and how many more have no score."""
    scores = [
        SparseScores.of(reading.scores).at(one.codes)
        for reading, one in zip(readings, made, strict=True)
    ]
    return np.sort(np.concatenate(scores)), sum(len(one.unseen) for one in made)


def _counts(
    weights: npt.NDArray[np.float32], gold: npt.NDArray[np.bool_], threshold: float, missed: int
) -> Counts:
    passing = weights >= threshold
    tp = int((passing & gold).sum())
    return Counts(tp, int(passing.sum()) - tp, int(gold.sum()) + missed - tp)


def _best(
    evidence: EvidenceWeights, passing: npt.NDArray[np.intp], length: int
) -> npt.NDArray[np.intp]:
    """Of ranges that overlap the heaviest, and the first of those that weigh the same."""
    is_taken = np.zeros(length, bool)
    kept: list[int] = []
    for at in passing[np.argsort(-evidence.weights[passing], kind="stable")].tolist():
        words = is_taken[evidence.begins[at] : evidence.ends[at]]
        if not words.any():
            words[:] = True
            kept.append(at)
    return np.array(kept, np.intp)


def _joined(
    text: ChartText, evidence: EvidenceWeights, passing: npt.NDArray[np.intp]
) -> Iterator[tuple[int, int, float]]:
    """Runs of words that pass, each within one note, with the largest weight in the run."""
    weights = np.zeros(len(text), np.float32)
    is_in = np.zeros(len(text), bool)
    for at in passing:
        part = slice(evidence.begins[at], evidence.ends[at])
        is_in[part] = True
        np.maximum(weights[part], evidence.weights[at], out=weights[part])
    for run in text.runs(np.flatnonzero(is_in)):
        yield int(run[0]), int(run[-1]) + 1, float(weights[run].max())


def _own(
    evidence: EvidenceWeights, passing: npt.NDArray[np.intp]
) -> Iterator[tuple[int, int, float]]:
    order = passing[np.lexsort((evidence.ends[passing], evidence.begins[passing]))]
    for at in order:
        yield int(evidence.begins[at]), int(evidence.ends[at]), float(evidence.weights[at])
