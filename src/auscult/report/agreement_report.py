"""Inter-annotator agreement as one page: coefficients, pairs, codes, causes of disagreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from auscult.agreement import (
    Agreement,
    AgreementUnit,
    CodeAgreement,
    DisagreementCause,
    SeenCharts,
    agree,
)
from auscult.agreement.agree import FrequentDisagreement
from auscult.codes import describe
from auscult.core import Code, Metric
from auscult.core.plurals import counted
from auscult.corpus import Corpus
from auscult.report import metric_format, plots
from auscult.report.page import write_page

_TILES = {
    "alpha_masi": "Krippendorff's α, MASI distance",
    "fleiss_kappa_pooled": "Fleiss' κ, unit × code",
    "hooper_mean": "Hooper's consistency, mean",
    "hooper_pooled": "Hooper's consistency, pooled",
    "code_f1": "code F1",
    "span_jaccard": "span overlap (Jaccard)",
}
_PICTURES = {
    "alpha_masi": "Krippendorff's α, MASI distance",
    "code_f1": "code F1",
    "span_jaccard": "Span overlap (Jaccard)",
}
_CAUSES = {
    DisagreementCause.BOUNDARY: "the same code on overlapping words",
    DisagreementCause.ELSEWHERE: "the same code, with evidence elsewhere",
    DisagreementCause.CODE: "different codes for the same words",
    DisagreementCause.SYMPTOM: "a symptom code that not all annotators assigned",
    DisagreementCause.EXTERNAL: "an external-cause code that not all annotators assigned",
    DisagreementCause.MISSING: "any other code that not all annotators assigned",
}
_IN_FOOTER = {"corpus", "unit", "annotators", "bootstrap", "seed", "auscult"}
_WORDS = {
    "note_category": "note category",
    "empty_units": "units without codes",
    "exact_spans": "punctuation at the ends of spans",
}
_CODES = 40
_FREQUENT = 15


def agreement_page(
    corpus: Corpus,
    annotators: Sequence[str],
    out: Path,
    *,
    unit: AgreementUnit = AgreementUnit.NOTE,
    times: int = 1000,
    home: str = "index.html",
) -> Agreement:
    """Compare annotators of a corpus, write the page, and return the result."""
    found = agree(corpus, annotators, unit=unit, times=times)
    how = {"charts": SeenCharts.ANNOTATED.value, "empty_units": True, "exact_spans": False}
    agreement_report(found, out, name=corpus.manifest.name, about=how, home=home)
    return found


def agreement_report(
    found: Agreement, out: Path, *, name: str, about: Mapping[str, Any], home: str = ""
) -> None:
    """Write the page, with a way back to `home` if there is one. It quotes no note.

    `about` describes the comparison: the part of the corpus, which charts count as seen.
    """
    total = sum(found.causes.values())
    write_page(
        out,
        "agreement.html",
        made=_made(found, name, about),
        home=home,
        shows_text="",
        title=f"Inter-annotator agreement: {name}",
        lead=_lead(found, about),
        tiles=[
            (
                title,
                metric_format.value(found.metrics[key]),
                metric_format.interval(found.metrics[key]),
            )
            for key, title in _TILES.items()
            if found.metrics[key].value is not None
        ],
        pictures=[
            {"title": title, "svg": _picture(found, key)}
            for key, title in _PICTURES.items()
            if any(pair[key].value is not None for pair in found.pairs.values())
        ],
        metrics=[_metric_row(metric) for metric in found.metrics.values()],
        pairs=list(found.pairs),
        pair_rows=_pair_rows(found.pairs),
        causes=_cause_rows(found.causes),
        total=total,
        annotators=found.annotators,
        codes=[_code_row(one) for one in found.codes[:_CODES]],
        frequent=[_frequent_row(one) for one in found.frequent(_FREQUENT)],
    )


def _made(found: Agreement, name: str, about: Mapping[str, Any]) -> dict[str, str]:
    """The footer: everything the numbers depend on."""
    footer = {
        "corpus": name,
        "unit": found.unit.value,
        "annotators": ", ".join(found.annotators),
        "resamples": f"{found.times:,}",
        "seed": str(found.seed),
    }
    for key, value in about.items():
        if key in _IN_FOOTER or value is None or value == []:
            continue
        if isinstance(value, bool):
            footer[_WORDS.get(key, key)] = "counted" if value else "left out"
        else:
            footer[_WORDS.get(key, key)] = (
                ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            )
    return footer


def _part(about: Mapping[str, Any]) -> str:
    """Which part of the corpus was compared, in a sentence, or nothing."""
    parts = []
    if about.get("split"):
        parts.append(f"split {about['split']}")
    if about.get("note_category"):
        parts.append(f"note category {' or '.join(about['note_category'])}")
    if about.get("system"):
        parts.append(f"code system {' or '.join(about['system'])}")
    return f" Restricted to {', '.join(parts)}." if parts else ""


def _lead(found: Agreement, about: Mapping[str, Any]) -> str:
    blank = f", {found.blank_units:,} of them without codes" if found.blank_units else ""
    has_intervals = any(metric.interval for metric in found.metrics.values())
    intervals = " 95% confidence intervals from a bootstrap over charts." if has_intervals else ""
    return (
        f"{len(found.annotators)} annotators on {counted(found.charts, 'chart')}, "
        f"{counted(found.units, 'unit')} ({found.unit}){blank}.{_part(about)}{intervals}"
    )


def _frequent_row(one: FrequentDisagreement) -> dict[str, Any]:
    return {
        "count": one.count,
        "cause": one.cause.value,
        "codes": [
            {**_code(code), "given": [f"{count:,}" for count in given]}
            for code, given in one.given.items()
        ],
    }


def _picture(found: Agreement, key: str) -> Any:
    place = {name: at for at, name in enumerate(found.annotators)}
    values = np.full((len(place), len(place)), np.nan)
    for (one, other), metrics in found.pairs.items():
        value = metrics[key].value
        if value is not None:
            values[place[one], place[other]] = values[place[other], place[one]] = value
    return plots.matrix(found.annotators, values)


def _metric_row(metric: Metric) -> dict[str, str]:
    return {
        "name": metric.name,
        "value": metric_format.value(metric),
        "interval": metric_format.interval(metric),
        "definition": metric.undefined or metric.definition,
    }


def _pair_rows(
    pairs: Mapping[tuple[str, str], Mapping[str, Metric]],
) -> list[dict[str, Any]]:
    names = list(next(iter(pairs.values())))
    return [
        {
            "name": name,
            "cells": [
                (metric_format.value(pair[name]), metric_format.interval(pair[name]))
                for pair in pairs.values()
            ],
        }
        for name in names
    ]


def _code_row(one: CodeAgreement) -> dict[str, Any]:
    return {
        **_code(one.code),
        "given": [f"{count:,}" for count in one.given],
        "f1": "–" if one.f1 is None else f"{one.f1:.2f}",
        "share": round(100 * (one.f1 or 0.0)),
        "causes": ", ".join(f"{cause.value} {count}" for cause, count in one.causes.items()),
        "instead": ", ".join(f"{code.value} ({n})" for code, n in list(one.instead.items())[:3]),
    }


def _code(code: Code) -> dict[str, str]:
    return {"value": code.value, "system": code.system, "description": describe(code) or ""}


def _cause_rows(counts: Mapping[DisagreementCause, int]) -> list[dict[str, Any]]:
    top = max(counts.values(), default=0) or 1
    return [
        {
            "name": cause.value,
            "count": count,
            "share": round(100 * count / top),
            "definition": _CAUSES[cause],
        }
        for cause, count in counts.items()
    ]
