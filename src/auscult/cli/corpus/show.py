"""`auscult corpus show`: a chart with its evidence, or a list of charts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.corpus.arguments import corpus_argument
from auscult.cli.options import annotators, limit, systems
from auscult.cli.output import command


@click.command("show")
@corpus_argument
@click.argument("chart", required=False)
@click.option("--note", help="Only this note of the chart.")
@annotators()
@systems
@limit(20)
@command
def show(
    corpus: Path,
    chart: str | None,
    note: str | None,
    annotators: tuple[str, ...],
    systems: tuple[str, ...],
    limit: int,
) -> Any:
    """Show the notes of a chart with the evidence highlighted, or list the charts.

    Prints the text of notes.

    \b
    Example:
      auscult corpus show mdace
      auscult corpus show mdace 102763 --annotator inpatient
    """
    from auscult.cli.show import list_charts, show_chart
    from auscult.corpus import Corpus

    opened = Corpus.open(corpus)
    part = opened.select(annotators=annotators or None, systems=systems or None)
    return list_charts(part, limit) if chart is None else show_chart(part, chart, note)
