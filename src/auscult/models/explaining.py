"""Evidence from another attribution method than the one that a model was trained with.

The evidence threshold is tuned for one method and does not carry over to another. Without charts to
tune it on again, the evidence for a code is then the few words with the largest weights.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from auscult.core import OptionError
from auscult.core.names import require_known
from auscult.core.option_names import option
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.learning.settings import configured
from auscult.models.architecture import ModelConfiguration
from auscult.models.chart_scoring import ChartConfiguration, ChartScorer, evidence_step
from auscult.models.decoding import Decoding, tune_evidence
from auscult.models.kept_readings import kept_readings
from auscult.models.label_space import LabelSpace
from auscult.models.tuning import read_gold

Attribution = Literal["attention", "attingrad", "integrated-gradients"]
MOST_WORDS = 10
"""Maximum number of evidence words per code without a tuned threshold."""
LEAST_WEIGHT = 0.02
"""Minimum share of a code's attribution per evidence word: the step size of tuning."""


def with_attribution(kind: str, config: ModelConfiguration, method: str) -> ModelConfiguration:
    """The settings of a model with another attribution method; an error if it has none."""
    require_known(method, get_args(Attribution), "attribution method")
    if "explainer" not in type(config).model_fields:
        raise OptionError(
            f"The model {kind} has no attribution methods to choose from. Leave out "
            f"{option('--explain', 'with_explainer')}, or use a neural model such as transformer."
        )
    if method == attribution_of(config):
        return config
    given = {**config.model_dump(), "explainer": method}
    return configured(type(config), f"model {kind}", given)


def attribution_of(config: ModelConfiguration) -> str:
    """The attribution method of a neural model."""
    settings: Any = config
    if settings.explainer != "none":
        return str(settings.explainer)
    return "attention" if settings.evidence == "supervised" else str(settings.evidence)


def known_thresholds(config: ModelConfiguration, decoding: Decoding) -> dict[str, float]:
    """The evidence thresholds that are known, by the method each is for."""
    known = dict(decoding.evidence_thresholds)
    if decoding.evidence_words is None:
        known[attribution_of(config)] = decoding.evidence_threshold
    return known


def untuned_rule(config: ModelConfiguration, decoding: Decoding, method: str) -> str | None:
    """What is shown with a method that the threshold was not tuned for; None where it was."""
    known = known_thresholds(config, decoding)
    if method in known:
        return None
    tuned_for = " and ".join(known) or "another method"
    return (
        f"The evidence threshold was tuned for {tuned_for}, not for {method}. Instead, each code "
        f"is shown with at most {MOST_WORDS} words: those with the largest weights, each at least "
        f"{LEAST_WEIGHT}. To change this, pass "
        f"{option('--evidence-threshold', 'tune_on=corpus')}."
    )


def tuned_threshold(
    scorer: ChartScorer, config: ChartConfiguration, labels: LabelSpace, corpus: Corpus, seed: int
) -> float:
    """The best evidence threshold of a scorer for the charts of a corpus that have evidence.

    Of very many charts, it is tuned on a sample, as in training.
    """
    from auscult.models.fitting import charts_to_tune_on, training_examples

    charts = (chart for chart in corpus.charts() if any(one.spans for one in chart.annotations))
    found = [one for one in training_examples(charts, labels, config) if one.evidence]
    made = charts_to_tune_on(found, seed)
    if not made:
        raise OptionError(
            "None of the charts for tuning the evidence threshold has evidence for a code that the "
            "model knows. Choose charts with evidence, or pass a threshold."
        )
    kept = kept_readings(read_gold(scorer, made), made)
    readings = list(track(kept, "explaining", len(made)))
    return tune_evidence(readings, made, evidence_step(scorer)).threshold
