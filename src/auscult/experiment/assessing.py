"""A model, or its predictions, evaluated against gold: codes and evidence in one result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from auscult.core import Code, OptionError
from auscult.core.results import MetricRow, Result, labeled
from auscult.corpus import Corpus
from auscult.evaluate import CodesResult, EvidenceResult, code_metrics, evidence_metrics, pair
from auscult.evaluate.matching import RATIOS
from auscult.evaluate.metrics import micro
from auscult.evaluate.sides import only_annotator
from auscult.models.chart_inputs import codes_by_chart
from auscult.models.model import Model
from auscult.models.seen_charts import warn_if_seen

_RANKED = 200
_PAIRS = 500_000
_MICRO = frozenset(one.name for one in micro.METRICS)


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Facts about a model beyond its predictions."""

    seen: int
    """How many of the evaluated charts it was trained or tuned on."""
    known: int
    """How many codes are in its label space."""
    threshold: float
    """The score from which it predicts a code."""


@dataclass(frozen=True, slots=True, repr=False)
class Assessment(Result):
    """Predictions for a corpus, with every metric against the gold."""

    gold: Corpus
    predicted: Corpus
    codes: CodesResult
    evidence: EvidenceResult
    annotator: str | None
    """Who gave the gold annotations."""
    predicted_annotator: str | None
    """Who signed the predictions."""
    model: ModelFacts | None = None
    """None where only the predictions are known."""

    def metric_rows(self) -> Iterator[MetricRow]:
        """Every metric of codes and of evidence.

        The micro averages of both come first, so that a screen shows something of each.
        """
        codes = list(labeled({"about": "codes"}, self.codes.metric_rows()))
        yield from (row for row in codes if row[1].name in _MICRO)
        evidence = list(labeled({"about": "evidence"}, self.evidence.metric_rows()))
        ends = len(RATIOS) * len(self.evidence.metrics)
        yield from evidence[:ends]
        yield from (row for row in codes if row[1].name not in _MICRO)
        yield from evidence[ends:]

    def headline(self) -> str:
        """Whose annotations were compared, and on how many charts."""
        sides = f"{self.predicted_annotator or 'predictions'} against {self.annotator or 'gold'}"
        return f"{sides}, {self.codes.headline()}"


def assess(
    model: Model,
    corpus: Corpus,
    *,
    annotator: str | None = None,
    trim: bool = False,
    merge_adjacent: bool = False,
    times: int = 1000,
    seed: int = 0,
) -> Assessment:
    """Run a model on a corpus and evaluate it against an annotator's codes and evidence.

    Evidence is cleaned before, if asked for, as `evaluate_evidence` cleans it.
    """
    predicted = predictions_of(model, corpus, annotator)
    return assess_predictions(
        corpus,
        predicted,
        annotator=annotator,
        model=model,
        trim=trim,
        merge_adjacent=merge_adjacent,
        times=times,
        seed=seed,
    )


def predictions_of(model: Model, corpus: Corpus, annotator: str | None = None) -> Corpus:
    """Run a model on a corpus, with all that an evaluation needs.

    That is the evidence for an annotator's codes, predicted or not (status asked), and codes below
    the threshold (status ranked), all of them if that is affordable: the areas under the curve need
    the whole ranking. Warns of charts that the model was trained on before it runs.
    """
    if not model.can.scores_codes:
        raise OptionError(
            f"The model {model.name} annotates spans and does not assign codes to charts. Evaluate "
            "it with evaluate_entities."
        )
    warn_if_seen(model, corpus, corpus.chart_ids())
    gold, _ = only_annotator(corpus, annotator, "The corpus", "--annotator")
    asked = codes_by_chart(gold.iter_annotations())
    is_few = len(asked) * len(model.labels) <= _PAIRS
    ranked = len(model.labels) if is_few else _RANKED
    name = f"{model.name} (model)"
    predicted = model.predict(corpus, annotator=name, also=asked, ranked=ranked)
    return corpus.select(annotators=[]).with_annotations(predicted)


def training_counts(model: Model) -> dict[Code, int]:
    """The number of training charts of each code of a model's label space."""
    return dict(zip(model.labels.codes, model.labels.counts, strict=True))


def assess_predictions(
    gold: Corpus,
    predicted: Corpus,
    *,
    annotator: str | None = None,
    predicted_annotator: str | None = None,
    model: Model | None = None,
    training: Mapping[Code, int] | None = None,
    trim: bool = False,
    merge_adjacent: bool = False,
    times: int = 1000,
    seed: int = 0,
) -> Assessment:
    """Evaluate existing predictions against an annotator's codes and evidence.

    With the `model` that made them, the result also has the number of training charts of each code
    and whether the model was trained on these charts. `training` gives the number of training
    charts of each code where there is no model.
    """
    facts = None
    if model is not None:
        seen = len(model.has_seen(gold.chart_ids()))
        facts = ModelFacts(seen, len(model.labels), model.decoding.code_threshold)
        training = training_counts(model)
    sides = pair(
        gold,
        predicted,
        annotator=annotator,
        predicted_annotator=predicted_annotator,
        counts_all=None,
    )
    return Assessment(
        sides.gold,
        sides.predicted,
        code_metrics(sides, seen=training, times=times, seed=seed),
        evidence_metrics(sides, trim=trim, merge_adjacent=merge_adjacent, times=times, seed=seed),
        sides.annotator,
        sides.predicted_annotator,
        facts,
    )
