"""`auscult corpus show`: a chart with its evidence, or a list of charts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.corpus.arguments import corpus_argument
from auscult.cli.output import command
from auscult.core.names import require_known


@click.command("show")
@corpus_argument
@click.argument("chart", required=False)
@click.option("--note", help="Only this note of the chart.")
@click.option("--annotator", "annotators", multiple=True, help="Only annotations by these.")
@click.option("--system", "systems", multiple=True, help="Only codes of these systems.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="How many charts to list.",
)
@command
def show(
    corpus: Path,
    chart: str | None,
    note: str | None,
    annotators: tuple[str, ...],
    systems: tuple[str, ...],
    limit: int,
) -> Any:
    """Show a chart's notes with the evidence marked, or list the charts.

    The text of the notes is printed: mind who looks at your screen.

    \b
    Example:
      auscult corpus show mdace
      auscult corpus show mdace 102763 --annotator inpatient
    """
    from auscult.cli.show import list_charts, show_chart
    from auscult.corpus import Corpus

    opened = Corpus.open(corpus)
    for annotator in annotators:
        require_known(annotator, opened.manifest.annotators, "annotator")
    for system in systems:
        require_known(system, opened.manifest.systems, "code system")
    part = opened.select(annotators=annotators or None, systems=systems or None)
    return list_charts(part, limit) if chart is None else show_chart(part, chart, note)
