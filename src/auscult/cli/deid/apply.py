"""`auscult deid apply`: de-identify a corpus."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.annotator_options import corpus_argument
from auscult.cli.deid.arguments import (
    file_type,
    out_argument,
    passphrase_of,
    read_decided,
    recognized,
    recognizers_of,
)
from auscult.cli.deid.seed import seed_of
from auscult.cli.options import complete, decisions, drop_column, overwrite
from auscult.cli.output import command, counted, table
from auscult.core import OptionError

if TYPE_CHECKING:
    from auscult.deid import DeidSummary


@click.command("apply")
@corpus_argument
@out_argument
@click.option(
    "--style",
    type=click.Choice(["realistic", "paper"]),
    default="realistic",
    show_default=True,
    help="Realistic surrogates, or the paper's fixed names and generic words.",
)
@click.option("--keep-weekday", is_flag=True, help="Shift dates by whole weeks.")
@click.option(
    "--keep-season", is_flag=True, help="Shift dates by whole years, give or take three days."
)
@click.option("--new-ids", is_flag=True, help="Replace the ids of notes, charts and patients.")
@click.option(
    "--uncertain",
    "doubtful",
    type=click.Choice(["likely", "replace", "keep"]),
    default="likely",
    show_default=True,
    help="Uncertain findings without a decision: replace those likely PHI, all, or none.",
)
@decisions
@complete
@recognized
@click.option(
    "--key",
    "key_file",
    type=file_type,
    help="Also write an encrypted key file that can reverse it. Prompts for a passphrase, or reads "
    "AUSCULT_DEID_PASSPHRASE.",
)
@click.option(
    "--seed-file",
    type=file_type,
    help="File with a secret seed for a reproducible result, or set AUSCULT_DEID_SEED.",
)
@click.option("--secret-seed", "seed", help="The seed itself, visible to other users.")
@drop_column
@overwrite
@command
def apply(
    corpus: Path,
    out: Path,
    style: str,
    files: tuple[Path, ...],
    complete: bool,
    extras: tuple[str, ...],
    key_file: Path | None,
    seed_file: Path | None,
    seed: str | None,
    drop_columns: tuple[str, ...],
    overwrite: bool,
    doubtful: str,
    **chosen: Any,
) -> Any:
    """De-identify CORPUS and write it to OUT.

    All dates of a patient are shifted by the same random number of days, so intervals are
    preserved. Without --key the result cannot be reversed. Keep a seed as secret as a key.

    \b
    Example:
      auscult deid notes notes-deid --style paper --keep-weekday
      auscult deid apply notes notes-deid --decisions queue.csv --key notes.key
    """
    from auscult.corpus import Corpus
    from auscult.deid import DeidOptions, DoubtfulChoice, ReplacementStyle, deidentify
    from auscult.deid.key import KeyWriter, check_absent, require_cryptography
    from auscult.deid.status import status_of

    opened = Corpus.open(corpus)
    decisions = read_decided(opened, files)
    recognizers = recognizers_of(extras)
    if complete:
        left = status_of(
            opened, decisions, recognizers=recognizers, day_first=chosen["day_first"]
        ).undecided
        if left:
            raise OptionError(
                f"{counted(left, 'uncertain finding')} without a decision. See: auscult deid status"
            )
    given = seed_of(seed, seed_file)
    if given is not None:
        chosen["seed"] = given
    key = None
    if key_file is not None:
        require_cryptography()
        check_absent(key_file, overwrite=overwrite)
        key = KeyWriter(key_file, passphrase_of(confirm=True), overwrite=overwrite)
    options = DeidOptions(
        style=ReplacementStyle(style),
        doubtful=DoubtfulChoice(doubtful),
        drop_columns=drop_columns,
        **chosen,
    )
    found = deidentify(
        opened,
        out,
        options,
        recognizers=recognizers,
        decisions=decisions,
        key=key,
        overwrite=overwrite,
    )
    _warn(found, new_ids=chosen["new_ids"])

    def say() -> None:
        _say(found, out)
        if key_file is not None:
            click.echo(f"{key_file} can reverse it. Store it apart from {out}.")

    return {
        "corpus": str(out),
        "key": None if key_file is None else str(key_file),
        **found.to_dict(),
    }, say


def _warn(found: DeidSummary, *, new_ids: bool) -> None:
    if not new_ids:
        warnings.warn(
            "The ids of notes, charts and patients are unchanged. If they come from your hospital, "
            "pass --new-ids.",
            stacklevel=1,
        )
    if found.untouched_columns:
        warnings.warn(
            f"Columns of the records are unchanged: {', '.join(found.untouched_columns)}. If one "
            "of them identifies people, leave it out with --drop-column.",
            stacklevel=1,
        )


def _say(found: DeidSummary, out: Path) -> None:
    tally = found.tally
    table(f"{out}: replaced", ["type", "count"], sorted(tally.replaced.items()))
    click.echo()
    table(None, ["step", "removed", "notes"], [(s.name, s.removed, s.left) for s in found.steps])
    click.echo(
        f"{counted(tally.doubtful, 'uncertain finding')}, {tally.undecided:,} of them undecided. "
        f"{counted(tally.decided, 'decision')}. {counted(found.patients, 'patient')}."
    )
    for count, what, became in (
        (tally.unmovable_dates, "date", "not a valid day, replaced by [date]"),
        (tally.dropped_times, "time of a note", "not readable, removed"),
        (tally.emptied_spans, "span", "left without text, removed"),
    ):
        if count:
            click.echo(f"{counted(count, what)} {became}")
