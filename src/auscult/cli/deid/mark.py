"""`auscult deid mark` and `evaluate`: PHI as annotations, and against gold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.annotator_options import bootstrapped, corpus_argument, ranged, shown
from auscult.cli.deid.arguments import (
    file_type,
    out_argument,
    recognized,
    recognizers_of,
)
from auscult.cli.options import annotator, note_category, overwrite
from auscult.cli.output import command, counted, table
from auscult.core import OptionError


@click.command("mark")
@corpus_argument
@out_argument
@recognized
@overwrite
@command
def mark(corpus: Path, out: Path, day_first: bool, extras: tuple[str, ...], overwrite: bool) -> Any:
    """Annotate PHI in CORPUS, as codes of the system PHI, and write it to OUT.

    \b
    Example:
      auscult deid mark notes notes-marked
    """
    from auscult.corpus import Corpus
    from auscult.deid.mark import ANNOTATOR, marked

    opened = Corpus.open(corpus)
    if ANNOTATOR in opened.manifest.annotators:
        raise OptionError(f"The corpus already has annotations by {ANNOTATOR}.")
    found = list(marked(opened, recognizers=recognizers_of(extras), day_first=day_first))
    opened.with_annotations(found).write(out, overwrite=overwrite)
    kinds = {
        k: sum(a.code.value == k for a in found) for k in sorted({a.code.value for a in found})
    }

    def say() -> None:
        table(f"{out}: annotations by {ANNOTATOR}", ["type", ""], kinds.items())

    return {"corpus": str(out), "annotator": ANNOTATOR, "kinds": kinds}, say


@click.command("evaluate")
@click.argument("gold", type=file_type)
@annotator
@note_category
@recognized
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
    """Evaluate PHI recognition against GOLD: precision, recall and leak rate.

    GOLD has annotations of the system PHI with the codes NAME, DATE, AGE, PHONE, ID, EMAIL, URL,
    LOCATION and HOSPITAL. Metrics count words. A word is found if its type is right, and hidden
    whatever type it was given.

    \b
    Example:
      auscult corpus import jsonl hospital/phi planted
      auscult deid evaluate planted
    """
    from auscult.corpus import Corpus
    from auscult.corpus.schema import annotations_table
    from auscult.deid import SYSTEM
    from auscult.deid.mark import marked
    from auscult.evaluate.deid import evaluate_deid
    from auscult.evaluate.sides import pair

    opened = Corpus.open(gold).select(systems=[SYSTEM])
    found = list(marked(opened, recognizers=recognizers_of(extras), day_first=day_first))
    predicted = Corpus(opened.lazy_notes, annotations_table(found).lazy())
    sides = pair(
        opened, predicted, annotator=annotator, note_category=note_category, counts_all=None
    )
    result = evaluate_deid(sides, times=times, seed=seed)

    def say() -> None:
        kinds = [(k, one, result.hidden[k]) for k, one in result.by_kind.items()]
        kinds.append(("any type", result.any_kind, result.any_kind.recall))
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
        table(title, ["type", "recall", "95%", "precision", "95%", "hidden"], rows)
        leak = result.leak_rate
        click.echo(f"leak rate {shown(leak)} ({ranged(leak)}): notes in which PHI would remain")

    return {"gold": str(gold), **result.to_dict()}, say
