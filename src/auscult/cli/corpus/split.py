"""`auscult corpus split`: split a corpus at random, by combinations of codes, or by lists."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from auscult.cli.corpus.arguments import corpus_argument, ids_in, out_argument
from auscult.cli.corpus.sample import annotator_of
from auscult.cli.options import annotator, overwrite, seed, split_by
from auscult.cli.output import command, pair, table
from auscult.core import OptionError


@click.command("split")
@corpus_argument
@out_argument
@click.option("--share", "shares", multiple=True, metavar="NAME=FRACTION",
              help="Fraction of a split; repeatable, and they sum to 1.")  # fmt: skip
@click.option("--list", "lists", multiple=True, metavar="NAME=FILE",
              help="File with the ids of a split, one per line; repeatable.")  # fmt: skip
@split_by(said="subject with --share, chart with --list")
@click.option(
    "--combinations",
    is_flag=True,
    help="Stratify by combination of codes; single ones go to train.",
)
@annotator
@seed
@overwrite
@command
def split(
    corpus: Path,
    out: Path,
    shares: tuple[str, ...],
    lists: tuple[str, ...],
    by: Any,
    combinations: bool,
    annotator: str | None,
    seed: int,
    overwrite: bool,
) -> Any:
    """Split a corpus at random by patient, stratified by combinations of codes, or by lists.

    \b
    Example:
      auscult corpus split notes notes-split --share train=0.7 --share dev=0.15 --share test=0.15
      auscult corpus split notes notes-split --list train=train.csv --list test=test.csv
      auscult corpus split notes notes-split --share train=0.5 --share test=0.5 --combinations
    """
    from auscult.corpus import Corpus
    from auscult.corpus.info import info
    from auscult.corpus.split import split_at_random, split_by_list
    from auscult.corpus.split_combinations import parts_of, split_by_combination

    opened = Corpus.open(corpus)
    whose = None
    if lists and combinations:
        raise OptionError("--combinations needs --share, not --list.")
    if shares and lists:
        raise OptionError("Pass either --share or --list, not both.")
    if not shares and not lists:
        raise OptionError(
            "Choose how to split: --share NAME=FRACTION or --list NAME=FILE, once per split."
        )
    if shares:
        parts = {name: _share(value) for name, value in map(pair, shares)}
        if combinations:
            whose = annotator_of(opened, annotator)
            made = split_by_combination(opened, parts, whose, by=by or "subject", seed=seed)
        else:
            made = split_at_random(opened, parts, by=by or "subject", seed=seed)
    else:
        ids = {name: ids_in(Path(value)) for name, value in map(pair, lists)}
        made = split_by_list(opened, ids, by=by or "chart")
    written = made.write(out, overwrite=overwrite)
    found = info(written)
    parts_made = (
        [] if whose is None else parts_of(written, whose, "note" if by == "note" else "chart")
    )

    def say() -> None:
        if not parts_made:
            table(None, ["split", "notes"], found.splits.items())
            return
        names = ["split", "notes", "documents", "combinations", "only in this split"]
        rows = [
            (one.split, found.splits[one.split], one.documents, one.combinations, one.only_here)
            for one in parts_made
        ]
        table(None, names, rows)

    made_of = {"parts": [asdict(one) for one in parts_made]} if parts_made else {}
    return {"corpus": str(out), **found.to_dict(), **made_of}, say


def _share(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise OptionError(f"--share takes a number such as train=0.7; got {value!r}.") from None
