"""A whole audit of a coder, from files to files: what the command does."""

from __future__ import annotations

import csv
import json
import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auscult.audit.alignment import Alignment, align, difference
from auscult.audit.cache import Cached
from auscult.audit.defaults import usual_filters
from auscult.audit.filters import Filter, Typos
from auscult.audit.frequency import Frequency, frequency
from auscult.audit.predictor import Predictor, require_code
from auscult.audit.ratings import Ratings
from auscult.audit.sampling import Budget
from auscult.audit.sensitivity import Sensitivity, sensitivity
from auscult.audit.shards import Sharded
from auscult.audit.trials import Occurrences, Swap
from auscult.audit.words import Finder
from auscult.coders.categories import uncategorized
from auscult.coders.coder import Coder
from auscult.core import Code, Measure, OptionError
from auscult.core.digests import directory_digest
from auscult.corpus.corpus import Chart
from auscult.engine import Engine

SCORES = "scores.log"


@dataclass(frozen=True, slots=True)
class Plan:
    """What to try, and how often."""

    code: Code
    words: tuple[str, ...] = field(repr=False)
    swap: Swap = "first"
    case: bool = False
    number: int = 5
    """Replacements from each filter."""
    budget: Budget = field(default_factory=Budget)
    both_swaps: bool = False
    """Also swap all occurrences (or the first), to see what frequency does."""
    typos: bool = False
    times: int = 1000
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """What was found for one coder, and for another beside it."""

    found: Sensitivity
    alignment: Alignment | None = None
    other: Sensitivity | None = None
    other_alignment: Alignment | None = None
    difference: Measure | None = None
    frequencies: tuple[Frequency, ...] = ()
    asked: int = 0
    """Readings that the coders made."""
    remembered: int = 0
    """Readings that an earlier run had made."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON: the first coder's `words` and `spearman`, then everything else."""
        made: dict[str, Any] = {
            **self.found.to_dict(),
            "spearman": None,
            "frequency": [one.to_dict() for one in self.frequencies],
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
    coder: Path,
    charts: Sequence[Chart],
    plan: Plan,
    out: Path,
    *,
    other: Path | None = None,
    ratings: Ratings | None = None,
    context: Filter | None = None,
    vocabulary: Sequence[str] | None = None,
    engine: Engine | None = None,
) -> Audit:
    """Audit the coder in a directory, and another on the same trials.

    Scores are kept in `out` as they come. Interrupted and called again, it goes on from there and
    finds the same. With an engine of several workers, each reads some of the charts.
    """
    rated = None if ratings is None else ratings.of(plan.words)
    with_words = [chart for chart in charts if any((n.text or "").strip() for n in chart.notes)]
    if not with_words:
        raise OptionError("None of the charts has text. Check the split and the corpus.")
    if empty := len(charts) - len(with_words):
        warnings.warn(f"{empty:,} charts have no text and are left out.", stacklevel=2)
    found = Occurrences.of(with_words, Finder(plan.words, case=plan.case))
    filters: list[Filter] = usual_filters(
        found, number=plan.number, seed=plan.seed, vocabulary=vocabulary, context=context
    )
    if plan.typos:
        filters.append(Typos(plan.number, plan.seed))
    with ExitStack() as stack:
        asked: list[Cached] = []
        results: list[Sensitivity] = []
        for at, place in enumerate((coder, other)):
            if place is None:
                continue
            loaded = Coder.load(place)
            require_code(loaded, plan.code)
            loaded.reads.warn(uncategorized(note for chart in with_words for note in chart.notes))
            name = SCORES if at == 0 else f"other-{SCORES}"
            digest = directory_digest(place)
            inner: Predictor = loaded
            if engine is not None and engine.workers > 1:
                inner = Sharded(loaded, place, digest, engine)
            asked.append(stack.enter_context(Cached(inner, out / name, digest)))
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
    )


def _tried(
    predictor: Predictor,
    found: Occurrences,
    plan: Plan,
    swap: Swap,
    filters: Sequence[Filter],
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
