"""Options and output shared by the commands that compare annotators of one corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from auscult.cli.inputs import opened_side
from auscult.cli.options import bootstrap, charts, note_category, seed, split, system, unit
from auscult.core import Metric, OptionError
from auscult.core.names import require_known
from auscult.core.version import __version__
from auscult.report.metric_format import interval as ranged
from auscult.report.metric_format import value as shown

if TYPE_CHECKING:
    from auscult.corpus import Corpus

__all__ = [
    "about",
    "bootstrapped",
    "corpus_argument",
    "open_part",
    "ranged",
    "say_reasons",
    "several",
    "shown",
    "unit_option",
]
F = TypeVar("F", bound=Callable[..., Any])

corpus_argument = click.argument("corpus", type=click.Path(path_type=Path))
unit_option = unit("chart", "note", "span", "token")


def several(function: F) -> F:
    """Add the options that select annotators and a part of the corpus."""
    for option in reversed(
        (
            click.option(
                "--annotators", metavar="NAME,NAME…", help="Annotators to compare, two or more."
            ),
            charts(),
            split(),
            note_category,
            system,
        )
    ):
        function = option(function)
    return function


def bootstrapped(function: F) -> F:
    """Add the options for bootstrap intervals."""
    times = bootstrap()
    return times(seed(function))


def open_part(
    path: Path,
    annotators: str | None,
    split: str | None,
    note_category: tuple[str, ...],
    system: tuple[str, ...],
) -> tuple[Corpus, list[str]]:
    """The selected part of the corpus, and the names of the annotators."""
    opened = opened_side(path)
    names = _names(opened, annotators)
    part = opened.select(
        splits=None if split is None else [split],
        categories=note_category or None,
        systems=system or None,
    )
    return part, names


def _names(corpus: Corpus, annotators: str | None) -> list[str]:
    known = _values(corpus.lazy_annotations, "annotator")
    if annotators is None:
        raise OptionError(
            "Name the annotators to compare: --annotators NAME,NAME. The corpus has annotations by "
            f"{', '.join(sorted(known)) or 'nobody'}."
        )
    names = [name.strip() for name in annotators.split(",") if name.strip()]
    return [require_known(name, known, "annotator in the corpus") for name in names]


def _values(table: Any, column: str) -> list[str]:
    found: list[str] = table.select(column).unique().collect()[column].drop_nulls().to_list()
    return found


def about(
    path: Path, opened: Corpus, names: Sequence[str], part: Mapping[str, Any], **more: Any
) -> dict[str, Any]:
    """Provenance of a result: corpus, annotators, selected part and settings."""
    from auscult.corpus.provenance import corpus_digest

    return {
        "auscult": __version__,
        "corpus": str(path),
        "digest": corpus_digest(opened),
        "annotators": list(names),
        **{name: list(one) if isinstance(one, tuple) else one for name, one in part.items()},
        **more,
    }


def say_reasons(metrics: Mapping[str, Metric]) -> None:
    """Print why metrics are undefined, each reason once."""
    by_reason: dict[str, list[str]] = {}
    for name, metric in metrics.items():
        if metric.undefined is not None:
            by_reason.setdefault(metric.undefined, []).append(name)
    for reason, names in by_reason.items():
        click.echo(f"undefined: {', '.join(names)}: {reason}.")
