"""`auscult demo`: the whole of Auscult on the synthetic hospital, ending in a report."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click
import polars as pl

from auscult.cli.demo_part import DemoPart
from auscult.cli.options import seed
from auscult.cli.output import command
from auscult.core import OptionError
from auscult.core.progress import track
from auscult.corpus import Corpus

T = TypeVar("T")
_MARKER = ".auscult-demo"
_HOSPITAL, _CORPUS = "hospital", "corpus"
_CHARTS_SHOWN = 12
_SYNTHETIC = "Synthetic: this text was made by a program; no real patient is in it."


@dataclass(frozen=True, slots=True)
class DemoWork:
    """The parts that need no other part's result, so that several can run at once."""

    out: Path
    patients: int
    seed: int

    def begin(self) -> Callable[[str], DemoStep]:
        """What does a part, by its description."""
        return self._do

    def _do(self, what: str) -> DemoStep:
        started = time.monotonic()
        part = _PARTS[what](self)
        return DemoStep(what, time.monotonic() - started, part)

    def concepts(self) -> DemoPart:
        """Concepts, and a model of them."""
        from auscult.cli.demo_concepts import show_concepts
        from auscult.cli.demo_entities import show_entities

        found = show_concepts(self.out / _HOSPITAL, self._corpus(), self.out, shows_text=_SYNTHETIC)
        linked = show_entities(Corpus.open(self.out / "concepts"), self.out, seed=self.seed)
        return found + linked

    def coders(self) -> DemoPart:
        """Three coders, and a shared task that their vote is the gold of."""
        from auscult.cli.demo_agreement import show_agreement
        from auscult.cli.demo_challenge import show_challenge

        agreed = show_agreement(self.out / _HOSPITAL, self._corpus(), self.out)
        return agreed + show_challenge(Corpus.open(self.out / "coded"), self.out, seed=self.seed)

    def audit(self) -> DemoPart:
        """An audit."""
        from auscult.cli.demo_audit import show_audit

        return show_audit(self.out, patients=self.patients, seed=self.seed)

    def generator(self) -> DemoPart:
        """A text generator."""
        from auscult.cli.demo_generator import show_generator

        return show_generator(
            self.out, patients=self.patients, seed=self.seed, shows_text=_SYNTHETIC
        )

    def default(self) -> DemoPart:
        """The default model, of which `show_models` writes the page."""
        from auscult.cli.demo_model import train_default

        train_default(self._corpus(), self.out, seed=self.seed)
        return DemoPart(())

    def effectivecan(self) -> DemoPart:
        """EffectiveCAN, the same."""
        from auscult.cli.demo_model import train_effectivecan

        train_effectivecan(self._corpus(), self.out, seed=self.seed)
        return DemoPart(())

    def _corpus(self) -> Corpus:
        return Corpus.open(self.out / _CORPUS)


class DemoStep(NamedTuple):
    """A part that is done, and the seconds that it took."""

    what: str
    seconds: float
    part: DemoPart


# The longest last: by then most of the others are done and said to be.
_PARTS: Mapping[str, Callable[[DemoWork], DemoPart]] = {
    "annotate concepts, train a model for entity recognition and linking": DemoWork.concepts,
    "measure the agreement of three coders and run a shared task": DemoWork.coders,
    "train readmission models and audit which words move them": DemoWork.audit,
    "train a text generator on emergency records and evaluate its texts": DemoWork.generator,
    "train the default model": DemoWork.default,
    "train EffectiveCAN with supervised attention": DemoWork.effectivecan,
}


def make_demo(out: Path, *, patients: int, seed: int) -> dict[str, Any]:
    """Make the hospital, import it, examine it and write the report; says where it is."""
    from auscult.cli.demo_model import show_models
    from auscult.corpus import formats
    from auscult.corpus.doctor import examine
    from auscult.corpus.split import split_by_list
    from auscult.report.corpus_report import corpus_report
    from auscult.synth import hospital

    _clear(out)
    source = out / _HOSPITAL
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
            .write(out / _CORPUS)
        )

    corpus = _step("import notes, billing codes and evidence", collect)
    findings = _step("let the doctor examine the corpus", lambda: examine(corpus))
    others = _side_by_side(DemoWork(out, patients, seed))
    models = _step(
        "predict codes and evidence of the test charts, evaluate and compare",
        lambda: show_models(corpus, out, shows_text=_SYNTHETIC),
    )
    parts = models + others
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
            pages=parts.pages,
            left_out=parts.left_out,
        ),
    )
    network = out / "effectivecan"
    return {
        "report": str(index),
        **{
            name: str(out / name)
            for name in (
                *(_CORPUS, "vocabulary", "concepts", "finder", "coded", "challenge", "model"),
                *("audit", "predicted", "generator", "written", _HOSPITAL),
            )
        },
        "effectivecan": str(network) if network.exists() else None,
        "left_out": list(parts.left_out),
    }


def _side_by_side(work: DemoWork) -> DemoPart:
    """Do all parts, two at once where there are cores for it, and put them together."""
    from auscult.core.threads import allowed
    from auscult.engine import open_engine

    found = DemoPart(())
    with open_engine(workers=min(2, allowed())) as engine:
        for step in track(engine.run(work, _PARTS), "training and evaluating", len(_PARTS)):
            _say(step.seconds, step.what)
            found += step.part
    return found


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
    _say(time.monotonic() - started, what)
    return result


def _say(seconds: float, what: str) -> None:
    click.echo(f"{seconds:6.1f} s  {what}", err=True)


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
