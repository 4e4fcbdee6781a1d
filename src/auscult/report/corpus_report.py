"""A corpus as pages: an overview, and charts with their evidence marked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from auscult.codes import describe
from auscult.core import Annotation, Code, Note
from auscult.core.progress import track
from auscult.corpus import Chart, Corpus
from auscult.corpus.doctor import Finding
from auscult.corpus.info import CorpusInfo, info
from auscult.report.page import write_page
from auscult.report.segments import Segment, segments

_LOOKS = 6
_QUOTED = 3


def corpus_report(
    corpus: Corpus,
    out: Path,
    *,
    charts: Sequence[str],
    findings: Sequence[Finding],
    title: str,
    lead: str,
    shows_text: str,
) -> Path:
    """Write the overview and a page for each of `charts`; gives the overview's file.

    The pages hold the text of the notes, so `shows_text` must say whose it is; every page with
    text shows it.
    """
    found = info(corpus)
    systems = list(found.systems)
    made = {"corpus": found.name, "licence": found.licence or "not stated"}
    listed = []
    for chart in track(list(corpus.charts(charts)), "writing chart pages"):
        page = f"chart-{_file_name(chart.chart_id)}.html"
        write_page(
            out / page,
            "chart.html",
            made=made,
            shows_text=shows_text,
            **_chart_values(chart, systems),
        )
        listed.append(_chart_row(chart, page))
    index = out / "index.html"
    write_page(
        index,
        "corpus.html",
        made=made,
        shows_text=None,
        title=title,
        lead=lead,
        tiles=_tiles(found),
        charts=listed,
        codes=_frequent_codes(corpus),
        groups=_groups(found),
        findings=findings,
    )
    return index


def _tiles(found: CorpusInfo) -> list[tuple[str, int]]:
    return [
        ("patients", found.subjects),
        ("charts", found.charts),
        ("notes", found.notes),
        ("annotations", found.annotations),
        ("spans of evidence", found.spans),
        ("different codes", found.codes),
    ]


def _groups(found: CorpusInfo) -> list[dict[str, Any]]:
    made = []
    for name, counts in (
        ("Notes by category", found.categories),
        ("Annotations by annotator", found.annotators),
        ("Annotations by code system", found.systems),
        ("Notes by split", found.splits),
    ):
        if counts:
            most = max(counts.values())
            made.append(
                {
                    "title": name,
                    "rows": [
                        {"name": key, "count": count, "share": round(100 * count / most)}
                        for key, count in list(counts.items())[:12]
                    ],
                }
            )
    return made


def _frequent_codes(corpus: Corpus, most: int = 20) -> list[dict[str, Any]]:
    counted = (
        corpus.annotations.group_by("system", "code")
        .agg(pl.col("chart_id").n_unique().alias("charts"))
        .sort(["charts", "system", "code"], descending=[True, False, False])
        .head(most)
        .collect()
    )
    top = max(counted["charts"].to_list(), default=1)
    return [
        {
            "system": system,
            "value": value,
            "description": describe(Code(system, value)) or f"{system} code",
            "count": charts,
            "share": round(100 * charts / top),
        }
        for system, value, charts in counted.iter_rows()
    ]


def _chart_row(chart: Chart, page: str) -> dict[str, Any]:
    codes = list(dict.fromkeys(a.code for a in chart.annotations if a.spans))
    return {
        "page": page,
        "chart_id": chart.chart_id,
        "subject_id": next((note.subject_id for note in chart.notes), None),
        "notes": len(chart.notes),
        "codes": len({a.code for a in chart.annotations}),
        "evidence": sum(1 for a in chart.annotations if a.spans),
        "some": [describe(code) or code.value for code in codes[:3]],
    }


def _chart_values(chart: Chart, systems: Sequence[str]) -> dict[str, Any]:
    keys: dict[tuple[str, Code], str] = {}
    for annotation in chart.annotations:
        keys.setdefault((annotation.annotator, annotation.code), f"k{len(keys)}")
    texts = {note.note_id: note.text for note in chart.notes}

    def look(code: Code) -> str:
        return f"s{systems.index(code.system) % _LOOKS + 1}"

    def key_of(annotation: Annotation) -> str:
        return keys[annotation.annotator, annotation.code]

    def as_note(number: int, note: Note) -> dict[str, Any]:
        on = [a for a in chart.annotations if a.note_id == note.note_id and a.spans]
        cut = None if note.text is None else segments(note.text, on)
        return {
            "note_id": note.note_id,
            "anchor": f"note-{number}",
            "category": note.category,
            "time": (note.time or "").replace("T", " ").removesuffix(":00"),
            "evidence": len(on),
            "segments": None if cut is None else [as_segment(s, on) for s in cut],
        }

    def as_segment(segment: Segment, on: Sequence[Annotation]) -> dict[str, Any]:
        depth = {0: "", 1: "", 2: " two"}.get(len(segment.on), " three")
        ends: dict[Code, list[str]] = {}
        for number in segment.ends:
            ends.setdefault(on[number].code, []).append(key_of(on[number]))
        return {
            "text": segment.text,
            "on": [key_of(on[n]) for n in segment.on],
            "look": look(on[segment.on[-1]].code) + depth if segment.on else "",
            "tags": [
                {"value": code.value, "keys": keys, "look": look(code)}
                for code, keys in ends.items()
            ],
        }

    annotators: dict[str, list[dict[str, Any]]] = {}
    for (annotator, code), key in keys.items():
        mine = [a for a in chart.annotations if (a.annotator, a.code) == (annotator, code)]
        annotators.setdefault(annotator, []).append(
            {
                "key": key,
                "value": code.value,
                "system": code.system,
                "description": describe(code),
                "look": look(code),
                "places": sum(1 for a in mine if a.spans),
                "evidence": _quotes(mine, texts),
            }
        )
    pointed = sum(1 for a in chart.annotations if a.spans)
    return {
        "title": f"Chart {chart.chart_id}",
        "chart_id": chart.chart_id,
        "lead": f"{len(chart.notes)} notes, {len(keys)} codes, {pointed} pieces of evidence. "
        "Choose a code to go through its evidence.",
        "notes": [as_note(number, note) for number, note in enumerate(chart.notes, 1)],
        "annotators": [
            {"name": name, "codes": sorted(codes, key=lambda c: -c["places"])}
            for name, codes in sorted(
                annotators.items(), key=lambda item: -max(c["places"] for c in item[1])
            )
        ],
    }


def _quotes(annotations: Sequence[Annotation], texts: dict[str, str | None]) -> list[str]:
    """A few of the phrases that were pointed at, each once."""
    quoted: dict[str, None] = {}
    for annotation in annotations:
        text = texts.get(annotation.note_id or "")
        if text is not None and annotation.spans:
            phrase = " … ".join(text[s.begin : s.end] for s in annotation.spans)
            quoted.setdefault(" ".join(phrase.split()))
    return list(quoted)[:_QUOTED]


def _file_name(chart_id: str) -> str:
    return re.sub(r"[^\w.-]", "_", chart_id)
