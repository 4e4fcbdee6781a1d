"""The model `radiology`: linear models and concepts with their assertion, combined by a forest.

Two linear models score the report, one by its words and one by the concepts it names, by section
and assertion; a fine-tuned transformer may be a third. Their log-odds and the features of a code's
concepts go into one forest that all codes share. The probability of sets of codes is applied last.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Self, cast

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator
from scipy.special import expit

from auscult.core import AuscultError
from auscult.core.names import require_known
from auscult.core.option_names import option
from auscult.models import config_type_of, scorer_class
from auscult.models.architecture import Resources, TrainingData
from auscult.models.chart_scoring import (
    ChartConfiguration,
    ChartScorer,
    EvidenceRequest,
    EvidenceWeights,
    ScoredChart,
    Scores,
)
from auscult.models.chart_text import ChartText
from auscult.models.configuring import configure
from auscult.models.forest import Forest
from auscult.models.kept_fits import KeptFits
from auscult.models.linear.features import NgramVocabulary
from auscult.models.linear.scorer import Linear, LinearConfiguration
from auscult.models.radiology.code_sets import CodeSetPrior
from auscult.models.radiology.grams import ConceptGrams, MarkedGrams
from auscult.models.radiology.radiology_text import AFFIRMED, DENIED, KNOWN, cells_of, prepare
from auscult.models.radiology.rows import (
    ConceptCodeLinks,
    Floats,
    Places,
    RadiologyCounts,
    RadiologyRowMaker,
)
from auscult.models.radiology.stages import (
    ENCODER,
    FoldedCharts,
    FoldedScorer,
    fit_folded_encoder,
    fit_folded_linear,
    log_odds,
    make_rows,
    out_of_fold_scores,
    read_log_odds,
    train_forest,
)

_FOREST, _TALLIES, _SETS = "forest.safetensors", "tallies.npz", "sets.json"
_NOT_OF_ENCODER = ("encoder", "explainer", "explainer_steps", "metric_for_best_model", "patience")
"""Settings of the transformer that are not set here: the first is a setting of its own, the others
are of evidence, which is not asked for, and of dev charts, which there are none of."""
_AT_ONCE = 64
"""Number of charts in a batch for the transformer."""
_TRACE = 1e-3
"""Factor of the score of a code without any support."""
_BEST = 0.6
"""Minimum score of a chart's best code: a report always has a code."""

_WEIGHTY = 0.4
"""The weight, relative to a code's heaviest word, from which a word is shown as evidence."""


class RadiologyWordModel(Linear):
    """The linear model over words in their sense."""

    vocabulary_type: ClassVar[type[NgramVocabulary]] = MarkedGrams


class RadiologyConceptModel(Linear):
    """The linear model over concepts."""

    vocabulary_type: ClassVar[type[NgramVocabulary]] = ConceptGrams


MODELS: dict[str, type[Linear]] = {"words": RadiologyWordModel, "concepts": RadiologyConceptModel}


class RadiologyConfiguration(ChartConfiguration):
    """Settings of the radiology model."""

    C_words: float = Field(
        100.0, gt=0, description="Inverse of the regularization strength, word model."
    )
    C_concepts: float = Field(
        10.0, gt=0, description="Inverse of the regularization strength, concept model."
    )
    encoder: str | None = Field(
        None,
        min_length=1,
        description="Pretrained encoder to fine-tune as a third model, next to the models of words "
        "and concepts: minilm, a directory or a name on the Hugging Face hub; default: none.",
    )
    encoder_settings: Mapping[str, Any] = Field(
        default_factory=dict,
        description="Hyperparameters for fine-tuning the encoder, as in the model `transformer`, "
        "except those for reading charts, thresholds and evidence, which this model has itself.",
    )
    folds: int = Field(
        5, ge=2, description="Number of cross-validation folds for out-of-fold predictions."
    )

    @model_validator(mode="after")
    def _has_what_it_sets(self) -> Self:
        if self.encoder_settings and self.encoder is None:
            raise ValueError("encoder_settings has no effect without encoder; set encoder as well")
        if self.encoder is not None:
            self.of_encoder()  # wrong ones are found before anything is trained
        return self

    def of_encoder(self) -> ChartConfiguration:
        """The settings of the transformer; an error for one that would change nothing."""
        every = config_type_of(scorer_class(ENCODER)).model_fields
        without = {*ChartConfiguration.model_fields, *_NOT_OF_ENCODER}
        known = [name for name in every if name not in without]
        for name in self.encoder_settings:
            require_known(name, known, "setting among encoder_settings")
        given = {"encoder": self.encoder, **self.encoder_settings}
        return cast(ChartConfiguration, configure(ENCODER, given))

    def of_model(self, name: str) -> LinearConfiguration:
        """The settings of one of the linear models."""
        strength = self.C_words if name == "words" else self.C_concepts
        return LinearConfiguration(C=strength, min_df=2)


