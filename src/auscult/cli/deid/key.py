"""`auscult deid key` and `undo`: open a key, and put everything back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.deid.arguments import file_type, out_argument, overwrite_option, passphrase_of
from auscult.cli.output import command, counted, table
from auscult.cli.several import corpus_argument


@click.command("key")
@click.argument("key", type=file_type)
@click.option("--patient", help="Only this patient's.")
@command
def key(key: Path, patient: str | None) -> Any:
    """Open a key and say by how many days each patient's dates were moved.

    \b
    Example:
      auscult deid key notes.key --patient 1042
    """
    from auscult.core.names import require_id
    from auscult.corpus.deid.key import read_key

    keys = list(read_key(key, passphrase_of()))
    if patient is not None:
        require_id(patient, [one.patient_id for one in keys], "patient")
        keys = [one for one in keys if one.patient_id == patient]
    offsets = {one.patient_id: one.offset_days for one in keys}

    def say() -> None:
        table(str(key), ["patient", "days"], offsets.items())

    return {"key": str(key), "offsets": offsets}, say


@click.command("undo")
@corpus_argument
@out_argument
@click.option("--key", required=True, type=file_type, help="The key that was written with CORPUS.")
@overwrite_option
@command
def undo(corpus: Path, out: Path, key: Path, overwrite: bool) -> Any:
    """Write a de-identified CORPUS to OUT as it was, with its key.

    \b
    Example:
      auscult deid undo notes-deid notes-again --key notes.key
    """
    from auscult.corpus import Corpus
    from auscult.corpus.deid.key import read_key
    from auscult.corpus.deid.undo import undo as restore
    from auscult.corpus.info import info

    made = restore(Corpus.open(corpus), read_key(key, passphrase_of())).write(
        out, overwrite=overwrite
    )
    notes = info(made).notes
    return {"corpus": str(out), "notes": notes}, lambda: click.echo(
        f"{out}: {counted(notes, 'note')} with all that identifies people"
    )
