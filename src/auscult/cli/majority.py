"""`auscult majority`: the codes that enough annotators gave, as an annotator of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.output import command, table
from auscult.cli.several import bootstrapped, corpus_argument, open_part, ranged, several, shown

_LISTED = 10


@click.command()
@corpus_argument
@click.argument("out", type=click.Path(path_type=Path))
@several
@click.option("--votes", type=int, help="How many votes a code needs  [default: more than half]")
@click.option("--keep-ties", is_flag=True, help="Also take codes with exactly half of the votes.")
@click.option(
    "--level",
    type=click.Choice(["chart", "note", "span"]),
    default="note",
    show_default=True,
    help="What a vote is about: a code of a chart, of a note, or of a span.",
)
@click.option("--name", default="majority", show_default=True, help="What the annotator is called.")
@bootstrapped
@click.option("--overwrite", is_flag=True, help="Replace the corpus that is at OUT.")
@command
def majority(
    corpus: Path,
    out: Path,
    annotators: str | None,
    seen: str,
    votes: int | None,
    keep_ties: bool,
    level: str,
    name: str,
    times: int,
    seed: int,
    overwrite: bool,
    **part: Any,
) -> Any:
    """Write the corpus with the majority annotation to OUT, and score each annotator against it.

    \b
    Example:
      auscult majority cmc cmc-gold --annotators COMPANY1,COMPANY2,COMPANY3 --votes 2
    """
    from auscult.agreement import Seen, Unit
    from auscult.agreement.against import against
    from auscult.agreement.majority import Level
    from auscult.agreement.majority import majority as compute

    opened, names = open_part(corpus, annotators, **part)
    found = compute(
        opened,
        names,
        votes=votes,
        keep_ties=keep_ties,
        level=Level(level),
        name=name,
        seen=Seen(seen),
    )
    written = opened.with_annotations(found.annotations).write(out, overwrite=overwrite)
    scored = {}
    if found.annotations:
        scored = against(
            written, name, names, unit=Unit(level), seen=Seen(seen), times=times, seed=seed
        )
    empty = [{"chart_id": one.chart_id, "note_id": one.note_id} for one in found.empty]
    ties = [
        {
            "chart_id": one.chart_id,
            "note_id": one.note_id,
            "code": str(one.code),
            "votes": one.votes,
            "of": one.coders,
        }
        for one in found.ties
    ]
    made = {
        "corpus": str(out),
        "annotator": name,
        "votes": votes,
        "units": found.units,
        "annotations": len(found.annotations),
        "empty": empty,
        "empty_count": len(empty),
        "ties": ties,
        "tie_count": len(ties),
        "against_majority": {
            who: {
                **{n: m.value for n, m in measures.items()},
                "intervals": {n: m.interval for n, m in measures.items() if m.interval},
                "undefined": {n: m.undefined for n, m in measures.items() if m.undefined},
            }
            for who, measures in scored.items()
        },
        "definitions": {m.name: m.definition for ms in scored.values() for m in ms.values()},
    }

    def say() -> None:
        click.echo(
            f"{out}: {len(found.annotations):,} annotations by {name} on {found.units:,} "
            f"{'charts' if level == 'chart' else 'notes'}; {len(empty):,} without a majority, "
            f"{len(ties):,} codes with half of the votes"
        )
        for one in empty[:_LISTED]:
            click.echo(f"  no majority: chart {one['chart_id']}, note {one['note_id'] or '–'}")
        if len(empty) > _LISTED:
            click.echo(f"  and {len(empty) - _LISTED:,} more; --json lists them all")
        if scored:
            click.echo()
            kinds = list(next(iter(scored.values())))
            rows = [
                [kind, *(f"{shown(m[kind])}  {ranged(m[kind])}".strip() for m in scored.values())]
                for kind in kinds
            ]
            table(f"Against {name}", ["", *scored], rows)

    return made, say
