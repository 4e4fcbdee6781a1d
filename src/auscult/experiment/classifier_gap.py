"""The classifier gap: a classifier of authentic texts is applied to synthetic ones.

If the synthetic texts mean the same as the authentic ones, it is as accurate on both.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any

import numpy as np
import polars as pl

from auscult.core import Annotation, Code, Metric, Note, OptionError
from auscult.core.counts import Counts
from auscult.core.metric_definition import MetricDefinition
from auscult.core.names import require_known
from auscult.core.plurals import counted
from auscult.core.results import MetricRow, Result
from auscult.corpus import Corpus
from auscult.corpus.records import Cleaning, RecordTexts, pairs_of
from auscult.evaluate.matching import DEFINITIONS, UNDEFINED
from auscult.models.fitting import fit
from auscult.models.model import Model
from auscult.statistics.bootstrap import Floats, intervals, point

KIND = "bigru"
_MACRO = "Mean of F1 over the {} values that occur"
_MICRO = (
    "Share of texts whose value is predicted correctly (with one value for each "
    "text, also micro-averaged F1)"
)

# Name: ratio of the counts, definition, and why there may be none.
_BY_VALUE = {
    "sensitivity": ("recall", DEFINITIONS["recall"], UNDEFINED["recall"]),
    "ppv": ("precision", DEFINITIONS["precision"], UNDEFINED["precision"]),
    "f1": ("f1", DEFINITIONS["f1"], UNDEFINED["f1"]),
}


@dataclass(frozen=True, slots=True)
class GapClassifiers:
    """Two models, and the training texts of each."""

    models: tuple[Model, Model]
    texts: tuple[frozenset[tuple[str, ...]], frozenset[tuple[str, ...]]] = field(repr=False)


@dataclass(frozen=True, slots=True)
class GapByValue:
    """One value of the variable: the classifier's counts on the texts of both sides."""

    value: str
    records: int
    authentic: Counts
    synthetic: Counts


@dataclass(frozen=True, slots=True, repr=False)
class Gap(Result):
    """How well a classifier predicts the variable from authentic and from synthetic texts."""

    variable: str
    authentic: dict[str, Metric]
    synthetic: dict[str, Metric]
    gap: dict[str, Metric]
    by_value: tuple[GapByValue, ...] = field(repr=False)

    def metric_rows(self) -> Iterator[MetricRow]:
        """Both sides and the gap between them; then the classifier's metrics for each value."""
        for side, metrics in self._sides.items():
            for metric in metrics.values():
                yield {"side": side}, metric
        for one in self.by_value:
            for side, counts in (("authentic", one.authentic), ("synthetic", one.synthetic)):
                for name, (ratio, definition, why) in _BY_VALUE.items():
                    value: float | None = getattr(counts, ratio)
                    metric = MetricDefinition(name, definition, undefined=why).metric(
                        nan if value is None else value, n=one.records
                    )
                    yield {"side": side, "variable_value": one.value}, metric

    def headline(self) -> str:
        """The variable, and how many records have a value of it."""
        records = sum(one.records for one in self.by_value)
        values = counted(len(self.by_value), "value")
        return f"{self.variable}, {values}, {counted(records, 'record')}"

    @property
    def _sides(self) -> dict[str, dict[str, Metric]]:
        return {"authentic": self.authentic, "synthetic": self.synthetic, "gap": self.gap}

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "variable": self.variable,
            **{name: {key: one.to_dict() for key, one in side.items()}
               for name, side in self._sides.items()},
            "by_value": [
                {
                    "value": one.value, "records": one.records,
                    "authentic": _shown(one.authentic), "synthetic": _shown(one.synthetic),
                }
                for one in self.by_value
            ],
        }  # fmt: skip


def fit_classifier(
    authentic: Corpus,
    variable: str,
    *,
    config: Mapping[str, Any] | None = None,
    train: str = "train",
    dev: str | None = None,
    cleaning: Cleaning | None = None,
    category: str | None = None,
    seed: int = 0,
) -> GapClassifiers:
    """Train two classifiers of a variable, each on half of the training texts.

    A generator may copy training texts, which a classifier trained on them would recognize. So a
    text that is in one half is classified by the model of the other half.
    """
    every = pairs_of(authentic, category=category)
    require_known(variable, every.records.columns, "variable of the records")
    clean = cleaning or Cleaning()
    halves = _halves(every, seed)
    models, texts = [], []
    for half in (0, 1):
        kept = [at for at, split in enumerate(every.splits) if split != train or halves[at] == half]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="No chart to tune on has evidence")
            models.append(
                fit(_coded(every.at(kept), variable, clean), KIND, config, seed=seed,
                    train_split=train, dev_split=dev)
            )  # fmt: skip
        texts.append(
            frozenset(clean.words(every.texts[at]) for at in kept if every.splits[at] == train)
        )
    return GapClassifiers((models[0], models[1]), (texts[0], texts[1]))


