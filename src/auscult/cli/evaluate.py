"""`auscult evaluate`: codes and evidence of a coder against gold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from auscult.cli.evaluate_entities import entities
from auscult.cli.evaluate_faithfulness import faithfulness
from auscult.cli.lazy import StoryGroup
from auscult.cli.options import bootstrap, note_category, seed
from auscult.cli.output import command, table
from auscult.cli.sides import opened_side
from auscult.core import Measure, OptionError
from auscult.core.version import __version__
from auscult.report import shown

if TYPE_CHECKING:
    from auscult.corpus import Corpus
    from auscult.evaluate import Sides
    from auscult.evaluate.matched import Matched
    from auscult.statistics.significance import Comparison

F = TypeVar("F", bound=Callable[..., Any])
_path = click.Path(path_type=Path)


def _shared(function: F) -> F:
    """What both commands take."""
    for option in reversed(
        (
            click.argument("gold", type=_path),
            click.argument("predicted", type=_path),
            click.option("--compare", "other", type=_path, help="Another coder's predictions."),
            click.option("--annotator", help="Whose annotations are gold, when GOLD has several."),
            click.option("--predicted-annotator", help="The same for PREDICTED."),
            click.option("--compare-annotator", help="The same for --compare."),
            click.option("--split", help="Only this split of GOLD, or the chart ids in this file."),
            note_category,
            click.option(
                "--charts",
                type=click.Choice(["annotated", "gold", "all"]),
                default="annotated",
                show_default=True,
                help="Read by the gold annotator, all in GOLD, or also those only in PREDICTED.",
            ),
            bootstrap(),
            click.option(
                "--measure",
                "further",
                multiple=True,
                help="Also a measure of another package, by its name; repeatable.",
            ),
            seed,
        )
    ):
        function = option(function)
    return function


@click.group(
    cls=StoryGroup,
    story={
        "codes": "Say how many of the codes are right.",
        "evidence": "Say how much of the evidence is right.",
        "faithfulness": "Say whether evidence is what a coder goes by.",
        "entities": "Say who finds and knows concepts in text.",
    },
)
def evaluate() -> None:
    """Measure a coder's codes and evidence against gold.

    GOLD and PREDICTED are corpora, JSON lines, or folders of MDACE's JSON. Intervals are 95%, from
    resampling whole charts.

    \b
    Example:
      auscult evaluate codes notes predicted --split test
      auscult evaluate evidence MDACE/gold MDACE/predicted --trim --compare MDACE/other
    """


@evaluate.command("evidence")
@_shared
@click.option("--trim", is_flag=True, help="Strip -.,/ ( ) and white space off the spans' ends.")
@click.option(
    "--merge-adjacent",
    is_flag=True,
    help="First join spans of one code with only punctuation and white space between.",
)
@command
def evidence(
    times: int,
    seed: int,
    trim: bool,
    merge_adjacent: bool,
    further: tuple[str, ...],
    **chosen: Any,
) -> Any:
    """Say how much of the evidence is right: four ways of counting, end to end and per gold code.

    A chart without predictions counts as all missed. Text that only one side has serves both.

    \b
    Example:
      auscult evaluate evidence mdace predicted --note-category "Discharge summary" --trim
    """
    from auscult.evaluate import compare_evidence, evaluate_evidence

    sides, other = _sides(**chosen)
    cleaning = {"trim": trim, "merge_adjacent": merge_adjacent}
    result = evaluate_evidence(sides, times=times, seed=seed, **cleaning)
    compared: list[Comparison] = []
    if other is not None:
        second = evaluate_evidence(other, times=0, **cleaning)
        compared = compare_evidence(result, second, times=times, seed=seed)
    measured, more = _further(further, sides, other, times, seed)
    compared += more
    found = {
        **result.to_dict(),
        **_measured(measured),
        **_compared(compared),
        "about": {**_about(sides, times, seed, chosen), **cleaning},
    }

    def say() -> None:
        click.echo(
            f"{result.charts:,} charts, {result.gold_spans:,} gold spans, "
            f"{result.predicted_spans:,} predicted spans"
        )
        _say_matched("End to end", result.measures)
        _say_reasons({name: one.f1.undefined for name, one in result.measures.items()})
        _say_matched("Evidence of the codes that gold has", result.oracle)
        if not result.was_asked:
            click.echo(
                "(Of codes that were not given there is no evidence to see; for that, predict with "
                "--codes-of.)"
            )
        _say_matched("Exact span match by length", result.by_length)
        for name in ("token", "span"):
            rows = {category: found[name] for category, found in result.by_category.items()}
            _say_matched(f"{name.capitalize()} match by note category", rows)
        _say_matched("By CodiEsp's rule", {"codiesp": result.codiesp})
        if measured:
            _say_measures(measured)
        _say_compared(compared)

    return found, say


@evaluate.command("codes")
@_shared
@click.option(
    "--train",
    type=_path,
    help="The corpus the coder learnt from, for measures by how often a code was seen; by default "
    "the split train of GOLD, where it has one and --split names another.",
)
@click.option("--train-annotator", help="Whose codes in it, when it has several annotators.")
@command
def codes(
    times: int,
    seed: int,
    train: Path | None,
    train_annotator: str | None,
    further: tuple[str, ...],
    **chosen: Any,
) -> Any:
    """Say how many of the codes are right, by every measure in use, each under its full name.

    \b
    Example:
      auscult evaluate codes notes predicted --split test --json
    """
    from auscult.evaluate import codes_of, compare_codes, evaluate_codes

    sides, other = _sides(**chosen)
    training = _training(train, train_annotator, chosen, sides)
    seen = None if training is None else codes_of(training)
    result = evaluate_codes(sides, seen=seen, times=times, seed=seed)
    compared: list[Comparison] = []
    if other is not None:
        second = evaluate_codes(other, seen=seen, times=0)
        compared = compare_codes(result, second, times=times, seed=seed)
    measured, more = _further(further, sides, other, times, seed)
    compared += more
    found = {
        **result.to_dict(),
        **_measured(measured),
        **_compared(compared),
        "about": _about(sides, times, seed, chosen),
    }

    def say() -> None:
        counts = result.micro.counts
        click.echo(
            f"{result.outcomes.charts:,} charts, {len(result.outcomes.codes):,} codes in the label "
            f"space"
        )
        if counts is not None:
            click.echo(f"{counts.tp:,} codes right, {counts.fp:,} too many, {counts.fn:,} missed")
        _say_measures({**result.measures, **measured})
        _say_matched("By how often training saw the code", result.by_band, result.codes_in)
        _say_matched("By chapter", result.by_chapter, result.codes_in)
        _say_compared(compared)

    return found, say


evaluate.add_command(faithfulness)
evaluate.add_command(entities)


def _sides(
    gold: Path,
    predicted: Path,
    other: Path | None,
    annotator: str | None,
    predicted_annotator: str | None,
    compare_annotator: str | None,
    split: str | None,
    note_category: tuple[str, ...],
    charts: str,
) -> tuple[Sides, Sides | None]:
    """What is compared, and what with the other coder."""
    from auscult.evaluate import Charts, pair
    from auscult.evaluate.sides import read_chart_ids

    chosen: str | list[str] | None = split
    if split is not None and (Path(split).is_file() or Path(split).suffix in (".csv", ".txt")):
        chosen = read_chart_ids(Path(split))
    known = opened_side(gold)
    opened = [opened_side(path) for path in (predicted, other) if path is not None]

    def paired(at: int, whose: str | None, *called: str) -> Sides:
        return pair(
            known,
            opened[at],
            annotator=annotator,
            predicted_annotator=whose,
            split=chosen,
            note_category=note_category,
            charts=Charts(charts),
            also=opened[1 - at] if len(opened) > 1 else None,
            called=(called[0], called[1]),
        )

    if compare_annotator is not None and other is None:
        raise OptionError("--compare-annotator says whose annotations in --compare; give both.")
    first = paired(0, predicted_annotator, "PREDICTED", "--predicted-annotator")
    if other is None:
        return first, None
    return first, paired(1, compare_annotator, "--compare", "--compare-annotator")


def _training(
    train: Path | None, annotator: str | None, chosen: Mapping[str, Any], sides: Sides
) -> Corpus | None:
    from auscult.evaluate.sides import only_annotator

    if train is not None:
        return only_annotator(opened_side(train), annotator, "--train", "--train-annotator")[0]
    if chosen["split"] in (None, "train") or sides.annotator is None:
        return None
    gold = opened_side(chosen["gold"]).select(annotators=[sides.annotator], splits=["train"])
    return gold if gold.notes.head(1).collect().height else None


def _further(
    names: tuple[str, ...], sides: Sides, other: Sides | None, times: int, seed: int
) -> tuple[dict[str, Measure], list[Comparison]]:
    """Measures of other packages, of PREDICTED and against the other coder."""
    from auscult.evaluate import further

    measured = further.measures(names, sides, times=times, seed=seed)
    if other is None:
        return measured, []
    return measured, further.compare_measures(names, sides, other, times=times, seed=seed)


def _measured(measured: Mapping[str, Measure]) -> dict[str, Any]:
    return {"further": {name: m.to_dict() for name, m in measured.items()}} if measured else {}


def _about(sides: Sides, times: int, seed: int, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """How the numbers came about."""
    return {
        "auscult": __version__,
        **{
            name: str(value) if isinstance(value, Path) else value for name, value in chosen.items()
        },
        "annotator": sides.annotator,
        "predicted_annotator": sides.predicted_annotator,
        "bootstrap": times,
        "seed": seed,
    }


def _compared(compared: Iterable[Comparison]) -> dict[str, Any]:
    found = {one.name: one.to_dict() for one in compared}
    return {"compare": found} if found else {}


def _say_matched(
    title: str, found: Mapping[str, Matched], codes_in: Mapping[str, int] | None = None
) -> None:
    """A row for each that is defined; the interval shown is F1's, --json has the others too."""
    rows = [
        [
            name,
            *([] if codes_in is None else [codes_in[name]]),
            *(one.counts.tp, one.counts.fp, one.counts.fn),
            *(shown.value(one.precision), shown.value(one.recall), shown.value(one.f1)),
            shown.interval(one.f1),
        ]
        for name, one in found.items()
        if one.counts is not None
    ]
    if rows:
        size = [] if codes_in is None else ["codes"]
        click.echo()
        table(title, ["", *size, "TP", "FP", "FN", "P", "R", "F1", "95%"], rows)


def _say_measures(measures: Mapping[str, Measure]) -> None:
    click.echo()
    defined = [
        (m.name, shown.value(m), shown.interval(m)) for m in measures.values() if not m.undefined
    ]
    table(None, ["measure", "value", "95%"], defined)
    _say_reasons({m.name: m.undefined for m in measures.values()})


def _say_reasons(reasons: Mapping[str, str | None]) -> None:
    by_reason: dict[str, list[str]] = {}
    for name, why in reasons.items():
        if why is not None:
            by_reason.setdefault(why, []).append(name)
    for reason, names in by_reason.items():
        click.echo(f"undefined: {', '.join(names)}: {reason}.")


def _say_compared(compared: Iterable[Comparison]) -> None:
    rows = [
        [
            one.name,
            shown.number(one.first),
            shown.number(one.second),
            shown.number(one.difference.value, "+z.3f"),
            shown.interval(one.difference, "+z.3f"),
            shown.value(one.p_value),
        ]
        for one in compared
    ]
    if rows:
        click.echo()
        columns = ["", "PREDICTED", "other", "difference", "95%", "p"]
        table("Against the other coder, paired over charts", columns, rows)
