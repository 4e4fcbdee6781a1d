"""`auscult deid`: find, review and replace what identifies people."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from auscult.cli.output import command, counted, table
from auscult.cli.several import bootstrapped, corpus_argument, ranged, shown
from auscult.core import OptionError

if TYPE_CHECKING:
    from auscult.corpus import Corpus
    from auscult.corpus.deid import Decision, Recogniser

F = TypeVar("F", bound=Callable[..., Any])
_file = click.Path(path_type=Path)
_out = click.argument("out", type=_file)
_overwrite = click.option("--overwrite", is_flag=True, help="Replace what is at OUT.")
_decisions = click.option(
    "--decisions", "files", multiple=True, type=_file, help="A queue filled in (.csv); repeatable."
)


class _Group(click.Group):
    """`auscult deid CORPUS OUT` is `auscult deid apply CORPUS OUT`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `apply` in front when the first argument names no command."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["apply", *args]
        return super().parse_args(ctx, args)


def _recognised(function: F) -> F:
    """How secrets are found."""
    for option in reversed(
        (
            click.option("--day-first", is_flag=True, help="Read 3/4/2149 as 3 April."),
            click.option(
                "--extra",
                "extras",
                multiple=True,
                type=click.Choice(["presidio"]),
                help="A further recogniser; repeatable.",
            ),
        )
    ):
        function = option(function)
    return function


@click.group(cls=_Group)
def deid() -> None:
    """Find, review and replace what identifies people.

    Names, dates, ages over 89, numbers and addresses become like values, the same throughout a
    patient's notes; annotations stay on their words. `auscult deid CORPUS OUT` does it at once;
    queue, status and apply let people decide what is doubtful. No program finds everything: have
    a sample read before you share a corpus.

    \b
    Example:
      auscult deid notes notes-deid
      auscult deid queue notes queue.csv
      auscult deid apply notes notes-deid --decisions queue.csv
    """


