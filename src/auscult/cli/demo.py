"""`auscult demo`: the whole of Auscult on the synthetic hospital, ending in a report."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import polars as pl

from auscult.cli.options import seed
from auscult.cli.output import command
from auscult.core import OptionError
from auscult.corpus import Corpus

T = TypeVar("T")
_MARKER = ".auscult-demo"
_CHARTS_SHOWN = 12
_SYNTHETIC = "Synthetic: this text was made by a program; no real patient is in it."


def make_demo(out: Path, *, patients: int, seed: int) -> dict[str, Any]:
    """Make the hospital, import it, examine it and write the report; says where it is."""
    from auscult.cli.demo_agreement import show_agreement
    from auscult.cli.demo_audit import show_audit
    from auscult.cli.demo_challenge import show_challenge
    from auscult.cli.demo_concepts import show_concepts
    from auscult.cli.demo_entities import show_entities
    from auscult.cli.demo_generator import show_generator
    from auscult.cli.demo_model import show_models, train_default, train_effectivecan
    from auscult.corpus import formats
    from auscult.corpus.doctor import examine
    from auscult.corpus.split import split_by_list
    from auscult.report.corpus_report import corpus_report
    from auscult.synth import hospital

    _clear(out)
    source = out / "hospital"
    _step(
        "make the synthetic hospital",
        lambda: hospital.make_hospital(source, patients=patients, seed=seed),
    )

    def collect() -> Corpus:
        notes = formats.read("mimic3", source / "mimic3")
        for specialty in ("Inpatient", "Profee"):
            evidence = formats.read("mdace", source / "mdace" / "data" / specialty / "ICD-10")
            notes = notes.merge(evidence)
        about = {
            "name": "synthetic hospital",
            "license": "Apache-2.0, made by Auscult",
            "source": f"auscult synth hospital --patients {patients} --seed {seed}",
            "access": "anyone: no real patient is in it",
        }
        return (
            split_by_list(notes, hospital.split_lists(source))
            .described(**about)
            .write(out / "corpus")
        )

    corpus = _step("import notes, billing codes and evidence", collect)
    findings = _step("let the doctor examine the corpus", lambda: examine(corpus))
    concepts = _step(
        "build a vocabulary, find its terms and ask for suggestions",
        lambda: show_concepts(source, corpus, out, shows_text=_SYNTHETIC),
    )
    entities = _step(
        "train a model for named entity recognition and linking, and evaluate it",
        lambda: show_entities(Corpus.open(out / "concepts"), out, seed=seed),
    )
    agreement = _step(
        "measure the agreement of three coders", lambda: show_agreement(source, corpus, out)
    )
    challenge = _step(
        "run a shared task to its leaderboard",
        lambda: show_challenge(Corpus.open(out / "coded"), out, seed=seed),
    )
    default = _step("train the default model", lambda: train_default(corpus, out, seed=seed))
    other = _step(
        "train EffectiveCAN with supervised attention",
        lambda: train_effectivecan(corpus, out, seed=seed),
    )
    models = _step(
        "predict codes and evidence of the test charts, evaluate and compare",
        lambda: show_models(corpus, out, default, other, shows_text=_SYNTHETIC),
    )
    audit = _step(
        "train readmission models and audit which words move them",
        lambda: show_audit(out, patients=patients, seed=seed),
    )
    generator = _step(
        "train a text generator on emergency records and evaluate its texts",
        lambda: show_generator(out, patients=patients, seed=seed, shows_text=_SYNTHETIC),
    )
    parts = (models, agreement, challenge, concepts, entities, audit, generator)
    left_out = [what for part in parts for what in part.left_out]
    index = _step(
        "write the report",
        lambda: corpus_report(
            corpus,
            out / "report",
            charts=_telling_charts(corpus),
            findings=findings,
            title="Synthetic hospital",
            lead=(
                f"{patients} patients who never lived. Their charts were written together with "
                "the evidence for every code, so that everything Auscult does can be tried, "
                "tested and shown without credentialed data."
            ),
            shows_text=_SYNTHETIC,
            pages=[page for part in parts for page in part.pages],
            left_out=left_out,
        ),
    )
    return {
        "report": str(index),
        "corpus": str(out / "corpus"),
        "vocabulary": str(out / "vocabulary"),
        "concepts": str(out / "concepts"),
        "finder": str(out / "finder"),
        "coded": str(out / "coded"),
        "challenge": str(out / "challenge"),
        "model": str(out / "model"),
        "effectivecan": None if isinstance(other, str) else str(out / "effectivecan"),
        "audit": str(out / "audit"),
        "predicted": str(out / "predicted"),
        "generator": str(out / "generator"),
        "written": str(out / "written"),
        "hospital": str(source),
        "left_out": left_out,
    }


def _clear(out: Path) -> None:
    """An earlier demo is replaced; anything else at that place is left alone."""
    if out.exists() and (out.is_file() or any(out.iterdir())) and not (out / _MARKER).exists():
        raise OptionError(f"{out} exists and is no earlier demo. Choose another name.")
    if out.exists():
        shutil.rmtree(out)
    out.mkdir(parents=True)
    (out / _MARKER).touch()


def _step(what: str, work: Callable[[], T]) -> T:
    started = time.monotonic()
    result = work()
    click.echo(f"{time.monotonic() - started:6.1f} s  {what}", err=True)
    return result


def _telling_charts(corpus: Corpus) -> list[str]:
    """Charts with evidence, spread over the corpus, in the order they come."""
    pointed = corpus.lazy_annotations.filter(pl.col("spans").list.len() > 0).select("chart_id")
    with_evidence = pointed.unique(maintain_order=True).collect()["chart_id"].to_list()
    step = max(1, len(with_evidence) // _CHARTS_SHOWN)
    return with_evidence[::step][:_CHARTS_SHOWN]


@click.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--patients", type=click.IntRange(1, 100_000), default=200, show_default=True, help="How many."
)
@seed
@command
def demo(out: Path, patients: int, seed: int) -> Any:
    """See all of Auscult at work on the synthetic hospital.

    Leaves a report to open in a browser, with the corpus and the hospital it was made from.

    \b
    Example:
      auscult demo demo
    """
    found = make_demo(out, patients=patients, seed=seed)

    def say() -> None:
        for what in found["left_out"]:
            click.echo(f"Left out: {what}")
        click.echo(f"Open {Path(found['report']).resolve()} in a browser.")

    return found, say
