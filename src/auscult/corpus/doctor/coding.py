"""Checks of the codes of every chart against the Tabular List and the coding guidelines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import polars as pl

from auscult.codes.coding_edits import CodeChecker, CodingFinding, EditSeverity
from auscult.codes.coding_edits.registry import FINDINGS, SYSTEMS_CHECKED
from auscult.core.plurals import counted
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.corpus.doctor.finding import Finding, Severity

_BATCH = 2000
_OLDEST = 124
_SEVERITIES = {
    EditSeverity.ERROR: Severity.ERROR,
    EditSeverity.WARNING: Severity.WARNING,
    EditSeverity.NOTE: Severity.REMARK,
}


def check_coding(corpus: Corpus, *, examples: int) -> Iterator[Finding]:
    """What the coding rules find, by rule, chart by chart and annotator by annotator.

    The order of annotations is that of the text and not that of a claim, so nothing is said of
    what is listed first; a code that has evidence in several places is still given once. Age and
    sex are those of the records, if these have `chart_id` with `age`, and `sex` or `gender`.
    """
    counts: Counter[tuple[str, EditSeverity]] = Counter()
    charts: Counter[tuple[str, EditSeverity]] = Counter()
    first: dict[tuple[str, EditSeverity], list[str]] = {}
    advice: dict[tuple[str, EditSeverity], str] = {}
    checkers: dict[str, CodeChecker] = {}
    batches = _charts(corpus).collect_batches(chunk_size=_BATCH, maintain_order=True)
    for batch in track(batches, "checking codes"):
        for chart_id, annotator, system, values, age, sex in batch.iter_rows():
            if system not in checkers:
                checkers[system] = CodeChecker(system)
            found = checkers[system].check(values, age=age, sex=sex, first_listed=False)
            kinds = [(finding.rule, finding.severity) for finding in found]
            charts.update(set(kinds))
            counts.update(kinds)
            for kind, finding in zip(kinds, found, strict=True):
                places = first.setdefault(kind, [])
                if len(places) < examples:
                    places.append(_example(chart_id, annotator, system, finding))
                    advice.setdefault(kind, finding.advice)
    for kind, count in counts.most_common():
        rule, severity = kind
        yield Finding(
            f"coding-{rule}",
            _SEVERITIES[severity],
            count,
            f"{'case' if count == 1 else 'cases'} of {FINDINGS[rule]}, in "
            f"{counted(charts[kind], 'chart')}",
            tuple(first[kind]),
            advice[kind],
        )


def _charts(corpus: Corpus) -> pl.LazyFrame:
    """The codes of each chart, by annotator and system, with age and sex where they are known."""
    keys = ["chart_id", "annotator", "system"]
    coded = (
        corpus.lazy_annotations.filter(pl.col("system").is_in(SYSTEMS_CHECKED))
        .select(*keys, "code")
        .unique(maintain_order=True)
        .group_by(keys, maintain_order=True)
        .agg("code")
    )
    return coded.join(_people(corpus), on="chart_id", how="left", maintain_order="left")


def _people(corpus: Corpus) -> pl.LazyFrame:
    """Age and sex of each chart, as far as the records have them in a form that can be read."""
    nobody = pl.DataFrame(schema={"chart_id": pl.String, "age": pl.Float64, "sex": pl.String})
    if corpus.lazy_records is None:
        return nobody.lazy()
    columns = corpus.lazy_records.collect_schema().names()
    if "chart_id" not in columns:
        return nobody.lazy()
    age: pl.Expr = pl.lit(None, pl.Float64)
    if "age" in columns:
        years = pl.col("age").cast(pl.Float64, strict=False)
        age = pl.when(years.is_between(0, _OLDEST)).then(years)
    sex: pl.Expr = pl.lit(None, pl.String)
    for name in ("sex", "gender"):
        if name in columns:
            word = pl.col(name).cast(pl.String).str.strip_chars().str.to_lowercase()
            sex = pl.when(word.is_in(["f", "female", "m", "male"])).then(word)
            break
    return corpus.lazy_records.select(
        pl.col("chart_id").cast(pl.String), age.alias("age"), sex.alias("sex")
    ).unique("chart_id", keep="first", maintain_order=True)


def _example(chart_id: str, annotator: str, system: str, finding: CodingFinding) -> str:
    codes = " + ".join(finding.codes)
    cited = f" ({finding.citation})" if finding.citation else ""
    return f"{system} {codes} on chart {chart_id} by {annotator}{cited}"
