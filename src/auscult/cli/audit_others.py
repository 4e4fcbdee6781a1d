"""`auscult audit swaps|outcome|mlm`: what belongs to an audit beside the words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.audit_options import code_option, drawn
from auscult.cli.options import bootstrap, seed
from auscult.cli.output import command, table
from auscult.core.version import __version__

_path = click.Path(path_type=Path)


@click.command()
@click.argument("coder", type=_path)
@click.argument("corpus", type=_path)
@code_option
@click.option(
    "--swap",
    "chosen",
    multiple=True,
    type=click.Choice(["gender", "older", "younger", "typos"]),
    help="What to swap; repeatable  [default: all]",
)
@click.option("--split", default="test", show_default=True, help="Split to swap in, or all.")
@click.option("--charts", type=click.IntRange(1), help="Only so many charts, drawn at random.")
@bootstrap()
@seed
@command
def swaps(
    coder: Path, corpus: Path, code: tuple[str, str], chosen: tuple[str, ...], split: str,
    charts: int | None, times: int, seed: int,
) -> Any:  # fmt: skip
    """Say what the patient's sex or age, or typing errors, do to the score of a CODER's code.

    Every place of a chart is changed at once: he into she, his into her, 67 into 87 years.

    \b
    Example:
      auscult audit swaps coder readmission --code outcome readmitted --swap gender
    """
    from auscult.audit.predictor import require_code
    from auscult.audit.swaps import SWAPS, swapped
    from auscult.coders.categories import uncategorized
    from auscult.coders.coder import Coder
    from auscult.core import Code
    from auscult.corpus import Corpus
    from auscult.corpus.split import part_of
    from auscult.report import shown

    loaded, watched = Coder.load(coder), Code(*code)
    require_code(loaded, watched)
    part = part_of(Corpus.open(corpus), split).select(annotators=[])
    some = drawn(list(part.charts()), charts, seed)
    loaded.reads.warn(uncategorized(note for chart in some for note in chart.notes))
    threshold = loaded.about.decoding.code_threshold
    found = [
        swapped(loaded, some, watched, name, threshold=threshold, times=times, seed=seed)
        for name in chosen or SWAPS
    ]

    def say() -> None:
        rows = [
            (
                one.name,
                one.changed,
                shown.value(one.change),
                shown.interval(one.change),
                shown.value(one.size),
                shown.value(one.flipped),
            )
            for one in found
        ]
        columns = ["swap", "charts", "mean change", "95%", "mean size", "share that flips"]
        table(f"{watched}, threshold {threshold:.3f}", columns, rows)

    about = {
        "auscult": __version__,
        "coder": str(coder),
        "corpus": str(corpus),
        "split": split,
        "code": f"{watched}",
        "threshold": threshold,
        "seed": seed,
        "bootstrap": times,
    }
    return {"swaps": [one.to_dict() for one in found], "about": about}, say


@click.command()
@click.argument("coder", type=_path)
@click.argument("corpus", type=_path)
@code_option
@click.option("--annotator", help="Whose codes are right, when a corpus has several annotators.")
@click.option("--second", type=_path, help="Another corpus, to see how far AUROC falls there.")
@click.option("--split", default="test", show_default=True, help="Split to score, or all.")
@click.option("--second-split", default="all", show_default=True, help="Split of the second.")
@bootstrap()
@seed
@command
def outcome(
    coder: Path, corpus: Path, code: tuple[str, str], annotator: str | None, second: Path | None,
    split: str, second_split: str, times: int, seed: int,
) -> Any:  # fmt: skip
    """Say how well a CODER tells the charts with a code from those without: AUROC and AUPRC.

    CODER is a coder or a folder with one for each seed (auscult train --runs), whose mean and
    standard deviation are given.

    \b
    Example:
      auscult audit outcome coder readmission --code outcome readmitted --second elsewhere
    """
    from auscult.audit.discrimination import discrimination, of_runs
    from auscult.coders.coder import Coder
    from auscult.core import Code
    from auscult.corpus import Corpus
    from auscult.corpus.split import part_of

    watched = Code(*code)
    places = sorted(coder.glob("seed-*")) or [coder]
    parts = {"first": part_of(Corpus.open(corpus), split)}
    if second is not None:
        parts["second"] = part_of(Corpus.open(second), second_split)
    coders = [Coder.load(place) for place in places]
    made: dict[str, Any] = {}
    lines: list[str] = []
    for which, part in parts.items():
        runs = [
            discrimination(one, part, watched, annotator=annotator, times=times, seed=seed)
            for one in coders
        ]
        several = {name: of_runs(runs, name) for name in ("auroc", "auprc")}
        made[which] = {
            "runs": [one.to_dict() for one in runs],
            **{name: mean and mean.to_dict() for name, mean in several.items()},
        }
        name = corpus if which == "first" else second
        lines.append(f"{name}: {runs[0].charts:,} charts, {runs[0].positive:,} with {watched}")
        lines += [
            f"  {mean if mean and len(runs) > 1 else getattr(runs[0], key)}"
            for key, mean in several.items()
        ]
    drop = None
    if second is not None and made["first"]["auroc"] and made["second"]["auroc"]:
        drop = made["first"]["auroc"]["mean"] - made["second"]["auroc"]["mean"]
        lines.append(f"AUROC falls by {drop:.4f}")
    found = {**made, "drop": drop, "coders": [str(place) for place in places]}
    return found, lambda: click.echo("\n".join(lines))


@click.command()
@click.argument("corpus", type=_path)
@click.argument("out", type=_path)
@click.option("--split", default="train", show_default=True, help="Split to learn from, or all.")
@click.option("--category", "categories", multiple=True, help="Read notes of these categories.")
@click.option(
    "--steps",
    type=click.IntRange(1),
    default=1500,
    show_default=True,
    help="Batches to learn from.",
)
@seed
@command
def mlm(
    corpus: Path, out: Path, split: str, categories: tuple[str, ...], steps: int, seed: int
) -> Any:
    """Train a small masked language model on the notes of CORPUS, for the context filter.

    It goes to OUT as Hugging Face has it. Any other masked language model will do as well.

    \b
    Example:
      auscult audit mlm readmission mlm
    """
    from auscult.core.errors import MissingExtraError
    from auscult.corpus import Corpus
    from auscult.corpus.split import part_of

    try:
        from auscult.audit.mlm_training import Small, train_mlm
    except ModuleNotFoundError as error:
        raise MissingExtraError("A language model", "neural") from error
    part = part_of(Corpus.open(corpus), split).select(categories=categories or None)
    texts = [note.text for note in part.iter_notes() if note.text]
    train_mlm(texts, out, small=Small(steps=steps), seed=seed)
    found = {"mlm": str(out), "notes": len(texts), "steps": steps}
    return found, lambda: click.echo(f"{out}: learnt from {len(texts):,} notes")
