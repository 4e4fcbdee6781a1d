"""`auscult write`: texts from records, and whether they are any good."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.lazy import StoryGroup
from auscult.cli.options import bootstrap, seed
from auscult.cli.output import command, counted, pair, table
from auscult.cli.settings import read_toml, setting
from auscult.core import Measure
from auscult.writers import WRITERS

if TYPE_CHECKING:
    from auscult.evaluate.text import SyntheticResult
    from auscult.report.classifier_gap import Gap

_PATH = click.Path(path_type=Path)


@click.group(
    cls=StoryGroup,
    story={
        "train": "Learn a writer from records and their texts.",
        "generate": "Write a text for each record.",
        "evaluate": "Compare synthetic texts with authentic ones.",
    },
)
def write() -> None:
    """Write texts from the discrete variables of records, and measure them.

    \b
    Example:
      auscult corpus import neiss neiss.csv visits
      auscult corpus split visits visits-split --share train=0.8 --share test=0.2
      auscult write train visits-split writer
      auscult write generate writer visits-split written --split test
      auscult write evaluate visits-split written
    """


@write.command("train")
@click.argument("corpus", type=_PATH)
@click.argument("out", type=_PATH)
@click.option("--writer", "kind", default="transformer", show_default=True,
              help=f"One of: {', '.join(WRITERS)}.")  # fmt: skip
@click.option("--config", "file", type=_PATH, help="TOML file with settings of the writer.")
@click.option("--set", "settings", multiple=True, help="KEY=VALUE, over what the file says.")
@click.option("--variable", "variables", multiple=True, help="Write from these columns only.")
@click.option("--leave-out", multiple=True, help="Pass over these columns of the records.")
@click.option("--category", help="Category of the notes that are the texts.")
@click.option(
    "--train-split", "train", default="train", show_default=True, help="Split to learn from."
)
@click.option("--dev-split", "dev", help="Split that decides when to stop  [default: dev]")
@seed
@click.option("--overwrite", is_flag=True, help="Replace the writer that is at OUT.")
@command
def train_writer(
    corpus: Path,
    out: Path,
    kind: str,
    file: Path | None,
    settings: tuple[str, ...],
    variables: tuple[str, ...],
    leave_out: tuple[str, ...],
    category: str | None,
    train: str,
    dev: str | None,
    seed: int,
    overwrite: bool,
) -> Any:
    """Learn a writer from the training records of CORPUS and their texts, and save it to OUT.

    Test records are never looked at. Training that was interrupted goes on where it stopped when
    the same command is given again. A word is only ever written if enough patients' texts have it.

    \b
    Example:
      auscult write train visits writer
      auscult write train visits baseline --writer frequent --set 'same=["diagnosis", "body_part"]'
    """
    from auscult.corpus import Corpus
    from auscult.writers.fitting import train as train_one

    config = {
        **(read_toml(file) if file else {}),
        **({"variables": variables} if variables else {}),
        **({"leave_out": leave_out} if leave_out else {}),
        **({"category": category} if category else {}),
        **dict(map(setting, settings)),
    }
    writer = train_one(
        Corpus.open(corpus), out, kind, config, seed=seed, train=train, dev=dev, overwrite=overwrite
    )
    about = writer.about
    without = about.source.without_text
    variables_known = [one.name for one in about.encoder.variables]
    found = {
        "writer": str(out),
        "kind": kind,
        "records": about.source.records,
        "dev_records": about.source.dev_records,
        "without_text": without,
        "variables": variables_known,
        "left_out": list(about.encoder.left_out),
        "places": about.encoder.size,
    }
    return found, lambda: click.echo(
        f"{out}: {kind}, learnt from {counted(about.source.records, 'record')} of "
        f"{counted(len(variables_known), 'variable')}"
        + (f"; left out: {', '.join(about.encoder.left_out)}" if about.encoder.left_out else "")
        + (f"; {counted(without, 'record')} without a text" if without else "")
    )


@write.command("generate")
@click.argument("writer", type=_PATH)
@click.argument("records", type=_PATH)
@click.argument("out", type=_PATH)
@click.option("--split", default="test", show_default=True, help="Split to write for, or all.")
@click.option(
    "--decode",
    "way",
    type=click.Choice(["greedy", "beam", "sample"]),
    default="beam",
    show_default=True,
    help="How words are chosen.",
)
@click.option("--width", type=int, help="Hypotheses of a beam  [default: 5]")
@click.option("--length-norm", type=float,
              help="Power of the length a beam divides by  [default: 1]")  # fmt: skip
@click.option("--temperature", type=float, help="Of sampling: below 1 is more usual  [default: 1]")
@click.option("--top-k", type=int, help="Sample among so many likeliest words.")
@click.option("--top-p", type=float, help="Sample among the likeliest words of this share.")
@click.option("--longest", type=int, help="Words at most.")
@click.option("--batch", type=int, help="Records at once  [default: 256]")
@seed
@click.option("--overwrite", is_flag=True, help="Replace the corpus that is at OUT.")
@command
def generate_texts(
    writer: Path, records: Path, out: Path, split: str, seed: int, overwrite: bool, **chosen: Any
) -> Any:
    """Let a WRITER write a text for each record of the corpus RECORDS, into the corpus OUT.

    \b
    Example:
      auscult write generate writer visits written --split test
      auscult write generate writer visits varied --decode sample --top-p 0.9 --seed 1
    """
    from auscult.corpus import Corpus
    from auscult.corpus.split import part_of
    from auscult.learning.settings import configured
    from auscult.writers.contract import Decoding
    from auscult.writers.generating import generate
    from auscult.writers.writer import Writer

    given = {name: value for name, value in chosen.items() if value is not None}
    decoding = configured(Decoding, "decoding", given)
    part = part_of(Corpus.open(records), split)
    made = generate(Writer.load(writer), part, decoding, seed=seed)
    written = made.write(out, overwrite=overwrite)
    count = written.manifest.files["notes.parquet"].rows
    found = {"out": str(out), "texts": count, "decoding": decoding.model_dump(), "seed": seed}
    return found, lambda: click.echo(f"{out}: {counted(count, 'text')}")


@write.command("evaluate")
@click.argument("authentic", type=_PATH)
@click.argument("synthetic", type=_PATH)
@click.option("--train-split", "train", default="train", show_default=True,
              help="Of AUTHENTIC: what word vectors and memorisation go by.")  # fmt: skip
@click.option("--category", help="Category of the authentic notes that are the texts.")
@click.option("--set", "settings", multiple=True, help="KEY=VALUE of the cleaning of both sides.")
@click.option("--complaint", "complaints", multiple=True, metavar="NAME=WORD,WORD",
              help="Odds ratios of these  [default: the commonest words]")  # fmt: skip
@click.option("--by", "variables", multiple=True,
              help="Groups by these variables  [default: age and sex]")  # fmt: skip
@click.option(
    "--classify",
    metavar="VARIABLE",
    help="Learn to tell this variable from authentic texts, and see if synthetic ones still do.",
)
@click.option(
    "--report",
    "--page",
    "page",
    type=_PATH,
    help="Write a page about it, with samples side by side.",
)
@click.option("--secrets", type=_PATH, help="File of names or planted words, one a line.")
@bootstrap("pairs")
@seed
@command
def evaluate_written(
    authentic: Path,
    synthetic: Path,
    train: str,
    category: str | None,
    settings: tuple[str, ...],
    complaints: tuple[str, ...],
    variables: tuple[str, ...],
    classify: str | None,
    page: Path | None,
    secrets: Path | None,
    times: int,
    seed: int,
) -> Any:
    """Compare the texts of SYNTHETIC with those of AUTHENTIC, record by record.

    Likeness, variety, memorisation, and whether odds ratios by group are kept; 95% intervals from
    resampled pairs. The page quotes texts: mind who may see it.

    \b
    Example:
      auscult write evaluate visits written
      auscult write evaluate visits written --complaint fall=fall,fell --by sex --secrets names.txt
      auscult write evaluate visits written --classify body_part --report writer.html
    """
    from auscult.core.files import read_text
    from auscult.corpus import Corpus
    from auscult.corpus.records import Cleaning
    from auscult.evaluate.text import evaluate_synthetic
    from auscult.learning.settings import configured

    wanted = {name: words.split(",") for name, words in map(pair, complaints)}
    ours, theirs = Corpus.open(authentic), Corpus.open(synthetic)
    cleaning = configured(Cleaning, "cleaning", dict(map(setting, settings)))
    found = evaluate_synthetic(
        ours,
        theirs,
        train=train,
        category=category,
        cleaning=cleaning,
        complaints=wanted or None,
        variables=variables or None,
        secrets=[line for line in read_text(secrets).splitlines() if line] if secrets else (),
        times=times,
        seed=seed,
    )
    gap = None
    if classify:
        from auscult.report.classifier_gap import classifier_gap, learn_classifier

        classifier = learn_classifier(
            ours, classify, train=train, cleaning=cleaning, category=category, seed=seed
        )
        gap = classifier_gap(
            classifier, found.records, found.authentic, found.synthetic, classify,
            times=times, seed=seed,
        )  # fmt: skip
    if page is not None:
        from auscult.report.writer_report import writer_report

        manifest = ours.manifest
        writer_report(
            found,
            page,
            about={"authentic": manifest.name, "synthetic": theirs.manifest.source or "not stated",
                   "licence": manifest.licence or "not stated"},
            title=f"{manifest.name}: texts written from its records",
            shows_text=f"This page quotes texts of {manifest.name}. Who may see them: "
            f"{manifest.access or 'not stated; ask who holds the data'}.",
            gap=gap,
        )  # fmt: skip
    said = {**found.to_dict(), "classifier": None if gap is None else gap.to_dict()}
    return said | ({"page": str(page)} if page else {}), lambda: say(found, gap)


def say(found: SyntheticResult, gap: Gap | None) -> None:
    """Print the measures for people."""
    from auscult.cli.several import ranged, shown

    def row(measure: Measure) -> list[str]:
        said = measure.undefined or measure.definition
        return [measure.name, shown(measure), ranged(measure), said]

    title = f"{len(found.authentic):,} pairs of an authentic and a synthetic text"
    columns = ["measure", "", "95%", "what it is"]
    table(title, columns, map(row, found.texts.measures.values()))
    click.echo()
    sides = found.texts.diversity
    table(
        "Variety",
        ["", "authentic", "synthetic"],
        [
            [name, f"{one.value:.3g}" if one.value is not None else "–",
             f"{other.value:.3g}" if other.value is not None else "–"]
            for (name, one), other in zip(
                sides["authentic"].items(), sides["synthetic"].values(), strict=True
            )
        ],
    )  # fmt: skip
    if found.memorisation is not None:
        click.echo()
        table("Memorisation", columns, map(row, found.memorisation.measures.values()))
    if gap is not None:
        click.echo()
        table(
            f"A classifier of {gap.variable}, learnt from authentic text",
            ["measure", "authentic", "95%", "synthetic", "95%", "gap", "95%"],
            [
                [name, shown(one), ranged(one), shown(gap.synthetic[name]),
                 ranged(gap.synthetic[name]), shown(gap.gap[name]), ranged(gap.gap[name])]
                for name, one in gap.authentic.items()
            ],
        )  # fmt: skip
    known = [one for one in found.associations if one.is_kept is not None]
    if unknown := len(found.associations) - len(known):
        click.echo(f"\n{counted(unknown, 'odds ratio')} too rare in authentic texts to be compared")
    if known:
        click.echo()
        kept = sum(one.is_kept is True for one in known)
        table(
            f"Odds ratios: {kept} of {len(known)} synthetic ones within the authentic interval",
            ["complaint", "group", "authentic", "95%", "synthetic", "kept"],
            [
                [one.complaint, f"{one.variable} {one.level}", shown(one.authentic),
                 ranged(one.authentic), shown(one.synthetic), "yes" if one.is_kept else "no"]
                for one in known
            ],
        )  # fmt: skip
