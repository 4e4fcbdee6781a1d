"""From scores and weights to annotations, and the two thresholds that decide.

One threshold decides which codes are given, one which words are evidence. Both are tuned on charts
the coder did not learn from and frozen into the saved coder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from auscult.coders.contract import Pointed, Reading, Scores
from auscult.coders.examples import Example
from auscult.coders.labels import LabelSpace
from auscult.coders.sequence import ChartText
from auscult.core import Annotation, AuscultError, Note, Span
from auscult.core.counts import Counts
from auscult.core.span import trim
from auscult.corpus.given import ASKED, BELOW, RANKED

WEIGHT = "weight"
"""The entry of an annotation's meta that says how much its words weigh."""


class Decoding(BaseModel):
    """The thresholds of a coder. A score or weight that equals its threshold passes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    code_threshold: float = 0.5
    evidence_threshold: float = Field(0.0, ge=0)
    joins_words: bool = True


@dataclass(frozen=True, slots=True)
class Tuned:
    """A threshold with the counts it has on the charts it was tuned on."""

    threshold: float
    counts: Counts


def tune_codes(readings: Sequence[Reading], made: Sequence[Example]) -> Tuned:
    """The code threshold of highest micro-F1.

    Every score that occurs is tried. Gold codes outside the label space count as missed. Of equal
    ones the highest threshold is taken, midway to the next score below, so that it does not hang
    on the last digit.
    """
    scores = np.stack([reading.scores for reading in readings])
    gold = np.stack([one.is_gold(scores.shape[1]) for one in made])
    unseen = sum(len(one.unseen) for one in made)
    return _best(scores.ravel(), gold.ravel(), unseen)


def tune_recall(readings: Sequence[Reading], made: Sequence[Example], recall: float) -> Tuned:
    """The highest code threshold that finds at least this share of the gold codes.

    Every score of a gold code is tried; gold codes outside the label space cannot be found.
    """
    scores = np.stack([reading.scores for reading in readings])
    gold = np.stack([one.is_gold(scores.shape[1]) for one in made])
    unseen = sum(len(one.unseen) for one in made)
    right = np.sort(scores[gold])[::-1]
    wanted = int(np.ceil(recall * (len(right) + unseen) - 1e-9))
    if not 0 < wanted <= len(right):
        raise AuscultError(
            f"A recall of {recall:g} cannot be reached on these charts: {len(right):,} of their "
            f"{len(right) + unseen:,} gold codes are in the label space."
        )
    threshold = float(right[wanted - 1])
    passing = scores >= threshold
    tp = int((passing & gold).sum())
    counts = Counts(tp, int(passing.sum()) - tp, len(right) + unseen - tp)
    return Tuned(threshold, counts)


def log_loss(
    readings: Sequence[Reading], made: Sequence[Example], share: Scores | None = None
) -> float:
    """The binary cross-entropy of the scores, the mean over charts and codes.

    With `share`, of the training charts that have each code, weighed as `code_loss` weighs.
    """
    total = weight = 0.0
    for reading, one in zip(readings, made, strict=True):
        sure = np.clip(reading.scores.astype(np.float64), 1e-7, 1 - 1e-7)
        each = -np.log1p(-sure)
        each[one.codes] = -np.log(sure[one.codes])
        weights = np.ones(len(each)) if share is None else share.astype(np.float64)
        if share is not None:
            weights[one.codes] = 1 - weights[one.codes]
        total += float(each @ weights)
        weight += float(weights.sum())
    return total / weight


def tune_evidence(readings: Sequence[Reading], made: Sequence[Example], step: float) -> Tuned:
    """The evidence threshold of highest token-match micro-F1, in steps, over the gold codes."""
    weights, gold = [np.zeros(0, np.float32)], [np.zeros(0, bool)]
    for reading, one in zip(readings, made, strict=True):
        for code, ranges in one.evidence.items():
            length = len(one.text)
            is_gold = np.zeros(length, bool)
            for begin, end in ranges:
                is_gold[begin:end] = True
            pointed = reading.evidence.get(code)
            given = np.zeros(length, np.float32) if pointed is None else pointed.by_word(length)
            relevant = is_gold | (given > 0)
            weights.append(given[relevant])
            gold.append(is_gold[relevant])
    every, hits = np.concatenate(weights), np.concatenate(gold)
    best = Tuned(step, _counts(every, hits, step))
    for threshold in np.arange(2, round(1 / step)) * step:
        counts = _counts(every, hits, float(threshold))
        if (counts.f1 or 0.0) > (best.counts.f1 or 0.0):
            best = Tuned(round(float(threshold), 6), counts)
    return best


def decode(
    reading: Reading,
    labels: LabelSpace,
    decoding: Decoding,
    annotator: str,
    *,
    codes: npt.NDArray[np.int64],
    ranked: Sequence[int] | npt.NDArray[np.int64] = (),
    asked: Sequence[int] | npt.NDArray[np.int64] = (),
) -> Iterator[Annotation]:
    """Annotations for `codes`, one for each span of evidence, the best code first.

    A code whose evidence does not pass the threshold is given to the chart as a whole. Codes in
    `ranked` and `asked` follow, with the evidence there is for them, marked as not given.
    """
    for group, mark in ((codes, {}), (ranked, {BELOW: RANKED}), (asked, {BELOW: ASKED})):
        places = np.asarray(group, np.int64)
        for at in places[np.argsort(-reading.scores[places], kind="stable")]:
            code, score = labels.codes[at], float(reading.scores[at])
            pointed = reading.evidence.get(int(at))
            found = list(spans(reading.text, pointed, decoding)) if pointed is not None else []
            for note, span, weight in found:
                yield Annotation(
                    annotator, code, note.chart_id, note.note_id, (span,), score,
                    {**mark, WEIGHT: f"{weight:.4g}"},
                )  # fmt: skip
            if not found:
                yield Annotation(annotator, code, reading.text.chart_id, score=score, meta=mark)


def spans(
    text: ChartText, pointed: Pointed, decoding: Decoding
) -> Iterator[tuple[Note, Span, float]]:
    """The spans of evidence whose weight passes the threshold, in order, each with its weight."""
    passing = np.flatnonzero(pointed.weights >= decoding.evidence_threshold)
    ranges = _joined(text, pointed, passing) if decoding.joins_words else _own(pointed, passing)
    for begin, end, weight in ranges:
        note, span = text.place(begin, end)
        yield note, trim(span, note.text or ""), weight


def choose(scores: Scores, threshold: float, *, never_empty: bool) -> npt.NDArray[np.int64]:
    """The codes that pass the threshold; with `never_empty` the best one when none does."""
    chosen = np.flatnonzero(scores >= threshold)
    return np.array([scores.argmax()]) if never_empty and not len(chosen) else chosen


def _best(scores: npt.NDArray[np.float32], gold: npt.NDArray[np.bool_], missed: int) -> Tuned:
    order = np.argsort(-scores, kind="stable")
    ranked, hits = scores[order], np.cumsum(gold[order])
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))  # of each run of equals
    predicted, tp = last + 1, hits[last]
    positives = int(hits[-1]) + missed
    best = int(np.argmax(2 * tp / (predicted + positives))) if positives else 0
    here = float(ranked[last[best]])
    following = float(ranked[last[best] + 1]) if last[best] + 1 < len(ranked) else here
    true = int(tp[best])
    counts = Counts(true, int(predicted[best]) - true, positives - true)
    return Tuned((here + following) / 2, counts)


def _counts(
    weights: npt.NDArray[np.float32], gold: npt.NDArray[np.bool_], threshold: float
) -> Counts:
    passing = weights >= threshold
    tp = int((passing & gold).sum())
    return Counts(tp, int(passing.sum()) - tp, int(gold.sum()) - tp)


def _joined(
    text: ChartText, pointed: Pointed, passing: npt.NDArray[np.intp]
) -> Iterator[tuple[int, int, float]]:
    """Runs of words that pass, each within one note, with the largest weight in the run."""
    weights = np.zeros(len(text), np.float32)
    is_in = np.zeros(len(text), bool)
    for at in passing:
        part = slice(pointed.begins[at], pointed.ends[at])
        is_in[part] = True
        np.maximum(weights[part], pointed.weights[at], out=weights[part])
    words = np.flatnonzero(is_in)
    if not len(words):
        return
    is_break = (np.diff(words) > 1) | (np.diff(text.note_of[words]) != 0)
    for run in np.split(words, np.flatnonzero(is_break) + 1):
        yield int(run[0]), int(run[-1]) + 1, float(weights[run].max())


def _own(pointed: Pointed, passing: npt.NDArray[np.intp]) -> Iterator[tuple[int, int, float]]:
    order = passing[np.lexsort((pointed.ends[passing], pointed.begins[passing]))]
    for at in order:
        yield int(pointed.begins[at]), int(pointed.ends[at]), float(pointed.weights[at])
