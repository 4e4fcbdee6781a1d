"""`auscult report`: a coder at work on a corpus, as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.options import bootstrap
from auscult.cli.output import command
from auscult.core import OptionError


@click.command()
@click.argument("coder", type=click.Path(path_type=Path))
@click.argument("corpus", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--split", default="test", show_default=True, help="Split to code, or all.")
@click.option("--annotator", help="Whose codes are gold, when the corpus has several.")
@click.option("--charts", type=click.IntRange(0), default=8, show_default=True, help="To show.")
@bootstrap()
@click.option("--overwrite", is_flag=True, help="Replace the page that is at OUT.")
@command
def report(
    coder: Path,
    corpus: Path,
    out: Path,
    split: str,
    annotator: str | None,
    charts: int,
    times: int,
    overwrite: bool,
) -> Any:
    """Write a page that shows how right a CODER is on CORPUS, and for which words.

    The page quotes the notes: mind who may see it.

    \b
    Example:
      auscult report coder corpus report.html --split test --annotator inpatient
    """
    from auscult.coders.coder import Coder
    from auscult.corpus import Corpus
    from auscult.corpus.split import part_of
    from auscult.report.coder_report import assess, coder_report

    if out.exists() and not overwrite:
        raise OptionError(f"{out} exists already. Choose another name, or pass --overwrite.")
    loaded, opened = Coder.load(coder), Corpus.open(corpus)
    found = assess(loaded, part_of(opened, split), annotator=annotator, times=times)
    manifest = opened.manifest
    coder_report(
        found,
        out,
        about={
            "coder": f"{loaded.about.kind}, seed {loaded.about.seed}",
            "corpus": manifest.name,
            "split": split,
            "licence": manifest.licence or "not stated",
        },
        threshold=loaded.about.decoding.code_threshold,
        title=f"{loaded.about.kind} on {manifest.name}",
        charts=charts,
        shows_text=f"This page quotes notes of {manifest.name}. Who may see them: "
        f"{manifest.access or 'not stated; ask who holds the data'}.",
    )
    measured = found.codes.measures["micro_f1"]
    return (
        {"report": str(out), "codes": found.codes.to_dict(), "evidence": found.evidence.to_dict()},
        lambda: click.echo(f"{out}: {measured}"),
    )
