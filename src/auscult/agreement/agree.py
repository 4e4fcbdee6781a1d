"""All there is to say about how far coders agree in a corpus."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from auscult.agreement.alpha import is_lone_disagreement, krippendorff_alpha
from auscult.agreement.code_f1 import by_code, code_f1
from auscult.agreement.cohen import cohen_kappa, cohen_kappa_pooled
from auscult.agreement.disagreements import (
    Cause,
    ChartStatements,
    Disagreement,
    count_causes,
    disagreements,
)
from auscult.agreement.fleiss import fleiss_kappa, fleiss_kappa_pooled
from auscult.agreement.hooper import hooper_mean, hooper_pooled
from auscult.agreement.marking import marks_of
from auscult.agreement.measuring import forget
from auscult.agreement.ratings import Ratings
from auscult.agreement.said import Said, Seen, said
from auscult.agreement.shared_code import shared_code
from auscult.agreement.similarity import Distance
from auscult.agreement.span_jaccard import span_jaccard
from auscult.agreement.unitising import alpha_unitised
from auscult.agreement.units import Unit, ratings_by
from auscult.core import Code, Measure
from auscult.corpus import Corpus

_FREQUENT = 15
_NO_SPANS = "none of the coders points at text"


@dataclass(frozen=True, slots=True)
class CodeAgreement:
    """How far coders agree on one code."""

    code: Code
    given: tuple[int, ...]
    """How many units each coder gave it, in the order of the coders."""
    f1: float | None
    """Specific agreement, 2C / (2C + A + B) over pairs of coders; None where no pair saw it."""
    causes: Mapping[Cause, int]
    """The disagreements that are about it, by cause."""
    instead: Mapping[Code, int]
    """Codes that another coder gave for the same words."""


@dataclass(frozen=True, slots=True)
class Frequent:
    """A disagreement that came up a number of times, and who gave which of its codes how often."""

    cause: Cause
    count: int
    given: Mapping[Code, tuple[int, ...]]
    """Of each code, in how many of them each coder gave it, in the order of the coders."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far coders agree: measures of all, of each pair, by code and by cause."""

    coders: tuple[str, ...]
    unit: Unit
    charts: int
    """Charts that at least two coders have seen."""
    units: int
    blank_units: int
    """Units among them that nobody gave a code."""
    measures: Mapping[str, Measure]
    pairs: Mapping[tuple[str, str], Mapping[str, Measure]]
    codes: tuple[CodeAgreement, ...] = field(repr=False)
    statements: tuple[ChartStatements, ...] = field(repr=False)
    times: int
    """How many resamples the intervals are from."""
    seed: int

    @property
    def causes(self) -> dict[Cause, int]:
        """How many disagreements each cause has."""
        return count_causes(self.statements)

    def frequent(self, most: int) -> list[Frequent]:
        """The disagreements that come up most often; two are the same when cause and codes are."""
        return _frequent(self.statements, len(self.coders), most)

    def to_dict(self) -> dict[str, object]:
        """For JSON: each value by its name, those of pairs under `pairs`."""
        pairs = [
            {"annotators": list(names), **_values(found)} for names, found in self.pairs.items()
        ]
        return {
            **_values(self.measures),
            "pairs": pairs,
            "definitions": {
                m.name: m.definition
                for found in (self.measures, *self.pairs.values())
                for m in found.values()
            },
            "annotators": list(self.coders),
            "unit": self.unit.value,
            "charts": self.charts,
            "units": self.units,
            "blank_units": self.blank_units,
            "causes": {cause.value: count for cause, count in self.causes.items()},
            "codes": [_code_values(one, self.coders) for one in self.codes],
            "frequent": [_frequent_values(one, self.coders) for one in self.frequent(_FREQUENT)],
        }


def agree(
    corpus: Corpus,
    annotators: Sequence[str],
    *,
    unit: Unit = Unit.NOTE,
    seen: Seen = Seen.ANNOTATED,
    blank: bool = True,
    times: int = 1000,
    seed: int = 0,
) -> Agreement:
    """How far the annotators agree, with intervals from `times` resamples of the charts.

    >>> from auscult.core import Annotation, Note
    >>> def give(who, note, *values):
    ...     return [Annotation(who, Code("ICD-9-CM", v), note, note) for v in values]
    >>> notes = [Note(str(n), str(n)) for n in range(4)]
    >>> one = [*give("a", "1", "780.6"), *give("a", "2", "486", "786.2"), *give("a", "3", "599.0")]
    >>> other = [*give("b", "1", "780.6"), *give("b", "2", "486"), *give("b", "3", "593.70")]
    >>> found = agree(Corpus.of(notes, one + other), ["a", "b"], times=0)
    >>> print(found.measures["alpha_masi"], found.measures["hooper_mean"], sep="; ")
    alpha_masi = 0.390; hooper_mean = 0.500
    """
    found = said(corpus, annotators, seen=seen)
    return agreement_of(found, unit=unit, blank=blank, times=times, seed=seed)


