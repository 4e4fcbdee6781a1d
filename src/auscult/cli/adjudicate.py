"""`auscult adjudicate`: a queue of disagreements out, decisions in, gold from them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from auscult.cli.lazy import StoryGroup
from auscult.cli.output import command, counted, table
from auscult.cli.several import (
    about,
    bootstrapped,
    corpus_argument,
    open_part,
    say_reasons,
    several,
    shown,
    unit_option,
)
from auscult.core import OptionError

if TYPE_CHECKING:
    from auscult.agreement.adjudication import Decision, Queue
    from auscult.corpus import Corpus

F = TypeVar("F", bound=Callable[..., Any])
_file = click.Path(path_type=Path)


def _decided(function: F) -> F:
    """Where decisions are."""
    for option in reversed(
        (
            click.option(
                "--decisions",
                "files",
                multiple=True,
                type=_file,
                help="A queue filled in (.csv or .jsonl); repeatable.",
            ),
            click.option("--who", help="Who decided, in rows or lines that do not say."),
            click.option("--when", help="When, in such ones: 2024-03-01 or 2024-03-01T14:30."),
        )
    ):
        function = option(function)
    return function


@click.group(
    cls=StoryGroup,
    story={
        "queue": "Write what annotators disagree on.",
        "status": "Say what is settled and what is not.",
        "apply": "Make gold of what was settled.",
    },
)
def adjudicate() -> None:
    """Settle what annotators disagree on, and make gold of it.

    A queue has only disagreements, each with its cause. Decisions are accept-A, accept-B, both,
    neither or edit, in a spreadsheet or as JSON lines. Gold is made from them anew at any time.

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
    help="Number of the round  [default: one more than the last decided]",
)
@click.option("--show-text", is_flag=True, help="Quote the notes in the queue: mind who sees it.")
@click.option("--overwrite", is_flag=True, help="Replace the file that is there.")
@command
def queue(
    corpus: Path,
    out: Path,
    annotators: str | None,
    seen: str,
    files: tuple[Path, ...],
    who: str | None,
    when: str | None,
    number: int | None,
    show_text: bool,
    overwrite: bool,
    **part: Any,
) -> Any:
    """Write what annotators disagree on to OUT (.csv or .jsonl), for people to decide.

    With --decisions, only what they have not settled.

    \b
    Example:
      auscult adjudicate queue charts queue.csv --annotators ann,bob --show-text
      auscult adjudicate queue charts second.csv --annotators ann,bob --decisions queue.csv
    """
    from auscult.agreement.adjudication import State, settle
    from auscult.agreement.adjudication.files import write_queue

    opened, made, decisions = _open(corpus, annotators, seen, files, who, when, part)
    open_items = [s.item for s in settle(made, decisions) if s.state is not State.SETTLED]
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
        "about": about(corpus, opened, made.coders, part, seen=seen, decisions=_named(files)),
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
@click.option("--name", default="gold", show_default=True, help="What the annotator is called.")
@click.option("--complete", is_flag=True, help="An error unless every item is settled.")
@click.option("--overwrite", is_flag=True, help="Replace the corpus that is at OUT.")
@command
def apply(
    corpus: Path,
    out: Path,
    annotators: str | None,
    seen: str,
    files: tuple[Path, ...],
    who: str | None,
    when: str | None,
    name: str,
    complete: bool,
    overwrite: bool,
    **part: Any,
) -> Any:
    """Write the corpus with gold to OUT: what annotators agree on, and what was settled.

    Each gold annotation says in its meta who decided what, when and why. Of items that are not
    settled nothing is taken.

    \b
    Example:
      auscult adjudicate apply charts charts-gold --annotators ann,bob --decisions queue.csv
    """
    from auscult.agreement.adjudication import State, gold, settle
    from auscult.agreement.adjudication.gold import settled_charts
    from auscult.corpus.readers import mark_read

    opened, made, decisions = _open(corpus, annotators, seen, files, who, when, part)
    if name in opened.annotations.select("annotator").unique().collect()["annotator"]:
        raise OptionError(
            f"The corpus has annotations of {name} already. Give gold another --name."
        )
    settlements = settle(made, decisions)
    left = [s for s in settlements if s.state is not State.SETTLED]
    if left:
        message = (
            f"{len(left):,} of {len(settlements):,} disagreements are not settled "
            f"({sum(s.state is State.CONTESTED for s in left):,} contested)"
        )
        if complete:
            raise OptionError(f"{message}. See: auscult adjudicate queue --decisions")
        warnings.warn(f"{message}; nothing of them is in {name}.", stacklevel=2)
    annotations = gold(made, decisions, name=name)
    read = settled_charts(made, decisions)
    decided = mark_read(opened.with_annotations(annotations), name, read)
    decided.write(out, overwrite=overwrite)
    found = {
        "corpus": str(out),
        "annotator": name,
        "annotations": len(annotations),
        "settled": len(settlements) - len(left),
        "unsettled": len(left),
        "decisions": len(decisions),
        "about": about(corpus, opened, made.coders, part, seen=seen, decisions=_named(files)),
    }
    return found, lambda: click.echo(
        f"{out}: {counted(len(annotations), 'annotation')} by {name}; "
        f"{len(settlements) - len(left):,} of {counted(len(settlements), 'disagreement')} settled"
    )


@adjudicate.command("status")
@corpus_argument
@several
@_decided
@unit_option
@bootstrapped
@command
def status(
    corpus: Path,
    annotators: str | None,
    seen: str,
    files: tuple[Path, ...],
    who: str | None,
    when: str | None,
    unit: str,
    times: int,
    seed: int,
    **part: Any,
) -> Any:
    """Say what is settled and what is not, and how far annotators agreed before and after review.

    \b
    Example:
      auscult adjudicate status charts --annotators ann,bob --decisions queue.csv
    """
    from auscult.agreement import Unit
    from auscult.agreement.adjudication import State
    from auscult.agreement.adjudication.status import status as compute

    opened, made, decisions = _open(corpus, annotators, seen, files, who, when, part)
    found = compute(made, decisions, unit=Unit(unit), times=times, seed=seed)

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
                "There is no agreement after review: none of the annotators has decided, and what "
                "others decide makes gold and changes nobody's mind."
            )

    how = about(
        corpus,
        opened,
        made.coders,
        part,
        unit=unit,
        seen=seen,
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
    seen: str,
    files: tuple[Path, ...],
    who: str | None,
    when: str | None,
    part: dict[str, Any],
) -> tuple[Corpus, Queue, list[Decision]]:
    from auscult.agreement import Seen
    from auscult.agreement.adjudication import make_queue
    from auscult.agreement.adjudication.files import read_decisions

    opened, names = open_part(corpus, annotators, **part)
    made = make_queue(opened, names, seen=Seen(seen))
    return opened, made, read_decisions(files, made, who=who, when=when)
