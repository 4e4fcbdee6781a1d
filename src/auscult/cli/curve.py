"""`auscult curve`: the learning curve of a workbench project, as an HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.options import (
    annotators,
    bootstrap,
    config,
    hyperparameters,
    overwrite,
    seed,
    systems,
)
from auscult.cli.output import command, table
from auscult.cli.settings import read_toml, setting
from auscult.core import OptionError

_path = click.Path(path_type=Path)


@click.command()
@click.argument("corpus", type=_path)
@click.argument("out", type=_path)
@click.option(
    "--model",
    "kind",
    default="ensemble",
    show_default=True,
    help="Architecture to train, as for auscult train.",
)
@click.option(
    "--charts-per-batch",
    "size",
    type=click.IntRange(1),
    metavar="N",
    help="Charts per batch.  [default: a fifth of the finished charts]",
)
@config
@hyperparameters
@annotators("gold")
@systems
@bootstrap()
@seed
@overwrite
@command
def curve(
    corpus: Path,
    out: Path,
    kind: str,
    size: int | None,
    file: Path | None,
    settings: tuple[str, ...],
    annotators: tuple[str, ...],
    systems: tuple[str, ...],
    times: int,
    seed: int,
    overwrite: bool,
) -> Any:
    """Write the learning curve of CORPUS, a project exported from the workbench, to OUT.

    Charts are taken in the order in which they were finished. Before each batch, a model is trained
    on the charts finished before it and evaluated on the batch, beside the model codebook without
    training and the share of suggestions that coders accepted. Export the project with its
    suggestions. The page quotes no note.

    \b
    Example:
      auscult curve export curve.html
      auscult curve export curve.html --model codebook --charts-per-batch 50
    """
    from auscult.corpus import Corpus
    from auscult.experiment.batch_curves import batch_curve
    from auscult.report.curve_report import curve_report

    if out.exists() and not overwrite:
        raise OptionError(f"{out} exists already. Choose another name, or pass --overwrite.")
    opened = Corpus.open(corpus)
    found = batch_curve(
        opened,
        kind,
        {**(read_toml(file) if file else {}), **dict(map(setting, settings))},
        size=size,
        annotators=annotators,
        systems=systems,
        times=times,
        seed=seed,
    )
    manifest = opened.manifest
    about = {"corpus": manifest.name, "model": f"{kind}, seed {seed}"}
    curve_report(found, out, about=about, title=f"Learning curve of {manifest.name}")

    def say() -> None:
        table(
            None,
            ["batch", "charts", "trained on", f"{kind}, trained", "codebook alone", "accepted"],
            [
                (
                    one.number,
                    one.charts,
                    one.trained_on,
                    f"{one.trained:.3f}",
                    f"{one.codebook:.3f}",
                    f"{one.accepted_share:.0%}",
                )
                for one in found.batches
            ],
        )
        click.echo(str(out))

    return {"report": str(out), **found.to_dict()}, say
