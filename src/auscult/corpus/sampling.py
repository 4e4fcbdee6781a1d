"""From a large collection to the documents of a study, with what was left out at each step.

The steps are those of Pestian et al. 2007, section 4 and Table 2: a share of each category, only
categories with enough documents, no records without a majority, no codes that occur once. A
document is a chart, whose notes stay together, or a note, which is then a chart of its own.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal

import polars as pl

from auscult.core import Code, OptionError
from auscult.core.randomness import shuffled
from auscult.corpus.combinations import Coded, by_note, combinations
from auscult.corpus.corpus import Corpus
from auscult.corpus.history import COLLECTION, recorded
from auscult.corpus.stratified_share import stratified_share

Strata = Literal["category", "codes", "code", "category+code"]
"""How a document is categorized: by the most frequent category of its notes (ties by name), by its
combination of codes, by each of its codes, or by its category and each of its codes."""


@dataclass(frozen=True, slots=True)
class SamplingPlan:
    """What to take and what to leave out; nothing is left out unless asked."""

    document: Coded = "chart"
    share: float = 1.0
    """The share of the documents of each category."""
    strata: Strata = "category"
    minimum: int = 1
    """The minimum number of documents of a category."""
    annotator: str | None = None
    """The annotator whose codes are used, such as the majority."""
    coded: bool = False
    """Leave out documents without a code, such as those without a majority."""
    code_minimum: int = 1
    """The minimum number of documents per code; documents with a rarer code are left out."""
    combination_minimum: int = 1
    """The minimum number of documents per combination of codes."""
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise OptionError(f"share must be above 0 and at most 1; got {self.share:g}.")
        for name in ("minimum", "code_minimum", "combination_minimum"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name} must be at least 1; got {getattr(self, name)}.")

    @property
    def is_by_codes(self) -> bool:
        """Whether documents are chosen by their codes, so that somebody's have to count."""
        rarest = max(self.code_minimum, self.combination_minimum)
        return self.strata != "category" or self.coded or rarest > 1


@dataclass(frozen=True, slots=True)
class ExclusionStep:
    """One row of the table of what was left out."""

    name: str
    removed: int
    left: int

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {"step": self.name, "removed": self.removed, "left": self.left}


@dataclass(frozen=True, slots=True)
class Sampled:
    """The documents that are left, and how it came to that."""

    corpus: Corpus = field(repr=False)
    steps: tuple[ExclusionStep, ...]


def sample(corpus: Corpus, plan: SamplingPlan) -> Sampled:
    """Follow a plan, and say what each step left out.

    The same seed and the same ids give the same sample, whatever the order of the notes.

    >>> from auscult.core import Note
    >>> notes = [Note(str(n), str(n), category="chest" if n < 8 else "renal") for n in range(10)]
    >>> for step in sample(Corpus.of(notes), SamplingPlan(share=0.5, minimum=3)).steps:
    ...     print(f"{step.name:42} {step.removed:2} {step.left:3}")
    collection                                  0  10
    category of fewer than 3 documents          2   8
    not in the 50% sample of each category      4   4
    """
    if plan.is_by_codes and plan.annotator is None:
        raise OptionError(
            "Documents are selected by their codes: name the annotator whose codes are used "
            "(--annotator NAME)."
        )
    if plan.document == "note":
        corpus = by_note(corpus)
    charts = _charts(corpus)
    given = combinations(corpus, plan.annotator) if plan.annotator is not None else {}
    strata = _strata(plan, charts, given)
    steps = [ExclusionStep(COLLECTION, 0, len(charts))]
    left = sorted(charts)

    def step(name: str, kept: Iterable[str]) -> None:
        nonlocal left
        before, left = len(left), list(kept)
        steps.append(ExclusionStep(name, before - len(left), len(left)))

    if plan.minimum > 1:
        step(
            f"{_UNITS[plan.strata]} of fewer than {plan.minimum} documents",
            _frequent(left, lambda chart: strata[chart], plan.minimum),
        )
    if plan.share < 1:
        name = f"not in the {100 * plan.share:g}% sample of each {_UNITS[plan.strata]}"
        dice = random.Random(plan.seed)
        if plan.strata in ("category", "codes"):
            step(name, _share(left, strata, plan.share, dice))
        else:
            step(name, stratified_share(left, strata, plan.share, dice))
    if plan.coded:
        step(f"no code of {plan.annotator}", [chart for chart in left if given[chart]])
    if max(plan.code_minimum, plan.combination_minimum) > 1:
        for name, kept in _without_rare(left, given, plan):
            step(name, kept)
    if not left:
        emptied = next(one for one in steps if not one.left)
        raise OptionError(
            f"No document is left after: {emptied.name}. Of {len(charts):,} documents "
            + "; ".join(f"{one.left:,} after: {one.name}" for one in steps[1:])
            + "."
        )
    rows = [(one.name, one.removed, one.left) for one in steps]
    made = recorded(corpus.select(charts=left), "sample", asdict(plan), rows)
    return Sampled(made, tuple(steps))


