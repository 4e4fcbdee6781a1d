"""How far annotators agree, as one page: coefficients, pairs, codes, and why they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from auscult.agreement import Agreement, Cause, CodeAgreement, Seen, Unit, agree
from auscult.agreement.agree import Frequent
from auscult.codes import describe
from auscult.core import Code, Measure
from auscult.core.words import counted
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
_IS = {
    Cause.BOUNDARY: "the same code on overlapping words",
    Cause.ELSEWHERE: "the same code, its evidence in another place",
    Cause.CODE: "another code for the same words",
    Cause.SYMPTOM: "a symptom code that not all gave",
    Cause.EXTERNAL: "an external-cause code that not all gave",
    Cause.MISSING: "any other code that not all gave",
}
_SAID = {"corpus", "unit", "annotators", "bootstrap", "seed", "auscult"}
_WORDS = {"note_category": "note category"}
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
    how = {"seen": Seen.ANNOTATED.value, "blank": True}
    agreement_report(found, out, name=corpus.manifest.name, about=how, home=home)
    return found


def agreement_report(
    found: Agreement, out: Path, *, name: str, about: Mapping[str, Any], home: str = ""
) -> None:
    """Write the page, with a way back to `home` if there is one. It quotes no note.

    `about` says how the comparison came about: the part of the corpus, who has seen what.
    """
    total = sum(found.causes.values())
    write_page(
        out,
        "agreement.html",
        made=_made(found, name, about),
        home=home,
        shows_text="",
        title=f"Agreement on {name}",
        lead=_lead(found, about),
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
        causes=_cause_rows(found.causes),
        total=total,
        coders=found.coders,
        codes=[_code_row(one) for one in found.codes[:_CODES]],
        frequent=[_frequent_row(one) for one in found.frequent(_FREQUENT)],
    )


def _made(found: Agreement, name: str, about: Mapping[str, Any]) -> dict[str, str]:
    """The footer: all that the numbers depend on."""
    said = {
        "corpus": name,
        "unit": found.unit.value,
        "annotators": ", ".join(found.coders),
        "resamples": f"{found.times:,}",
        "seed": str(found.seed),
    }
    for key, value in about.items():
        if key in _SAID or value is None or value == []:
            continue
        if isinstance(value, bool):
            said[key] = "counted" if value else "left out"
        else:
            said[_WORDS.get(key, key)] = (
                ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            )
    return said


def _part(about: Mapping[str, Any]) -> str:
    """Which part of the corpus was compared, in a sentence, or nothing."""
    parts = []
    if about.get("split"):
        parts.append(f"the split {about['split']}")
    if about.get("note_category"):
        parts.append(f"notes of the category {' or '.join(about['note_category'])}")
    if about.get("system"):
        parts.append(f"codes of {' or '.join(about['system'])}")
    return f" Only {', '.join(parts)}." if parts else ""


def _lead(found: Agreement, about: Mapping[str, Any]) -> str:
    blank = f", {found.blank_units:,} of them without any code" if found.blank_units else ""
    has_intervals = any(measure.interval for measure in found.measures.values())
    intervals = " Intervals are 95%, from resampled charts." if has_intervals else ""
    return (
        f"{len(found.coders)} annotators on {counted(found.charts, 'chart')}, "
        f"{counted(found.units, 'unit')} ({found.unit}){blank}.{_part(about)}{intervals}"
    )


def _frequent_row(one: Frequent) -> dict[str, Any]:
    return {
        "count": one.count,
        "cause": one.cause.value,
        "codes": [
            {**_code(code), "given": [f"{count:,}" for count in given]}
            for code, given in one.given.items()
        ],
    }


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


def _cause_rows(counts: Mapping[Cause, int]) -> list[dict[str, Any]]:
    top = max(counts.values(), default=0) or 1
    return [
        {"name": cause.value, "count": count, "share": round(100 * count / top), "is": _IS[cause]}
        for cause, count in counts.items()
    ]
