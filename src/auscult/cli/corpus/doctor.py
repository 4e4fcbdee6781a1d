"""`auscult corpus doctor`: what is wrong with a corpus, and what to do."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import Any

import click

from auscult.cli.corpus.arguments import corpus_argument
from auscult.cli.output import command, exit_with_1


@click.command("doctor")
@corpus_argument
@click.option("--show-text", is_flag=True, help="Quote the notes in the examples.")
@click.option("--concepts", is_flag=True, help="Check the guidelines for marking concepts too.")
@click.option(
    "--examples",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How many places to name for each finding.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "remark"]),
    help="Exit with 1 when there is a finding as bad as this, for use in scripts.",
)
@command
def doctor(
    corpus: Path, show_text: bool, concepts: bool, examples: int, fail_on: str | None
) -> Any:
    """Find what is wrong with a corpus, how bad it is, and what to do.

    Examples say where, and quote no text unless asked to.

    \b
    Example:
      auscult corpus doctor mdace --fail-on error
    """
    from auscult.corpus import Corpus
    from auscult.corpus.doctor import Severity, examine

    opened = Corpus.open(corpus)
    findings = examine(opened, show_text=show_text, examples=examples, concepts=concepts)

    def say() -> None:
        for finding in findings:
            colour = {"error": "red", "warning": "yellow"}.get(finding.severity)
            mark = click.style(f"{finding.severity:8}", fg=colour, bold=True)
            click.echo(f"{mark} {finding.count:,} {finding.problem}")
            for example, text in zip_longest(finding.examples, finding.texts):
                click.echo(f"         e.g. {example}")
                if text is not None:
                    click.echo(f"         text {text!r}")
            click.echo(f"         {finding.advice}")
        if not findings:
            click.echo("Nothing found.")

    if fail_on and any(f.severity.rank <= Severity(fail_on).rank for f in findings):
        exit_with_1()
    return {"corpus": str(corpus), "findings": [f.to_dict() for f in findings]}, say
