"""`auscult deid key` and `undo`: read a key, and reverse a de-identification."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.annotator_options import corpus_argument
from auscult.cli.deid.arguments import file_type, out_argument, passphrase_of
from auscult.cli.options import overwrite
from auscult.cli.output import command, counted, table


@click.command("key")
@click.argument("key", type=file_type)
@click.option("--patient", help="Only this patient.")
@command
def key(key: Path, patient: str | None) -> Any:
    """Show by how many days each patient's dates were shifted.

    \b
    Example:
      auscult deid key notes.key --patient 1042
    """
    from auscult.core.names import require_id
    from auscult.deid.key import read_key

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
@click.option("--key", required=True, type=file_type, help="Key file that was written with CORPUS.")
@overwrite
@command
def undo(corpus: Path, out: Path, key: Path, overwrite: bool) -> Any:
    """Restore a de-identified CORPUS with its key, and write it to OUT.

    \b
    Example:
      auscult deid undo notes-deid notes-restored --key notes.key
    """
    from auscult.corpus import Corpus
    from auscult.corpus.info import info
    from auscult.deid.key import read_key
    from auscult.deid.undo import undo as restore

    made = restore(Corpus.open(corpus), read_key(key, passphrase_of())).write(
        out, overwrite=overwrite
    )
    notes = info(made).notes
    return {"corpus": str(out), "notes": notes}, lambda: click.echo(
        f"{out}: {counted(notes, 'note')} restored; they contain PHI"
    )
