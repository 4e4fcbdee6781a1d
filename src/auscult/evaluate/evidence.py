"""Evaluation of evidence: four ways of counting, as in the MDACE paper and its scripts.

Both sides are sets for each chart, so that a duplicate changes nothing. Cheng et al. 2023, "MDACE:
MIMIC Documents Annotated with Code Evidence", section 6.2.

- `token`: a token is the same when note, first character, code and code system are.
- `span`: a span is the same when note, begin, end, code and code system are.
- `token_pi`: a token is the same when its lower-cased word, code and code system are, anywhere in
  the chart (position-independent).
- `span_pi`: a span is the same when its lower-cased text, code and code system are, anywhere.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auscult.core.metric_definition import MetricDefinition
from auscult.core.option_names import option
from auscult.core.plurals import counted
from auscult.core.results import MetricRow, Result
from auscult.evaluate import codiesp, matching
from auscult.evaluate.codiesp import CODIESP
from auscult.evaluate.evidence_rows import GOLD, EvidenceRows, counts_by_chart, evidence_rows
from auscult.evaluate.matching import RATIOS, MatchMetrics, metric_counts
from auscult.evaluate.sides import Sides
from auscult.statistics.significance import Comparison, compare, require_same_charts

_MDACE = 'Cheng et al. 2023, "MDACE: MIMIC Documents Annotated with Code Evidence"'
WAYS = (
    MetricDefinition(
        "token",
        "token match: note, first character, code and system are the same",
        "token match",
        _MDACE,
    ),
    MetricDefinition(
        "span",
        "exact span match: note, begin, end, code and system are the same",
        "exact span match",
        _MDACE,
    ),
    MetricDefinition(
        "token_pi",
        "position-independent token match: word, code and system are the same in the chart",
        "token match, position-independent",
        _MDACE,
    ),
    MetricDefinition(
        "span_pi",
        "position-independent exact span match: lower-cased text, code and system are the same in "
        "the chart",
        "exact span match, position-independent",
        _MDACE,
    ),
)
"""The four ways of counting; each has precision, recall and F1."""
_KEYS = {
    "token": ["note", "code", "begin"],
    "span": ["note", "code", "begin", "end"],
    "token_pi": ["code", "word"],
    "span_pi": ["code", "text"],
}
_LENGTHS = {
    "single_token": ("exact span match among spans of one token", pl.col("tokens") == 1),
    "multi_token": ("exact span match among spans of several tokens", pl.col("tokens") > 1),
    "no_token": ("exact span match among spans without a token", pl.col("tokens") == 0),
}


@dataclass(frozen=True, slots=True, repr=False)
class EvidenceResult(Result):
    """The results of `evaluate_evidence`: four metrics, and their breakdown.

    `metrics` is end to end: every prediction counts, so a right span of a wrong code is a false
    positive. `oracle` is restricted to the codes that gold has evidence for in the chart, and uses
    the model's evidence for them even below the code threshold: the quality of the evidence once
    the code is known.
    """

    charts: int
    gold_spans: int
    predicted_spans: int
    metrics: Mapping[str, MatchMetrics]
    oracle: Mapping[str, MatchMetrics]
    by_length: Mapping[str, MatchMetrics]
    by_category: Mapping[str, Mapping[str, MatchMetrics]]
    codiesp: MatchMetrics
    was_asked: bool
    """Whether the predictions hold evidence for codes below the threshold too."""
    chart_ids: tuple[str, ...] = field(default=(), repr=False)

    def per_chart(self) -> pl.DataFrame:
        """TP, FP and FN of every chart, for each metric that is defined."""
        columns = {"chart_id": pl.Series(self.chart_ids, dtype=pl.String)}
        for name, found in self.metrics.items():
            if found.counts is not None:
                for at, count in enumerate(("tp", "fp", "fn")):
                    columns[f"{name}_{count}"] = pl.Series(found.per_chart[:, at])
        return pl.DataFrame(columns)

    def named(self, name: str) -> MatchMetrics:
        """A metric by its name, such as `token`, `oracle_token` or `codiesp`."""
        if name == CODIESP.name:
            return self.codiesp
        bare = name.removeprefix("oracle_")
        return (self.metrics if bare == name else self.oracle)[bare]

    def metric_rows(self) -> Iterator[MetricRow]:
        """Precision, recall and F1 of every way of counting: end to end, then with gold's codes
        given (`oracle`), then by length of the span and by category of the note.
        """
        for setting, found in (("end_to_end", self.metrics), ("oracle", self.oracle)):
            for match, one in found.items():
                yield from one.metric_rows(setting=setting, match=match)
        yield from self.codiesp.metric_rows(setting="end_to_end", match="codiesp")
        for length, one in self.by_length.items():
            yield from one.metric_rows(setting="end_to_end", match="span", length=length)
        for category, found in self.by_category.items():
            for match, one in found.items():
                yield from one.metric_rows(setting="end_to_end", match=match, category=category)

    def headline(self) -> str:
        """How many charts and spans."""
        spans = f"{counted(self.gold_spans, 'gold span')}, {self.predicted_spans:,} predicted"
        return f"{counted(self.charts, 'chart')}, {spans}"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            **_dicts(self.metrics),
            "oracle": _dicts(self.oracle),
            "by_length": _dicts(self.by_length),
            "by_category": {name: _dicts(found) for name, found in self.by_category.items()},
            CODIESP.name: self.codiesp.to_dict(),
            "charts": self.charts,
            "gold_spans": self.gold_spans,
            "predicted_spans": self.predicted_spans,
        }


def evidence_metrics(
    sides: Sides,
    *,
    trim: bool = False,
    merge_adjacent: bool = False,
    times: int = 1000,
    seed: int = 0,
) -> EvidenceResult:
    """Evaluate predicted evidence by every metric, with bootstrap intervals over charts.

    >>> from auscult.core import Annotation, Code, Note, Span
    >>> from auscult.corpus import Corpus
    >>> from auscult.evaluate.sides import pair
    >>> note = Note("n", "c", text="Acute renal failure. No renal stones.")
    >>> def corpus(who, *spans):
    ...     code = Code("ICD-9-CM", "584.9")
    ...     return Corpus.of([note], [Annotation(who, code, "c", "n", (s,)) for s in spans])
    >>> sides = pair(corpus("gold", Span(0, 19)), corpus("model", Span(6, 19), Span(24, 29)))
    >>> found = evidence_metrics(sides)
    >>> {name: found.metrics[name].counts for name in ("token", "token_pi")}
    {'token': Counts(tp=2, fp=1, fn=1), 'token_pi': Counts(tp=2, fp=0, fn=1)}
    """
    rows = evidence_rows(sides, trim=trim, merge_adjacent=merge_adjacent)
    whole, oracle = _end_to_end(rows), _oracle(rows)
    why = _why_undefined(rows)
    # One pass over the resamples for all names, so that all of them see the same charts.
    tables: dict[str, NDArray[np.int64]] = {}
    definitions: dict[str, str] = {}

    def count(prefix: str, part: EvidenceRows) -> None:
        for way in WAYS:
            if not why or way.name == "span":
                tables[prefix + way.name] = _counts(part, way.name)
                definitions[prefix + way.name] = way.definition

    count("", whole)
    count("oracle ", oracle)
    if not why:
        for name, (definition, condition) in _LENGTHS.items():
            spans = whole.spans.filter(condition)
            tables[name] = counts_by_chart(spans, _KEYS["span"], rows.charts)
            definitions[name] = definition
    categories = whole.spans["category"].unique().sort().drop_nulls().to_list()
    for category in categories:
        count(f"category {category} ", _filtered(whole, pl.col("category") == category))
    tables[CODIESP.name] = codiesp.counts_by_chart(sides)
    definitions[CODIESP.name] = CODIESP.definition
    found = metric_counts(tables, definitions, times=times, seed=seed)

    def named(prefix: str) -> dict[str, MatchMetrics]:
        return {
            way.name: found.get(prefix + way.name)
            or matching.undefined(way.name, way.definition, why)
            for way in WAYS
        }

    counted = dict(whole.spans["side"].value_counts().iter_rows())
    if not counted.get(GOLD, 0):
        warnings.warn(
            f"The gold annotations have no evidence on these {rows.charts:,} charts, so no "
            "predicted evidence can be right.",
            stacklevel=2,
        )
    return EvidenceResult(
        rows.charts,
        counted.get(GOLD, 0),
        len(whole.spans) - counted.get(GOLD, 0),
        named(""),
        named("oracle "),
        {
            name: found.get(name) or matching.undefined(name, definition, why)
            for name, (definition, _) in _LENGTHS.items()
        },
        {category: named(f"category {category} ") for category in categories},
        found[CODIESP.name],
        bool(rows.spans["below"].any()),
        sides.chart_ids,
    )


def compare_evidence(
    first: EvidenceResult, second: EvidenceResult, *, times: int = 1000, seed: int = 0
) -> list[Comparison]:
    """Compare two models on the same charts: each ratio of each metric that both have."""
    require_same_charts(first.chart_ids, second.chart_ids)
    tables, names = {}, []
    ways = [way.name for way in WAYS]
    for name in (*ways, *(f"oracle_{name}" for name in ways), CODIESP.name):
        one, other = (result.named(name) for result in (first, second))
        if one.counts is not None and other.counts is not None:
            tables[name] = np.concatenate([one.per_chart, other.per_chart])
            names += [f"{name}_{ratio}" for ratio in RATIOS]
    statistic = matching.ratio_statistic(tables)
    return compare(statistic, names, first.charts, times=times, seed=seed)


def _counts(rows: EvidenceRows, name: str) -> NDArray[np.int64]:
    table = rows.tokens if name.startswith("token") else rows.spans
    return counts_by_chart(table, _KEYS[name], rows.charts)


def _filtered(rows: EvidenceRows, condition: pl.Expr) -> EvidenceRows:
    return EvidenceRows(rows.charts, rows.spans.filter(condition), rows.tokens.filter(condition))


def _end_to_end(rows: EvidenceRows) -> EvidenceRows:
    return _filtered(rows, ~pl.col("below"))


def _oracle(rows: EvidenceRows) -> EvidenceRows:
    known = rows.spans.filter(pl.col("side") == GOLD).select("chart", "code").unique()

    def kept(table: pl.DataFrame) -> pl.DataFrame:
        return table.join(known, on=["chart", "code"], how="semi")

    return EvidenceRows(rows.charts, kept(rows.spans), kept(rows.tokens))


def _why_undefined(rows: EvidenceRows) -> str:
    if not rows.without_text:
        return ""
    return (
        f"the text of {rows.without_text:,} of {len(rows.spans):,} spans is in neither "
        "corpus; import one of them with its notes' text (for MDACE: "
        f"{option('--noteevents NOTEEVENTS.csv.gz')})"
    )


def _dicts(found: Mapping[str, MatchMetrics]) -> dict[str, object]:
    return {name: one.to_dict() for name, one in found.items()}
