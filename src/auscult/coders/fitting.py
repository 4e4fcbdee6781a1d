"""Making a coder from a corpus: splits, label space, learning, thresholds."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from auscult.coders import scorer as scorer_of
from auscult.coders.about import About, Source, chart_digest, label_entries
from auscult.coders.calibration import Calibration
from auscult.coders.categories import uncategorized
from auscult.coders.checked import require_readings
from auscult.coders.choosing import chosen_charts, require_categories, warn_of_left_out
from auscult.coders.claims import honest_counts, why_undefined
from auscult.coders.coder import Coder, text_of
from auscult.coders.contract import Configuration, Reading, Scorer, Scores, needs_calibration
from auscult.coders.decoding import Decoding, log_loss, tune_codes, tune_evidence, tune_recall
from auscult.coders.examples import (
    Example,
    codes_of,
    count_codes,
    examples,
    truncation,
    usual_category,
)
from auscult.coders.folds import fold, forget_unknown
from auscult.coders.labels import LabelSpace
from auscult.coders.sequence import patient_of
from auscult.core import AuscultError
from auscult.core.dice import shuffled
from auscult.core.progress import track
from auscult.core.version import __version__
from auscult.corpus.corpus import Chart, Corpus
from auscult.learning.settings import configured
from auscult.learning.source import corpus_digest
from auscult.learning.splits import TRAIN, held_out_patients

_SHOWN = 10
"""Words that a code shows on average where no evidence says how many are right."""
_LOOKED_AT = 50
_CODES_LOOKED_AT = 3
"""Charts, and codes of each, by which that is found; some kinds take long to explain a code."""


def fit(
    corpus: Corpus,
    kind: str,
    config: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    train: str = TRAIN,
    dev: str | None = None,
    directory: Path | None = None,
) -> Coder:
    """Learn a coder of a kind from the training split of a corpus.

    `dev` names the split that decides when to stop and where the thresholds lie; by default the
    one there is (dev, val…). With "none" the training charts serve: out of fold where learning is
    quick, a tenth held out where it is not. No other split is looked at. Where those are too few to
    say how good the coder is, `about.tuning["undefined"]` says so. `directory` keeps the
    checkpoints of long training.
    """
    learner = scorer_of(kind)
    chosen = configure(kind, config or {})
    require_categories(corpus, chosen.categories)
    charts = chosen_charts(corpus, chosen, train, dev)
    learning, tuning, dev = charts.training, charts.tuning, charts.dev
    warn_of_left_out(
        (note for chart in (*learning, *tuning) for note in chart.notes), chosen.categories
    )
    tuned_on = "dev" if tuning else "training charts, out of fold"
    if not tuning and not learner.folds:
        learning, tuning = _hold_out(learning, seed)
        tuned_on = "training charts held out"
    labels = LabelSpace.of((codes_of(c.annotations) for c in learning), minimum=chosen.minimum)
    train_examples = _examples(learning, labels, chosen)
    if chosen.evidence_share < 1:
        train_examples = _with_less_evidence(train_examples, chosen.evidence_share, seed)
    dev_examples = _examples(tuning, labels, chosen)
    if not train_examples:
        raise AuscultError(
            f"No training chart, of {len(learning):,}, has text{_of_categories(chosen)}, so there "
            "is nothing to learn from. Import the corpus with its text, or read other notes."
        )
    if tuning and not dev_examples:
        raise AuscultError(
            f"No chart to tune on, of {len(tuning):,} in split {dev}, has "
            f"text{_of_categories(chosen)}. Import the corpus with its text, or name another split "
            "with --dev-split; with --dev-split none the training charts serve."
        )
    fitted = learner.fit(
        train_examples, dev_examples, labels, chosen, seed=seed, directory=directory
    )
    undefined = None
    if tuned_on != "dev":
        undefined = why_undefined(train_examples, dev_examples)
    decoding, how = _tune(
        kind, fitted, train_examples, dev_examples, labels, chosen, seed, is_known=not undefined
    )
    how = {"on": tuned_on, **how, **({"undefined": undefined} if undefined else {})}
    about = About(
        made_by=f"auscult {__version__}",
        kind=kind,
        seed=seed,
        configuration=chosen.model_dump(mode="json"),
        decoding=decoding,
        source=Source(
            name=corpus.manifest.name,
            digest=corpus_digest(corpus),
            train=train,
            dev=dev,
            charts=len(train_examples),
            category=usual_category(train_examples),
            uncategorized=_share_uncategorized(train_examples),
        ),
        tuning=how,
        truncation=asdict(truncation(train_examples)),
        labels=label_entries(labels),
    )
    seen = frozenset(chart_digest(chart.chart_id) for chart in (*learning, *tuning))
    return Coder(about, labels, chosen, fitted, seen)


def _share_uncategorized(made: Sequence[Example]) -> float:
    notes = [note for one in made for note in one.text.notes]
    return uncategorized(notes) / len(notes)


def _of_categories(config: Configuration) -> str:
    return f" of the category {' or '.join(config.categories)}" if config.categories else ""


def configure(kind: str, given: Mapping[str, Any]) -> Configuration:
    """The configuration of a kind of coder, from the fields that are given."""
    return configured(scorer_of(kind).config_type, f"coder {kind}", given).settled()


def out_of_fold(
    learner: type[Scorer],
    made: Sequence[Example],
    labels: LabelSpace,
    config: Configuration,
    *,
    folds: int,
    seed: int,
) -> list[Reading]:
    """Readings of each chart by a scorer that learnt from the other folds, in the charts' order.

    Patients are kept together. Evidence is there for the gold codes.
    """
    readings: dict[str, Reading] = {}
    parts = list(fold(made, folds, seed))
    for inside, outside in track(parts, "learning again without each fold", len(parts)):
        fitted = learner.fit(inside, [], labels, config, seed=seed)
        for reading in read_gold(fitted, outside):
            readings[reading.text.chart_id] = reading
    return [readings[one.chart_id] for one in made if one.chart_id in readings]


def fair_readings(
    kind: str,
    fitted: Scorer,
    train: Sequence[Example],
    dev: Sequence[Example],
    labels: LabelSpace,
    config: Configuration,
    *,
    folds: int,
    seed: int,
) -> tuple[Sequence[Example], list[Reading]]:
    """Charts that were not learnt from, each with its reading: dev's, else training's out of fold.

    What is no reading of its chart is an error. Codes that the other folds do not have score 0, but
    for readings that the scorer itself held out, which are as it made them.
    """
    own = [] if dev else list(getattr(fitted, "held_out", ()))
    if dev:
        made, readings = dev, list(read_gold(fitted, dev))
    else:
        made = train
        readings = own or out_of_fold(type(fitted), train, labels, config, folds=folds, seed=seed)
    require_readings(kind, [one.text for one in made], readings, len(labels))
    if not dev and not own:
        forget_unknown(readings, made, len(labels), folds, seed)
    return made, readings


def read_gold(fitted: Scorer, made: Sequence[Example]) -> Iterator[Reading]:
    """Readings of examples with evidence for the gold codes that have some."""
    pointed = {one.chart_id: np.array(sorted(one.evidence), np.int64) for one in made}
    return fitted.read((one.text for one in made), lambda text, _: pointed[text.chart_id])


def sparing_threshold(fitted: Scorer, made: Sequence[Example], step: float) -> float:
    """The lowest evidence threshold, in steps, at which codes show few words on average.

    For want of evidence to tune it on: the smallest step would show most of a chart.
    """
    some = [one for one in made if len(one.codes)][:_LOOKED_AT]
    asked = {one.chart_id: one.codes[:_CODES_LOOKED_AT] for one in some}
    readings = fitted.read((one.text for one in some), lambda text, _: asked[text.chart_id])
    weights = np.concatenate(
        [
            np.zeros(0, np.float32),
            *(
                pointed.by_word(len(reading.text))
                for reading in readings
                for pointed in reading.evidence.values()
            ),
        ]
    )
    most = _SHOWN * sum(map(len, asked.values()))
    steps = [round(float(at), 6) for at in np.arange(1, round(1 / step)) * step]
    return next((at for at in steps if (weights >= at).sum() <= most), steps[-1])


def _tune(
    kind: str,
    fitted: Scorer,
    train: Sequence[Example],
    dev: Sequence[Example],
    labels: LabelSpace,
    config: Configuration,
    seed: int,
    *,
    is_known: bool,
) -> tuple[Decoding, dict[str, Any]]:
    """The thresholds, and how they were found; `is_known` is whether they say how good it is."""
    made, readings = fair_readings(
        kind, fitted, train, dev, labels, config, folds=fitted.folds, seed=seed
    )
    how: dict[str, Any] = {"charts": len(made)}
    how["loss"] = log_loss(readings, made, _shares(train, labels, config))
    calibration = None
    if config.calibrated and needs_calibration(fitted):
        pairs = zip(readings, made, strict=True)
        calibration = Calibration.fit((reading.scores, one.codes) for reading, one in pairs)
        for at, reading in enumerate(readings):  # in their place: all twice may not fit in memory
            readings[at] = replace(reading, scores=calibration.apply(reading.scores))
    if config.recall is not None:
        codes = tune_recall(readings, made, config.recall)
    else:
        codes = tune_codes(readings, made)
        if not dev and is_known:
            codes = replace(codes, counts=honest_counts(fitted, readings, made, len(labels), seed))
        elif not dev:
            few = _threshold_of_few(codes.threshold, fitted, made, calibration)
            codes = replace(codes, threshold=few)
    how["codes"] = asdict(codes)
    if not any(one.evidence for one in made):
        warnings.warn(
            "No chart to tune on has evidence for its codes. The evidence threshold is such that "
            f"a code shows {_SHOWN} words on average, and not known to be good.",
            stacklevel=3,
        )
        threshold = sparing_threshold(fitted, made, fitted.evidence_step)
    else:
        evidence = tune_evidence(readings, made, fitted.evidence_step)
        how["evidence"] = asdict(evidence)
        threshold = evidence.threshold
    return (
        Decoding(
            code_threshold=codes.threshold,
            evidence_threshold=threshold,
            joins_words=fitted.joins_words,
            calibration=calibration,
        ),
        how,
    )


def _threshold_of_few(
    across: float, fitted: Scorer, made: Sequence[Example], calibration: Calibration | None
) -> float:
    """The code threshold of a coder that learnt from few charts.

    It is the lower of the one out of fold (`across`) and the one that is best for the very charts
    it learnt from, so that it knows these; but not so low that they would get more than twice
    the codes they have.
    """
    own = list(read_gold(fitted, made))
    if calibration is not None:
        own = [replace(one, scores=calibration.apply(one.scores)) for one in own]
    best = tune_codes(own, made).threshold
    every = np.sort(np.concatenate([one.scores for one in own]))[::-1]
    most = 2 * sum(len(one.codes) for one in made)
    floor = float(every[most]) if most < len(every) else 0.0
    return max(min(across, best), float(np.nextafter(np.float32(floor), np.float32(1))))


def _shares(train: Sequence[Example], labels: LabelSpace, config: Configuration) -> Scores | None:
    """What the loss is balanced by, where it is."""
    if not getattr(config, "balanced", False):
        return None
    return (count_codes(train, len(labels)) / len(train)).astype(np.float32)


def _hold_out(charts: list[Chart], seed: int) -> tuple[list[Chart], list[Chart]]:
    patients = [patient_of(chart.chart_id, chart.notes) for chart in charts]
    kept_back = held_out_patients(patients, seed, of="charts")
    pairs = list(zip(charts, patients, strict=True))
    return (
        [chart for chart, patient in pairs if patient not in kept_back],
        [chart for chart, patient in pairs if patient in kept_back],
    )


def _examples(charts: Iterable[Chart], labels: LabelSpace, config: Configuration) -> list[Example]:
    with_notes = (chart for chart in charts if chart.notes)
    return examples(with_notes, labels, lambda chart: text_of(chart.notes, config))


def _with_less_evidence(made: list[Example], share: float, seed: int) -> list[Example]:
    """The examples with the evidence of some charts hidden; a larger share hides fewer of them."""
    pointed = [one.chart_id for one in made if one.evidence]
    shown = set(_shuffled(pointed, seed)[: round(share * len(pointed))])
    return [one if one.chart_id in shown else one.without_evidence() for one in made]


def _shuffled(names: Iterable[str], seed: int) -> list[str]:
    return shuffled(sorted(names), random.Random(seed))
