"""`auscult deid queue` and `status`: what people decide, and how far they have come."""

from __future__ import annotations

from operator import itemgetter
from pathlib import Path
from typing import Any

import click

from auscult.cli.deid.arguments import (
    decisions_option,
    out_argument,
    overwrite_option,
    read_decided,
    recognised,
    recognisers_of,
)
from auscult.cli.output import command, counted, table
from auscult.cli.several import corpus_argument


@click.command("queue")
@corpus_argument
@out_argument
@click.option("--all", "everything", is_flag=True, help="All findings, not only the doubtful.")
@decisions_option
@recognised
@overwrite_option
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
    """Write what is doubtful to OUT (.csv), with the words around it, for people to decide.

    OUT quotes the notes: it holds protected health information. Decisions are keep, replace,
    generalise, delete (the whole note). A row whose item is `new`, with note, kind, begin and
    end, adds what was not found. With --decisions, only what they leave open.

    \b
    Example:
      auscult deid queue notes queue.csv
    """
    from auscult.corpus import Corpus
    from auscult.corpus.deid import Choice, review_items
    from auscult.corpus.deid.sheet import write_queue

    opened = Corpus.open(corpus)
    decisions = read_decided(opened, files)
    decided = {one.item_id for one in decisions}
    gone = {one.note_id for one in decisions if one.choice is Choice.DELETE}
    doubts: dict[str, int] = {}

    def left() -> Any:
        for item in review_items(
            opened,
            recognisers=recognisers_of(extras),
            day_first=day_first,
            everything=everything,
        ):
            if item.item_id not in decided and item.note_id not in gone:
                why = item.found.doubt or "no doubt"
                doubts[why] = doubts.get(why, 0) + 1
                yield item

    count = write_queue(left(), out, overwrite=overwrite)

    def say() -> None:
        click.echo(
            f"{out}: {counted(count, 'finding')} to decide on. It quotes the notes: keep it safe."
        )
        if doubts:
            table(None, ["doubt", ""], sorted(doubts.items(), key=itemgetter(1), reverse=True))

    return {"queue": str(out), "items": count, "doubts": doubts, "phi": True}, say


@click.command("status")
@corpus_argument
@decisions_option
@recognised
@command
def status(corpus: Path, files: tuple[Path, ...], day_first: bool, extras: tuple[str, ...]) -> Any:
    """Say what is decided and what is not, and how many notes would be left.

    What `apply` would refuse is refused here too, all of it at once.

    \b
    Example:
      auscult deid status notes --decisions queue.csv
    """
    from auscult.corpus import Corpus
    from auscult.corpus.deid.status import status_of

    opened = Corpus.open(corpus)
    found = status_of(
        opened,
        read_decided(opened, files),
        recognisers=recognisers_of(extras),
        day_first=day_first,
    )

    def say() -> None:
        table(None, ["decision", ""], found.choices.items())
        click.echo()
        table(
            None, ["step", "removed", "notes"], [(s.name, s.removed, s.left) for s in found.funnel]
        )
        click.echo(
            f"{counted(found.doubtful, 'doubtful finding')}, {found.undecided:,} of them "
            f"undecided. {counted(found.decided, 'decision')}, {found.added:,} of them additions."
        )

    return {
        "decisions": found.choices,
        "decided": found.decided,
        "added": found.added,
        "doubtful": found.doubtful,
        "undecided": found.undecided,
        "funnel": [step.to_dict() for step in found.funnel],
    }, say
