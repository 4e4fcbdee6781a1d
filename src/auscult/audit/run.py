"""A complete audit of a saved model, as the command runs it."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from auscult.audit.alignment import Alignment, align, difference
from auscult.audit.cache import CachedPredictor
from auscult.audit.defaults import usual_filters
from auscult.audit.filters import ReplacementFilter, TypoFilter
from auscult.audit.frequency import Frequency, frequency
from auscult.audit.predictor import Predictor, require_code
from auscult.audit.ratings import ClinicianRatings
from auscult.audit.sampling import Budget
from auscult.audit.sensitivity import Sensitivity, sensitivity
from auscult.audit.shards import ShardedPredictor
from auscult.audit.trials import Occurrences, Swap
from auscult.audit.words_of_interest import WordFinder
from auscult.core import Code, Metric, OptionError
from auscult.core.digests import directory_digest
from auscult.core.plurals import counted
from auscult.core.results import MetricRow, Result, labeled
from auscult.corpus.corpus import Chart
from auscult.engine import Engine
from auscult.models.categories import uncategorized
from auscult.models.model import Model

SCORES = "scores.log"
_IN_MEMORY = "in memory"
"""Stands for the digest of a model that is not on disk; its scores are not kept for another run."""


@dataclass(frozen=True, slots=True)
class AuditPlan:
    """The settings of an audit: words, filters, replacements, budget."""

    code: Code
    words: tuple[str, ...] = field(repr=False)
    swap: Swap = "first"
    case: bool = False
    number: int = 5
    """Replacements from each filter."""
    budget: Budget = field(default_factory=Budget)
    both_swaps: bool = False
    """Also swap all occurrences (or the first), to see the effect of frequency."""
    typos: bool = False
    times: int = 1000
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Audit(Result):
    """The results of an audit of one model, or of two."""

    quoting: ClassVar[frozenset[str]] = frozenset({"word"})

    found: Sensitivity
    alignment: Alignment | None = None
    other: Sensitivity | None = None
    other_alignment: Alignment | None = None
    difference: Metric | None = None
    frequencies: tuple[Frequency, ...] = ()
    asked: int = 0
    """Number of predictions that were computed."""
    remembered: int = 0
    """Number of predictions that were in the cache."""
    uniform: str = ""
    """Where the words of the uniform filter come from."""

    def metric_rows(self) -> Iterator[MetricRow]:
        """The alignment with clinicians, if they rated the words; then the sensitivity to each."""
        sides = (("first", self.found, self.alignment), ("other", self.other, self.other_alignment))
        for model, _, alignment in sides:
            if alignment is not None:
                yield from labeled({"model": model}, alignment.metric_rows())
        if self.difference is not None:
            yield {"model": "first − other"}, self.difference
        for one in self.frequencies:
            yield {"model": "first", "swap": one.name}, one.pearson
        for model, found, _ in sides:
            if found is not None:
                yield from labeled({"model": model}, found.metric_rows())

    def headline(self) -> str:
        """The code and the trials of the first model."""
        return self.found.headline()

    def to_dict(self) -> dict[str, Any]:
        """For JSON: the first model's `words` and `spearman`, then everything else."""
        made: dict[str, Any] = {
            **self.found.to_dict(),
            "spearman": None,
            "frequency": [one.to_dict() for one in self.frequencies],
            "uniform_filter": self.uniform,
            "readings": {"made": self.asked, "remembered": self.remembered},
        }
        if self.alignment is not None:
            made["spearman"] = self.alignment.spearman.value
            made["alignment"] = self.alignment.to_dict()
        if self.other is not None:
            made["other"] = self.other.to_dict()
            if self.other_alignment is not None:
                made["other"]["spearman"] = self.other_alignment.spearman.value
                made["other"]["alignment"] = self.other_alignment.to_dict()
        if self.difference is not None:
            made["difference"] = self.difference.to_dict()
        return made


