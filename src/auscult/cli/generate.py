"""`auscult generate`: synthetic text from records, and its evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.lazy import StoryGroup
from auscult.cli.options import (
    bootstrap,
    category,
    config,
    dev_split,
    drop_column,
    hyperparameters,
    overwrite,
    report,
    seed,
    split,
    train_split,
)
from auscult.cli.output import command, counted, pair, table
from auscult.cli.settings import read_toml, setting
from auscult.core import Metric, OptionError
from auscult.generators import GENERATORS

if TYPE_CHECKING:
    from auscult.evaluate.text import SyntheticResult
    from auscult.experiment.classifier_gap import Gap

_PATH = click.Path(path_type=Path)


@click.group(
    cls=StoryGroup,
    story={
        "train": "Train a text generator on records and their texts.",
        "texts": "Generate a synthetic text for each record.",
        "evaluate": "Evaluate synthetic texts against authentic ones.",
    },
)
def generate() -> None:
    """Train text generators, generate synthetic text from records, and evaluate it.

    \b
    Example:
      auscult corpus import neiss neiss.csv visits
      auscult corpus split visits visits-split --share train=0.8 --share test=0.2
      auscult generate train visits-split generator
      auscult generate texts generator visits-split synthetic --split test
      auscult generate evaluate visits-split synthetic
    """


@generate.command("train")
@click.argument("corpus", type=_PATH)
@click.argument("out", type=_PATH)
@click.option("--generator", "kind", default="transformer", show_default=True,
              help=f"Text generator: {', '.join(GENERATORS)}.")  # fmt: skip
@config
@hyperparameters
@click.option(
    "--variable",
    "variables",
    multiple=True,
    help="Column of the records to generate from; repeatable.  [default: all]",
)
@drop_column
@category
@train_split
@dev_split
@seed
@overwrite
@command
def train_generator(
    corpus: Path,
    out: Path,
    kind: str,
    file: Path | None,
    settings: tuple[str, ...],
    variables: tuple[str, ...],
    drop_columns: tuple[str, ...],
    category: str | None,
    train: str,
    dev: str | None,
    seed: int,
    overwrite: bool,
) -> Any:
    """Train a text generator on the training records of CORPUS and save it to OUT.

    Test records are never used. After an interruption, the same command resumes training. Only
    words that occur in the texts of enough patients can be generated.

    \b
    Example:
      auscult generate train visits generator
      auscult generate train visits baseline --generator frequent \\
        --set 'group_by=["diagnosis", "body_part"]'
    """
    from auscult.corpus import Corpus
    from auscult.generators.fitting import train_generator as train_one

    config = {
        **(read_toml(file) if file else {}),
        **({"variables": variables} if variables else {}),
        **({"exclude": drop_columns} if drop_columns else {}),
        **({"category": category} if category else {}),
        **dict(map(setting, settings)),
    }
    generator = train_one(
        Corpus.open(corpus),
        out,
        kind,
        config,
        seed=seed,
        train_split=train,
        dev_split=dev,
        overwrite=overwrite,
    )
    about = generator.about
    without = about.source.without_text
    variables_known = [one.name for one in about.encoder.variables]
    found = {
        "generator": str(out),
        "kind": kind,
        "records": about.source.records,
        "dev_records": about.source.dev_records,
        "without_text": without,
        "variables": variables_known,
        "left_out": list(about.encoder.left_out),
        "places": about.encoder.size,
    }
    return found, lambda: click.echo(
        f"{out}: {kind}, trained on {counted(about.source.records, 'record')} with "
        f"{counted(len(variables_known), 'variable')}"
        + (f"; left out: {', '.join(about.encoder.left_out)}" if about.encoder.left_out else "")
        + (f"; {counted(without, 'record')} without a text" if without else "")
    )


@generate.command("texts")
@click.argument("generator", type=_PATH)
@click.argument("records", type=_PATH)
@click.argument("out", type=_PATH)
@split("test")
@click.option(
    "--decode",
    "strategy",
    type=click.Choice(["greedy", "beam", "sample"]),
    default="beam",
    show_default=True,
    help="Decoding strategy.",
)
@click.option("--num-beams", type=int, help="Number of beams for beam search.  [default: 5]")
@click.option("--length-penalty", type=float,
              help="Exponent of the length in beam search.  [default: 1]")  # fmt: skip
@click.option("--temperature", type=float, help="Sampling temperature.  [default: 1]")
@click.option("--top-k", type=int, help="Sample from the k most likely words.")
@click.option(
    "--top-p", type=float, help="Nucleus sampling: smallest set of words with probability p."
)
@click.option("--max-length", type=int, help="Maximum length of a text, in words.")
@click.option("--batch-size", type=int, help="Batch size.  [default: 256]")
@seed
@overwrite
@command
def generate_texts(
    generator: Path, records: Path, out: Path, split: str, seed: int, overwrite: bool, **chosen: Any
) -> Any:
    """Generate a synthetic text for each record of the corpus RECORDS; OUT is a corpus.

    \b
    Example:
      auscult generate texts generator visits synthetic --split test
      auscult generate texts generator visits varied --decode sample --top-p 0.9 --seed 1
    """
    from auscult.corpus import Corpus
    from auscult.corpus.split import part_of
    from auscult.generators.contract import TextDecoding
    from auscult.generators.generator import TextGenerator
    from auscult.generators.synthetic_corpus import generate
    from auscult.learning.settings import configured

    given = {name: value for name, value in chosen.items() if value is not None}
    decoding = configured(TextDecoding, "decoding", given)
    part = part_of(Corpus.open(records), split)
    made = generate(TextGenerator.load(generator), part, decoding, seed=seed)
    written = made.write(out, overwrite=overwrite)
    count = written.manifest.files["notes.parquet"].rows
    found = {"out": str(out), "texts": count, "decoding": decoding.model_dump(), "seed": seed}
    return found, lambda: click.echo(f"{out}: {counted(count, 'text')}")


@generate.command("evaluate")
@click.argument("authentic", type=_PATH)
@click.argument("synthetic", type=_PATH)
@train_split
@category
@click.option("--clean", "clean", multiple=True, metavar="KEY=VALUE",
              help="Setting of text cleaning, for both corpora; repeatable.")  # fmt: skip
@click.option("--complaint", "complaints", multiple=True, metavar="NAME=WORD,WORD",
              help="Complaint for odds ratios; repeatable.  [default: frequent words]")  # fmt: skip
@click.option("--group-by", "variables", multiple=True,
              help="Variable that defines groups; repeatable.  [default: age, sex]")  # fmt: skip
@click.option(
    "--classify",
    metavar="VARIABLE",
    help="Train a classifier of this variable on authentic texts and test it on both.",
)
@config
@hyperparameters
@report
@click.option("--secrets", type=_PATH, help="Names or planted words to look for, one per line.")
@bootstrap("pairs")
@seed
@command
def evaluate_written(
    authentic: Path,
    synthetic: Path,
    train: str,
    category: str | None,
    clean: tuple[str, ...],
    complaints: tuple[str, ...],
    variables: tuple[str, ...],
    classify: str | None,
    file: Path | None,
    settings: tuple[str, ...],
    report: Path | None,
    secrets: Path | None,
    times: int,
    seed: int,
) -> Any:
    """Evaluate SYNTHETIC texts against AUTHENTIC ones, record by record.

    Measures similarity, diversity, memorization of training texts, and whether odds ratios by group
    are preserved; 95% intervals by bootstrapping pairs. The report quotes texts. --set and --config
    set hyperparameters of the classifier, the model bigru.

    \b
    Example:
      auscult generate evaluate visits synthetic
      auscult generate evaluate visits synthetic --complaint fall=fall,fell --group-by sex \\
        --secrets names.txt
      auscult generate evaluate visits synthetic --classify body_part --report generator.html
      auscult generate evaluate visits synthetic --classify body_part --set epochs=20
    """
    if classify is None and (file is not None or settings):
        raise OptionError(
            "--set and --config set hyperparameters of the classifier; add --classify VARIABLE. "
            "Set options of text cleaning with --clean."
        )
    from auscult.core.files import read_text
    from auscult.corpus import Corpus
    from auscult.corpus.records import Cleaning
    from auscult.evaluate.text import evaluate_synthetic
    from auscult.learning.settings import configured

    wanted = {name: words.split(",") for name, words in map(pair, complaints)}
    ours, theirs = Corpus.open(authentic), Corpus.open(synthetic)
    cleaning = configured(Cleaning, "cleaning", dict(map(setting, clean)))
    found = evaluate_synthetic(
        ours,
        theirs,
        train_split=train,
        category=category,
        cleaning=cleaning,
        complaints=wanted or None,
        variables=variables or None,
        secrets=[line for line in read_text(secrets).splitlines() if line] if secrets else (),
        bootstrap=times,
        seed=seed,
    )
    gap = None
    if classify:
        from auscult.experiment.classifier_gap import classifier_gap, fit_classifier

        chosen = {**(read_toml(file) if file else {}), **dict(map(setting, settings))}
        classifier = fit_classifier(
            ours, classify, config=chosen, train=train, cleaning=cleaning, category=category,
            seed=seed,
        )  # fmt: skip
        gap = classifier_gap(
            classifier, found.records, found.authentic, found.synthetic, classify,
            times=times, seed=seed,
        )  # fmt: skip
    if report is not None:
        from auscult.report.generator_report import generator_report

        manifest = ours.manifest
        generator_report(
            found,
            report,
            about={"authentic": manifest.name, "synthetic": theirs.manifest.source or "not stated",
                   "license": manifest.license or "not stated"},
            title=f"{manifest.name}: synthetic texts",
            shows_text=f"This page quotes texts of {manifest.name}. Who may see them: "
            f"{manifest.access or 'not stated; ask who holds the data'}.",
            gap=gap,
        )  # fmt: skip
    said = {**found.to_dict(), "classifier": None if gap is None else gap.to_dict()}
    return said | ({"report": str(report)} if report else {}), lambda: say(found, gap)


def say(found: SyntheticResult, gap: Gap | None) -> None:
    """Print the metrics for people."""
    from auscult.cli.annotator_options import ranged, shown

    def row(metric: Metric) -> list[str]:
        said = metric.undefined or metric.definition
        return [metric.name, shown(metric), ranged(metric), said]

    title = f"{len(found.authentic):,} pairs of an authentic and a synthetic text"
    columns = ["metric", "", "95%", "definition"]
    table(title, columns, map(row, found.texts.metrics.values()))
    click.echo()
    sides = found.texts.diversity
    table(
        "Diversity",
        ["", "authentic", "synthetic"],
        [
            [name, f"{one.value:.3g}" if one.value is not None else "–",
             f"{other.value:.3g}" if other.value is not None else "–"]
            for (name, one), other in zip(
                sides["authentic"].items(), sides["synthetic"].values(), strict=True
            )
        ],
    )  # fmt: skip
    if found.memorization is not None:
        click.echo()
        table("Memorization", columns, map(row, found.memorization.metrics.values()))
    if gap is not None:
        click.echo()
        table(
            f"Classifier of {gap.variable}, trained on authentic text",
            ["metric", "authentic", "95%", "synthetic", "95%", "gap", "95%"],
            [
                [name, shown(one), ranged(one), shown(gap.synthetic[name]),
                 ranged(gap.synthetic[name]), shown(gap.gap[name]), ranged(gap.gap[name])]
                for name, one in gap.authentic.items()
            ],
        )  # fmt: skip
    known = [one for one in found.associations if one.is_kept is not None]
    if unknown := len(found.associations) - len(known):
        click.echo(f"\n{counted(unknown, 'odds ratio')} undefined: too rare in authentic texts")
    if known:
        click.echo()
        kept = sum(one.is_kept is True for one in known)
        table(
            f"Odds ratios: {kept} of {len(known)} within the 95% interval of the authentic one",
            ["complaint", "group", "authentic", "95%", "synthetic", "preserved"],
            [
                [one.complaint, f"{one.variable} {one.level}", shown(one.authentic),
                 ranged(one.authentic), shown(one.synthetic), "yes" if one.is_kept else "no"]
                for one in known
            ],
        )  # fmt: skip
