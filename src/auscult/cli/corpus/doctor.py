"""`auscult corpus doctor`: what is wrong with a corpus, and what to do."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import Any

import click

from auscult.cli.corpus.arguments import corpus_argument
from auscult.cli.options import examples, show_text
from auscult.cli.output import command, exit_with_1, table


@click.command("doctor")
@corpus_argument
@show_text
@click.option(
    "--entity-guidelines",
    "concepts",
    is_flag=True,
    help="Also check entity mentions against the annotation guidelines.",
)
@click.option(
    "--coding",
    is_flag=True,
    help="Also check the codes of each chart against the coding rules.",
)
@examples(1, least=1)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "remark"]),
    help="Exit with code 1 on findings of this severity or worse.",
)
@command
def doctor(
    corpus: Path,
    show_text: bool,
    concepts: bool,
    coding: bool,
    examples: int,
    fail_on: str | None,
) -> Any:
    """Check a corpus for problems; each comes with its severity and advice.

    Examples give the place; with --show-text they quote the notes. With --coding, the codes of
    each chart are checked as auscult codes check does, without their order, and a table counts
    the findings.

    \b
    Example:
      auscult corpus doctor mdace --fail-on error
      auscult corpus doctor mdace --coding --examples 3
    """
    from auscult.corpus import Corpus
    from auscult.corpus.doctor import Severity, examine

    opened = Corpus.open(corpus)
    findings = examine(
        opened, show_text=show_text, examples=examples, concepts=concepts, coding=coding
    )

    def say() -> None:
        for finding in findings:
            color = {"error": "red", "warning": "yellow"}.get(finding.severity)
            mark = click.style(f"{finding.severity:8}", fg=color, bold=True)
            click.echo(f"{mark} {finding.count:,} {finding.problem}")
            for example, text in zip_longest(finding.examples, finding.texts):
                click.echo(f"         e.g. {example}")
                if text is not None:
                    click.echo(f"         text {text!r}")
            click.echo(f"         {finding.advice}")
        if counted := [f for f in findings if f.check.startswith("coding-")]:
            rows = [(f.check.removeprefix("coding-"), f.severity, f.count) for f in counted]
            table("Coding rules", ["rule", "severity", "findings"], rows)
        if not findings:
            click.echo("No problems found.")

    if fail_on and any(f.severity.rank <= Severity(fail_on).rank for f in findings):
        exit_with_1()
    return {"corpus": str(corpus), "findings": [f.to_dict() for f in findings]}, say