def audit(
    model: Path | Model,
    charts: Sequence[Chart],
    plan: AuditPlan,
    out: Path,
    *,
    other: Path | Model | None = None,
    ratings: ClinicianRatings | None = None,
    context: ReplacementFilter | None = None,
    vocabulary: Sequence[str] | None = None,
    engine: Engine | None = None,
) -> Audit:
    """Audit a model, on disk or in memory, and optionally another on the same trials.

    Scores are kept in `out` as they are computed; if interrupted, the same call resumes with the
    same results. With an engine of several workers, each scores some of the charts.

    The uniform filter draws from `vocabulary`; without it, from the words of the encoder of the
    first of the models that has one; and without an encoder, from the words of the charts. Both
    models get the same replacements.
    """
    rated = None if ratings is None else ratings.of(plan.words)
    with_words = [chart for chart in charts if any((n.text or "").strip() for n in chart.notes)]
    if not with_words:
        raise OptionError("None of the charts has text. Check the split and the corpus.")
    if empty := len(charts) - len(with_words):
        warnings.warn(f"{empty:,} charts have no text and are left out.", stacklevel=2)
    found = Occurrences.of(with_words, WordFinder(plan.words, case=plan.case))
    places = [place for place in (model, other) if place is not None]
    models = [place if isinstance(place, Model) else Model.load(place) for place in places]
    words, source = _words_to_draw(vocabulary, models, plan.number)
    filters: list[ReplacementFilter] = usual_filters(
        found, number=plan.number, seed=plan.seed, vocabulary=words, context=context
    )
    if plan.typos:
        filters.append(TypoFilter(plan.number, plan.seed))
    with ExitStack() as stack:
        asked: list[CachedPredictor] = []
        results: list[Sensitivity] = []
        for at, (place, loaded) in enumerate(zip(places, models, strict=True)):
            require_code(loaded, plan.code)
            loaded.reads.warn(uncategorized(note for chart in with_words for note in chart.notes))
            name = SCORES if at == 0 else f"other-{SCORES}"
            digest = _IN_MEMORY if isinstance(place, Model) else directory_digest(place)
            inner: Predictor = loaded
            if engine is not None and engine.workers > 1 and not isinstance(place, Model):
                inner = ShardedPredictor(loaded, place, digest, engine)
            asked.append(stack.enter_context(CachedPredictor(inner, out / name, digest)))
            results.append(_tried(asked[-1], found, plan, plan.swap, filters))
        frequencies = []
        if plan.both_swaps:
            turned: Swap = "all" if plan.swap == "first" else "first"
            results_by = {
                plan.swap: results[0],
                turned: _tried(asked[0], found, plan, turned, filters),
            }
            frequencies = [frequency(results_by[way]) for way in ("first", "all")]
    second = results[1] if len(results) > 1 else None
    return Audit(
        results[0],
        align(results[0], rated, seed=plan.seed) if rated else None,
        second,
        align(second, rated, seed=plan.seed) if rated and second else None,
        difference(results[0], second, rated) if rated and second else None,
        tuple(frequencies),
        sum(one.asked for one in asked),
        sum(one.found for one in asked),
        source,
    )


def _words_to_draw(
    given: Sequence[str] | None, models: Sequence[Model], number: int
) -> tuple[Sequence[str] | None, str]:
    """The words of the uniform filter, and where they come from; None for those of the charts."""
    if given:
        return given, f"{counted(len(given), 'word')} given"
    for model in models:
        words = model.encoder_words() or ()
        if len(words) > number:
            return words, f"{counted(len(words), 'word')} of the encoder of {model.name}"
    return None, "the words of the charts"


def _tried(
    predictor: Predictor,
    found: Occurrences,
    plan: AuditPlan,
    swap: Swap,
    filters: Sequence[ReplacementFilter],
) -> Sensitivity:
    return sensitivity(
        predictor,
        found,
        plan.code,
        filters=filters,
        swap=swap,
        budget=plan.budget,
        times=plan.times,
        seed=plan.seed,
    )


def write_results(found: Audit, out: Path, about: Mapping[str, Any]) -> None:
    """Write `audit.json` and `words.csv`."""
    made = {**found.to_dict(), "about": dict(about)}
    (out / "audit.json").write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", "utf-8")
    with (out / "words.csv").open("w", encoding="utf-8", newline="") as handle:
        rows = csv.writer(handle, lineterminator="\n")
        filters = found.found.table.filters
        rows.writerow(
            ["word", "score", "from", "to", "rank", "rank_from", "rank_to", "charts", *filters]
        )
        for word in (*found.found.ranked(), *found.found.undefined()):
            edges = word.score.interval or ("", "")
            placed = word.rank_interval or ("", "")
            rows.writerow(
                [word.word, word.score.value, *edges, word.rank, *placed, word.coverage.tried,
                 *(word.by_filter.get(name, "") for name in filters)]
            )  # fmt: skip
