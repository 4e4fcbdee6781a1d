"""`auscult deid apply`: write a corpus without what identifies people."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.deid.arguments import (
    decisions_option,
    file_type,
    out_argument,
    overwrite_option,
    passphrase_of,
    read_decided,
    recognised,
    recognisers_of,
)
from auscult.cli.deid.seed import seed_of
from auscult.cli.output import command, counted, table
from auscult.cli.several import corpus_argument
from auscult.core import OptionError

if TYPE_CHECKING:
    from auscult.corpus.deid import Summary


@click.command("apply")
@corpus_argument
@out_argument
@click.option(
    "--style",
    type=click.Choice(["realistic", "paper"]),
    default="realistic",
    show_default=True,
    help="Drawn names and places, or Jane, John, Johnson and general words.",
)
@click.option("--keep-weekday", is_flag=True, help="Move dates by whole weeks.")
@click.option("--keep-season", is_flag=True, help="Move dates by whole years, within three days.")
@click.option("--new-ids", is_flag=True, help="Draw ids of notes, charts and patients anew.")
@click.option(
    "--doubtful",
    type=click.Choice(["lean", "replace", "keep"]),
    default="lean",
    show_default=True,
    help="What becomes of doubtful words that nobody decided on.",
)
@decisions_option
@click.option("--complete", is_flag=True, help="An error unless every doubtful word is decided.")
@recognised
@click.option(
    "--key",
    "key_file",
    type=file_type,
    help="Also write what would undo it, encrypted. The passphrase is asked for, or taken from "
    "AUSCULT_DEID_PASSPHRASE.",
)
@click.option(
    "--seed-file",
    type=file_type,
    help="The same seed, the same result; or in AUSCULT_DEID_SEED. Keep it as secret as a key.",
)
@click.option("--seed", help="The same on the command line, where others can see it.")
@click.option(
    "--drop-column",
    "drop_columns",
    multiple=True,
    help="A column of the records to leave out; repeatable.",
)
@overwrite_option
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
    """Write CORPUS without what identifies people to OUT.

    Every patient's dates move by one number of days, drawn by chance; times between them stay.
    Without --key nothing is written that would undo it.

    \b
    Example:
      auscult deid notes notes-deid --style paper --keep-weekday
      auscult deid apply notes notes-deid --decisions queue.csv --key notes.key
    """
    from auscult.corpus import Corpus
    from auscult.corpus.deid import Doubtful, Options, Style, deidentify
    from auscult.corpus.deid.key import KeyWriter, check_absent, require_cryptography
    from auscult.corpus.deid.status import status_of

    opened = Corpus.open(corpus)
    decisions = read_decided(opened, files)
    recognisers = recognisers_of(extras)
    if complete:
        left = status_of(
            opened, decisions, recognisers=recognisers, day_first=chosen["day_first"]
        ).undecided
        if left:
            raise OptionError(
                f"{counted(left, 'doubtful finding')} not decided on. See: auscult deid status"
            )
    given = seed_of(seed, seed_file)
    if given is not None:
        chosen["seed"] = given
    key = None
    if key_file is not None:
        require_cryptography()
        check_absent(key_file, overwrite=overwrite)
        key = KeyWriter(key_file, passphrase_of(confirm=True), overwrite=overwrite)
    options = Options(
        style=Style(style), doubtful=Doubtful(doubtful), drop_columns=drop_columns, **chosen
    )
    found = deidentify(
        opened,
        out,
        options,
        recognisers=recognisers,
        decisions=decisions,
        key=key,
        overwrite=overwrite,
    )
    _warn(found, new_ids=chosen["new_ids"])

    def say() -> None:
        _say(found, out)
        if key_file is not None:
            click.echo(f"{key_file} undoes it. Keep it apart from {out}.")

    return {
        "corpus": str(out),
        "key": None if key_file is None else str(key_file),
        **found.to_dict(),
    }, say


def _warn(found: Summary, *, new_ids: bool) -> None:
    if not new_ids:
        warnings.warn(
            "Ids of notes, charts and patients are as they were. If they are those of your "
            "hospital, pass --new-ids.",
            stacklevel=1,
        )
    if found.untouched_columns:
        warnings.warn(
            f"Columns of the records are as they were: {', '.join(found.untouched_columns)}. If "
            "one of them identifies people, leave it out with --drop-column.",
            stacklevel=1,
        )


def _say(found: Summary, out: Path) -> None:
    tally = found.tally
    table(f"{out}: replaced", ["kind", "times"], sorted(tally.replaced.items()))
    click.echo()
    table(None, ["step", "removed", "notes"], [(s.name, s.removed, s.left) for s in found.funnel])
    click.echo(
        f"{counted(tally.doubtful, 'doubtful finding')}, {tally.undecided:,} of them undecided. "
        f"{counted(tally.decided, 'decision')}. {counted(found.patients, 'patient')}."
    )
    for count, what, became in (
        (tally.unmovable_dates, "date", "that is no day, written as [date]"),
        (tally.dropped_times, "time of a note", "that could not be read: gone"),
        (tally.emptied_spans, "span", "with no words left"),
    ):
        if count:
            click.echo(f"{counted(count, what)} {became}")
