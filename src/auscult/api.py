"""What the commands do, as functions: everything here is importable from `auscult`.

Predictions are what `Model.predict` returns, a list of annotations, or a corpus. Intervals come
from `bootstrap` resamples of the charts (0 for none), with the random `seed`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auscult.agreement import Agreement, AgreementUnit, SeenCharts
from auscult.agreement.agree import agree
from auscult.audit.ratings import ClinicianRatings
from auscult.audit.run import Audit, AuditPlan
from auscult.audit.run import audit as run_audit
from auscult.audit.sampling import Budget
from auscult.audit.words_of_interest import influential_words
from auscult.codes.vocabulary import Vocabulary
from auscult.core import Code, OptionError
from auscult.core.names import chosen as one_of
from auscult.corpus import Corpus, formats
from auscult.corpus.annotators import annotators_of
from auscult.corpus.split import ALL, part_of, split_at_random
from auscult.evaluate import CodesResult, EvidenceResult, code_metrics, evidence_metrics, pair
from auscult.evaluate.entities import EntitiesResult
from auscult.evaluate.entities import evaluate_entities as evaluate_systems
from auscult.evaluate.metrics.from_sides import SidesMetric
from auscult.evaluate.outcomes import codes_of
from auscult.evaluate.sides import CountedCharts, Sides
from auscult.experiment.assessing import predictions_of, training_counts
from auscult.experiment.comparing import Predicted, as_predicted, run_entities
from auscult.learning.splits import require_one_split
from auscult.models.model import Model

if TYPE_CHECKING:
    pass

_INFLUENTIAL = 50


def read_corpus(name: str, source: Path | str, **options: Any) -> Corpus:
    """Read a corpus from another format by its name: mimic3, mdace, brat, csv, jsonl and others.

    `auscult corpus import FORMAT --help` shows the options of each.
    """
    return formats.read(name, source, **options)


def split_corpus(corpus: Corpus, *, seed: int = 0, **shares: float) -> Corpus:
    """Split at random, patients kept together: `split_corpus(c, train=0.8, …)`."""
    return split_at_random(corpus, shares, seed=seed)


def evaluate_codes(
    gold: Corpus,
    predicted: Predicted,
    *,
    annotator: str | None = None,
    predicted_annotator: str | None = None,
    split: str | None = None,
    charts: str = "annotated",
    train: Corpus | None = None,
    metrics: Mapping[str, SidesMetric] | None = None,
    bootstrap: int = 1000,
    seed: int = 0,
) -> CodesResult:
    """Evaluate predicted codes against an annotator's, chart by chart.

    `predicted` is a model, which is then run on the notes of `gold`, or predictions. With a model,
    or the training corpus as `train`, the label space includes the codes of training, and metrics
    are also given by how often training has a code; without either, the label space has only the
    codes of gold and predictions, and macro averages are higher. By default only charts that the
    gold annotator has read count. `metrics` adds functions of your own.
    """
    sides = _sides(gold, predicted, annotator, predicted_annotator, split, charts)
    seen = None if train is None else codes_of(train)
    if seen is None and isinstance(predicted, Model):
        seen = training_counts(predicted)
    return code_metrics(sides, seen=seen, metrics=metrics, times=bootstrap, seed=seed)


def evaluate_evidence(
    gold: Corpus,
    predicted: Predicted,
    *,
    annotator: str | None = None,
    predicted_annotator: str | None = None,
    split: str | None = None,
    charts: str = "annotated",
    trim: bool = False,
    merge_adjacent: bool = False,
    bootstrap: int = 1000,
    seed: int = 0,
) -> EvidenceResult:
    """Evaluate predicted evidence spans against an annotator's, as MDACE does.

    `predicted` is a model, which is then run on the notes of `gold`, or predictions. The oracle
    setting (evidence for the gold codes, whether predicted or not) needs the evidence for codes
    that were not predicted: a model is asked for it, predictions may lack it.
    `trim` strips punctuation and white space from spans first; `merge_adjacent` joins neighboring
    spans of a code.
    """
    sides = _sides(gold, predicted, annotator, predicted_annotator, split, charts)
    return evidence_metrics(
        sides, trim=trim, merge_adjacent=merge_adjacent, times=bootstrap, seed=seed
    )


def evaluate_entities(
    gold: Corpus,
    predicted: Predicted | Mapping[str, Predicted],
    *,
    annotator: str | None = None,
    split: str | None = None,
    charts: str = "annotated",
    train: Corpus | None = None,
    vocabulary: Vocabulary | None = None,
    rule: str = "any",
    bootstrap: int = 1000,
    seed: int = 0,
) -> EntitiesResult:
    """Evaluate named entity recognition and entity linking against an annotator.

    `predicted` is one system's annotations, or several by name. With the training corpus and the
    vocabulary, accuracy is also given by subset (unseen concepts, ambiguous text and so on). By
    default only notes that the gold annotator has read count; `charts="all"` counts all.
    """
    split = _split(split)
    given = predicted if isinstance(predicted, Mapping) else {"predicted": predicted}
    systems = {name: run_entities(gold, one) for name, one in given.items()}
    return evaluate_systems(
        gold, systems, train=train, vocabulary=vocabulary, rule=rule, annotator=annotator,
        split=split, charts=one_of(CountedCharts, charts, "choice of charts"), times=bootstrap,
        seed=seed,
    )  # fmt: skip


def agreement(
    corpus: Corpus,
    annotators: Sequence[str] | None = None,
    *,
    unit: str = "note",
    charts: SeenCharts | str = SeenCharts.ANNOTATED,
    exact_spans: bool = False,
    bootstrap: int = 1000,
    seed: int = 0,
) -> Agreement:
    """Inter-annotator agreement: Cohen's κ, Fleiss' κ, Krippendorff's α, F1 and others.

    `annotators` are all of the corpus by default; `unit` is what a set of codes is given to: note,
    chart or span. By default an annotator has seen the charts that they annotated; with
    `charts="all"`, all charts. Punctuation at the ends of spans is ignored, unless `exact_spans` is
    true.
    """
    chosen = annotators_of(corpus) if annotators is None else list(annotators)
    if len(chosen) < 2:
        raise OptionError(
            "Agreement needs at least two annotators; the corpus has "
            f"{', '.join(chosen) or 'none'}."
        )
    counted = one_of(AgreementUnit, unit, "unit")
    seen = one_of(SeenCharts, charts, "choice of charts")
    return agree(
        corpus, chosen, unit=counted, seen=seen, exact_spans=exact_spans, times=bootstrap, seed=seed
    )


def audit(
    model: Model | Path | str,
    corpus: Corpus,
    code: Code,
    words: Sequence[str] | None = None,
    *,
    split: str | None = None,
    other: Model | Path | str | None = None,
    ratings: ClinicianRatings | None = None,
    every_occurrence: bool = False,
    budget: int | None = None,
    bootstrap: int = 1000,
    seed: int = 0,
) -> Audit:
    """Measure how sensitive a model's score for a code is to single words.

    Each word is replaced by others and the change of the score averaged over charts. `words` are
    by default those that influence the model most, or those that clinicians rated (`ratings`, for
    the rank correlation with the model). `other` is a second model for comparison. `budget` limits
    the number of changed charts that are scored.
    """
    part = corpus if split is None else part_of(corpus, split)
    charts = list(part.select(annotators=[]).charts())
    first = model if isinstance(model, Model) else Model.load(model)
    second = other if other is None or isinstance(other, Model) else Model.load(other)
    if words is None and ratings is not None:
        words = list(ratings.importance)
    if words is None:
        words = influential_words(first, charts, code, _INFLUENTIAL)
    plan = AuditPlan(
        code, tuple(words), "all" if every_occurrence else "first", budget=Budget(budget),
        times=bootstrap, seed=seed,
    )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="auscult-audit-") as folder:
        return run_audit(first, charts, plan, Path(folder), other=second, ratings=ratings)


def _sides(
    gold: Corpus,
    predicted: Predicted,
    annotator: str | None,
    predicted_annotator: str | None,
    split: str | None,
    charts: str,
) -> Sides:
    counted = one_of(CountedCharts, charts, "choice of charts")
    split = _split(split)
    part = gold if split is None else part_of(gold, split)
    if isinstance(predicted, Model):
        made = predictions_of(predicted, part, annotator)
    else:
        made = as_predicted(gold, predicted)
    return pair(
        gold, made, annotator=annotator, predicted_annotator=predicted_annotator, split=split,
        charts=counted,
    )  # fmt: skip


def _split(split: str | None) -> str | None:
    """One split by name; None for all."""
    return None if split is None or require_one_split(split) == ALL else split