class RadiologyModel:
    """Linear models, the forest over their scores and the concepts, and the code sets."""

    config_type: ClassVar[type[ChartConfiguration]] = RadiologyConfiguration
    evidence_step: ClassVar[float] = 0.05
    joins_words: ClassVar[bool] = True
    folds: ClassVar[int] = 5

    def __init__(
        self,
        models: Mapping[str, Linear],
        links: ConceptCodeLinks,
        tallies: RadiologyCounts,
        forest: Forest,
        sets: CodeSetPrior,
        held_out: Sequence[ScoredChart] = (),
        encoder: ChartScorer | None = None,
    ) -> None:
        self._models = dict(models)
        self._encoder = encoder
        self._links = links
        self._tallies = tallies
        self._maker = RadiologyRowMaker(links, tallies)
        self._forest = forest
        self._sets = sets
        self.held_out = held_out

    @classmethod
    def fit(
        cls,
        data: TrainingData,
        config: RadiologyConfiguration,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Train each stage on the out-of-fold predictions of the one before."""
        train, labels = data.train, data.labels
        charts = FoldedCharts.of(train, len(labels), config.folds, seed)
        if len(charts.folds) < 2:
            raise AuscultError(
                "The model radiology needs training charts of at least two patients; there is "
                f"one. Add charts, or choose {option('--model linear')}."
            )
        linears = {
            name: fit_folded_linear(kind, charts, config.of_model(name), seed)
            for name, kind in MODELS.items()
        }
        links = ConceptCodeLinks.of(labels)
        named = [cells_of(one.text) for one in train]
        scorers: list[FoldedScorer[Any]] = [*linears.values()]
        encoder: FoldedScorer[ChartScorer] | None = None
        if config.encoder is not None:
            kept = KeptFits(directory)
            encoder = fit_folded_encoder(data, charts, config.of_encoder(), seed, kept)
            scorers.append(encoder)
        rows = make_rows(charts, named, scorers, links)
        held_out = out_of_fold_scores(charts, rows, seed)
        every = np.arange(len(train))
        whole = cls(
            {name: linear.whole for name, linear in linears.items()},
            links,
            RadiologyCounts.count(named, charts.gold, links),
            train_forest(charts, rows, every, seed),
            CodeSetPrior.count(charts.sets(every), held_out.sets[0].weights),
            encoder=None if encoder is None else encoder.whole,
        )
        readings: dict[int, ScoredChart] = {}
        for number, held in enumerate(charts.folds):
            models = {name: linear.of_fold[number] for name, linear in linears.items()}
            for at in held.tolist():
                one = train[at]
                trace = _trace([scorer.across[at] for scorer in scorers])
                scores = _scores(held_out.sets[at], rows[at].codes, held_out.chance[at], trace)
                evidence = _evidence(one.text, sorted(one.evidence), models, links)
                readings[at] = ScoredChart(one.text, scores, evidence)
        whole.held_out = [readings[at] for at in range(len(train))]
        return whole

    def read(
        self, texts: Iterable[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        """Score charts; evidence is the words of a code's concepts and those with high weights."""
        for text, encoded in self._encoded(texts):
            logits = [
                log_odds(model, model.vocabulary.matrix([text]))[0]
                for model in self._models.values()
            ] + encoded
            rows = self._maker.make(cells_of(text), logits)
            chance = self._forest.apply(rows.numbers).astype(np.float64)
            scores = _scores(self._sets, rows.codes, chance, _trace(logits))
            codes = evidence_for(text, scores).tolist()
            yield ScoredChart(text, scores, _evidence(text, codes, self._models, self._links))

    def _encoded(self, texts: Iterable[ChartText]) -> Iterator[tuple[ChartText, list[Floats]]]:
        """Each chart with the transformer's log-odds, if the model has one."""
        if self._encoder is None:
            yield from ((text, []) for text in texts)
            return
        source = iter(texts)
        while some := list(islice(source, _AT_ONCE)):
            yield from zip(some, ([one] for one in read_log_odds(self._encoder, some)), strict=True)

    def save(self, directory: Path) -> None:
        """Write the linear models into directories of their own, the rest as arrays and JSON."""
        for name, model in self._models.items():
            (directory / name).mkdir()
            model.save(directory / name)
        if self._encoder is not None:
            (directory / ENCODER).mkdir()
            self._encoder.save(directory / ENCODER)
        self._tallies.save(directory / _TALLIES)
        self._forest.save(directory / _FOREST)
        held = {
            "weights": self._sets.weights,
            "counts": [[list(one), count] for one, count in sorted(self._sets.counts.items())],
        }
        (directory / _SETS).write_text(json.dumps(held) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, directory: Path, resources: Resources, config: RadiologyConfiguration) -> Self:
        """What `save` wrote."""
        labels = resources.labels
        models = {
            name: kind.load(directory / name, resources, config.of_model(name))
            for name, kind in MODELS.items()
        }
        encoder: ChartScorer | None = None
        if config.encoder is not None:
            kind = scorer_class(ENCODER)
            encoder = kind.load(directory / ENCODER, resources, config.of_encoder())
        try:
            held = json.loads((directory / _SETS).read_text(encoding="utf-8"))
            return cls(
                models,
                ConceptCodeLinks.of(labels),
                RadiologyCounts.load(directory / _TALLIES),
                Forest.load(directory / _FOREST),
                CodeSetPrior.of_counts(
                    {tuple(one): count for one, count in held["counts"]}, held["weights"]
                ),
                encoder=encoder,
            )
        except (OSError, ValueError, LookupError, TypeError, zipfile.BadZipFile) as error:
            raise AuscultError(
                f"{directory} does not hold a complete radiology model: a file is missing or "
                "damaged. Train it again."
            ) from error


def _trace(logits: Sequence[Floats]) -> Floats:
    found: Floats = (expit(np.mean(logits, axis=0)) * _TRACE).astype(np.float32)
    return found


def _scores(
    sets: CodeSetPrior, codes: Places, chance: npt.NDArray[np.float64], trace: Floats
) -> Scores:
    """The mean of each code's own probability and its marginal over the sets it can be in."""
    scores = trace.copy()
    held_out = (chance + sets.marginals(codes, chance)) / 2
    scores[codes] = np.maximum(held_out, trace[codes])
    best = int(scores.argmax())
    scores[best] = max(float(scores[best]), _BEST)
    return scores


def _evidence(
    text: ChartText, codes: Sequence[int], models: Mapping[str, Linear], links: ConceptCodeLinks
) -> dict[int, EvidenceWeights]:
    if not codes:
        return {}
    asked = np.array(codes, np.int64)
    weights = {code: np.zeros(len(text), np.float32) for code in codes}
    for model in models.values():
        reading = next(model.read([text], lambda _text, _scores: asked))
        for code, evidence in reading.evidence.items():
            weights[code] += evidence.by_word(len(text))
    for (concept, _, how), hit in prepare(text).cells():
        for code in links.codes_of[concept].tolist():
            if code in weights and how != DENIED:
                weights[code][hit.begin : hit.end] += 1 if how in (AFFIRMED, KNOWN) else 0.5
    found: dict[int, EvidenceWeights] = {}
    for code, weight in weights.items():
        relative = weight / max(float(weight.max()), 1e-9)
        found[code] = EvidenceWeights.words(np.where(relative >= _WEIGHTY, relative, 0))
    return found