@deid.command("apply")
@corpus_argument
@_out
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
@_decisions
@click.option("--complete", is_flag=True, help="An error unless every doubtful word is decided.")
@_recognised
@click.option(
    "--key",
    "key_file",
    type=_file,
    help="Also write what would undo it, encrypted. The passphrase is asked for, or taken from "
    "AUSCULT_DEID_PASSPHRASE.",
)
@click.option("--seed", help="The same seed, the same result. Keep it as secret as a key.")
@_overwrite
@command
def apply(
    corpus: Path,
    out: Path,
    style: str,
    files: tuple[Path, ...],
    complete: bool,
    extras: tuple[str, ...],
    key_file: Path | None,
    seed: str | None,
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

    opened = Corpus.open(corpus)
    decisions = _read(opened, files)
    recognisers = _recognisers(extras)
    if complete:
        left = _undecided(opened, decisions, recognisers, chosen["day_first"])
        if left:
            raise OptionError(
                f"{counted(left, 'doubtful finding')} not decided on. See: auscult deid status"
            )
    key, passphrase = None, ""
    if key_file is not None:
        require_cryptography()
        check_absent(key_file, overwrite=overwrite)
        key, passphrase = KeyWriter(), _passphrase(confirm=True)
    if seed is not None:
        chosen["seed"] = seed
    options = Options(style=Style(style), doubtful=Doubtful(doubtful), **chosen)
    found = deidentify(
        opened,
        out,
        options,
        recognisers=recognisers,
        decisions=decisions,
        key=key,
        overwrite=overwrite,
    )
    if key is not None and key_file is not None:
        key.write(key_file, passphrase, overwrite=overwrite)
    if not chosen["new_ids"]:
        warnings.warn(
            "Ids of notes, charts and patients are as they were. If they are those of your "
            "hospital, pass --new-ids.",
            stacklevel=1,
        )

    def say() -> None:
        tally = found.tally
        table(f"{out}: replaced", ["kind", "times"], sorted(tally.replaced.items()))
        click.echo()
        table(
            None, ["step", "removed", "notes"], [(s.name, s.removed, s.left) for s in found.funnel]
        )
        click.echo(
            f"{counted(tally.doubtful, 'doubtful finding')}, {tally.decided:,} decided on. "
            f"{counted(found.patients, 'patient')}."
        )
        for count, what in (
            (tally.unmovable_dates, "date"),
            (tally.dropped_times, "time of a note"),
            (tally.emptied_spans, "span"),
        ):
            if count:
                became = {"date": "that is no day, written as [date]", "span": "with no words left"}
                click.echo(
                    f"{counted(count, what)} {became.get(what, 'that could not be read: gone')}"
                )
        if key_file is not None:
            click.echo(f"{key_file} undoes it. Keep it apart from {out}.")

    return {
        "corpus": str(out),
        "key": None if key_file is None else str(key_file),
        **found.to_dict(),
    }, say


@deid.command("queue")
@corpus_argument
@_out
@click.option("--all", "everything", is_flag=True, help="All findings, not only the doubtful.")
@_decisions
@_recognised
@_overwrite
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
    from auscult.corpus.deid import review_items
    from auscult.corpus.deid.sheet import write_queue

    opened = Corpus.open(corpus)
    decided = {decision.item_id for decision in _read(opened, files)}
    doubts: dict[str, int] = {}

    def left() -> Any:
        for item in review_items(
            opened,
            recognisers=_recognisers(extras),
            day_first=day_first,
            everything=everything,
        ):
            if item.item_id not in decided:
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


@deid.command("status")
@corpus_argument
@_decisions
@_recognised
@command
def status(corpus: Path, files: tuple[Path, ...], day_first: bool, extras: tuple[str, ...]) -> Any:
    """Say what is decided and what is not, and how many notes would be left.

    \b
    Example:
      auscult deid status notes --decisions queue.csv
    """
    from auscult.corpus import Corpus
    from auscult.corpus.deid import Choice
    from auscult.corpus.deid.funnel import funnel
    from auscult.corpus.info import info

    opened = Corpus.open(corpus)
    decisions = _read(opened, files)
    left = _undecided(opened, decisions, _recognisers(extras), day_first)
    choices = {c.value: sum(d.choice is c for d in decisions) for c in Choice}
    deleted = {d.note_id for d in decisions if d.choice is Choice.DELETE}
    steps = funnel(info(opened).notes, len(deleted))
    found = {
        "decisions": choices,
        "added": sum(d.added is not None for d in decisions),
        "undecided": left,
        "funnel": [step.to_dict() for step in steps],
    }

    def say() -> None:
        table(None, ["decision", ""], [*choices.items(), ("(undecided)", left)])
        click.echo()
        table(None, ["step", "removed", "notes"], [(s.name, s.removed, s.left) for s in steps])

    return found, say


@deid.command("mark")
@corpus_argument
@_out
@_recognised
@_overwrite
@command
def mark(corpus: Path, out: Path, day_first: bool, extras: tuple[str, ...], overwrite: bool) -> Any:
    """Write CORPUS to OUT as it is, with what was found as annotations of the system PHI.

    \b
    Example:
      auscult deid mark notes notes-marked
    """
    from auscult.corpus import Corpus
    from auscult.corpus.deid.mark import ANNOTATOR, marked

    opened = Corpus.open(corpus)
    if ANNOTATOR in opened.manifest.annotators:
        raise OptionError(f"The corpus has annotations of {ANNOTATOR} already.")
    found = list(marked(opened, recognisers=_recognisers(extras), day_first=day_first))
    opened.with_annotations(found).write(out, overwrite=overwrite)
    kinds = {
        k: sum(a.code.value == k for a in found) for k in sorted({a.code.value for a in found})
    }

    def say() -> None:
        table(f"{out}: annotations by {ANNOTATOR}", ["kind", ""], kinds.items())

    return {"corpus": str(out), "annotator": ANNOTATOR, "kinds": kinds}, say


@deid.command("evaluate")
@click.argument("gold", type=_file)
@click.option("--annotator", help="Whose annotations are gold, when GOLD has several.")
@click.option("--note-category", multiple=True, help="Only notes of this category; repeatable.")
@_recognised
@bootstrapped
@command
def evaluate(
    gold: Path,
    annotator: str | None,
    note_category: tuple[str, ...],
    day_first: bool,
    extras: tuple[str, ...],
    times: int,
    seed: int,
) -> Any:
    """Say how much is found of what GOLD has marked, by kind, and how many notes would leak.

    GOLD has annotations of the system PHI with the codes NAME, DATE, AGE, PHONE, ID, EMAIL, URL,
    LOCATION and HOSPITAL. Words are counted. A kind counts as found when it was taken for that
    kind, and as hidden whatever it was taken for.

    \b
    Example:
      auscult corpus import jsonl hospital/phi planted
      auscult deid evaluate planted
    """
    from auscult.corpus import Corpus
    from auscult.corpus.deid import SYSTEM
    from auscult.corpus.deid.mark import marked
    from auscult.evaluate.deid import evaluate_deid
    from auscult.evaluate.sides import pair

    opened = Corpus.open(gold).select(systems=[SYSTEM])
    found = list(marked(opened, recognisers=_recognisers(extras), day_first=day_first))
    predicted = Corpus(opened.notes, Corpus.of((), found).annotations)
    sides = pair(opened, predicted, annotator=annotator, note_category=note_category)
    result = evaluate_deid(sides, times=times, seed=seed)

    def say() -> None:
        kinds = [(k, one, result.hidden[k]) for k, one in result.by_kind.items()]
        kinds.append(("any kind", result.any_kind, result.any_kind.recall))
        rows = [
            (
                name,
                shown(one.recall),
                ranged(one.recall),
                shown(one.precision),
                ranged(one.precision),
                shown(hidden),
            )
            for name, one, hidden in kinds
        ]
        title = f"{counted(result.notes, 'note')} of {counted(result.charts, 'chart')}"
        table(title, ["kind", "recall", "95%", "precision", "95%", "hidden"], rows)
        leak = result.leak_rate
        click.echo(f"leak rate {shown(leak)} ({ranged(leak)}): notes in which a word would show")

    return {"gold": str(gold), **result.to_dict()}, say


@deid.command("key")
@click.argument("key", type=_file)
@click.option("--patient", help="Only this patient's.")
@command
def key(key: Path, patient: str | None) -> Any:
    """Open a key and say by how many days each patient's dates were moved.

    \b
    Example:
      auscult deid key notes.key --patient 1042
    """
    from auscult.core.names import require_id
    from auscult.corpus.deid.key import read_key

    keys = list(read_key(key, _passphrase()))
    if patient is not None:
        require_id(patient, [one.patient_id for one in keys], "patient")
        keys = [one for one in keys if one.patient_id == patient]
    offsets = {one.patient_id: one.offset_days for one in keys}

    def say() -> None:
        table(str(key), ["patient", "days"], offsets.items())

    return {"key": str(key), "offsets": offsets}, say


@deid.command("undo")
@corpus_argument
@_out
@click.option("--key", required=True, type=_file, help="The key that was written with CORPUS.")
@_overwrite
@command
def undo(corpus: Path, out: Path, key: Path, overwrite: bool) -> Any:
    """Write a de-identified CORPUS to OUT as it was, with its key.

    \b
    Example:
      auscult deid undo notes-deid notes-again --key notes.key
    """
    from auscult.corpus import Corpus
    from auscult.corpus.deid.key import read_key
    from auscult.corpus.deid.undo import undo as restore
    from auscult.corpus.info import info

    made = restore(Corpus.open(corpus), read_key(key, _passphrase())).write(
        out, overwrite=overwrite
    )
    notes = info(made).notes
    return {"corpus": str(out), "notes": notes}, lambda: click.echo(
        f"{out}: {counted(notes, 'note')} with all that identifies people"
    )


def _read(corpus: Corpus, files: tuple[Path, ...]) -> list[Decision]:
    from auscult.corpus.deid.sheet import read_decisions

    if not files:
        return []
    notes = set(corpus.notes.select("note_id").collect()["note_id"])
    return read_decisions(files, notes)


def _recognisers(extras: tuple[str, ...]) -> tuple[Recogniser, ...]:
    from auscult.corpus.deid import builtin

    chosen = builtin()
    if "presidio" in extras:
        from auscult.corpus.deid.recognisers.presidio import Presidio

        chosen = (*chosen, Presidio())
    return chosen


def _undecided(
    corpus: Corpus,
    decisions: list[Decision],
    recognisers: tuple[Recogniser, ...],
    day_first: bool,
) -> int:
    from auscult.corpus.deid import Choice, review_items

    decided = {decision.item_id for decision in decisions}
    gone = {decision.note_id for decision in decisions if decision.choice is Choice.DELETE}
    return sum(
        item.item_id not in decided and item.note_id not in gone
        for item in review_items(corpus, recognisers=recognisers, day_first=day_first)
    )


def _passphrase(*, confirm: bool = False) -> str:
    """The passphrase of a key: never from the command line, where others can see it."""
    from auscult.corpus.deid.key import PASSPHRASE, check_passphrase

    given = os.environ.get(PASSPHRASE)
    if given is None:
        given = str(
            click.prompt("Passphrase", hide_input=True, confirmation_prompt=confirm, err=True)
        )
    check_passphrase(given)
    return given
