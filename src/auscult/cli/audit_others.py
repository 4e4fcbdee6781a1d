"""`auscult audit swaps|outcome|mlm`: counterfactual swaps, discrimination, language model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.audit_options import code_option, drawn
from auscult.cli.options import annotator, bootstrap, categories, max_charts, seed, split
from auscult.cli.output import command, table
from auscult.core.version import __version__

if TYPE_CHECKING:
    from auscult.corpus import Corpus
    from auscult.models.model import Model

_path = click.Path(path_type=Path)


@click.command()
@click.argument("model", type=_path)
@click.argument("corpus", type=_path)
@code_option
@click.option(
    "--swap",
    "chosen",
    multiple=True,
    type=click.Choice(["gender", "older", "younger", "typos"]),
    help="What to swap; repeatable.  [default: all]",
)
@split("test")
@max_charts
@bootstrap()
@seed
@command
def swaps(
    model: Path, corpus: Path, code: tuple[str, str], chosen: tuple[str, ...], split: str,
    max_charts: int | None, times: int, seed: int,
) -> Any:  # fmt: skip
    """Test how the patient's gender or age, or typos, change MODEL's score of a code.

    All mentions in a chart are swapped at once: he becomes she, his becomes her, 67 becomes 87.

    \b
    Example:
      auscult audit swaps model readmission --code outcome readmitted --swap gender
    """
    from auscult.audit.predictor import require_code
    from auscult.audit.swaps import SWAPS, swapped
    from auscult.core import Code
    from auscult.corpus import Corpus
    from auscult.corpus.split import part_of
    from auscult.models.categories import uncategorized
    from auscult.models.model import Model
    from auscult.report import metric_format

    loaded, watched = Model.load(model), Code(*code)
    require_code(loaded, watched)
    part = part_of(Corpus.open(corpus), split).select(annotators=[])
    some = drawn(list(part.charts()), max_charts, seed)
    loaded.reads.warn(uncategorized(note for chart in some for note in chart.notes))
    threshold = loaded.decoding.code_threshold
    found = [
        swapped(loaded, some, watched, name, threshold=threshold, times=times, seed=seed)
        for name in chosen or SWAPS
    ]

    def say() -> None:
        rows = [
            (
                one.name,
                one.changed,
                metric_format.value(one.change),
                metric_format.interval(one.change),
                metric_format.value(one.size),
                metric_format.value(one.flipped),
            )
            for one in found
        ]
        columns = [
            "swap",
            "charts",
            "mean change",
            "95%",
            "mean absolute change",
            "decisions flipped",
        ]
        table(f"{watched}, threshold {threshold:.3f}", columns, rows)

    about = {
        "auscult": __version__,
        "model": str(model),
        "corpus": str(corpus),
        "split": split,
        "code": f"{watched}",
        "threshold": threshold,
        "seed": seed,
        "bootstrap": times,
    }
    return {"swaps": [one.to_dict() for one in found], "about": about}, say


@click.command()
@click.argument("model", type=_path)
@click.argument("corpus", type=_path)
@code_option
@annotator
@click.option(
    "--external-corpus", "second", type=_path, help="Second corpus, for external validation."
)
@split("test")
@click.option(
    "--external-split",
    "second_split",
    default="all",
    show_default=True,
    help="Split of the external corpus, or all.",
)
@bootstrap()
@seed
@command
def outcome(
    model: Path, corpus: Path, code: tuple[str, str], annotator: str | None, second: Path | None,
    split: str, second_split: str, times: int, seed: int,
) -> Any:  # fmt: skip
    """Measure how well MODEL discriminates charts with a code from those without: AUROC, AUPRC.

    MODEL is a model, or a folder with one model per seed (auscult train --runs or --seeds); for a
    folder, the mean and standard deviation over its models are reported, with the seeds.

    \b
    Example:
      auscult audit outcome model readmission --code outcome readmitted --external-corpus other
    """
    from auscult.audit.discrimination import discrimination, of_runs
    from auscult.core import Code
    from auscult.corpus import Corpus
    from auscult.corpus.split import part_of
    from auscult.models.model import Model

    watched = Code(*code)
    places = list(model.glob("seed-*")) or [model]
    parts = {"first": part_of(Corpus.open(corpus), split)}
    if second is not None:
        parts["second"] = part_of(Corpus.open(second), second_split)
    loaded = sorted(((Model.load(place), place) for place in places), key=_seed_of)
    models, seeds = [one for one, _ in loaded], [_seed_of(pair) for pair in loaded]
    made: dict[str, Any] = {}
    lines: list[str] = []
    for which, part in parts.items():
        runs = [
            discrimination(one, part, watched, annotator=annotator, times=times, seed=seed)
            for one in models
        ]
        several = {name: of_runs(runs, name, seeds) for name in ("auroc", "auprc")}
        made[which] = {
            "runs": [{"seed": s, **one.to_dict()} for s, one in zip(seeds, runs, strict=True)],
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
        lines.append(f"AUROC drops by {drop:.4f} in external validation")
    found = {**made, "drop": drop, "models": [str(place) for _, place in loaded]}
    return found, lambda: click.echo("\n".join(lines))


@click.command()
@click.argument("corpus", type=_path)
@click.argument("out", type=_path)
@split("train")
@categories
@click.option(
    "--steps",
    type=click.IntRange(1),
    default=1500,
    show_default=True,
    help="Training steps (batches).",
)
@seed
@command
def mlm(
    corpus: Path, out: Path, split: str, categories: tuple[str, ...], steps: int, seed: int
) -> Any:
    """Train a small masked language model on CORPUS, for the context filter.

    OUT is a Hugging Face model folder. Any other masked language model works too.

    \b
    Example:
      auscult audit mlm readmission mlm
    """
    from auscult.core.errors import MissingExtraError
    from auscult.corpus import Corpus
    from auscult.corpus.split import part_of

    try:
        from auscult.models.pretraining.small import SmallMlmConfiguration, train_mlm
    except ModuleNotFoundError as error:
        raise MissingExtraError("A language model", "neural") from error
    part = part_of(Corpus.open(corpus), split).select(categories=categories or None)
    notes = _Texts(part)
    train_mlm(notes, out, small=SmallMlmConfiguration(max_steps=steps), seed=seed)
    count = sum(1 for _ in notes)
    found = {"mlm": str(out), "notes": count, "steps": steps}
    return found, lambda: click.echo(f"{out}: trained on {count:,} notes")


def _seed_of(loaded: tuple[Model, Path]) -> int:
    return loaded[0].about.seed


class _Texts:
    """The note texts of a corpus, read again on every iteration."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def __iter__(self) -> Iterator[str]:
        return (note.text for note in self._corpus.iter_notes() if note.text)
