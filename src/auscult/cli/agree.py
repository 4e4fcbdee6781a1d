"""`auscult agree`: inter-annotator agreement."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.annotator_options import (
    about,
    bootstrapped,
    corpus_argument,
    open_part,
    ranged,
    say_reasons,
    several,
    shown,
    unit_option,
)
from auscult.cli.options import exact_spans, exclude_empty, overwrite, report
from auscult.cli.output import command, counted, table
from auscult.core import OptionError

if TYPE_CHECKING:
    from auscult.agreement import Agreement

_FREQUENT = 10


@click.command()
@corpus_argument
@several
@unit_option
@exclude_empty
@exact_spans
@bootstrapped
@report
@overwrite
@command
def agree(
    corpus: Path,
    annotators: str | None,
    charts: str,
    unit: str,
    exclude_empty: bool,
    exact_spans: bool,
    times: int,
    seed: int,
    report: Path | None,
    overwrite: bool,
    **part: Any,
) -> Any:
    """Measure inter-annotator agreement between annotators of CORPUS.

    Reports Krippendorff's α, Fleiss' and Cohen's κ, Hooper's consistency, span agreement, agreement
    by code, and the causes of disagreement. 95% intervals by bootstrapping charts.
    A unit that nobody gave a code counts as agreement unless --exclude-empty is given.

    \b
    Example:
      auscult agree cmc --annotators COMPANY1,COMPANY2,COMPANY3
      auscult agree charts --annotators ann,bob --unit span --report agreement.html
    """
    from auscult.agreement import AgreementUnit, SeenCharts
    from auscult.agreement import agree as compute

    if report is not None and report.exists() and not overwrite:
        raise OptionError(f"{report} exists already. Choose another name, or pass --overwrite.")
    opened, names = open_part(corpus, annotators, **part)
    found = compute(
        opened,
        names,
        unit=AgreementUnit(unit),
        seen=SeenCharts(charts),
        blank=not exclude_empty,
        exact_spans=exact_spans,
        times=times,
        seed=seed,
    )
    how = about(
        corpus, opened, names, part,
        unit=unit, charts=charts, empty_units=not exclude_empty, exact_spans=exact_spans,
        bootstrap=times, seed=seed,
    )  # fmt: skip
    made: dict[str, Any] = {**found.to_dict(), "about": how}
    if report is not None:
        from auscult.report.agreement_report import agreement_report

        agreement_report(found, report, name=opened.manifest.name, about=how)
        made["report"] = str(report)
    return made, lambda: _say(found, report)


def _say(found: Agreement, report: Path | None) -> None:
    blank = f", {found.blank_units:,} of them without any code" if found.blank_units else ""
    click.echo(
        f"{counted(len(found.annotators), 'annotator')}, {counted(found.charts, 'chart')}, "
        f"{counted(found.units, 'unit')} ({found.unit}){blank}"
    )
    click.echo()
    metrics = dict(found.metrics)
    if len(found.pairs) == 1:
        # Of two annotators the pair's values are those of all, but for Cohen's κ.
        metrics |= next(iter(found.pairs.values()))
    defined = [(m.name, shown(m), ranged(m)) for m in metrics.values() if not m.undefined]
    table(None, ["metric", "value", "95%"], defined)
    say_reasons(metrics)
    if len(found.pairs) > 1:
        click.echo()
        pairs = {" × ".join(pair): metrics for pair, metrics in found.pairs.items()}
        kinds = next(iter(pairs.values()))
        rows = [
            [kind, *(shown(pair[kind]) for pair in pairs.values())]
            for kind in kinds
            if any(pair[kind].value is not None for pair in pairs.values())
        ]
        table("Pairs", ["", *pairs], rows)
    _say_causes(found)
    if report is not None:
        click.echo(f"\nOpen {report.resolve()} in a browser.")


def _say_causes(found: Agreement) -> None:
    total = sum(found.causes.values())
    click.echo()
    if not total:
        click.echo("No disagreements.")
        return
    rows = [(cause.value, count, f"{count / total:.0%}") for cause, count in found.causes.items()]
    table(f"{counted(total, 'disagreement')} by cause", ["cause", "", ""], rows)
    click.echo()
    common = []
    for one in found.frequent(_FREQUENT):
        codes = "\n".join(map(str, one.given))
        who = "\n".join(_givers(found.annotators, given) for given in one.given.values())
        common.append((one.count, one.cause.value, codes, who))
    table("Most frequent", ["", "cause", "codes", "annotations by annotator"], common)


def _givers(annotators: Sequence[str], given: Sequence[int]) -> str:
    return ", ".join(f"{who} {count:,}" for who, count in zip(annotators, given, strict=True))
