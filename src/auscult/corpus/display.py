"""Text and notebook representations of a corpus and a chart."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl
from polars.exceptions import PolarsError

from auscult.core import Annotation, CorpusError, Note
from auscult.core.results import html_table
from auscult.core.segments import segments

if TYPE_CHECKING:
    from auscult.corpus.corpus import Chart, Corpus

_NAMES = 6
_COLORS = ("#fff3b0", "#c9e4ff", "#d5f2d0", "#ffd9c9", "#e4d7ff", "#d8e0e6")
_QUOTES = "This page quotes clinical notes. Handle it under the same rules as the notes."


def summary(corpus: Corpus) -> str:
    """The corpus in a few lines: what the manifest says, or else counts."""
    where = "in memory" if corpus.path is None else str(corpus.path)
    lines = [f"Corpus {corpus.manifest.name or 'without a name'} ({where})"]
    try:
        lines += [f"  {name:<12}{said}" for name, said in _counted(corpus).items()]
    except (CorpusError, PolarsError):
        # A repr must not fail, even when the files have changed under it.
        lines.append("  its tables cannot be read")
    return "\n".join(lines)


def corpus_html(corpus: Corpus) -> str:
    """The same as a small table, with charts, categories and splits."""
    name = html.escape(corpus.manifest.name or "without a name")
    notes = corpus.lazy_notes
    rows = {
        **_counted(corpus),
        "charts": f"{len(corpus.chart_ids()):,}",
        "categories": _listed(_counts(notes, "category")),
        "splits": _listed(_counts(notes, "split")),
    }
    return f"<p><b>Corpus {name}</b></p>" + html_table(("table", "rows"), list(rows.items()))


def chart_html(chart: Chart) -> str:
    """The notes of a chart with the evidence marked, and the codes that have no evidence."""
    codes = list(dict.fromkeys(str(a.code) for a in chart.annotations))
    colors = {code: _COLORS[at % len(_COLORS)] for at, code in enumerate(codes)}
    plain = [a for a in chart.annotations if not a.spans]
    listed = ", ".join(dict.fromkeys(f"{a.code} ({a.annotator})" for a in plain))
    parts = [
        f"<p><b>Chart {html.escape(chart.chart_id)}</b><br><small>{_QUOTES}</small></p>",
        f"<p>Codes without evidence: {html.escape(listed)}</p>" if listed else "",
        *(_note_html(note, chart.annotations, colors) for note in chart.notes),
    ]
    return "".join(parts)


def _note_html(note: Note, annotations: Sequence[Annotation], colors: Mapping[str, str]) -> str:
    said = " · ".join(filter(None, (note.note_id, note.category, note.time)))
    if note.text is None:
        return f"<p>{html.escape(said)}: no text</p>"
    mine = [a for a in annotations if a.spans and a.note_id == note.note_id]
    pieces = []
    for piece in segments(note.text, mine):
        text = html.escape(piece.text)
        if not piece.on:
            pieces.append(text)
            continue
        names = dict.fromkeys(f"{mine[at].code} ({mine[at].annotator})" for at in piece.on)
        color = colors[str(mine[piece.on[0]].code)]
        title = html.escape(", ".join(names), quote=True)
        ends = dict.fromkeys(mine[at].code.value for at in piece.ends)
        labels = f"<sup>{html.escape(', '.join(ends))}</sup>" if ends else ""
        mark = f'<mark style="background:{color}" title="{title}">{text}</mark>'
        pieces.append(mark + labels)
    return (
        f"<details open><summary>{html.escape(said)}</summary>"
        f'<div style="white-space:pre-wrap">{"".join(pieces)}</div></details>'
    )


def _counted(corpus: Corpus) -> dict[str, str]:
    manifest = corpus.manifest
    if corpus.path is None:
        annotators = _counts(corpus.lazy_annotations, "annotator")
        systems = _counts(corpus.lazy_annotations, "system")
        notes = _rows(corpus.lazy_notes)
        records = None if corpus.lazy_records is None else _rows(corpus.lazy_records)
    else:  # nothing needs to be read
        annotators, systems = manifest.annotators, manifest.systems
        notes = manifest.files["notes.parquet"].rows
        held = manifest.files.get("records.parquet")
        records = None if held is None else held.rows
    found = {
        "notes": f"{notes:,}",
        "annotations": f"{sum(annotators.values()):,}",
        "annotators": _listed(annotators),
        "systems": _listed(systems),
    }
    return found if records is None else {**found, "records": f"{records:,}"}


def _rows(table: pl.LazyFrame) -> int:
    return int(table.select(pl.len()).collect().item())


def _counts(table: pl.LazyFrame, column: str) -> dict[str, int]:
    counted = table.drop_nulls(column).group_by(column).len().collect()
    return dict(counted.iter_rows())


def _listed(counts: Mapping[str, int]) -> str:
    """Names with their counts, the largest first, and how many more there are."""
    order = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{name} {count:,}" for name, count in order[:_NAMES])
    more = len(order) - _NAMES
    return f"{shown} and {more:,} more" if more > 0 else shown or "none"