def agreement_of(
    found: Said, *, unit: Unit = Unit.NOTE, blank: bool = True, times: int = 1000, seed: int = 0
) -> Agreement:
    """How far coders agree in what they said."""
    ratings = ratings_by(found, unit, blank=blank)
    spans = ratings_by(found, Unit.SPAN) if found.has_spans else None
    warn_of_lone(ratings)
    statements = tuple(disagreements(found))
    shared = ratings.shared()
    made = Agreement(
        found.coders,
        unit,
        int((found.seen.sum(axis=1) > 1).sum()),
        shared.units,
        shared.units - shared.annotated().units,
        _measures(found, ratings, spans, times, seed),
        {
            (found.coders[one], found.coders[other]): _pair_measures(
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
    """Agreement by code, the codes given most often first."""
    given, shared, said_by_either = by_code(ratings)
    causes: dict[Code, Counter[Cause]] = {}
    instead: dict[Code, Counter[Code]] = {}
    for chart in statements:
        for one in chart.disagreements:
            for code in one.codes:
                causes.setdefault(code, Counter())[one.cause] += 1
                if one.cause is Cause.CODE:
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


def _frequent(statements: Sequence[ChartStatements], coders: int, most: int) -> list[Frequent]:
    """The disagreements that come up most often; two are the same when cause and codes are."""
    counts: Counter[tuple[Cause, tuple[Code, ...]]] = Counter()
    given: dict[tuple[Cause, tuple[Code, ...]], Counter[tuple[Code, int]]] = {}
    for chart in statements:
        for one in chart.disagreements:
            key = (one.cause, one.codes)
            counts[key] += 1
            given.setdefault(key, Counter()).update(_givers(one))
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return [
        Frequent(
            cause,
            count,
            {code: tuple(given[cause, codes][code, at] for at in range(coders)) for code in codes},
        )
        for (cause, codes), count in ranked[:most]
    ]


def _givers(one: Disagreement) -> set[tuple[Code, int]]:
    """The codes in question with who gave them, by place.

    Where only the place is in question all gave the code, also those who have no other place.
    """
    if one.cause in (Cause.BOUNDARY, Cause.ELSEWHERE):
        seen = [at for at, side in enumerate(one.sides) if side is not None]
        return {(code, at) for code in one.codes for at in seen}
    return {(s.code, at) for at, side in enumerate(one.sides) for s in side or ()}


def _measures(
    found: Said, ratings: Ratings, spans: Ratings | None, times: int, seed: int
) -> dict[str, Measure]:
    options = {"times": times, "seed": seed}
    listed = [krippendorff_alpha(ratings, distance, **options) for distance in Distance]
    others = (fleiss_kappa, fleiss_kappa_pooled, hooper_mean, hooper_pooled, code_f1)
    listed += [coefficient(ratings, **options) for coefficient in others]
    everyone = range(len(found.coders))
    return {m.name: m for m in (*listed, *_span_measures(found, everyone, spans, times, seed))}


def _pair_measures(
    found: Said,
    one: int,
    other: int,
    ratings: Ratings,
    spans: Ratings | None,
    times: int,
    seed: int,
) -> dict[str, Measure]:
    options = {"times": times, "seed": seed}
    pair = ratings.pair(one, other)
    listed = [krippendorff_alpha(pair, distance, **options) for distance in Distance]
    others = (cohen_kappa, cohen_kappa_pooled, hooper_mean, hooper_pooled, code_f1)
    listed += [coefficient(pair, **options) for coefficient in others]
    two = None if spans is None else spans.pair(one, other)
    return {m.name: m for m in (*listed, *_span_measures(found, (one, other), two, times, seed))}


def _span_measures(
    found: Said, coders: Sequence[int], spans: Ratings | None, times: int, seed: int
) -> list[Measure]:
    options = {"times": times, "seed": seed}
    none = Ratings.of([], [found.coders[at] for at in coders])
    measures: list[Callable[..., Measure]] = [span_jaccard, shared_code]
    listed = [measure(none if spans is None else spans, **options) for measure in measures]
    listed.append(alpha_unitised(marks_of(found, coders), **options))
    if spans is None:
        listed = [Measure(m.name, m.definition, undefined=_NO_SPANS) for m in listed]
    return listed


def warn_of_lone(ratings: Ratings) -> None:
    """Warn where a single set of codes that differs makes α 0."""
    parts = [("all coders", ratings)] if len(ratings.coders) > 2 else []
    parts += [(" and ".join(p.coders), p) for p in (ratings.pair(a, b) for a, b in ratings.pairs())]
    for who, part in parts:
        if is_lone_disagreement(part):
            warnings.warn(
                f"α of {who} is 0 by definition: of all the sets of codes that were given, a "
                "single one differs, however many units agree. Look at the disagreement itself.",
                stacklevel=3,
            )


def _values(found: Mapping[str, Measure]) -> dict[str, object]:
    return {
        **{name: measure.value for name, measure in found.items()},
        "intervals": {n: m.interval for n, m in found.items() if m.interval is not None},
        "undefined": {n: m.undefined for n, m in found.items() if m.undefined is not None},
        "n": {n: m.n for n, m in found.items() if m.n is not None},
    }


def _code_values(one: CodeAgreement, coders: Sequence[str]) -> dict[str, object]:
    return {
        "system": one.code.system,
        "code": one.code.value,
        "given": dict(zip(coders, one.given, strict=True)),
        "f1": one.f1,
        "causes": {cause.value: count for cause, count in one.causes.items()},
        "instead": {str(code): count for code, count in one.instead.items()},
    }


def _frequent_values(one: Frequent, coders: Sequence[str]) -> dict[str, object]:
    return {
        "count": one.count,
        "cause": one.cause.value,
        "codes": [
            {
                "system": code.system,
                "code": code.value,
                "given": dict(zip(coders, given, strict=True)),
            }
            for code, given in one.given.items()
        ],
    }
