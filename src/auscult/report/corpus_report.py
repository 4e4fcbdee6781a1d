"""A corpus as pages: an overview, and charts with highlighted evidence."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from auscult.codes import describe, table_of
from auscult.codes.cpt import section
from auscult.core import Annotation, Code, Note
from auscult.core.progress import track
from auscult.core.segments import TextSegment, segments
from auscult.corpus import Chart, Corpus
from auscult.corpus.doctor import Finding
from auscult.corpus.info import CorpusInfo, info
from auscult.report.page import PageLink, write_page

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
    pages: Sequence[PageLink] = (),
    left_out: Sequence[str] = (),
) -> Path:
    """Write the overview and a page for each of `charts`; gives the overview's file.

    `pages` are others to refer to; `left_out` says what is on none of them, and why.

    The pages hold the text of the notes, so `shows_text` must say whose it is; every page with
    text shows it.
    """
    found = info(corpus)
    systems = list(found.systems)
    made = {"corpus": found.name, "license": found.license or "not stated"}
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
        pages=pages,
        left_out=left_out,
        charts=listed,
        codes=_frequent_codes(corpus),
        groups=_groups(found),
        findings=findings,
        sound=_sound(corpus, found, {finding.check for finding in findings}),
    )
    return index


def _tiles(found: CorpusInfo) -> list[tuple[str, int]]:
    return [
        ("patients", found.subjects),
        ("charts", found.charts),
        ("notes", found.notes),
        ("annotations", found.annotations),
        ("evidence spans", found.spans),
        ("distinct codes", found.codes),
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


def _sound(corpus: Corpus, found: CorpusInfo, failed: Collection[str]) -> list[str]:
    """The checks that passed; a check with nothing to examine is not listed."""
    sound = []
    examined = found.spans and found.notes_without_text < found.notes
    if examined and not {"span-out-of-range", "empty-span", "filler-only"} & set(failed):
        sound.append("every span covers text")
    listed = [system for system in found.systems if table_of(system) is not None]
    if listed and not {"unknown-code", "malformed-code"} & set(failed):
        rest = [system for system in found.systems if system not in listed]
        without = (
            f" ({', '.join(rest)} {'have' if len(rest) > 1 else 'has'} no table)" if rest else ""
        )
        sound.append(f"every code of {', '.join(listed)} is in its code table{without}")
    if len(found.splits) > 1 and not {"patient-in-two-splits", "chart-in-two-splits"} & set(failed):
        has_patients = (
            corpus.lazy_notes.select(pl.col("subject_id").is_not_null().any()).collect().item()
        )
        sound.append(f"no {'patient' if has_patients else 'chart'} is in two splits")
    return sound


def _frequent_codes(corpus: Corpus, most: int = 6) -> list[tuple[str, list[dict[str, Any]]]]:
    """The codes that most charts have, of each system; the systems in most use first."""
    counted = (
        corpus.lazy_annotations.group_by("system", "code")
        .agg(pl.col("chart_id").n_unique().alias("charts"))
        .sort(["charts", "system", "code"], descending=[True, False, False])
        .collect()
    )
    top = max(counted["charts"].to_list(), default=1)
    return [
        (
            str(system),
            [
                {
                    "value": value,
                    "description": _described(Code(str(system), value)),
                    "count": charts,
                    "share": round(100 * charts / top),
                }
                for _, value, charts in rows.head(most).iter_rows()
            ],
        )
        for (system,), rows in counted.group_by("system", maintain_order=True)
    ]


def _described(code: Code) -> str | None:
    """What a code is called; of CPT, whose descriptions are licensed, its section."""
    return section(code.value) if code.system == "CPT" else describe(code)


def _number_of_codes(chart: Chart) -> int:
    """Distinct codes, over all annotators."""
    return len({annotation.code for annotation in chart.annotations})


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _chart_row(chart: Chart, page: str) -> dict[str, Any]:
    codes = list(dict.fromkeys(a.code for a in chart.annotations if a.spans))
    return {
        "page": page,
        "chart_id": chart.chart_id,
        "subject_id": next((note.subject_id for note in chart.notes), None),
        "notes": len(chart.notes),
        "codes": _number_of_codes(chart),
        "evidence": sum(1 for a in chart.annotations if a.spans),
        "some": [describe(code) or str(code) for code in codes[:3]],
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

    def as_segment(segment: TextSegment, on: Sequence[Annotation]) -> dict[str, Any]:
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
                "description": _described(code),
                "look": look(code),
                "places": sum(1 for a in mine if a.spans),
                "evidence": _quotes(mine, texts),
            }
        )
    pointed = sum(1 for a in chart.annotations if a.spans)
    return {
        "title": f"Chart {chart.chart_id}",
        "chart_id": chart.chart_id,
        "lead": f"{_count(len(chart.notes), 'note')}, {_count(_number_of_codes(chart), 'code')} by "
        f"{_count(len(annotators), 'annotator')}, {_count(pointed, 'annotation')} with evidence. "
        "Select a code to step through its evidence.",
        "notes": [as_note(number, note) for number, note in enumerate(chart.notes, 1)],
        "annotators": [
            {"name": name, "codes": sorted(codes, key=lambda c: -c["places"])}
            for name, codes in sorted(
                annotators.items(), key=lambda item: -max(c["places"] for c in item[1])
            )
        ],
    }


def _quotes(annotations: Sequence[Annotation], texts: dict[str, str | None]) -> list[str]:
    """A few of the annotated phrases, each once."""
    quoted: dict[str, None] = {}
    for annotation in annotations:
        text = texts.get(annotation.note_id or "")
        if text is not None and annotation.spans:
            phrase = " … ".join(text[s.begin : s.end] for s in annotation.spans)
            quoted.setdefault(" ".join(phrase.split()))
    return list(quoted)[:_QUOTED]


def _file_name(chart_id: str) -> str:
    return re.sub(r"[^\w.-]", "_", chart_id)
