"""`auscult majority`: a majority vote of annotators, as an annotator of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.annotator_options import (
    about,
    bootstrapped,
    corpus_argument,
    open_part,
    ranged,
    several,
    shown,
)
from auscult.cli.options import overwrite, sign_as, unit
from auscult.cli.output import command, counted, table

if TYPE_CHECKING:
    from auscult.agreement.majority import Undecided
    from auscult.core import Metric

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
@click.option("--votes", type=int, help="Votes that a code needs.  [default: more than half]")
@click.option("--keep-ties", is_flag=True, help="Also accept codes with exactly half of the votes.")
@unit("chart", "note", "span")
@sign_as("majority")
@bootstrapped
@overwrite
@command
def majority(
    corpus: Path,
    out: Path,
    annotators: str | None,
    charts: str,
    votes: int | None,
    keep_ties: bool,
    unit: str,
    sign_as: str,
    times: int,
    seed: int,
    overwrite: bool,
    **part: Any,
) -> Any:
    """Add the majority vote of several annotators to CORPUS, and write it to OUT.

    Prints the agreement of each annotator with the majority.

    \b
    Example:
      auscult majority cmc cmc-gold --annotators COMPANY1,COMPANY2,COMPANY3 --votes 2
    """
    from auscult.agreement import AgreementUnit, SeenCharts
    from auscult.agreement.majority import Level
    from auscult.agreement.majority import majority as compute
    from auscult.agreement.reference import against
    from auscult.corpus.history import recorded
    from auscult.corpus.readers import mark_read

    opened, names = open_part(corpus, annotators, **part)
    found = compute(
        opened,
        names,
        votes=votes,
        keep_ties=keep_ties,
        unit=Level(unit),
        name=sign_as,
        charts=SeenCharts(charts),
    )
    coded = mark_read(opened.with_annotations(found.annotations), sign_as, found.without_codes)
    scored = {}
    if found.annotations:
        scored = against(
            coded,
            sign_as,
            names,
            unit=AgreementUnit(unit),
            seen=SeenCharts(charts),
            times=times,
            seed=seed,
        )
    voted = {"document": "chart" if unit == "chart" else "note", "annotators": list(names)}
    step = f"majority vote of {len(names)}; {len(found.empty):,} without a majority code"
    recorded(
        coded, "majority", {**voted, "votes": votes, "sign_as": sign_as}, [(step, 0, found.units)]
    ).write(out, overwrite=overwrite)
    empty = [{"chart_id": one.chart_id, "note_id": one.note_id} for one in found.empty]
    ties = [
        {
            "chart_id": one.chart_id,
            "note_id": one.note_id,
            "code": str(one.code),
            "votes": one.votes,
            "of": one.annotators,
        }
        for one in found.ties
    ]
    made = {
        "corpus": str(out),
        "annotator": sign_as,
        "votes": votes,
        "units": found.units,
        "annotations": len(found.annotations),
        "empty": empty,
        "empty_count": len(empty),
        "ties": ties,
        "tie_count": len(ties),
        "against_majority": {
            who: {
                **{n: m.value for n, m in metrics.items()},
                "intervals": {n: m.interval for n, m in metrics.items() if m.interval},
                "undefined": {n: m.undefined for n, m in metrics.items() if m.undefined},
            }
            for who, metrics in scored.items()
        },
        "definitions": {m.name: m.definition for ms in scored.values() for m in ms.values()},
        "about": about(
            corpus,
            opened,
            names,
            part,
            charts=charts,
            votes=votes,
            keep_ties=keep_ties,
            unit=unit,
            bootstrap=times,
            seed=seed,
        ),
    }

    def say() -> None:
        click.echo(
            f"{out}: {counted(len(found.annotations), 'annotation')} by {sign_as} on "
            f"{counted(found.units, 'chart' if unit == 'chart' else 'note')}; {len(empty):,} "
            "without a majority" + (f", {counted(len(ties), 'code')} tied" if votes is None else "")
        )
        _say_undecided("no majority", found.empty)
        _say_undecided("tie, kept" if keep_ties else "tie", found.ties)
        if scored:
            click.echo()
            _say_scores(sign_as, scored)

    return made, say


def _say_undecided(what: str, undecided: Sequence[Undecided]) -> None:
    for one in undecided[:_LISTED]:
        code = "" if one.code is None else f": {one.code}, {one.votes} of {one.annotators}"
        click.echo(f"  {what}: chart {one.chart_id}, note {one.note_id or '–'}{code}")
    if len(undecided) > _LISTED:
        click.echo(f"  and {len(undecided) - _LISTED:,} more; --json lists them all")


def _say_scores(name: str, scored: Mapping[str, Mapping[str, Metric]]) -> None:
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
