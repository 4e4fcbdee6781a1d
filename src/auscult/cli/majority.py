"""`auscult majority`: the codes that enough annotators gave, as an annotator of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.output import command, counted, table
from auscult.cli.several import (
    about,
    bootstrapped,
    corpus_argument,
    open_part,
    ranged,
    several,
    shown,
)

if TYPE_CHECKING:
    from auscult.agreement.majority import Undecided
    from auscult.core import Measure

_LISTED = 10
_SHORT = {
    "macro_f1_as_mean_of_code_f1_over_gold_codes": "macro_f1 gold",
    "macro_f1_as_mean_of_code_f1_over_all_codes": "macro_f1 all",
    "macro_f1_from_macro_precision_and_recall_where_defined": "macro_f1 P, R",
}
"""What a table has room for."""


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
    from auscult.corpus.readers import mark_read

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
    coded = mark_read(opened.with_annotations(found.annotations), name, found.without_codes)
    scored = {}
    if found.annotations:
        scored = against(
            coded, name, names, unit=Unit(level), seen=Seen(seen), times=times, seed=seed
        )
    coded.write(out, overwrite=overwrite)
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
        "about": about(
            corpus,
            opened,
            names,
            part,
            seen=seen,
            votes=votes,
            keep_ties=keep_ties,
            level=level,
            bootstrap=times,
            seed=seed,
        ),
    }

    def say() -> None:
        click.echo(
            f"{out}: {counted(len(found.annotations), 'annotation')} by {name} on "
            f"{counted(found.units, 'chart' if level == 'chart' else 'note')}; {len(empty):,} "
            "without a majority"
            + (f", {counted(len(ties), 'code')} with half of the votes" if votes is None else "")
        )
        _say_undecided("no majority", found.empty)
        _say_undecided("kept, half of the votes" if keep_ties else "half of the votes", found.ties)
        if scored:
            click.echo()
            _say_scores(name, scored)

    return made, say


def _say_undecided(what: str, undecided: Sequence[Undecided]) -> None:
    for one in undecided[:_LISTED]:
        code = "" if one.code is None else f": {one.code}, {one.votes} of {one.coders}"
        click.echo(f"  {what}: chart {one.chart_id}, note {one.note_id or '–'}{code}")
    if len(undecided) > _LISTED:
        click.echo(f"  and {len(undecided) - _LISTED:,} more; --json lists them all")


def _say_scores(name: str, scored: Mapping[str, Mapping[str, Measure]]) -> None:
    """A column for each annotator, the interval under the value, and what the short names are."""
    first = next(iter(scored.values()))
    rows = [
        [
            _SHORT.get(kind, kind),
            *(f"{shown(m[kind])}\n{ranged(m[kind])}".strip() for m in scored.values()),
        ]
        for kind in first
    ]
    table(f"Against {name}", ["", *scored], rows)
    click.echo()
    for kind, short in _SHORT.items():
        click.echo(click.wrap_text(f"{short}: {first[kind].definition}", 80, "", "  "))
