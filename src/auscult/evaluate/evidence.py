"""How right the evidence is: four ways of counting, as the MDACE paper and its scripts count.

What both sides say is a set for each chart, and sets are compared, so saying a thing twice changes
nothing. Cheng et al. 2023, "MDACE: MIMIC Documents Annotated with Code Evidence", section 6.2.

- `token`: a token is the same when note, first character, code and code system are.
- `span`: a span is the same when note, begin, end, code and code system are.
- `token_pi`: a token is the same when its lower-cased word, code and code system are, anywhere in
  the chart (position-independent).
- `span_pi`: a span is the same when its lower-cased text, code and code system are, anywhere.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auscult.evaluate import codiesp, matched
from auscult.evaluate.matched import RATIOS, Matched, measure_counts
from auscult.evaluate.rows import GOLD, Rows, counts_by_chart, evidence_rows
from auscult.evaluate.sides import Sides
from auscult.statistics.significance import Comparison, compare, require_same_charts

MEASURES = {
    "token": "token match: note, first character, code and system are the same",
    "span": "exact span match: note, begin, end, code and system are the same",
    "token_pi": "position-independent token match: word, code and system are the same in the chart",
    "span_pi": "position-independent exact span match: lower-cased text, code and system are the "
    "same in the chart",
}
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


@dataclass(frozen=True, slots=True)
class EvidenceResult:
    """The four measures, and where they come from.

    `measures` is end to end: everything predicted counts, and so does a right span of a wrong code
    against it. `oracle` asks only about the codes that gold has evidence for in the chart, and
    takes what the coder points at for them even below its threshold: how good is the evidence once
    the code is known.
    """

    charts: int
    gold_spans: int
    predicted_spans: int
    measures: Mapping[str, Matched]
    oracle: Mapping[str, Matched]
    by_length: Mapping[str, Matched]
    by_category: Mapping[str, Mapping[str, Matched]]
    codiesp: Matched
    was_asked: bool
    """Whether the predictions hold evidence for codes that were not given too."""
    chart_ids: tuple[str, ...] = field(default=(), repr=False)

    def per_chart(self) -> pl.DataFrame:
        """TP, FP and FN of every chart, for each measure that is defined."""
        columns = {"chart_id": pl.Series(self.chart_ids, dtype=pl.String)}
        for name, found in self.measures.items():
            if found.counts is not None:
                for at, count in enumerate(("tp", "fp", "fn")):
                    columns[f"{name}_{count}"] = pl.Series(found.per_chart[:, at])
        return pl.DataFrame(columns)

    def named(self, name: str) -> Matched:
        """A measure by its name, such as `token`, `oracle_token` or `codiesp`."""
        if name == "codiesp":
            return self.codiesp
        bare = name.removeprefix("oracle_")
        return (self.measures if bare == name else self.oracle)[bare]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            **_dicts(self.measures),
            "oracle": _dicts(self.oracle),
            "by_length": _dicts(self.by_length),
            "by_category": {name: _dicts(found) for name, found in self.by_category.items()},
            "codiesp": self.codiesp.to_dict(),
            "charts": self.charts,
            "gold_spans": self.gold_spans,
            "predicted_spans": self.predicted_spans,
        }


def evaluate_evidence(
    sides: Sides,
    *,
    trim: bool = False,
    merge_adjacent: bool = False,
    times: int = 1000,
    seed: int = 0,
) -> EvidenceResult:
    """Every measure of the evidence, with intervals from `times` resamples of the charts.

    >>> from auscult.core import Annotation, Code, Note, Span
    >>> from auscult.corpus import Corpus
    >>> from auscult.evaluate.sides import pair
    >>> note = Note("n", "c", text="Acute renal failure. No renal stones.")
    >>> def said(who, *spans):
    ...     code = Code("ICD-9-CM", "584.9")
    ...     return Corpus.of([note], [Annotation(who, code, "c", "n", (s,)) for s in spans])
    >>> sides = pair(said("gold", Span(0, 19)), said("coder", Span(6, 19), Span(24, 29)))
    >>> found = evaluate_evidence(sides)
    >>> {name: found.measures[name].counts for name in ("token", "token_pi")}
    {'token': Counts(tp=2, fp=1, fn=1), 'token_pi': Counts(tp=2, fp=0, fn=1)}
    """
    rows = evidence_rows(sides, trim=trim, merge_adjacent=merge_adjacent)
    whole, oracle = _end_to_end(rows), _oracle(rows)
    why = _why_undefined(rows)
    # One pass over the resamples for all names, so that all of them see the same charts.
    tables: dict[str, NDArray[np.int64]] = {}
    definitions: dict[str, str] = {}

    def count(prefix: str, part: Rows) -> None:
        for name, definition in MEASURES.items():
            if not why or name == "span":
                tables[prefix + name] = _counts(part, name)
                definitions[prefix + name] = definition

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
    tables["codiesp"] = codiesp.counts_by_chart(sides)
    definitions["codiesp"] = codiesp.DEFINITION
    found = measure_counts(tables, definitions, times=times, seed=seed)

    def named(prefix: str) -> dict[str, Matched]:
        return {
            name: found.get(prefix + name) or matched.undefined(name, definition, why)
            for name, definition in MEASURES.items()
        }

    counted = dict(whole.spans["side"].value_counts().iter_rows())
    if not counted.get(GOLD, 0):
        warnings.warn(
            f"Gold points at nothing on these {rows.charts:,} charts, so no evidence can be right.",
            stacklevel=2,
        )
    return EvidenceResult(
        rows.charts,
        counted.get(GOLD, 0),
        len(whole.spans) - counted.get(GOLD, 0),
        named(""),
        named("oracle "),
        {
            name: found.get(name) or matched.undefined(name, definition, why)
            for name, (definition, _) in _LENGTHS.items()
        },
        {category: named(f"category {category} ") for category in categories},
        found["codiesp"],
        bool(rows.spans["below"].any()),
        sides.chart_ids,
    )


def compare_evidence(
    first: EvidenceResult, second: EvidenceResult, *, times: int = 1000, seed: int = 0
) -> list[Comparison]:
    """Two coders on the same charts: each ratio of each measure that both have."""
    require_same_charts(first.chart_ids, second.chart_ids)
    tables, names = {}, []
    for name in (*MEASURES, *(f"oracle_{name}" for name in MEASURES), "codiesp"):
        one, other = (result.named(name) for result in (first, second))
        if one.counts is not None and other.counts is not None:
            tables[name] = np.concatenate([one.per_chart, other.per_chart])
            names += [f"{name}_{ratio}" for ratio in RATIOS]
    statistic = matched.ratio_statistic(tables)
    return compare(statistic, names, first.charts, times=times, seed=seed)


def _counts(rows: Rows, name: str) -> NDArray[np.int64]:
    table = rows.tokens if name.startswith("token") else rows.spans
    return counts_by_chart(table, _KEYS[name], rows.charts)


def _filtered(rows: Rows, condition: pl.Expr) -> Rows:
    return Rows(rows.charts, rows.spans.filter(condition), rows.tokens.filter(condition))


def _end_to_end(rows: Rows) -> Rows:
    return _filtered(rows, ~pl.col("below"))


def _oracle(rows: Rows) -> Rows:
    known = rows.spans.filter(pl.col("side") == GOLD).select("chart", "code").unique()

    def kept(table: pl.DataFrame) -> pl.DataFrame:
        return table.join(known, on=["chart", "code"], how="semi")

    return Rows(rows.charts, kept(rows.spans), kept(rows.tokens))


def _why_undefined(rows: Rows) -> str:
    if not rows.without_text:
        return ""
    return (
        f"the text of {rows.without_text:,} of {len(rows.spans):,} spans is on neither side; "
        "import one side with its notes' text (for MDACE: --noteevents NOTEEVENTS.csv.gz)"
    )


def _dicts(found: Mapping[str, Matched]) -> dict[str, object]:
    return {name: one.to_dict() for name, one in found.items()}
