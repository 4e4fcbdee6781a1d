"""A sensitivity audit as one page: which words influence a model, and whether clinicians agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from auscult.audit.alignment import Alignment
from auscult.audit.frequency import Frequency
from auscult.audit.sensitivity import Sensitivity, WordScore
from auscult.codes import describe
from auscult.core import Metric
from auscult.core.plurals import counted
from auscult.report import audit_plots, metric_format
from auscult.report.page import write_page

_BARS = 60
_NAMED = 5
_CHARTS = 120


@dataclass(frozen=True, slots=True)
class AuditedModel:
    """One model in an audit: its name, word sensitivities, and alignment with clinicians."""

    name: str
    found: Sensitivity
    alignment: Alignment | None = None
    threshold: float | None = None


def audit_report(
    first: AuditedModel,
    out: Path,
    *,
    about: Mapping[str, str],
    title: str,
    second: AuditedModel | None = None,
    difference: Metric | None = None,
    frequencies: Sequence[Frequency] = (),
    word: str | None = None,
    remark: str = "",
    home: str = "",
) -> None:
    """Write the page, with a way back to `home` and a `remark` below the lead if there are any.

    It quotes no note. `word` is the one to look at chart by chart; by default the most sensitive.
    """
    ranked = first.found.ranked()
    over, under = first.alignment.disagreements(_NAMED) if first.alignment else ([], [])
    chosen = first.found.of(word) if word is not None else next(iter(ranked), None)
    write_page(
        out,
        "audit.html",
        made=dict(about),
        shows_text="",
        home=home,
        title=title,
        lead=_lead(first),
        remark=remark,
        tiles=_tiles(first, second, difference, frequencies),
        bars=audit_plots.ranked_bars(ranked[:_BARS], {one.word: "" for one in over})
        if ranked
        else None,
        left_out=max(0, len(ranked) - _BARS),
        scatter=audit_plots.rank_scatter(first.alignment.words, [*over, *under])
        if first.alignment and first.alignment.words
        else None,
        over=over,
        under=under,
        look=_look(first, chosen),
        compared=_compared(first, second),
        frequencies=audit_plots.rank_by_frequency(frequencies) if frequencies else None,
        filters=first.found.table.filters,
        rows=[_row(one, first) for one in ranked],
        undefined=[(one.word, one.score.undefined) for one in first.found.undefined()],
    )


def _lead(audited: AuditedModel) -> str:
    found = audited.found
    described = describe(found.code)
    code = f"{found.code}" + (f" ({described})" if described else "")
    which = "the first occurrence" if found.swap == "first" else "every occurrence"
    return (
        f"Change in the score of {code} when a word is replaced by another: {which} of "
        f"{counted(len(found.words), 'word')} in {counted(len(found.table.charts), 'chart')}, "
        f"{len(found.table):,} trials. 95% confidence intervals from a bootstrap over charts."
    )


def _tiles(
    first: AuditedModel,
    second: AuditedModel | None,
    difference: Metric | None,
    frequencies: Sequence[Frequency],
) -> list[tuple[str, str, str]]:
    tiles = []
    for audited in (first, second):
        if audited is not None and audited.alignment is not None:
            metric, p = audited.alignment.spearman, audited.alignment.p_value.value
            detail = metric_format.interval(metric) + ("" if p is None else f", p = {p:.3g}")
            name = f"Spearman correlation with clinicians, {audited.name}"
            tiles.append((name, metric_format.value(metric), detail or metric.undefined or ""))
    if difference is not None:
        tiles.append(
            ("difference", metric_format.value(difference), metric_format.interval(difference))
        )
    tiles += [
        (f"rank–frequency correlation, {one.name} (Pearson)", metric_format.value(one.pearson), "")
        for one in frequencies
    ]
    tiles.append(("words", f"{len(first.found.ranked())}", ""))
    return tiles


def _row(one: WordScore, audited: AuditedModel) -> dict[str, Any]:
    placed = {p.word: p for p in audited.alignment.words} if audited.alignment else {}
    mine = placed.get(one.word)
    cover = one.coverage
    notes = []
    if cover.tried < cover.charts:
        notes.append(f"sampled from {cover.charts:,}, error {one.error or 0:.2g}")
    if cover.unread:
        notes.append(f"{cover.unread:,} beyond the model's maximum length")
    if cover.unknown:
        notes.append(
            f"{cover.unknown / max(1, cover.trials):.0%} of replacements out of vocabulary"
        )
    if cover.equal:
        notes.append(f"{cover.equal:,} proposals identical to the word")
    return {
        "word": one.word,
        "score": f"{one.score.value:.4f}",
        "interval": _edges(one.score.interval, ".4f"),
        "rank": f"{one.rank:g}",
        "rank_interval": _edges(one.rank_interval, ".3g"),
        "clinicians": "" if mine is None else f"{mine.clinicians:g}",
        "charts": f"{cover.tried:,}",
        "filters": [f"{one.by_filter[name]:.4f}" if name in one.by_filter else "–"
                    for name in audited.found.table.filters],
        "notes": "; ".join(notes),
    }  # fmt: skip


def _edges(edges: tuple[float, float] | None, form: str) -> str:
    return "" if edges is None else f"{edges[0]:{form}} to {edges[1]:{form}}"


def _look(audited: AuditedModel, chosen: WordScore | None) -> dict[str, Any] | None:
    """One word chart by chart: the score with it, and the mean score without."""
    if chosen is None or chosen.rank is None:
        return None
    table = audited.found.table
    mine = table.word == table.words.index(chosen.word)
    charts, row_of = np.unique(table.chart[mine], return_inverse=True)
    counts = np.bincount(row_of)
    before = np.bincount(row_of, table.before[mine]) / counts
    after = np.bincount(row_of, table.after[mine]) / counts
    step = max(1, -(-len(charts) // _CHARTS))
    moved = after - before
    return {
        "word": chosen.word,
        "plot": audit_plots.before_and_after(before[::step], after[::step], audited.threshold),
        "fell": int((moved < 0).sum()),
        "rose": int((moved > 0).sum()),
        "charts": len(charts),
        "shown": len(before[::step]),
        "has_threshold": audited.threshold is not None,
    }


def _compared(first: AuditedModel, second: AuditedModel | None) -> dict[str, Any] | None:
    if second is None:
        return None
    by_other = {one.word: one.rank for one in second.found.words}
    both = [(one.rank, by_other[one.word], one.word) for one in first.found.ranked()[:_BARS]]
    kept = [(mine, other, word) for mine, other, word in both if mine and other]
    if not kept:
        return None
    mine, other, words = zip(*kept, strict=True)
    return {
        "first": first.name,
        "second": second.name,
        "plot": audit_plots.two_models(mine, other, words, (first.name, second.name)),
    }
