"""What a writer wrote, as one page: how like the authentic texts, how safe, and what is kept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from auscult.core import Measure
from auscult.core.counts import Counts
from auscult.evaluate.text import Association, SyntheticResult
from auscult.evaluate.text.ngrams import unique_ngrams
from auscult.report import shown, text_plots
from auscult.report.classifier_gap import ByValue, Gap
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


def writer_report(
    found: SyntheticResult,
    out: Path,
    *,
    about: Mapping[str, str],
    title: str,
    shows_text: str,
    gap: Gap | None = None,
    samples: int = 20,
    home: str = "",
) -> None:
    """Write the page, with a way back to `home` if there is one.

    It quotes texts of both sides, so `shows_text` must say whose they are.
    """
    write_page(
        out,
        "writer.html",
        made=dict(about),
        shows_text=shows_text,
        home=home,
        title=title,
        lead=_lead(found),
        tiles=_tiles(found, gap),
        overlaps=text_plots.histograms(
            _by_pair(found, "ngram_sensitivity", "ngram_ppv"),
            "overlap of a pair",
        ),
        similarities=text_plots.histograms(
            _by_pair(found, "embedding_similarity", "cider"),
            "similarity of a pair",
        ),
        distances=_distances(found),
        forest=_forest(found),
        kept=_kept(found),
        gap=gap,
        values=[] if gap is None else [_value_row(one) for one in gap.by_value[:_VALUES_SHOWN]],
        gap_rows=[] if gap is None else _gap_rows(gap),
        memory=[]
        if found.memorisation is None
        else [_row(one) for one in found.memorisation.measures.values()],
        measures=[_row(one) for one in found.texts.measures.values()],
        variety=_variety(found),
        samples=_samples(found, samples),
    )


def _lead(found: SyntheticResult) -> str:
    steps = [name for name, on in found.cleaning.model_dump().items() if on]
    return (
        f"{len(found.authentic):,} records, each with the text a person wrote and the one the "
        f"writer wrote, compared after the same cleaning ({', '.join(steps) or 'none'}). Intervals "
        "are 95%, from resampled pairs."
    )


def _tiles(found: SyntheticResult, gap: Gap | None) -> list[tuple[str, str, str]]:
    chosen = [(name, found.texts.measures[key]) for key, name in _NAMES.items()]
    if found.memorisation is not None:
        chosen.append(("copied from training", found.memorisation.measures["copied"]))
    if gap is not None:
        chosen.append((f"gap in accuracy, {gap.variable}", gap.gap["accuracy"]))
    return [(name, shown.value(measure), shown.interval(measure)) for name, measure in chosen]


def _by_pair(found: SyntheticResult, *names: str) -> dict[str, Floats]:
    return {_NAMES[name]: found.texts.by_pair[name] for name in names}


def _row(measure: Measure) -> dict[str, str]:
    return {
        "name": measure.name,
        "value": shown.value(measure),
        "interval": shown.interval(measure),
        "definition": measure.undefined or measure.definition,
    }


def _distances(found: SyntheticResult) -> Any:
    if found.memorisation is None:
        return None
    both = {
        "synthetic": found.memorisation.distances,
        "authentic, held out": found.memorisation.held_out_distances,
    }
    return text_plots.histograms(both, "distance from the nearest training text")


def _forest(found: SyntheticResult) -> Any:
    """The ratios that are known best, in their order."""
    rows = [
        (f"{one.complaint} · {one.variable} {one.level}", ours, theirs)
        for one in found.associations
        if (ours := _interval(one.authentic)) and (theirs := _interval(one.synthetic))
    ]
    widths = [high / low for _, (_, low, high), _ in rows]
    best = sorted(sorted(range(len(rows)), key=widths.__getitem__)[:_ROWS_OF_FOREST])
    names = ("authentic", "synthetic")
    return text_plots.forest([rows[at] for at in best], names) if rows else None


def _interval(measure: Measure) -> text_plots.Interval | None:
    if measure.value is None or measure.interval is None:
        return None
    return measure.value, *measure.interval


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
        "authentic": shown.value(one.authentic),
        "interval": shown.interval(one.authentic),
        "synthetic": shown.value(one.synthetic),
        "prevalence": f"{one.prevalence_authentic.value or 0:.1%} → "
        f"{one.prevalence_synthetic.value or 0:.1%}",
    }


def _gap_rows(gap: Gap) -> list[dict[str, str]]:
    return [
        {
            "name": name,
            "definition": one.definition,
            **{side: shown.value(measures[name]) for side, measures in sides.items()},
            **{f"{side}_interval": shown.interval(measures[name])
               for side, measures in sides.items()},
        }
        for sides in [{"authentic": gap.authentic, "synthetic": gap.synthetic, "gap": gap.gap}]
        for name, one in gap.authentic.items()
    ]  # fmt: skip


def _value_row(one: ByValue) -> dict[str, Any]:
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


def _short(measure: Measure) -> str:
    return "–" if measure.value is None else f"{measure.value:,.4g}"


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
