"""Synthetic text as one page: similarity to authentic text, memorization, epidemiology."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from auscult.core import Metric
from auscult.core.counts import Counts
from auscult.evaluate.text import Association, SyntheticResult
from auscult.evaluate.text.ngrams import unique_ngrams
from auscult.experiment.classifier_gap import Gap, GapByValue
from auscult.report import metric_format, text_plots
from auscult.report.page import write_page
from auscult.statistics.bootstrap import Floats

_ROWS_OF_FOREST = 18
_VALUES_SHOWN = 25
_NAMES = {
    "embedding_similarity": "embedding similarity",
    "ngram_sensitivity": "n-gram sensitivity",
    "ngram_ppv": "n-gram PPV",
    "cider": "CIDEr, modified",
    "bleu": "BLEU-4",
}


def generator_report(
    found: SyntheticResult,
    out: Path,
    *,
    about: Mapping[str, str],
    title: str,
    shows_text: str,
    gap: Gap | None = None,
    samples: int = 20,
    remark: str = "",
    home: str = "",
) -> None:
    """Write the page, with a way back to `home` and a `remark` below the lead if there are any.

    It quotes texts of both sides, so `shows_text` must say whose they are.
    """
    write_page(
        out,
        "generator.html",
        made=dict(about),
        shows_text=shows_text,
        home=home,
        title=title,
        lead=_lead(found),
        remark=remark,
        tiles=_tiles(found, gap),
        overlaps=text_plots.histograms(
            _by_pair(found, "ngram_sensitivity", "ngram_ppv"),
            "overlap within a pair",
        ),
        similarities=text_plots.histograms(
            _by_pair(found, "embedding_similarity", "cider"),
            "similarity within a pair",
        ),
        distances=_distances(found),
        forest=_forest(found),
        kept=_kept(found),
        gap=gap,
        values=[] if gap is None else [_value_row(one) for one in gap.by_value[:_VALUES_SHOWN]],
        gap_rows=[] if gap is None else _gap_rows(gap),
        memory=[]
        if found.memorization is None
        else [_row(one) for one in found.memorization.metrics.values()],
        metrics=[_row(one) for one in found.texts.metrics.values()],
        variety=_variety(found),
        samples=_samples(found, samples),
    )


def _lead(found: SyntheticResult) -> str:
    steps = [name for name, on in found.cleaning.model_dump().items() if on]
    return (
        f"{len(found.authentic):,} records, each with an authentic and a synthetic text, compared "
        f"after the same text cleaning ({', '.join(steps) or 'none'}). "
        "95% confidence intervals from a bootstrap over pairs."
    )


def _tiles(found: SyntheticResult, gap: Gap | None) -> list[tuple[str, str, str]]:
    chosen = [(name, found.texts.metrics[key]) for key, name in _NAMES.items()]
    if found.memorization is not None:
        chosen.append(("copied from training", found.memorization.metrics["copied"]))
    if gap is not None:
        chosen.append((f"accuracy gap, {gap.variable}", gap.gap["accuracy"]))
    return [
        (name, metric_format.value(metric), metric_format.interval(metric))
        for name, metric in chosen
    ]


def _by_pair(found: SyntheticResult, *names: str) -> dict[str, Floats]:
    return {_NAMES[name]: found.texts.by_pair[name] for name in names}


def _row(metric: Metric) -> dict[str, str]:
    return {
        "name": metric.name,
        "value": metric_format.value(metric),
        "interval": metric_format.interval(metric),
        "definition": metric.undefined or metric.definition,
    }


def _distances(found: SyntheticResult) -> Any:
    if found.memorization is None:
        return None
    both = {
        "synthetic": found.memorization.distances,
        "authentic, held out": found.memorization.held_out_distances,
    }
    return text_plots.histograms(both, "distance to the nearest training text")


def _forest(found: SyntheticResult) -> Any:
    """The ratios with the narrowest intervals, in their original order."""
    rows = [
        (f"{one.complaint} · {one.variable} {one.level}", ours, theirs)
        for one in found.associations
        if (ours := _interval(one.authentic)) and (theirs := _interval(one.synthetic))
    ]
    widths = [high / low for _, (_, low, high), _ in rows]
    best = sorted(sorted(range(len(rows)), key=widths.__getitem__)[:_ROWS_OF_FOREST])
    names = ("authentic", "synthetic")
    return text_plots.forest([rows[at] for at in best], names) if rows else None


def _interval(metric: Metric) -> text_plots.Interval | None:
    if metric.value is None or metric.interval is None:
        return None
    return metric.value, *metric.interval


def _kept(found: SyntheticResult) -> dict[str, Any]:
    known = [one for one in found.associations if one.is_kept is not None]
    return {
        "kept": sum(one.is_kept is True for one in known),
        "of": len(known),
        "lost": [_association_row(one) for one in known if not one.is_kept],
        "shown": min(_ROWS_OF_FOREST, sum(one.synthetic.interval is not None for one in known)),
    }


def _association_row(one: Association) -> dict[str, str]:
    return {
        "complaint": one.complaint,
        "group": f"{one.variable} {one.level}",
        "authentic": metric_format.value(one.authentic),
        "interval": metric_format.interval(one.authentic),
        "synthetic": metric_format.value(one.synthetic),
        "prevalence": f"{one.prevalence_authentic.value or 0:.1%} → "
        f"{one.prevalence_synthetic.value or 0:.1%}",
    }


def _gap_rows(gap: Gap) -> list[dict[str, str]]:
    return [
        {
            "name": name,
            "definition": one.definition,
            **{side: metric_format.value(metrics[name]) for side, metrics in sides.items()},
            **{f"{side}_interval": metric_format.interval(metrics[name])
               for side, metrics in sides.items()},
        }
        for sides in [{"authentic": gap.authentic, "synthetic": gap.synthetic, "gap": gap.gap}]
        for name, one in gap.authentic.items()
    ]  # fmt: skip


def _value_row(one: GapByValue) -> dict[str, Any]:
    def f1(counts: Counts) -> str:
        return "–" if counts.f1 is None else f"{counts.f1:.2f}"

    def pair(counts: Counts) -> str:
        both = (counts.recall, counts.precision)
        return " / ".join("–" if value is None else f"{value:.2f}" for value in both)

    return {
        "value": one.value,
        "records": one.records,
        "authentic": f1(one.authentic),
        "synthetic": f1(one.synthetic),
        "authentic_pair": pair(one.authentic),
        "synthetic_pair": pair(one.synthetic),
        "share": round(100 * (one.synthetic.f1 or 0.0)),
    }


def _variety(found: SyntheticResult) -> list[tuple[str, str, str, str]]:
    sides = found.texts.diversity
    return [
        (name, _short(one), _short(sides["synthetic"][name]), one.definition)
        for name, one in sides["authentic"].items()
    ]


def _short(metric: Metric) -> str:
    return "–" if metric.value is None else f"{metric.value:,.4g}"


def _samples(found: SyntheticResult, most: int) -> list[dict[str, Any]]:
    """Pairs from the most alike to the least, with the words both have marked."""
    near = found.texts.by_pair["embedding_similarity"]
    order = np.argsort(-near, kind="stable")
    places = order[np.linspace(0, len(order) - 1, min(most, len(order)), dtype=int)]
    made = []
    for at in places:
        one, other = found.authentic[at], found.synthetic[at]
        shared = {gram[0] for gram in unique_ngrams(one, 1) & unique_ngrams(other, 1)}
        made.append(
            {
                "authentic": [(word, word in shared) for word in one],
                "synthetic": [(word, word in shared) for word in other],
                "similarity": f"{near[at]:z.2f}",
            }
        )
    return made
