"""Entity recognition and linking systems compared on one page: accuracy, brittleness, errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from auscult.core import Code, Metric
from auscult.evaluate.entities import EntitiesResult, EntityMistake
from auscult.evaluate.entities.causes import DEFINITIONS
from auscult.evaluate.entities.end_to_end import IOU, PANEL
from auscult.evaluate.entities.result import SubsetRow
from auscult.report import metric_format
from auscult.report.page import write_page

_TYPES = 20
_ERRORS = 12
"""Number of errors shown per system and cause, the most frequent first."""
_AROUND = 60
_NAMES = {
    "all": "all spans",
    "multi_word": "multi-word",
    "unseen_text": "unseen text",
    "unseen_concept": "unseen concept",
    "no_direct_match": "no direct match",
    "unpopular": "unpopular",
}
_TOGETHER = ("max", "average", "pooled")


def entities_report(
    found: EntitiesResult, out: Path, *, name: str, access: str = "", home: str = ""
) -> None:
    """Write the page. It quotes the notes around errors, and says so."""
    names = list(found.systems)
    all_spans = found.subsets["all"]
    write_page(
        out,
        "entities.html",
        made=_made(found, name),
        home=home,
        title=f"Entity linking: {name}",
        lead=_lead(found),
        shows_text=f"This page quotes notes of {name}. Who may see them: "
        f"{access or 'not stated; ask the data holder'}.",
        tiles=[
            ("notes", f"{found.notes:,}", ""),
            ("gold spans", f"{found.spans:,}", ""),
            (f"best system, {all_spans.best}", _percent(all_spans.max), _range(all_spans.max)),
            ("mean of systems", _percent(all_spans.average), _range(all_spans.average)),
            ("any system correct", _percent(all_spans.pooled), _range(all_spans.pooled)),
        ],
        rule=found.rule,
        rule_says=found.rules[found.rule].definition,
        subsets=_grid(found.subsets, names),
        undefined=_undefined(found.subsets),
        rules_undefined=_undefined(found.rules),
        types=_turned(_grid(dict(list(found.types.items())[:_TYPES]), names)),
        types_from=found.types_from,
        rules=_grid(found.rules, names),
        panel=_panel(found),
        panel_says=list({**PANEL, **IOU}.items()),
        has_seen=any(one.cui_less_by_text for one in found.systems.values()),
        brittleness=[_brittle(found, name) for name in names],
        least_spread=found.settings.least_spread,
        rest=[_rest(found, name) for name in names],
        recognized=_recognized(found),
        causes=_causes(found),
        names=names,
        errors=[row for name in names for row in _errors(found, name)],
        compared=_compared(found),
        metrics=list(found.compared),
        least_p=None if found.least_p is None else f"{found.least_p:.4f}",
        remarks=[
            (side, f"{one.count:,}", one.reason, ", ".join(one.places[:3]))
            for side, listed in found.remarks.items()
            for one in listed
        ],
    )  # fmt: skip


def _lead(found: EntitiesResult) -> str:
    return (
        f"{len(found.systems)} systems on {found.notes:,} notes and {found.spans:,} gold spans, "
        f"{found.several:,} of them with several concepts and {found.cui_less:,} CUI-less. "
        "95% confidence intervals from a bootstrap over notes."
    )


def _made(found: EntitiesResult, name: str) -> dict[str, str]:
    """What is needed to reproduce the numbers."""
    about = found.about
    sides = {"gold": about["gold"], **about["systems"], "training": about["train"],
             "vocabulary": about["vocabulary"]}  # fmt: skip
    digests = [
        f"{side} {one['digest'][:12]}" for side, one in sides.items() if one and one["digest"]
    ]
    footer = {
        "corpus": name,
        "annotator": about["annotator"],
        "split": about["split"],
        "note category": ", ".join(about["note_category"]),
        "notes": about["notes"],
        "training": _trained(about),
        "vocabulary": about["vocabulary"] and about["vocabulary"]["name"],
        "rule": found.rule,
        **found.settings.to_dict(),
        "resamples": f"{about['bootstrap']:,}",
        "seed": about["seed"],
        "digests": ", ".join(digests),
    }
    return {key: str(value) for key, value in footer.items() if value not in (None, "")}


def _trained(about: Mapping[str, Any]) -> str:
    if about["train"] is None:
        return "none"
    split = about.get("train_split")
    return (about["train"]["name"] or "a corpus") + (f", split {split}" if split else "")


def _undefined(rows: Mapping[str, SubsetRow]) -> list[tuple[str, str]]:
    return [(row.name, row.undefined) for row in rows.values() if row.undefined]


def _percent(metric: Metric) -> str:
    return "–" if metric.value is None else f"{100 * metric.value:.1f}%"


def _plain(metric: Metric) -> str:
    return "–" if metric.value is None else f"{100 * metric.value:.0f}"


def _range(metric: Metric) -> str:
    if metric.interval is None:
        return ""
    return "{:.1f} to {:.1f}".format(*(100 * edge for edge in metric.interval))


def _cell(metric: Metric, title: str) -> dict[str, Any]:
    interval = _range(metric)
    return {
        "text": "–" if metric.value is None else f"{100 * metric.value:.1f}",
        "interval": interval.replace(" to ", "–"),
        "share": round(45 * (metric.value or 0.0)),
        "title": f"{title}{f': {interval}' if interval else ''}",
    }


def _grid(rows: Mapping[str, SubsetRow], names: Sequence[str]) -> dict[str, Any]:
    """Systems down, subsets across, and below them the best, the mean and any system correct."""
    columns = [row for row in rows.values() if row.undefined is None]
    return {
        "columns": [
            {"name": _name(row.name), "n": f"{row.n:,}",
             "title": row.definition}
            for row in columns
        ],
        "rows": [
            {"name": name, "cells": [_cell(r.systems[name], f"{name}, {r.name}") for r in columns]}
            for name in names
        ],
        "together": [
            {"name": kind, "cells": [_cell(getattr(r, kind), f"{kind}, {r.name}") for r in columns]}
            for kind in _TOGETHER
        ],
    }  # fmt: skip


def _turned(grid: Mapping[str, Any]) -> dict[str, Any]:
    """The same with systems as columns, since there are many more types."""
    across = [*grid["rows"], *grid["together"]]
    return {
        "columns": [row["name"] for row in across],
        "rows": [
            {**column, "cells": [row["cells"][at] for row in across]}
            for at, column in enumerate(grid["columns"])
        ],
    }


def _panel(found: EntitiesResult) -> list[dict[str, Any]]:
    rows = []
    for name, system in found.systems.items():
        cells = [
            {**_cell(one.f1, f"{name}, {kind}"),
             "small": f"P {_plain(one.precision)} R {_plain(one.recall)}"}
            for kind, one in system.panel.items()
        ]  # fmt: skip
        cells += [{**_cell(m, f"{name}, {kind}"), "small": ""} for kind, m in system.iou.items()]
        rows.append({"name": name, "cells": cells})
    return rows


def _brittle(found: EntitiesResult, name: str) -> dict[str, Any]:
    one = found.systems[name].brittleness
    return {
        "name": name,
        "accuracy": metric_format.value(found.subsets["all"].systems[name]),
        "lost": "–" if one.lost is None else f"{one.lost:.0%}",
        "value": metric_format.value(one.spread),
        "interval": metric_format.interval(one.spread),
        "share": round(100 * (one.lost or 0.0)),
        "from": _name(one.best) if one.spread.value else "",
        "to": _name(one.worst) if one.spread.value else "",
    }


def _name(subset: str | None) -> str:
    return _NAMES.get(subset or "", (subset or "").replace("_", " "))


def _rest(found: EntitiesResult, name: str) -> dict[str, Any]:
    system = found.systems[name]
    parts, less, volume = system.compounds, system.cui_less, system.volume
    each = volume.concepts_per_answer
    return {
        "name": name,
        "cui_less": [metric_format.value(m) for m in (less.precision, less.recall, less.f1)],
        "interval": metric_format.interval(less.f1),
        "by_text": [
            {"f1": metric_format.value(one.f1), "interval": metric_format.interval(one.f1)}
            for one in system.cui_less_by_text.values()
        ],
        "compounds": f"{parts.recovered:,} of {parts.compounds:,}",
        "parts": f"{parts.missed_with_a_part_right:,} of {parts.missed:,}",
        "spans": f"{volume.spans:,}",
        "nowhere": f"{volume.nowhere:,}",
        "each": "–" if each is None else f"{each:.2f}",
    }


def _recognized(found: EntitiesResult) -> list[dict[str, Any]]:
    first = next(iter(found.systems.values())).recognized
    return [
        {
            "name": "all types" if kind == "all" else kind,
            "n": f"{first[kind].spans.n or 0:,}",
            "cells": [
                _percent(metric)
                for system in found.systems.values()
                for one in (system.recognized[kind],)
                for metric in (one.spans, one.concepts, one.precision)
            ],
        }
        for kind in list(first)[: _TYPES + 1]
    ]


def _causes(found: EntitiesResult) -> list[dict[str, Any]]:
    kinds = next(iter(found.systems.values())).causes
    return [
        {
            "name": kind.value,
            "says": DEFINITIONS[kind],
            "cells": [
                {
                    "text": f"{system.causes[kind]:,}",
                    "share": round(45 * system.causes[kind] / max(1, found.spans)),
                }
                for system in found.systems.values()
            ],
        }
        for kind in kinds
    ]


def _errors(found: EntitiesResult, name: str) -> Iterable[dict[str, Any]]:
    """The most frequent errors of a system by cause: text, gold concepts and predictions."""
    wrong: dict[tuple[str, Any, Any, Any], EntityMistake] = {}
    counted: Counter[tuple[str, Any, Any, Any]] = Counter()
    for one in found.wrong(name):
        nearby = tuple(near.codes for near in one.nearby)
        key = (one.cause.value, one.text, one.gold, (one.given, nearby))
        wrong.setdefault(key, one)
        counted[key] += 1
    shown_of: Counter[str] = Counter()
    chosen = []
    for key, count in counted.most_common():
        if shown_of[key[0]] < _ERRORS:
            shown_of[key[0]] += 1
            chosen.append((wrong[key], count))
    texts = _contexts(found, [one.note_id for one, _ in chosen])
    for one, count in chosen:
        text = texts.get(one.note_id) or ""
        yield {
            "system": name,
            "cause": one.cause.value,
            "count": f"{count:,}",
            "before": _cut(text[max(0, one.begin - _AROUND) : one.begin]),
            "marked": _cut(text[one.begin : one.end]),
            "after": _cut(text[one.end : one.end + _AROUND]),
            "note": one.note_id,
            "gold": [_named(found, code) for code in one.gold],
            "given": [_named(found, code) for code in one.given],
            "nearby": [
                {"text": _cut(text[near.begin : near.end]),
                 "codes": [_named(found, code) for code in near.codes]}
                for near in one.nearby
            ],
        }  # fmt: skip


def _cut(text: str) -> str:
    return " ".join(text.split("\n"))


def _contexts(found: EntitiesResult, note_ids: Sequence[str]) -> dict[str, str | None]:
    import polars as pl

    notes = found.gathered.corpus.lazy_notes.filter(pl.col("note_id").is_in(list(set(note_ids))))
    return dict(notes.select("note_id", "text").collect().iter_rows())


def _named(found: EntitiesResult, code: Code) -> dict[str, str]:
    know = found.gathered.terminology
    at = None if know is None else know.vocabulary.number_of(code)
    name = "" if know is None or at is None else know.vocabulary.name_at(at)
    return {"value": code.value, "name": name}


def _compared(found: EntitiesResult) -> list[dict[str, Any]]:
    return [
        {
            "metric": name,
            "first": one.first,
            "second": one.second,
            "difference": "–"
            if one.comparison.difference.value is None
            else f"{one.comparison.difference.value:+z.3f}",
            "interval": metric_format.interval(one.comparison.difference),
            "chance": metric_format.value(one.comparison.p_value),
            "differs": (one.comparison.p_value.value or 1.0) < 0.05,
        }
        for name, pairs in found.compared.items()
        for one in pairs
    ]
