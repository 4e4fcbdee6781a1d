"""`auscult evaluate`: predictions against gold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from auscult.cli.evaluate_entities import entities
from auscult.cli.evaluate_faithfulness import faithfulness
from auscult.cli.inputs import opened_side
from auscult.cli.lazy import StoryGroup
from auscult.cli.options import (
    annotator,
    bootstrap,
    charts,
    note_category,
    predicted_annotator,
    seed,
    train_annotator,
    train_corpus,
)
from auscult.cli.output import command, paragraph, table
from auscult.core import Metric, OptionError
from auscult.core.version import __version__
from auscult.report import metric_format

if TYPE_CHECKING:
    from auscult.corpus import Corpus
    from auscult.evaluate import Sides
    from auscult.evaluate.matching import MatchMetrics
    from auscult.statistics.significance import Comparison

F = TypeVar("F", bound=Callable[..., Any])
_path = click.Path(path_type=Path)


def _shared(function: F) -> F:
    """Add the arguments and options of both commands."""
    for option in reversed(
        (
            click.argument("gold", type=_path),
            click.argument("predicted", type=_path),
            click.option(
                "--compare", "other", type=_path, help="Predictions of a second model, to compare."
            ),
            annotator,
            predicted_annotator,
            click.option("--compare-annotator", help="Annotator to use in --compare."),
            click.option("--split", help="Only this split, or the chart ids in this file."),
            note_category,
            charts(),
            click.option(
                "--extra-charts",
                is_flag=True,
                help="Also count charts that only PREDICTED has; all codes there are wrong.",
            ),
            bootstrap(),
            seed,
        )
    ):
        function = option(function)
    return function


@click.group(
    cls=StoryGroup,
    story={
        "codes": "Evaluate codes: precision, recall, F1 and more.",
        "evidence": "Evaluate evidence spans against gold.",
        "faithfulness": "Measure how faithful a model's evidence is.",
        "entities": "Evaluate named entity recognition and linking.",
    },
)
def evaluate() -> None:
    """Evaluate predicted codes, evidence and entities against gold.

    GOLD and PREDICTED are corpora, JSON lines, or folders of MDACE's JSON. 95% intervals by
    bootstrapping charts.

    \b
    Example:
      auscult evaluate codes notes predicted --split test
      auscult evaluate evidence MDACE/gold MDACE/predicted --trim --compare MDACE/other
    """


@evaluate.command("evidence")
@_shared
@click.option(
    "--trim", is_flag=True, help="Strip -.,/ ( ) and white space from both ends of spans."
)
@click.option(
    "--merge-adjacent",
    is_flag=True,
    help="Join spans of one code that only punctuation or white space separates.",
)
@click.option("--metric", "names", multiple=True, help="Additional plug-in metric; repeatable.")
@command
def evidence(
    times: int,
    seed: int,
    trim: bool,
    merge_adjacent: bool,
    names: tuple[str, ...],
    **chosen: Any,
) -> Any:
    """Evaluate evidence by tokens, exact spans, overlap and position: end to end, and by gold code.

    In a chart without predictions, everything counts as missed. Only one side needs the text.

    \b
    Example:
      auscult evaluate evidence mdace predicted --category "Discharge summary" --trim
    """
    from auscult.evaluate import compare_evidence, evidence_metrics

    sides, other = _sides(**chosen)
    cleaning = {"trim": trim, "merge_adjacent": merge_adjacent}
    result = evidence_metrics(sides, times=times, seed=seed, **cleaning)
    compared: list[Comparison] = []
    if other is not None:
        second = evidence_metrics(other, times=0, **cleaning)
        compared = compare_evidence(result, second, times=times, seed=seed)
    others, more = _plugin_metrics(names, sides, other, times, seed)
    compared += more
    found = {
        **result.to_dict(),
        **({"metrics": {name: m.to_dict() for name, m in others.items()}} if others else {}),
        **_compared(compared),
        "about": {**_about(sides, times, seed, chosen), **cleaning},
    }

    def say() -> None:
        click.echo(
            f"{result.charts:,} charts, {result.gold_spans:,} gold spans, "
            f"{result.predicted_spans:,} predicted spans"
        )
        _say_matched("End to end", result.metrics)
        _say_reasons({name: one.f1.undefined for name, one in result.metrics.items()})
        _say_matched("Evidence for gold codes", result.oracle)
        if not result.was_asked:
            click.echo(
                "(There is no evidence for codes that were not predicted. To get it, run predict "
                "with --codes-of.)"
            )
        _say_matched("Exact span match by length", result.by_length)
        for name in ("token", "span"):
            rows = {category: found[name] for category, found in result.by_category.items()}
            _say_matched(f"{name.capitalize()} match by note category", rows)
        _say_matched("By CodiEsp's rule", {"codiesp": result.codiesp})
        if others:
            _say_metrics(others)
        _say_compared(compared)

    return found, say


@evaluate.command("codes")
@_shared
@train_corpus
@train_annotator
@command
def codes(
    times: int,
    seed: int,
    train: Path | None,
    train_annotator: str | None,
    **chosen: Any,
) -> Any:
    """Evaluate codes by every metric in common use, each under its full name.

    Plug-in metrics are included.

    \b
    Example:
      auscult evaluate codes notes predicted --split test --json
    """
    from auscult.evaluate import code_metrics, codes_of, compare_codes

    sides, other = _sides(**chosen)
    training = _training(train, train_annotator, chosen, sides)
    seen = None if training is None else codes_of(training)
    result = code_metrics(sides, seen=seen, times=times, seed=seed)
    compared: list[Comparison] = []
    if other is not None:
        second = code_metrics(other, seen=seen, times=0)
        compared = compare_codes(result, second, times=times, seed=seed)
    found = {
        **result.to_dict(),
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
            click.echo(
                f"{counts.tp:,} true positives, {counts.fp:,} false positives, "
                f"{counts.fn:,} false negatives"
            )
        _say_metrics(result.metrics)
        _say_matched("By frequency in training", result.by_band, result.codes_in)
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
    extra_charts: bool,
) -> tuple[Sides, Sides | None]:
    """Gold against the predictions, and against those of the second model."""
    from auscult.evaluate import CountedCharts, pair
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
            charts=CountedCharts.UNION if extra_charts else CountedCharts(charts),
            also=opened[1 - at] if len(opened) > 1 else None,
            called=(called[0], called[1]),
        )

    if compare_annotator is not None and other is None:
        raise OptionError("--compare-annotator needs --compare.")
    first = paired(0, predicted_annotator, "PREDICTED", "--predicted-annotator")
    if other is None:
        return first, None
    return first, paired(1, compare_annotator, "--compare", "--compare-annotator")


def _training(
    train: Path | None, annotator: str | None, chosen: Mapping[str, Any], sides: Sides
) -> Corpus | None:
    from auscult.corpus.selecting import matching
    from auscult.evaluate.sides import only_annotator

    if train is not None:
        return only_annotator(opened_side(train), annotator, "--train-corpus", "--train-annotator")[
            0
        ]
    if chosen["split"] in (None, "train") or sides.annotator is None:
        return None
    gold = matching(opened_side(chosen["gold"]), annotators=[sides.annotator], splits=["train"])
    return gold if gold.lazy_notes.head(1).collect().height else None


def _plugin_metrics(
    names: tuple[str, ...], sides: Sides, other: Sides | None, times: int, seed: int
) -> tuple[dict[str, Metric], list[Comparison]]:
    """Plug-in metrics, of PREDICTED and compared with the second model."""
    from auscult.evaluate.metrics import registry
    from auscult.evaluate.metrics.from_sides import compare_metric, metric

    chosen = {name: registry.plugin(name) for name in names}
    options = {"times": times, "seed": seed}
    found = {name: metric(how, sides, name=name, **options) for name, how in chosen.items()}
    if other is None:
        return found, []
    return found, [
        compare_metric(how, sides, other, name=name, **options) for name, how in chosen.items()
    ]


def _about(sides: Sides, times: int, seed: int, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Provenance of the numbers."""
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
    title: str, found: Mapping[str, MatchMetrics], codes_in: Mapping[str, int] | None = None
) -> None:
    """A row for each that is defined; the interval shown is F1's, --json has the others too."""
    rows = [
        [
            name,
            *([] if codes_in is None else [codes_in[name]]),
            *(one.counts.tp, one.counts.fp, one.counts.fn),
            *(
                metric_format.value(one.precision),
                metric_format.value(one.recall),
                metric_format.value(one.f1),
            ),
            metric_format.interval(one.f1),
        ]
        for name, one in found.items()
        if one.counts is not None
    ]
    if rows:
        size = [] if codes_in is None else ["codes"]
        click.echo()
        table(title, ["", *size, "TP", "FP", "FN", "P", "R", "F1", "95%"], rows)


def _say_metrics(metrics: Mapping[str, Metric]) -> None:
    click.echo()
    defined = [
        (m.name, metric_format.value(m), metric_format.interval(m))
        for m in metrics.values()
        if not m.undefined
    ]
    table(None, ["metric", "value", "95%"], defined)
    _say_reasons({m.name: m.undefined for m in metrics.values()})


def _say_reasons(reasons: Mapping[str, str | None]) -> None:
    by_reason: dict[str, list[str]] = {}
    for name, why in reasons.items():
        if why is not None:
            by_reason.setdefault(why, []).append(name)
    for reason, names in by_reason.items():
        paragraph(f"undefined: {', '.join(names)}: {reason}.")


def _say_compared(compared: Iterable[Comparison]) -> None:
    rows = [
        [
            one.name,
            metric_format.number(one.first),
            metric_format.number(one.second),
            metric_format.number(one.difference.value, "+z.3f"),
            metric_format.interval(one.difference, "+z.3f"),
            metric_format.value(one.p_value),
        ]
        for one in compared
    ]
    if rows:
        click.echo()
        columns = ["", "PREDICTED", "second", "difference", "95%", "p"]
        table("Comparison with the second model, paired over charts", columns, rows)
