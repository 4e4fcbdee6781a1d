"""How far annotators agree, as one page: coefficients, pairs, codes, and why they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from auscult.agreement import Agreement, CodeAgreement, Unit, agree
from auscult.agreement.agree import frequent
from auscult.codes import describe
from auscult.core import Code, Measure
from auscult.corpus import Corpus
from auscult.report import plots, shown
from auscult.report.page import write_page

_TILES = {
    "alpha_masi": "Krippendorff's α, MASI distance",
    "fleiss_kappa_pooled": "Fleiss' κ, unit × code",
    "hooper_mean": "Hooper's consistency, mean",
    "hooper_pooled": "Hooper's consistency, pooled",
    "code_f1": "F1 of the codes",
    "span_jaccard": "spans in common",
}
_PICTURES = {
    "alpha_masi": "Krippendorff's α, MASI distance",
    "code_f1": "F1 of the codes",
    "span_jaccard": "Spans in common (Jaccard)",
}
_CODES = 40
_FREQUENT = 15


def agreement_page(
    corpus: Corpus,
    annotators: Sequence[str],
    out: Path,
    *,
    unit: Unit = Unit.NOTE,
    times: int = 1000,
    home: str = "index.html",
) -> Agreement:
    """Compare annotators of a corpus and write the page; says what was found."""
    found = agree(corpus, annotators, unit=unit, times=times)
    agreement_report(found, out, name=corpus.manifest.name, home=home)
    return found


def agreement_report(found: Agreement, out: Path, *, name: str, home: str = "") -> None:
    """Write the page, with a way back to `home` if there is one. It quotes no note."""
    total = sum(found.causes.values())
    write_page(
        out,
        "agreement.html",
        made={"corpus": name, "unit": found.unit.value, "annotators": ", ".join(found.coders)},
        home=home,
        shows_text="",
        title=f"Agreement on {name}",
        lead=_lead(found),
        tiles=[
            (title, shown.value(found.measures[key]), shown.interval(found.measures[key]))
            for key, title in _TILES.items()
            if found.measures[key].value is not None
        ],
        pictures=[
            {"title": title, "svg": _picture(found, key)}
            for key, title in _PICTURES.items()
            if any(pair[key].value is not None for pair in found.pairs.values())
        ],
        measures=[_measure_row(measure) for measure in found.measures.values()],
        pairs=list(found.pairs),
        pair_rows=_pair_rows(found.pairs),
        causes=_bars({cause.value: count for cause, count in found.causes.items()}),
        total=total,
        coders=found.coders,
        codes=[_code_row(one) for one in found.codes[:_CODES]],
        frequent=[
            {
                "count": count,
                "cause": one.cause.value,
                "codes": [_code(code) for code in one.codes],
                "share": round(100 * count / total),
            }
            for one, count in frequent(found.statements, _FREQUENT)
        ],
    )


def _lead(found: Agreement) -> str:
    blank = f", {found.blank_units:,} of them without any code" if found.blank_units else ""
    return (
        f"{len(found.coders)} annotators on {found.charts:,} charts, {found.units:,} units "
        f"({found.unit}){blank}. Intervals are 95%, from resampled charts."
    )


def _picture(found: Agreement, key: str) -> Any:
    place = {name: at for at, name in enumerate(found.coders)}
    values = np.full((len(place), len(place)), np.nan)
    for (one, other), measures in found.pairs.items():
        value = measures[key].value
        if value is not None:
            values[place[one], place[other]] = values[place[other], place[one]] = value
    return plots.matrix(found.coders, values)


def _measure_row(measure: Measure) -> dict[str, str]:
    return {
        "name": measure.name,
        "value": shown.value(measure),
        "interval": shown.interval(measure),
        "definition": measure.undefined or measure.definition,
    }


def _pair_rows(
    pairs: Mapping[tuple[str, str], Mapping[str, Measure]],
) -> list[dict[str, Any]]:
    names = list(next(iter(pairs.values())))
    return [
        {
            "name": name,
            "cells": [
                (shown.value(pair[name]), shown.interval(pair[name])) for pair in pairs.values()
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


def _bars(counts: Mapping[str, int]) -> list[dict[str, Any]]:
    top = max(counts.values(), default=0) or 1
    return [
        {"name": name, "count": count, "share": round(100 * count / top)}
        for name, count in counts.items()
    ]
