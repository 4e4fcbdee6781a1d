"""`auscult deid queue` and `status`: human review of uncertain findings."""

from __future__ import annotations

from operator import itemgetter
from pathlib import Path
from typing import Any

import click

from auscult.cli.annotator_options import corpus_argument
from auscult.cli.deid.arguments import (
    out_argument,
    read_decided,
    recognized,
    recognizers_of,
)
from auscult.cli.options import decisions, overwrite
from auscult.cli.output import command, counted, table


@click.command("queue")
@corpus_argument
@out_argument
@click.option("--all", "everything", is_flag=True, help="All findings, not only uncertain ones.")
@decisions
@recognized
@overwrite
@command
def queue(
    corpus: Path,
    out: Path,
    everything: bool,
    files: tuple[Path, ...],
    day_first: bool,
    extras: tuple[str, ...],
    overwrite: bool,
) -> Any:
    """Write uncertain findings to OUT (.csv), with context, for human review.

    OUT quotes the notes and contains protected health information. Decisions are keep, replace,
    generalize, delete (the whole note). A row whose item is `new`, with note, kind, begin and
    end, adds PHI that was missed. With --decisions, only findings that are still open.

    \b
    Example:
      auscult deid queue notes queue.csv
    """
    from auscult.corpus import Corpus
    from auscult.deid import ReviewChoice, review_items
    from auscult.deid.sheet import write_queue

    opened = Corpus.open(corpus)
    decisions = read_decided(opened, files)
    decided = {one.item_id for one in decisions}
    gone = {one.note_id for one in decisions if one.choice is ReviewChoice.DELETE}
    doubts: dict[str, int] = {}

    def left() -> Any:
        for item in review_items(
            opened,
            recognizers=recognizers_of(extras),
            day_first=day_first,
            everything=everything,
        ):
            if item.item_id not in decided and item.note_id not in gone:
                why = item.found.doubt or "certain"
                doubts[why] = doubts.get(why, 0) + 1
                yield item

    count = write_queue(left(), out, overwrite=overwrite)

    def say() -> None:
        click.echo(f"{out}: {counted(count, 'finding')} to review. The file contains PHI.")
        if doubts:
            table(None, ["reason", ""], sorted(doubts.items(), key=itemgetter(1), reverse=True))

    return {"queue": str(out), "items": count, "doubts": doubts, "phi": True}, say


@click.command("status")
@corpus_argument
@decisions
@recognized
@command
def status(corpus: Path, files: tuple[Path, ...], day_first: bool, extras: tuple[str, ...]) -> Any:
    """Show the progress of the review, and how many notes would remain.

    Reports all decisions that `apply` would reject.

    \b
    Example:
      auscult deid status notes --decisions queue.csv
    """
    from auscult.corpus import Corpus
    from auscult.deid.status import status_of

    opened = Corpus.open(corpus)
    found = status_of(
        opened,
        read_decided(opened, files),
        recognizers=recognizers_of(extras),
        day_first=day_first,
    )

    def say() -> None:
        table(None, ["decision", ""], found.choices.items())
        click.echo()
        table(
            None, ["step", "removed", "notes"], [(s.name, s.removed, s.left) for s in found.steps]
        )
        click.echo(
            f"{counted(found.doubtful, 'uncertain finding')}, {found.undecided:,} of them "
            f"undecided. {counted(found.decided, 'decision')}, {found.added:,} of them additions."
        )

    return {
        "decisions": found.choices,
        "decided": found.decided,
        "added": found.added,
        "doubtful": found.doubtful,
        "undecided": found.undecided,
        "steps": [step.to_dict() for step in found.steps],
    }, say
