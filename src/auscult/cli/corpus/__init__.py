"""`auscult corpus`: import, check, split, show and export corpora."""

from __future__ import annotations

import click

from auscult.cli.lazy import LazyGroup


@click.group(
    cls=LazyGroup,
    commands_at={
        "import": ("auscult.cli.corpus.exchange:import_", "Import a corpus from another format."),
        "doctor": (
            "auscult.cli.corpus.doctor:doctor",
            "Check a corpus for problems, with advice.",
        ),
        "info": ("auscult.cli.corpus.info:info", "Summarize a corpus in numbers."),
        "show": ("auscult.cli.corpus.show:show", "Show a chart with its evidence, or list charts."),
        "merge": ("auscult.cli.corpus.merge:merge", "Merge several corpora."),
        "select": ("auscult.cli.corpus.select:select", "Select part of a corpus."),
        "sample": ("auscult.cli.corpus.sample:sample", "Sample a corpus, by stratum."),
        "split": ("auscult.cli.corpus.split:split", "Split a corpus into train, dev and test."),
        "mark-read": (
            "auscult.cli.corpus.mark_read:mark_read",
            "Mark charts as read by an annotator, including charts without codes.",
        ),
        "map": ("auscult.cli.corpus.map:map_", "Map codes between ICD-9 and ICD-10."),
        "export": ("auscult.cli.corpus.exchange:export", "Export a corpus to another format."),
    },
)
def corpus() -> None:
    """Import, check, split, show and export corpora.

    \b
    Example:
      auscult corpus import codiesp CodiEsp codiesp-corpus
      auscult corpus info codiesp-corpus
    """
