"""Inter-annotator agreement of a corpus: all coefficients, agreement by code, and disagreements."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from auscult.agreement.alpha import is_single_disagreement, krippendorff_alpha
from auscult.agreement.annotation_table import AnnotationTable, SeenCharts, annotations_of
from auscult.agreement.code_f1 import by_code, code_f1
from auscult.agreement.cohen import cohen_kappa, cohen_kappa_pooled
from auscult.agreement.disagreements import (
    ChartStatements,
    Disagreement,
    DisagreementCause,
    count_causes,
    disagreements,
)
from auscult.agreement.fleiss import fleiss_kappa, fleiss_kappa_pooled
from auscult.agreement.hooper import hooper_mean, hooper_pooled
from auscult.agreement.punctuation import without_punctuation
from auscult.agreement.ratings import Ratings
from auscult.agreement.resampling import forget
from auscult.agreement.shared_code import shared_code
from auscult.agreement.similarity import Distance
from auscult.agreement.span_jaccard import span_jaccard
from auscult.agreement.span_marks import marks_of
from auscult.agreement.unitizing import alpha_unitized
from auscult.agreement.units import AgreementUnit, ratings_by
from auscult.core import Code, Metric
from auscult.core.plurals import counted
from auscult.core.results import MetricRow, Result
from auscult.corpus import Corpus

_FREQUENT = 15
_SPECIFIC = (
    "2C / (2C + A + B) over pairs of annotators: C units with the code from both, A and B from one "
    "annotator only"
)
_NO_SPANS = "no annotator marked evidence spans"


@dataclass(frozen=True, slots=True)
class CodeAgreement:
    """Inter-annotator agreement on one code."""

    code: Code
    given: tuple[int, ...]
    """The number of units to which each annotator assigned the code, in their order."""
    f1: float | None
    """Specific agreement, 2C / (2C + A + B) over pairs of annotators; None if none assigned it."""
    causes: Mapping[DisagreementCause, int]
    """The number of disagreements about this code, by cause."""
    instead: Mapping[Code, int]
    """Codes that another annotator assigned to the same words."""


@dataclass(frozen=True, slots=True)
class FrequentDisagreement:
    """A repeated disagreement, and how often each annotator assigned which of its codes."""

    cause: DisagreementCause
    count: int
    given: Mapping[Code, tuple[int, ...]]
    """For each code, in how many of them each annotator assigned it, in their order."""


@dataclass(frozen=True, slots=True, repr=False)
class Agreement(Result):
    """Inter-annotator agreement: metrics over all annotators, by pair, by code and by cause."""

    annotators: tuple[str, ...]
    unit: AgreementUnit
    charts: int
    """Charts that at least two annotators annotated."""
    units: int
    blank_units: int
    """Units among them to which nobody assigned a code."""
    metrics: Mapping[str, Metric]
    pairs: Mapping[tuple[str, str], Mapping[str, Metric]]
    codes: tuple[CodeAgreement, ...] = field(repr=False)
    statements: tuple[ChartStatements, ...] = field(repr=False)
    times: int
    """The number of bootstrap resamples behind the intervals."""
    seed: int

    @property
    def causes(self) -> dict[DisagreementCause, int]:
        """How many disagreements each cause has."""
        return count_causes(self.statements)

    def frequent(self, most: int) -> list[FrequentDisagreement]:
        """The disagreements that come up most often; two are the same when cause and codes are."""
        return _frequent(self.statements, len(self.annotators), most)

    def metric_rows(self) -> Iterator[MetricRow]:
        """The metrics of all annotators; then those of each pair; then agreement on each code."""
        for metric in self.metrics.values():
            yield {}, metric
        for (first, second), found in self.pairs.items():
            for metric in found.values():
                yield {"first": first, "second": second}, metric
        for one in self.codes:
            why = (
                "no two annotators annotated a common unit with this code"
                if one.f1 is None
                else None
            )
            metric = Metric("specific_agreement", _SPECIFIC, one.f1, undefined=why)
            yield {"code": str(one.code)}, metric

    def headline(self) -> str:
        """How many annotators, charts and units."""
        annotators = counted(len(self.annotators), "annotator")
        return (
            f"{annotators}, {counted(self.charts, 'chart')}, {counted(self.units, self.unit.value)}"
        )

    def to_dict(self) -> dict[str, object]:
        """For JSON: each value by its name, those of pairs under `pairs`."""
        pairs = [
            {"annotators": list(names), **_values(found)} for names, found in self.pairs.items()
        ]
        return {
            **_values(self.metrics),
            "pairs": pairs,
            "definitions": {
                m.name: m.definition
                for found in (self.metrics, *self.pairs.values())
                for m in found.values()
            },
            "annotators": list(self.annotators),
            "unit": self.unit.value,
            "charts": self.charts,
            "units": self.units,
            "blank_units": self.blank_units,
            "causes": {cause.value: count for cause, count in self.causes.items()},
            "codes": [_code_values(one, self.annotators) for one in self.codes],
            "frequent": [
                _frequent_values(one, self.annotators) for one in self.frequent(_FREQUENT)
            ],
        }


def agree(
    corpus: Corpus,
    annotators: Sequence[str],
    *,
    unit: AgreementUnit = AgreementUnit.NOTE,
    seen: SeenCharts = SeenCharts.ANNOTATED,
    blank: bool = True,
    exact_spans: bool = False,
    times: int = 1000,
    seed: int = 0,
) -> Agreement:
    """Compute inter-annotator agreement, with intervals from `times` bootstrap resamples of the
    charts. Spans are compared without the punctuation at their ends, or by exact offsets with
    `exact_spans`.

    >>> from auscult.core import Annotation, Note
    >>> def give(who, note, *values):
    ...     return [Annotation(who, Code("ICD-9-CM", v), note, note) for v in values]
    >>> notes = [Note(str(n), str(n)) for n in range(4)]
    >>> one = [*give("a", "1", "780.6"), *give("a", "2", "486", "786.2"), *give("a", "3", "599.0")]
    >>> other = [*give("b", "1", "780.6"), *give("b", "2", "486"), *give("b", "3", "593.70")]
    >>> found = agree(Corpus.of(notes, one + other), ["a", "b"], times=0)
    >>> print(found.metrics["alpha_masi"], found.metrics["hooper_mean"], sep="; ")
    alpha_masi = 0.390; hooper_mean = 0.500
    """
    found = annotations_of(corpus, annotators, seen=seen)
    return agreement_of(
        found, unit=unit, blank=blank, exact_spans=exact_spans, times=times, seed=seed
    )


def agreement_of(
    found: AnnotationTable,
    *,
    unit: AgreementUnit = AgreementUnit.NOTE,
    blank: bool = True,
    exact_spans: bool = False,
    times: int = 1000,
    seed: int = 0,
) -> Agreement:
    """Compute inter-annotator agreement from a table of annotations."""
    if not exact_spans:
        found = without_punctuation(found)
    ratings = ratings_by(found, unit, blank=blank)
    spans = ratings_by(found, AgreementUnit.SPAN) if found.has_spans else None
    warn_of_single_disagreement(ratings)
    statements = tuple(disagreements(found))
    shared = ratings.shared()
    made = Agreement(
        found.annotators,
        unit,
        int((found.seen.sum(axis=1) > 1).sum()),
        shared.units,
        shared.units - shared.annotated().units,
        _metrics(found, ratings, spans, times, seed),
        {
            (found.annotators[one], found.annotators[other]): _pair_metrics(
                found, one, other, ratings, spans, times, seed
            )
            for one, other in ratings.pairs()
        },
        code_agreement(ratings, statements),
        statements,
        times,
        seed,
    )
    forget()
    return made


def code_agreement(
    ratings: Ratings, statements: Sequence[ChartStatements]
) -> tuple[CodeAgreement, ...]:
    """Agreement by code, the most frequent codes first."""
    given, shared, said_by_either = by_code(ratings)
    causes: dict[Code, Counter[DisagreementCause]] = {}
    instead: dict[Code, Counter[Code]] = {}
    for chart in statements:
        for one in chart.disagreements:
            for code in one.codes:
                causes.setdefault(code, Counter())[one.cause] += 1
                if one.cause is DisagreementCause.CODE:
                    others = (other for other in one.codes if other != code)
                    instead.setdefault(code, Counter()).update(others)
    order = sorted(range(len(ratings.codes)), key=lambda at: (-given[at].sum(), ratings.codes[at]))
    return tuple(
        CodeAgreement(
            ratings.codes[at],
            tuple(int(count) for count in given[at]),
            float(2 * shared[at] / said_by_either[at]) if said_by_either[at] else None,
            dict(causes.get(ratings.codes[at], Counter()).most_common()),
            dict(instead.get(ratings.codes[at], Counter()).most_common()),
        )
        for at in order
        if given[at].sum()
    )


def _frequent(
    statements: Sequence[ChartStatements], annotators: int, most: int
) -> list[FrequentDisagreement]:
    """The disagreements that come up most often; two are the same when cause and codes are."""
    counts: Counter[tuple[DisagreementCause, tuple[Code, ...]]] = Counter()
    given: dict[tuple[DisagreementCause, tuple[Code, ...]], Counter[tuple[Code, int]]] = {}
    for chart in statements:
        for one in chart.disagreements:
            key = (one.cause, one.codes)
            counts[key] += 1
            given.setdefault(key, Counter()).update(_givers(one))
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return [
        FrequentDisagreement(
            cause,
            count,
            {
                code: tuple(given[cause, codes][code, at] for at in range(annotators))
                for code in codes
            },
        )
        for (cause, codes), count in ranked[:most]
    ]


def _givers(one: Disagreement) -> set[tuple[Code, int]]:
    """The codes in question with who gave them, by place.

    Where only the place is in question all gave the code, also those who have no other place.
    """
    if one.cause in (DisagreementCause.BOUNDARY, DisagreementCause.ELSEWHERE):
        seen = [at for at, side in enumerate(one.sides) if side is not None]
        return {(code, at) for code in one.codes for at in seen}
    return {(s.code, at) for at, side in enumerate(one.sides) for s in side or ()}


def _metrics(
    found: AnnotationTable, ratings: Ratings, spans: Ratings | None, times: int, seed: int
) -> dict[str, Metric]:
    options = {"times": times, "seed": seed}
    listed = [krippendorff_alpha(ratings, distance, **options) for distance in Distance]
    others = (fleiss_kappa, fleiss_kappa_pooled, hooper_mean, hooper_pooled, code_f1)
    listed += [coefficient(ratings, **options) for coefficient in others]
    everyone = range(len(found.annotators))
    return {m.name: m for m in (*listed, *_span_metrics(found, everyone, spans, times, seed))}


def _pair_metrics(
    found: AnnotationTable,
    one: int,
    other: int,
    ratings: Ratings,
    spans: Ratings | None,
    times: int,
    seed: int,
) -> dict[str, Metric]:
    options = {"times": times, "seed": seed}
    pair = ratings.pair(one, other)
    listed = [krippendorff_alpha(pair, distance, **options) for distance in Distance]
    others = (cohen_kappa, cohen_kappa_pooled, hooper_mean, hooper_pooled, code_f1)
    listed += [coefficient(pair, **options) for coefficient in others]
    two = None if spans is None else spans.pair(one, other)
    return {m.name: m for m in (*listed, *_span_metrics(found, (one, other), two, times, seed))}


def _span_metrics(
    found: AnnotationTable, annotators: Sequence[int], spans: Ratings | None, times: int, seed: int
) -> list[Metric]:
    options = {"times": times, "seed": seed}
    none = Ratings.of([], [found.annotators[at] for at in annotators])
    metrics: list[Callable[..., Metric]] = [span_jaccard, shared_code]
    listed = [metric(none if spans is None else spans, **options) for metric in metrics]
    listed.append(alpha_unitized(marks_of(found, annotators), **options))
    if spans is None:
        listed = [Metric(m.name, m.definition, undefined=_NO_SPANS) for m in listed]
    return listed


def warn_of_single_disagreement(ratings: Ratings) -> None:
    """Warn if α is 0 because a single code set differs."""
    parts = [("all annotators", ratings)] if len(ratings.annotators) > 2 else []
    parts += [
        (" and ".join(p.annotators), p) for p in (ratings.pair(a, b) for a, b in ratings.pairs())
    ]
    for who, part in parts:
        if is_single_disagreement(part):
            warnings.warn(
                f"α of {who} is 0 by definition: only one of all assigned code sets differs, so "
                "observed and expected disagreement are equal. Look at that disagreement "
                "instead.",
                stacklevel=3,
            )


def _values(found: Mapping[str, Metric]) -> dict[str, object]:
    return {
        **{name: metric.value for name, metric in found.items()},
        "intervals": {n: m.interval for n, m in found.items() if m.interval is not None},
        "undefined": {n: m.undefined for n, m in found.items() if m.undefined is not None},
        "n": {n: m.n for n, m in found.items() if m.n is not None},
    }


def _code_values(one: CodeAgreement, annotators: Sequence[str]) -> dict[str, object]:
    return {
        "system": one.code.system,
        "code": one.code.value,
        "given": dict(zip(annotators, one.given, strict=True)),
        "f1": one.f1,
        "causes": {cause.value: count for cause, count in one.causes.items()},
        "instead": {str(code): count for code, count in one.instead.items()},
    }


def _frequent_values(one: FrequentDisagreement, annotators: Sequence[str]) -> dict[str, object]:
    return {
        "count": one.count,
        "cause": one.cause.value,
        "codes": [
            {
                "system": code.system,
                "code": code.value,
                "given": dict(zip(annotators, given, strict=True)),
            }
            for code, given in one.given.items()
        ],
    }
