"""`auscult corpus show`: charts in the terminal, evidence in color and numbered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from auscult.cli.output import table
from auscult.codes import describe
from auscult.core import Annotation, Code, Note, OptionError, Status
from auscult.core.names import require_id
from auscult.corpus import Chart, Corpus

_COLORS = ("cyan", "green", "magenta", "yellow", "blue", "red")

Said = tuple[dict[str, Any], Callable[[], None]]


def list_charts(corpus: Corpus, limit: int) -> Said:
    """The first charts, with what each holds."""
    ids = corpus.chart_ids()
    rows = []
    for chart in corpus.charts(ids[:limit]):
        codes = {annotation.code for annotation in chart.annotations}
        pointed = {annotation.code for annotation in chart.annotations if annotation.spans}
        rows.append((chart.chart_id, len(chart.notes), len(codes), len(pointed)))
    rows.sort(key=lambda row: ids.index(row[0]))

    def say() -> None:
        table(None, ["chart", "notes", "codes", "codes with evidence"], rows)
        if len(ids) > limit:
            click.echo(f"… and {len(ids) - limit:,} more charts (--limit)")

    keys = ("chart_id", "notes", "codes", "with_evidence")
    return {"charts": [dict(zip(keys, row, strict=True)) for row in rows], "total": len(ids)}, say


def show_chart(corpus: Corpus, chart_id: str, note_id: str | None) -> Said:
    """One chart, or one note of it."""
    chart = next(corpus.charts([chart_id]), None)
    if chart is None:
        require_id(chart_id, corpus.chart_ids(), "chart")
        raise OptionError(
            f"Chart {chart_id} has no notes, and no annotations that match the options."
        )
    notes = [note for note in chart.notes if note_id in (None, note.note_id)]
    if note_id is not None:
        require_id(note_id, [note.note_id for note in chart.notes], "note in the chart")
    found = {
        "chart_id": chart_id,
        "notes": [{"note_id": n.note_id, "category": n.category, "text": n.text} for n in notes],
        "annotations": [a.to_dict() for a in chart.annotations],
    }

    shown = replace(chart, notes=tuple(notes))
    return found, lambda: say_chart(shown)


def say_chart(chart: Chart) -> None:
    """Print a chart's codes and its notes, evidence in color."""
    _say_codes(chart)
    for note in chart.notes:
        _say_note(note, [a for a in chart.annotations if a.note_id == note.note_id])


def _say_codes(chart: Chart) -> None:
    places: dict[tuple[str, Code], int] = {}
    scores: dict[tuple[str, Code], float] = {}
    given: set[tuple[str, Code]] = set()
    for annotation in chart.annotations:
        key = (annotation.annotator, annotation.code)
        places[key] = places.get(key, 0) + len(annotation.spans)
        if annotation.score is not None:
            scores[key] = max(annotation.score, scores.get(key, annotation.score))
        if annotation.status is Status.GIVEN:
            given.add(key)
    if not places:
        click.echo(f"Chart {chart.chart_id}: no codes")
        return
    rows = [
        [
            key[0], key[1].system, key[1].value, describe(key[1]) or "",
            *([f"{scores[key]:.2f}" if key in scores else ""] if scores else []),
            count if key in given else "not assigned",
        ]
        for key, count in places.items()
    ]  # fmt: skip
    columns = ["annotator", "system", "code", "description", *(["score"] if scores else [])]
    table(f"Chart {chart.chart_id}", [*columns, "spans"], rows)


def _say_note(note: Note, annotations: list[Annotation]) -> None:
    from rich.text import Text

    from auscult.cli.console import PlainConsole
    from auscult.core.segments import segments

    console = PlainConsole()
    heading = " · ".join(part for part in (note.note_id, note.category, note.time) if part)
    console.rule(Text(heading), align="left")
    if note.text is None:
        console.print("(the corpus has no text for this note)", style="dim")
        return
    line = Text()
    for segment in segments(note.text, annotations):
        if segment.on:
            color = _COLORS[segment.on[-1] % len(_COLORS)]
            line.append(segment.text, style=f"bold {color} underline")
        else:
            line.append(segment.text)
        for number in segment.ends:
            line.append(f"[{annotations[number].code.value}]", style="reverse dim")
    console.print(line)
