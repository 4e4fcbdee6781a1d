"""`auscult corpus`: import, check, split, show and export corpora."""

from __future__ import annotations

import click

from auscult.cli.lazy import LazyGroup


@click.group(
    cls=LazyGroup,
    commands_at={
        "import": ("auscult.cli.corpus.exchange:import_", "Read a format into a corpus."),
        "doctor": (
            "auscult.cli.corpus.doctor:doctor",
            "Find what is wrong with a corpus, and what to do.",
        ),
        "info": ("auscult.cli.corpus.info:info", "Say what is in a corpus, in numbers."),
        "show": ("auscult.cli.corpus.show:show", "Show a chart with its evidence, or list charts."),
        "merge": ("auscult.cli.corpus.merge:merge", "Put several corpora together."),
        "select": ("auscult.cli.corpus.select:select", "Take the part of a corpus that fits."),
        "sample": ("auscult.cli.corpus.sample:sample", "Take a sample, and say what was left out."),
        "split": ("auscult.cli.corpus.split:split", "Divide a corpus into splits."),
        "mark-read": (
            "auscult.cli.corpus.mark_read:mark_read",
            "Mark charts as read by an annotator, including charts without codes.",
        ),
        "map": ("auscult.cli.corpus.map:map_", "Map codes to the other revision of ICD."),
        "export": ("auscult.cli.corpus.exchange:export", "Write a corpus in another format."),
    },
)
def corpus() -> None:
    """Import, check, split, show and export corpora.

    \b
    Example:
      auscult corpus import codiesp CodiEsp codiesp-corpus
      auscult corpus info codiesp-corpus
    """