_UNITS: dict[Strata, str] = {
    "category": "category",
    "codes": "combination",
    "code": "code",
    "category+code": "category and code",
}


def _strata(
    plan: SamplingPlan, charts: Mapping[str, str], given: Mapping[str, frozenset[Code]]
) -> dict[str, tuple[Hashable, ...]]:
    """What each chart is a member of: one stratum, or its category and each of its codes."""
    found: dict[str, tuple[Hashable, ...]] = {}
    for chart, category in charts.items():
        if plan.strata == "codes":
            found[chart] = (given[chart],)
        else:
            codes = sorted(given[chart]) if "code" in plan.strata else ()
            found[chart] = (*((category,) if "category" in plan.strata else ()), *codes)
    return found


def _charts(corpus: Corpus) -> dict[str, str]:
    """The charts that have notes, each with its category, empty where its notes have none."""
    found = (
        corpus.lazy_notes.group_by("chart_id", pl.col("category").fill_null("").alias("category"))
        .agg(number=pl.when(pl.col("category").is_not_null()).then(1).otherwise(0).sum())
        .sort(["number", "category"], descending=[True, False])
        .group_by("chart_id", maintain_order=True)
        .agg(pl.col("category").first())
        .collect()
    )
    if not len(found):
        raise OptionError("The corpus has no notes to sample.")
    return dict(found.iter_rows())


def _without_rare(
    charts: list[str], given: Mapping[str, frozenset[Code]], plan: SamplingPlan
) -> Iterator[tuple[str, list[str]]]:
    """What is left without rare codes, and then without rare combinations.

    Whatever one takes away may make rare what the other had kept, so it is done until nothing
    changes. A document counts under the one that took it.
    """
    left, by_code = charts, set[str]()
    while True:
        after = _frequent(left, lambda chart: given[chart], plan.code_minimum)
        by_code.update(set(left) - set(after))
        kept = _frequent(after, lambda chart: [given[chart]], plan.combination_minimum)
        if len(kept) == len(left):
            break
        left = kept
    if plan.code_minimum > 1:
        name = f"a code that fewer than {plan.code_minimum} documents have"
        yield name, [chart for chart in charts if chart not in by_code]
    if plan.combination_minimum > 1:
        yield f"a combination that fewer than {plan.combination_minimum} documents have", left


def _frequent(
    charts: list[str], things: Callable[[str], Iterable[Hashable]], minimum: int
) -> list[str]:
    """The charts all of whose things are in enough charts.

    Leaving out a chart may make its other codes rare, so it is done until nothing changes.
    """
    while True:
        counted = Counter(thing for chart in charts for thing in set(things(chart)))
        kept = [chart for chart in charts if all(counted[one] >= minimum for one in things(chart))]
        if len(kept) == len(charts):
            return kept
        charts = kept


def _share(
    charts: list[str], strata: Mapping[str, tuple[Hashable, ...]], share: float, dice: random.Random
) -> list[str]:
    """A share of each stratum: rounded down, and what is missing from those with most left over."""
    members: dict[Hashable, list[str]] = {}
    for chart in shuffled(charts, dice):
        members.setdefault(strata[chart], []).append(chart)
    numbers = {stratum: int(share * len(one) + 1e-9) for stratum, one in members.items()}
    # The order of the strata is that of the shuffled charts, which breaks ties by chance.
    rest = sorted(members, key=lambda stratum: numbers[stratum] - share * len(members[stratum]))
    missing = round(share * len(charts)) - sum(numbers.values())
    for stratum in rest[: max(missing, 0)]:
        numbers[stratum] += 1
    return sorted(chart for stratum, one in members.items() for chart in one[: numbers[stratum]])
