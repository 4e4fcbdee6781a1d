"""Training a model on a corpus: splits, label space, fitting, thresholds."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from auscult.codes.vocabulary import Vocabulary
from auscult.core import AuscultError, OptionError
from auscult.core.option_names import option
from auscult.core.randomness import shuffled
from auscult.core.version import __version__
from auscult.corpus.corpus import Chart, Corpus
from auscult.corpus.provenance import corpus_digest, files_digest
from auscult.corpus.readers import is_read
from auscult.learning.splits import NONE, TRAIN, held_out_patients
from auscult.models import capabilities, model_class, model_name
from auscult.models.architecture import Architecture, ModelConfiguration, TrainingData
from auscult.models.card import (
    MentionCounts,
    ModelCard,
    ModelSource,
    VocabularyUsed,
    chart_digest,
    label_entries,
)
from auscult.models.categories import Categories, is_blank
from auscult.models.chart_scoring import ChartConfiguration, ChartScorer, tuning_folds
from auscult.models.configuring import configure
from auscult.models.entities.gold_mentions import marked
from auscult.models.entities.mention_statistics import all_codes
from auscult.models.examples import Example, truncation, usual_category
from auscult.models.expected_scores import why_undefined
from auscult.models.kept_fits import KeptFits
from auscult.models.label_space import LabelSpace
from auscult.models.model import Model
from auscult.models.packed_text import WordTable
from auscult.models.read_charts import ReadChart, charts_as_read, examples_of
from auscult.models.span_annotation import SpanConfiguration
from auscult.models.training_charts import ChartStreams, ChosenCharts, chart_streams
from auscult.models.tuning import tune

DEFAULT = "ensemble"
"""The model that is trained by default."""
_TUNED = 10_000
"""Maximum number of charts to tune on. More take time without changing thresholds."""

AnyChart = TypeVar("AnyChart", ReadChart, Example)


def fit(
    corpus: Corpus,
    model: str | type[Architecture] | None = None,
    config: Mapping[str, Any] | None = None,
    *,
    seed: int = 0,
    train_split: str = TRAIN,
    dev_split: str | None = None,
    directory: Path | None = None,
) -> Model:
    """Train a model on the training split of a corpus, or on all of it if it has no splits.

    `model` is a name or a class of your own; without one, a model is chosen for the corpus
    (`choose_model`). `dev_split` names the split for early stopping and for
    tuning thresholds; by default the one there is (dev, val…). With "none", thresholds are tuned
    on the training charts: by cross-validation where fitting is quick, on a held-out tenth where it
    is not. No other split is used. Where these charts are too few to estimate the model's quality,
    `about.tuning["undefined"]` says so. `directory` keeps the checkpoints of long training.
    """
    if model is None:
        from auscult.models.choosing import model_for

        model, config = model_for(corpus, config, seed, train_split, dev_split)
    architecture, name = model_class(model), model_name(model)
    chosen = configure(model, config or {})
    can = capabilities(architecture)
    if not can.scores_codes and dev_split not in (None, NONE):
        raise OptionError(
            f"The model {name} annotates spans and is tuned on the training notes: it takes no dev "
            f"split ({option('--dev-split')})."
        )
    charts = chart_streams(
        corpus,
        chosen,
        train_split,
        dev_split if can.scores_codes else NONE,
        by_note=not can.scores_codes,
    )
    asked = _Training(corpus, name, architecture, seed, train_split, directory)
    if can.scores_codes:
        return _fit_codes(asked, charts, chosen)
    return _fit_spans(asked, charts.held(), chosen)


@dataclass(frozen=True, slots=True)
class _Training:
    """The model, settings and corpus of a training."""

    corpus: Corpus
    name: str
    architecture: type[Architecture]
    seed: int
    train: str
    directory: Path | None

    def fit(self, data: TrainingData, config: ModelConfiguration) -> Architecture:
        return self.architecture.fit(data, config, seed=self.seed, directory=self.directory)

    def card(self, config: ModelConfiguration, *, source: dict[str, Any], **rest: Any) -> ModelCard:
        return ModelCard(
            made_by=f"auscult {__version__}",
            kind=self.name,
            seed=self.seed,
            configuration=config.model_dump(mode="json"),
            source=ModelSource(
                name=self.corpus.manifest.name,
                digest=corpus_digest(self.corpus),
                files=files_digest(self.corpus),
                train=self.train,
                **source,
            ),
            **rest,
        )


@dataclass(frozen=True, slots=True)
class _CodedCharts:
    """The charts to train and to tune on, their codes, and the source of the tuning charts."""

    train: list[Example]
    dev: list[Example]
    labels: LabelSpace
    seen: frozenset[str]
    """Digests of the ids of all charts, including those without words."""
    tuned_on: str


def _coded(
    charts: ChartStreams,
    chosen: ChartConfiguration,
    scorer_type: type[ChartScorer],
    seed: int,
) -> _CodedCharts:
    """Read the charts, and keep nothing of them in memory but the examples."""
    table = WordTable()
    training, tuning = (
        charts_as_read(part, chosen, table) for part in (charts.training, charts.tuning)
    )
    if not training:
        raise _nothing_to_train_on(chosen)
    if charts.dev != NONE and not tuning:
        raise _nothing_to_tune_on(charts.dev, chosen)
    tuned_on = "dev" if tuning else "training charts, out of fold"
    if not tuning and not tuning_folds(scorer_type, len(training)):
        training, tuning = _hold_out(training, seed)
        tuned_on = "training charts held out"
    labels = LabelSpace.of((chart.codes for chart in training), minimum=chosen.min_count)
    train = examples_of(training, labels)
    if chosen.evidence_fraction < 1:
        train = _with_less_evidence(train, chosen.evidence_fraction, seed)
    dev = examples_of(charts_to_tune_on(tuning, seed), labels)
    if not train:
        raise _nothing_to_train_on(chosen)
    if tuning and not dev:
        raise _nothing_to_tune_on(charts.dev, chosen)
    seen = frozenset(chart_digest(chart.chart_id) for chart in (*training, *tuning))
    return _CodedCharts(train, dev, labels, seen, tuned_on)


def _fit_codes(asked: _Training, charts: ChartStreams, config: ModelConfiguration) -> Model:
    """Train a model that scores codes, and tune its thresholds."""
    chosen, seed, dev = cast(ChartConfiguration, config), asked.seed, charts.dev
    scorer_type = cast("type[ChartScorer]", asked.architecture)
    coded = _coded(charts, chosen, scorer_type, seed)
    train_examples, dev_examples, labels = coded.train, coded.dev, coded.labels
    vocabulary = _vocabulary(chosen)
    data = TrainingData(train_examples, dev_examples, labels, vocabulary=vocabulary)
    kept = KeptFits(asked.directory)
    # Neural training keeps its own checkpoints, of the middle of the training too.
    fitted = (
        cast(ChartScorer, asked.fit(data, chosen))
        if "checkpoint_seconds" in type(chosen).model_fields
        else kept.fit(scorer_type, data, chosen, seed=seed, is_read_again=bool(dev_examples))
    )
    undefined = None
    if coded.tuned_on != "dev":
        undefined = why_undefined(train_examples, dev_examples)
    decoding, how = tune(
        asked.name, fitted, train_examples, dev_examples, labels, chosen, seed,
        is_known=not undefined, kept=kept,
    )  # fmt: skip
    how = {"on": coded.tuned_on, **how, **({"undefined": undefined} if undefined else {})}
    about = asked.card(
        chosen,
        source={
            "dev": dev,
            "charts": len(train_examples),
            "category": usual_category(train_examples),
            "uncategorized": _share_uncategorized(train_examples),
        },
        decoding=decoding,
        tuning=how,
        truncation=asdict(truncation(train_examples)),
        labels=label_entries(labels),
        vocabulary=None if vocabulary is None else VocabularyUsed.of(vocabulary),
    )
    return Model(about, chosen, fitted, coded.seen)


def _fit_spans(asked: _Training, charts: ChosenCharts, config: ModelConfiguration) -> Model:
    """Train a model of spans; it tunes its thresholds on the training notes."""
    chosen = cast(SpanConfiguration, config)
    if getattr(asked.architecture, "needs_vocabulary", False) and chosen.vocabulary is None:
        raise OptionError(
            f"The model {asked.name} needs a vocabulary: "
            + option("--set vocabulary=PATH", "config={'vocabulary': PATH}")
            + ". Make one with: auscult vocab build SOURCE PATH"
        )
    vocabulary = _vocabulary(chosen)
    there = [note for chart in charts.training for note in chart.notes if note.text]
    notes = list(Categories(chosen.categories).chosen(there))
    every = marked(notes, (a for chart in charts.training for a in chart.annotations))
    # A note that nobody read is not a negative example.
    made = every
    if chosen.charts == "annotated":
        made = [one for one in every if one.marks or is_read(one.note, charts.annotators)]
    marks = [mark for one in made for mark in one.marks]
    if not marks:
        raise AuscultError(
            f"None of the {len(notes):,} training notes has an annotation with spans, so there is "
            "nothing to train on. Check the split, the annotators and the code systems chosen."
        )
    fitted = asked.fit(TrainingData(notes=made, vocabulary=vocabulary), chosen)
    # The category only decides whether a note is read.
    [(usual, _)] = Counter(one.note.category for one in made for _ in one.marks).most_common(1)
    used = {one.note.chart_id for one in made}
    about = asked.card(
        chosen,
        source={
            "dev": NONE,
            "charts": len(used),
            "category": None if chosen.categories is None else usual,
        },
        tuning=_with_loss(dict(getattr(fitted, "tuning", {}))),
        vocabulary=None if vocabulary is None else VocabularyUsed.of(vocabulary),
        mentions=MentionCounts(
            notes=len(made),
            left_out=len(every) - len(made),
            mentions=len(marks),
            discontinuous=sum(len(mark.spans) > 1 for mark in marks),
            concepts=len(set(all_codes(made))),
        ),
    )
    return Model(about, chosen, fitted, frozenset(map(chart_digest, used)))


def _vocabulary(config: ModelConfiguration) -> Vocabulary | None:
    """The vocabulary that the settings name."""
    path: Path | None = getattr(config, "vocabulary", None)
    return None if path is None else Vocabulary.open(path)


def _nothing_to_train_on(config: ModelConfiguration) -> AuscultError:
    return AuscultError(
        f"No training chart has text{_of_categories(config)}, so there is nothing to train on. "
        "Import the corpus with its text, or choose other notes."
    )


def _nothing_to_tune_on(dev: str, config: ModelConfiguration) -> AuscultError:
    other, none = option("--dev-split"), option("--dev-split none")
    return AuscultError(
        f"No chart to tune on in split {dev} has text{_of_categories(config)} and was read. Import "
        f"the corpus with its text, or name another split with {other}; with {none} "
        "thresholds are tuned on the training charts."
    )


def _with_loss(tuning: dict[str, Any]) -> dict[str, Any]:
    """The metrics, with the loss that a grid search compares."""
    score = next(
        (tuning[name] for name in ("f1", "accuracy") if tuning.get(name) is not None), None
    )
    return tuning if score is None or "loss" in tuning else {**tuning, "loss": 1 - score}


def _share_uncategorized(made: Sequence[Example]) -> float:
    categories = [name for one in made for name in one.text.categories]
    return sum(map(is_blank, categories)) / len(categories)


def _of_categories(config: ModelConfiguration) -> str:
    return f" of the category {' or '.join(config.categories)}" if config.categories else ""


def _hold_out(charts: list[ReadChart], seed: int) -> tuple[list[ReadChart], list[ReadChart]]:
    kept_back = held_out_patients([chart.patient for chart in charts], seed, of="charts")
    return (
        [chart for chart in charts if chart.patient not in kept_back],
        [chart for chart in charts if chart.patient in kept_back],
    )


def charts_to_tune_on(charts: list[AnyChart], seed: int) -> list[AnyChart]:
    """The charts to tune on, or a sample if there are too many."""
    if len(charts) <= _TUNED:
        return charts
    drawn = set(_shuffled((chart.chart_id for chart in charts), seed)[:_TUNED])
    return [chart for chart in charts if chart.chart_id in drawn]


def training_examples(
    charts: Iterable[Chart], labels: LabelSpace, config: ChartConfiguration
) -> list[Example]:
    """Charts as examples, read as the settings say; those without notes or words left out."""
    return examples_of(charts_as_read(charts, config, WordTable()), labels)


def _with_less_evidence(made: list[Example], share: float, seed: int) -> list[Example]:
    """The examples with the evidence of some charts removed; a larger share keeps more of it."""
    with_evidence = [one.chart_id for one in made if one.evidence]
    shown = set(_shuffled(with_evidence, seed)[: round(share * len(with_evidence))])
    return [one if one.chart_id in shown else one.without_evidence() for one in made]


def _shuffled(names: Iterable[str], seed: int) -> list[str]:
    return shuffled(sorted(names), random.Random(seed))
