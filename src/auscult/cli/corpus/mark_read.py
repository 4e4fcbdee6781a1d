"""`auscult corpus mark-read`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import click

from auscult.cli.corpus.arguments import corpus_argument, ids_in, out_argument
from auscult.cli.options import overwrite, splits
from auscult.cli.output import command
from auscult.core.names import require_id


@click.command("mark-read")
@corpus_argument
@out_argument
@click.option("--annotator", required=True, help="Annotator who has read the charts.")
@splits
@click.option(
    "--chart-list",
    "file",
    type=click.Path(path_type=Path),
    help="Only the charts in this file, one id per line.",
)
@overwrite
@command
def mark_read(
    corpus: Path,
    out: Path,
    annotator: str,
    splits: tuple[str, ...],
    file: Path | None,
    overwrite: bool,
) -> Any:
    """Mark charts as read by an annotator, including charts without codes.

    A chart on which the annotator has no annotation counts as unread and is left out of training
    and evaluation. Once marked, it counts as a chart without codes. CORPUS does not change.

    \b
    Example:
      auscult corpus mark-read coded coded-read --annotator coder_a
      auscult corpus mark-read coded coded-read --annotator coder_a --chart-list done.txt
    """
    from auscult.corpus import Corpus
    from auscult.corpus.readers import mark_read as mark
    from auscult.corpus.readers import read_charts

    opened = Corpus.open(corpus)
    part = opened.select(splits=splits) if splits else opened
    charts = set(part.chart_ids())
    if file is not None:
        listed = ids_in(file)
        for chart in listed:
            require_id(chart, charts, "chart")
        charts &= set(listed)
    before = read_charts(opened, [annotator])
    if not before:
        warnings.warn(
            f"{annotator} has neither annotated nor read a chart of {corpus} yet. Check the "
            "spelling.",
            stacklevel=2,
        )
    mark(opened, annotator, charts).write(out, overwrite=overwrite)
    found = {"corpus": str(out), "annotator": annotator, "marked": len(charts - before)}
    found["read"] = len(charts | before)
    return found, lambda: click.echo(
        f"{out}: {annotator} has now read {found['read']:,} charts; {found['marked']:,} are newly "
        "marked"
    )