def classifier_gap(
    classifier: GapClassifiers,
    records: pl.DataFrame,
    authentic: Sequence[Sequence[str]],
    synthetic: Sequence[Sequence[str]],
    variable: str,
    *,
    times: int = 1000,
    seed: int = 0,
) -> Gap:
    """Classify the texts of both sides; records without a value are left out."""
    values = records[variable].cast(pl.String).to_list()
    kept = [at for at, value in enumerate(values) if value]
    if not kept:
        raise OptionError(f"No record has a value of {variable}, so there is nothing to predict.")
    gold = np.array([values[at] for at in kept])
    predictions = [
        _best(classifier, [texts[at] for at in kept]) for texts in (authentic, synthetic)
    ]
    known = sorted(set(gold))
    place = {value: at for at, value in enumerate(known)}
    truth = np.array([place[value] for value in gold])
    answers = [np.array([place.get(value, -1) for value in one]) for one in predictions]

    def statistic(weights: Floats) -> Floats:
        sides = [_scores(weights, truth, one, len(known)) for one in answers]
        return np.concatenate([*sides, sides[0] - sides[1]], axis=1)

    exact, edges = point(statistic, len(kept)), intervals(
        statistic, len(kept), times=times, seed=seed
    )  # fmt: skip
    names = ("accuracy", "macro_f1")
    told = {"accuracy": _MICRO, "macro_f1": _MACRO.format(len(known))}
    made: list[dict[str, Metric]] = []
    for begin in (0, 2, 4):
        what = "" if begin < 4 else "authentic − synthetic: "
        made.append({
            name: Metric(
                name, what + told[name], float(exact[begin + at]), n=len(kept),
                interval=None if np.isnan(edges[begin + at][0])
                else (float(edges[begin + at][0]), float(edges[begin + at][1])),
            )
            for at, name in enumerate(names)
        })  # fmt: skip
    rows = tuple(
        GapByValue(value, int((truth == at).sum()), *(_counts(truth, one, at) for one in answers))
        for value, at in sorted(place.items(), key=lambda pair: -int((truth == pair[1]).sum()))
    )
    authentic_side, synthetic_side, difference = made
    return Gap(variable, authentic_side, synthetic_side, difference, rows)


def _coded(pairs: RecordTexts, variable: str, cleaning: Cleaning) -> Corpus:
    """Texts as notes whose code is the value of the variable; those without one left out."""
    notes, annotations = [], []
    values = pairs.records[variable].cast(pl.String)
    for at, (record, value) in enumerate(zip(pairs.ids, values, strict=True)):
        if not value:
            continue
        text = cleaning.clean(pairs.texts[at])
        notes.append(Note(record, record, pairs.subjects[at], text=text, split=pairs.splits[at]))
        annotations.append(Annotation("record", Code(variable, value), record))
    return Corpus.of(notes, annotations)


def _best(classifiers: GapClassifiers, texts: Sequence[Sequence[str]]) -> list[str]:
    """The most likely value for each text; an empty one for a text without words.

    The scores of both models count, or only those of the one that was not trained on the text.
    """
    notes = [Note(str(at), str(at), text=" ".join(words)) for at, words in enumerate(texts)]
    scores: list[dict[str, float]] = [{} for _ in notes]
    for model, own, others in zip(
        classifiers.models, classifiers.texts, classifiers.texts[::-1], strict=True
    ):
        asked = [
            note
            for note, words in zip(notes, texts, strict=True)
            if words and (tuple(words) not in own or tuple(words) in others)
        ]
        for reading in model.read(asked):
            sums = scores[int(reading.text.chart_id)]
            for code, score in zip(model.labels.codes, reading.scores, strict=True):
                sums[code.value] = sums.get(code.value, 0.0) + float(score)
    return [max(sums, key=lambda value: sums[value]) if sums else "" for sums in scores]


def _halves(pairs: RecordTexts, seed: int) -> list[int]:
    """Which half each pair is in; those of one patient are in one."""
    return [int(random.Random(f"{seed}/{subject}").random() < 0.5) for subject in pairs.subjects]


def _scores(weights: Floats, truth: Floats, predictions: Floats, values: int) -> Floats:
    """Accuracy and macro-F1 for weights (draws × records): (draws, 2)."""
    right = weights @ (truth == predictions) / weights.sum(axis=1)
    f1 = []
    for value in range(values):
        hit = weights @ ((truth == value) & (predictions == value))
        total = weights @ (truth == value).astype(float) + weights @ (predictions == value).astype(
            float
        )
        with np.errstate(invalid="ignore"):
            f1.append(np.where(weights @ (truth == value) > 0, 2 * hit / total, np.nan))
    return np.stack([right, np.nanmean(f1, axis=0)], axis=1)


def _counts(truth: Floats, predictions: Floats, value: int) -> Counts:
    is_true, is_predicted = truth == value, predictions == value
    return Counts(
        int((is_true & is_predicted).sum()), int((~is_true & is_predicted).sum()),
        int((is_true & ~is_predicted).sum()),
    )  # fmt: skip


def _shown(counts: Counts) -> dict[str, float | int | None]:
    return {"tp": counts.tp, "fp": counts.fp, "fn": counts.fn, "sensitivity": counts.recall,
            "ppv": counts.precision, "f1": counts.f1}  # fmt: skip
