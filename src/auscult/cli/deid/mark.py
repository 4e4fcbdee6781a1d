"""`auscult deid mark` and `evaluate`: what is found, as annotations, and against gold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.deid.arguments import (
    file_type,
    out_argument,
    overwrite_option,
    recognised,
    recognisers_of,
)
from auscult.cli.options import note_category
from auscult.cli.output import command, counted, table
from auscult.cli.several import bootstrapped, corpus_argument, ranged, shown
from auscult.core import OptionError


@click.command("mark")
@corpus_argument
@out_argument
@recognised
@overwrite_option
@command
def mark(corpus: Path, out: Path, day_first: bool, extras: tuple[str, ...], overwrite: bool) -> Any:
    """Write CORPUS to OUT as it is, with what was found as annotations of the system PHI.

    \b
    Example:
      auscult deid mark notes notes-marked
    """
    from auscult.corpus import Corpus
    from auscult.corpus.deid.mark import ANNOTATOR, marked

    opened = Corpus.open(corpus)
    if ANNOTATOR in opened.manifest.annotators:
        raise OptionError(f"The corpus has annotations of {ANNOTATOR} already.")
    found = list(marked(opened, recognisers=recognisers_of(extras), day_first=day_first))
    opened.with_annotations(found).write(out, overwrite=overwrite)
    kinds = {
        k: sum(a.code.value == k for a in found) for k in sorted({a.code.value for a in found})
    }

    def say() -> None:
        table(f"{out}: annotations by {ANNOTATOR}", ["kind", ""], kinds.items())

    return {"corpus": str(out), "annotator": ANNOTATOR, "kinds": kinds}, say


@click.command("evaluate")
@click.argument("gold", type=file_type)
@click.option("--annotator", help="Whose annotations are gold, when GOLD has several.")
@note_category
@recognised
@bootstrapped
@command
def evaluate(
    gold: Path,
    annotator: str | None,
    note_category: tuple[str, ...],
    day_first: bool,
    extras: tuple[str, ...],
    times: int,
    seed: int,
) -> Any:
    """Say how much is found of what GOLD has marked, by kind, and how many notes would leak.

    GOLD has annotations of the system PHI with the codes NAME, DATE, AGE, PHONE, ID, EMAIL, URL,
    LOCATION and HOSPITAL. Words are counted. A kind counts as found when it was taken for that
    kind, and as hidden whatever it was taken for.

    \b
    Example:
      auscult corpus import jsonl hospital/phi planted
      auscult deid evaluate planted
    """
    from auscult.corpus import Corpus
    from auscult.corpus.deid import SYSTEM
    from auscult.corpus.deid.mark import marked
    from auscult.corpus.schema import annotations_table
    from auscult.evaluate.deid import evaluate_deid
    from auscult.evaluate.sides import pair

    opened = Corpus.open(gold).select(systems=[SYSTEM])
    found = list(marked(opened, recognisers=recognisers_of(extras), day_first=day_first))
    predicted = Corpus(opened.notes, annotations_table(found).lazy())
    sides = pair(
        opened, predicted, annotator=annotator, note_category=note_category, counts_all=None
    )
    result = evaluate_deid(sides, times=times, seed=seed)

    def say() -> None:
        kinds = [(k, one, result.hidden[k]) for k, one in result.by_kind.items()]
        kinds.append(("any kind", result.any_kind, result.any_kind.recall))
        rows = [
            (
                name,
                shown(one.recall),
                ranged(one.recall),
                shown(one.precision),
                ranged(one.precision),
                shown(hidden),
            )
            for name, one, hidden in kinds
        ]
        title = f"{counted(result.notes, 'note')} of {counted(result.charts, 'chart')}"
        table(title, ["kind", "recall", "95%", "precision", "95%", "hidden"], rows)
        leak = result.leak_rate
        click.echo(f"leak rate {shown(leak)} ({ranged(leak)}): notes in which a word would show")

    return {"gold": str(gold), **result.to_dict()}, say
