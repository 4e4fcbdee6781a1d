"""`auscult adjudicate`: a queue of disagreements, decisions on them, and the gold standard."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from auscult.cli.annotator_options import (
    about,
    bootstrapped,
    corpus_argument,
    open_part,
    say_reasons,
    several,
    shown,
    unit_option,
)
from auscult.cli.lazy import StoryGroup
from auscult.cli.options import (
    complete,
    decisions,
    exact_spans,
    overwrite,
    show_text,
    sign_as,
)
from auscult.cli.output import command, counted, table
from auscult.core import OptionError

if TYPE_CHECKING:
    from auscult.agreement.adjudication import Decision, Queue
    from auscult.corpus import Corpus

F = TypeVar("F", bound=Callable[..., Any])
_file = click.Path(path_type=Path)


def _decided(function: F) -> F:
    """Add the options for files of decisions."""
    for option in reversed(
        (
            decisions,
            click.option(
                "--decided-by", "who", help="Who decided, for decisions that do not name anybody."
            ),
            click.option(
                "--decided-on", "when", metavar="DATE", help="When, for decisions without a date."
            ),
        )
    ):
        function = option(function)
    return function


@click.group(
    cls=StoryGroup,
    story={
        "queue": "Write a queue of disagreements.",
        "status": "Show progress, and agreement before and after.",
        "apply": "Write the gold standard.",
    },
)
def adjudicate() -> None:
    """Adjudicate disagreements between annotators into a gold standard.

    The queue lists disagreements only, each with its cause. A decision is accept-A, accept-B, both,
    neither or edit, in a spreadsheet or as JSON lines. The gold standard can be rebuilt from the
    decisions at any time.

    \b
    Example:
      auscult adjudicate queue charts queue.csv --annotators ann,bob --show-text
      auscult adjudicate status charts --annotators ann,bob --decisions queue.csv
      auscult adjudicate apply charts charts-gold --annotators ann,bob --decisions queue.csv
    """


@adjudicate.command("queue")
@corpus_argument
@click.argument("out", type=_file)
@several
@_decided
@click.option(
    "--round",
    "number",
    type=click.IntRange(1),
    help="Number of the review round.  [default: the last decided one + 1]",
)
@show_text
@overwrite
@command
def queue(
    corpus: Path,
    out: Path,
    annotators: str | None,
    charts: str,
    files: tuple[Path, ...],
    who: str | None,
    when: str | None,
    number: int | None,
    show_text: bool,
    overwrite: bool,
    **part: Any,
) -> Any:
    """Write the disagreements in CORPUS to OUT (.csv or .jsonl) for review.

    With --decisions, only disagreements that are still open.

    \b
    Example:
      auscult adjudicate queue charts queue.csv --annotators ann,bob --show-text
      auscult adjudicate queue charts second.csv --annotators ann,bob --decisions queue.csv
    """
    from auscult.agreement.adjudication import State, resolve
    from auscult.agreement.adjudication.files import write_queue

    opened, made, decisions = _open(corpus, annotators, charts, files, who, when, part)
    open_items = [s.item for s in resolve(made, decisions) if s.state is not State.SETTLED]
    number = number or 1 + max((d.round for d in decisions), default=0)
    write_queue(made, open_items, out, round=number, show_text=show_text, overwrite=overwrite)
    causes = {
        cause: sum(item.cause == cause for item in open_items)
        for cause in sorted({item.cause for item in open_items})
    }
    found = {
        "queue": str(out),
        "round": number,
        "items": len(open_items),
        "settled": len(made.items) - len(open_items),
        "causes": {cause.value: count for cause, count in causes.items()},
        "about": about(
            corpus, opened, made.annotators, part, charts=charts, decisions=_named(files)
        ),
    }

    def say() -> None:
        click.echo(f"{out}: {counted(len(open_items), 'disagreement')} for round {number}")
        if causes:
            table(None, ["cause", ""], [(c.value, n) for c, n in causes.items()])

    return found, say


@adjudicate.command("apply")
@corpus_argument
@click.argument("out", type=_file)
@several
@_decided
@sign_as("gold")
@complete
@overwrite
@command
def apply(
    corpus: Path,
    out: Path,
    annotators: str | None,
    charts: str,
    files: tuple[Path, ...],
    who: str | None,
    when: str | None,
    sign_as: str,
    complete: bool,
    overwrite: bool,
    **part: Any,
) -> Any:
    """Add the adjudicated gold standard to CORPUS, and write it to OUT.

    Gold is what the annotators agree on plus what was decided. The metadata of each annotation
    record who decided it, when and why. Open disagreements are left out.

    \b
    Example:
      auscult adjudicate apply charts charts-gold --annotators ann,bob --decisions queue.csv
    """
    from auscult.agreement.adjudication import State, gold, resolve
    from auscult.agreement.adjudication.gold import resolved_charts
    from auscult.corpus.readers import mark_read

    opened, made, decisions = _open(corpus, annotators, charts, files, who, when, part)
    if sign_as in opened.lazy_annotations.select("annotator").unique().collect()["annotator"]:
        raise OptionError(
            f"The corpus already has annotations by {sign_as}. Choose another name with --sign-as."
        )
    settlements = resolve(made, decisions)
    left = [s for s in settlements if s.state is not State.SETTLED]
    if left:
        message = (
            f"{len(left):,} of {len(settlements):,} disagreements are open "
            f"({sum(s.state is State.CONTESTED for s in left):,} contested)"
        )
        if complete:
            raise OptionError(f"{message}. List them with: auscult adjudicate queue --decisions")
        warnings.warn(f"{message} and are left out of {sign_as}.", stacklevel=2)
    annotations = gold(made, decisions, name=sign_as)
    read = resolved_charts(made, decisions)
    decided = mark_read(opened.with_annotations(annotations), sign_as, read)
    decided.write(out, overwrite=overwrite)
    found = {
        "corpus": str(out),
        "annotator": sign_as,
        "annotations": len(annotations),
        "settled": len(settlements) - len(left),
        "unsettled": len(left),
        "decisions": len(decisions),
        "about": about(
            corpus, opened, made.annotators, part, charts=charts, decisions=_named(files)
        ),
    }
    return found, lambda: click.echo(
        f"{out}: {counted(len(annotations), 'annotation')} by {sign_as}; "
        f"{len(settlements) - len(left):,} of {counted(len(settlements), 'disagreement')} settled"
    )


@adjudicate.command("status")
@corpus_argument
@several
@_decided
@unit_option
@exact_spans
@bootstrapped
@command
def status(
    corpus: Path,
    annotators: str | None,
    charts: str,
    files: tuple[Path, ...],
    who: str | None,
    when: str | None,
    unit: str,
    exact_spans: bool,
    times: int,
    seed: int,
    **part: Any,
) -> Any:
    """Show how many disagreements are settled, and agreement before and after review.

    \b
    Example:
      auscult adjudicate status charts --annotators ann,bob --decisions queue.csv
    """
    from auscult.agreement import AgreementUnit
    from auscult.agreement.adjudication import State
    from auscult.agreement.adjudication.status import status as compute

    opened, made, decisions = _open(corpus, annotators, charts, files, who, when, part)
    found = compute(
        made,
        decisions,
        unit=AgreementUnit(unit),
        exact_spans=exact_spans,
        times=times,
        seed=seed,
    )

    def say() -> None:
        rows = [
            (cause.value, *(states[state] for state in State))
            for cause, states in found.causes.items()
        ]
        rows.append(("all", *(found.states[state] for state in State)))
        table(counted(len(made.items), "disagreement"), ["cause", *State], rows)
        click.echo()
        before = found.agreement["before"]
        measured = [
            [name, *(shown(one[name]) for one in found.agreement.values())] for name in before
        ]
        table(f"Agreement ({unit})", ["", *found.agreement], measured)
        say_reasons(before)
        if len(found.agreement) == 1:
            click.echo(
                "Agreement after review is undefined: none of the annotators took part in it, and "
                "decisions by others change the gold standard only."
            )

    how = about(
        corpus,
        opened,
        made.annotators,
        part,
        unit=unit,
        charts=charts,
        exact_spans=exact_spans,
        decisions=_named(files),
        bootstrap=times,
        seed=seed,
    )
    return {**found.to_dict(), "unit": unit, "about": how}, say


def _named(files: tuple[Path, ...]) -> list[str]:
    return [str(file) for file in files]


def _open(
    corpus: Path,
    annotators: str | None,
    charts: str,
    files: tuple[Path, ...],
    who: str | None,
    when: str | None,
    part: dict[str, Any],
) -> tuple[Corpus, Queue, list[Decision]]:
    from auscult.agreement import SeenCharts
    from auscult.agreement.adjudication import make_queue
    from auscult.agreement.adjudication.files import read_decisions

    opened, names = open_part(corpus, annotators, **part)
    made = make_queue(opened, names, seen=SeenCharts(charts))
    return opened, made, read_decisions(files, made, who=who, when=when)
