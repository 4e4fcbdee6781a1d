"""`auscult report`: predictions against gold, as an HTML report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.inputs import opened_side
from auscult.cli.options import (
    annotator,
    bootstrap,
    examples,
    overwrite,
    predicted_annotator,
    seed,
    split,
)
from auscult.cli.output import command
from auscult.core import OptionError

if TYPE_CHECKING:
    from auscult.corpus import Corpus
    from auscult.experiment import Assessment
    from auscult.models.model import Model

_path = click.Path(path_type=Path)


@click.command()
@click.argument("gold", type=_path)
@click.argument("predicted", type=_path)
@click.argument("out", type=_path)
@click.option(
    "--trained-model",
    "path",
    type=_path,
    help="Model that made PREDICTED, for its threshold and for metrics by training frequency.",
)
@split("test")
@annotator
@predicted_annotator
@examples(8)
@bootstrap()
@seed
@overwrite
@command
def report(
    gold: Path,
    predicted: Path,
    out: Path,
    path: Path | None,
    split: str,
    annotator: str | None,
    predicted_annotator: str | None,
    examples: int,
    times: int,
    seed: int,
    overwrite: bool,
) -> Any:
    """Write an HTML report on PREDICTED against GOLD: metrics, plots and example charts.

    GOLD and PREDICTED are as in `auscult evaluate`. Curves need scores for all codes, and evidence
    for missed codes has to be requested: run predict with --ranked all and --codes-of.

    The report quotes notes.

    \b
    Example:
      auscult predict model corpus predicted --split test --ranked all --codes-of inpatient
      auscult report corpus predicted report.html --trained-model model --annotator inpatient
    """
    from auscult.corpus.split import part_of
    from auscult.experiment import assess_predictions
    from auscult.models.model import Model
    from auscult.models.seen_charts import warn_if_seen
    from auscult.report.model_report import model_report

    if out.exists() and not overwrite:
        raise OptionError(f"{out} exists already. Choose another name, or pass --overwrite.")
    opened = opened_side(gold)
    part = part_of(opened, split)
    model = None if path is None else Model.load(path)
    if model is not None:
        warn_if_seen(model, part, part.chart_ids())
    found = assess_predictions(
        part,
        opened_side(predicted),
        annotator=annotator,
        predicted_annotator=predicted_annotator,
        model=model,
        times=times,
        seed=seed,
    )
    manifest = opened.manifest
    model_report(
        found,
        out,
        about=_about(found, model, opened, split),
        title=f"{_named(found, model)} on {manifest.name}",
        charts=examples,
        shows_text=f"This page quotes notes of {manifest.name}. Who may see them: "
        f"{manifest.access or 'not stated; ask who holds the data'}.",
    )
    micro = found.codes.metrics["micro_f1"]
    return (
        {"report": str(out), "codes": found.codes.to_dict(), "evidence": found.evidence.to_dict()},
        lambda: click.echo(f"{out}: {micro}"),
    )


def _named(found: Assessment, model: Model | None) -> str:
    """How the report names the predictions."""
    return found.predicted_annotator or "Predictions" if model is None else model.about.kind


def _about(found: Assessment, model: Model | None, gold: Corpus, split: str) -> dict[str, str]:
    """Provenance of the report."""
    who = (
        {"predictions": _named(found, None)}
        if model is None
        else {"model": f"{model.about.kind}, seed {model.about.seed}"}
    )
    return {
        **who,
        "corpus": gold.manifest.name,
        "split": split,
        "license": gold.manifest.license or "not stated",
    }
