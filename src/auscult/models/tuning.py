"""Tuning a fitted scorer: out-of-fold scores, calibration, thresholds of codes and evidence."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from auscult.core.progress import track
from auscult.models.architecture import TrainingData
from auscult.models.calibration import Calibration
from auscult.models.chart_scoring import (
    ChartConfiguration,
    ChartScorer,
    ScoredChart,
    Scores,
    evidence_step,
    joins_words,
    needs_calibration,
    tuning_folds,
)
from auscult.models.decoding import (
    Decoding,
    log_loss,
    tune_codes,
    tune_evidence,
    tune_recall,
)
from auscult.models.examples import Example, count_codes
from auscult.models.expected_scores import cross_validated_counts
from auscult.models.folds import fold, zero_unknown_codes
from auscult.models.kept_fits import KeptFits
from auscult.models.kept_readings import KeptReading, kept_readings
from auscult.models.label_space import LabelSpace
from auscult.models.open_codes import tune_open
from auscult.models.output_checks import checked_readings

_SHOWN = 10
"""Average number of words shown for a code where no evidence is available for tuning."""
_LOOKED_AT = 50
_CODES_LOOKED_AT = 3
"""Number of charts and codes that this is estimated on; some models are slow to explain."""


def out_of_fold(
    kind: str,
    scorer_type: type[ChartScorer],
    made: Sequence[Example],
    labels: LabelSpace,
    config: ChartConfiguration,
    *,
    folds: int,
    seed: int,
    kept: KeptFits,
) -> list[KeptReading]:
    """Score each chart with a scorer trained on the other folds; results in the charts' order.

    Patients are kept together. Evidence is included for the gold codes. What is fitted on each fold
    is kept until the training is done.
    """
    readings: dict[str, KeptReading] = {}
    parts = list(fold(made, folds, seed))
    for number, (inside, outside) in enumerate(track(parts, "cross-validation", len(parts)), 1):
        data = TrainingData(inside, [], labels)
        fitted = kept.within(f"fold-{number}").fit(scorer_type, data, config, seed=seed)
        for reading in kept_gold(kind, fitted, outside, len(labels)):
            readings[reading.text.chart_id] = reading
    return [readings[one.chart_id] for one in made]


def unseen_readings(
    kind: str,
    fitted: ChartScorer,
    train: Sequence[Example],
    dev: Sequence[Example],
    labels: LabelSpace,
    config: ChartConfiguration,
    *,
    folds: int,
    seed: int,
    kept: KeptFits,
) -> tuple[Sequence[Example], list[KeptReading]]:
    """Charts that were not trained on, with their scores: dev charts, else out-of-fold training.

    An invalid output is an error. Codes that the other folds do not have score 0, except in
    held-out scores that the scorer computed itself.
    """
    if dev:
        return dev, list(kept_gold(kind, fitted, dev, len(labels)))
    if own := getattr(fitted, "held_out", ()):
        checked = checked_readings(kind, [one.text for one in train], own, len(labels))
        return train, list(kept_readings(checked, train))
    readings = out_of_fold(
        kind, type(fitted), train, labels, config, folds=folds, seed=seed, kept=kept
    )
    return train, zero_unknown_codes(readings, train, len(labels), folds, seed)


def kept_gold(
    kind: str, fitted: ChartScorer, made: Sequence[Example], codes: int
) -> Iterator[KeptReading]:
    """What is kept of the scores of examples, with evidence for the gold codes that have some."""
    readings = read_gold(fitted, made)
    return kept_readings(checked_readings(kind, [one.text for one in made], readings, codes), made)


def read_gold(fitted: ChartScorer, made: Sequence[Example]) -> Iterator[ScoredChart]:
    """Scores of examples, with evidence for the gold codes that have some."""
    with_evidence = {one.chart_id: np.array(sorted(one.evidence), np.int64) for one in made}
    return fitted.read((one.text for one in made), lambda text, _: with_evidence[text.chart_id])


def untuned_evidence_threshold(fitted: ChartScorer, made: Sequence[Example], step: float) -> float:
    """The lowest evidence threshold, in steps, at which codes show few words on average.

    For models without evidence to tune on: the smallest step would show most of a chart.
    """
    some = [one for one in made if len(one.codes)][:_LOOKED_AT]
    asked = {one.chart_id: one.codes[:_CODES_LOOKED_AT] for one in some}
    readings = fitted.read((one.text for one in some), lambda text, _: asked[text.chart_id])
    weights = np.concatenate(
        [
            np.zeros(0, np.float32),
            *(
                with_evidence.by_word(len(reading.text))
                for reading in readings
                for with_evidence in reading.evidence.values()
            ),
        ]
    )
    most = _SHOWN * sum(map(len, asked.values()))
    steps = [round(float(at), 6) for at in np.arange(1, round(1 / step)) * step]
    return next((at for at in steps if (weights >= at).sum() <= most), steps[-1])


def tune(
    kind: str,
    fitted: ChartScorer,
    train: Sequence[Example],
    dev: Sequence[Example],
    labels: LabelSpace,
    config: ChartConfiguration,
    seed: int,
    *,
    is_known: bool,
    kept: KeptFits,
) -> tuple[Decoding, dict[str, Any]]:
    """Tune the thresholds; `is_known` tells whether the charts can estimate the model's quality."""
    made, readings = unseen_readings(
        kind, fitted, train, dev, labels, config,
        folds=tuning_folds(fitted, len(train)), seed=seed, kept=kept,
    )  # fmt: skip
    how: dict[str, Any] = {"charts": len(made)}
    how["loss"] = log_loss(readings, made, _shares(train, labels, config))
    calibration = None
    if config.calibrate and needs_calibration(fitted):
        pairs = zip(readings, made, strict=True)
        calibration = Calibration.fit((reading.scores, one.codes) for reading, one in pairs)
        readings = [replace(one, scores=one.scores.mapped(calibration.apply)) for one in readings]
    if config.target_recall is not None:
        codes = tune_recall(readings, made, config.target_recall)
    else:
        codes = tune_codes(readings, made)
        if not dev and is_known:
            codes = replace(
                codes, counts=cross_validated_counts(fitted, readings, made, len(labels), seed)
            )
        elif not dev:
            few = _threshold_of_few(codes.threshold, fitted, made, calibration)
            codes = replace(codes, threshold=few)
    how["codes"] = asdict(codes)
    opened = tune_open(readings, made, labels, codes.counts)
    if opened.is_passed:
        how["open"] = asdict(opened)
    if not any(one.evidence for one in made):
        warnings.warn(
            "No chart to tune on has evidence for its codes, so the evidence threshold is "
            f"not tuned: it is set to show {_SHOWN} words for each code on average.",
            stacklevel=3,
        )
        threshold = untuned_evidence_threshold(fitted, made, evidence_step(fitted))
    else:
        evidence = tune_evidence(readings, made, evidence_step(fitted))
        how["evidence"] = asdict(evidence)
        threshold = evidence.threshold
    return (
        Decoding(
            code_threshold=codes.threshold,
            open_threshold=opened.threshold,
            evidence_threshold=threshold,
            joins_words=joins_words(fitted),
            calibration=calibration,
        ),
        how,
    )


def _threshold_of_few(
    across: float, fitted: ChartScorer, made: Sequence[Example], calibration: Calibration | None
) -> float:
    """The code threshold of a model trained on few charts.

    It is the lower of the out-of-fold one (`across`) and the one that is best for the training
    charts themselves; but not so low that these would get more than twice the codes they have.
    """
    own = list(kept_readings(read_gold(fitted, made), made))
    if calibration is not None:
        own = [replace(one, scores=one.scores.mapped(calibration.apply)) for one in own]
    best = tune_codes(own, made).threshold
    every = np.sort(np.concatenate([one.scores.values for one in own]))[::-1]
    most = 2 * sum(len(one.codes) for one in made)
    floor = float(every[most]) if most < len(every) else max(one.scores.rest for one in own)
    return max(min(across, best), float(np.nextafter(np.float32(floor), np.float32(1))))


def _shares(
    train: Sequence[Example], labels: LabelSpace, config: ChartConfiguration
) -> Scores | None:
    """The share of charts with each code, if the loss is balanced by it."""
    if getattr(config, "class_weight", "none") != "balanced":
        return None
    return (count_codes(train, len(labels)) / len(train)).astype(np.float32)
