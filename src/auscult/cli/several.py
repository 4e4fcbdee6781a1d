"""What the commands about several annotators of one corpus share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from auscult.cli.options import bootstrap, note_category, seed
from auscult.cli.sides import opened_side
from auscult.core import Measure, OptionError
from auscult.core.names import require_known
from auscult.core.version import __version__
from auscult.report.shown import interval as ranged
from auscult.report.shown import value as shown

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
unit_option = click.option(
    "--unit",
    type=click.Choice(["chart", "note", "span", "token"]),
    default="note",
    show_default=True,
    help="What a set of codes is given to. Tokens are words: punctuation is disregarded.",
)


def several(function: F) -> F:
    """Who is compared, and on what part of the corpus."""
    for option in reversed(
        (
            click.option("--annotators", help="Whose annotations, as NAME,NAME[,NAME…]."),
            click.option(
                "--seen",
                type=click.Choice(["annotated", "all"]),
                default="annotated",
                show_default=True,
                help="The charts an annotator has read: those annotated, or all there are.",
            ),
            click.option("--split", help="Only this split."),
            note_category,
            click.option("--system", multiple=True, help="Only codes of this system; repeatable."),
        )
    ):
        function = option(function)
    return function


def bootstrapped(function: F) -> F:
    """How intervals are made."""
    times = bootstrap()
    return times(seed(function))


def open_part(
    path: Path,
    annotators: str | None,
    split: str | None,
    note_category: tuple[str, ...],
    system: tuple[str, ...],
) -> tuple[Corpus, list[str]]:
    """The part of the corpus that was asked for, and the names of the annotators."""
    opened = opened_side(path)
    names = _names(opened, annotators)
    if split is not None:
        require_known(split, _values(opened.notes, "split"), "split")
    for category in note_category:
        require_known(category, _values(opened.notes, "category"), "note category")
    for one in system:
        require_known(one, _values(opened.annotations, "system"), "code system in the corpus")
    part = opened.select(
        splits=None if split is None else [split],
        categories=note_category or None,
        systems=system or None,
    )
    return part, names


def _names(corpus: Corpus, annotators: str | None) -> list[str]:
    known = _values(corpus.annotations, "annotator")
    if annotators is None:
        raise OptionError(
            f"Say whose annotations: --annotators NAME,NAME. The corpus has those of "
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
    """How a result came about: from what corpus, whose annotations, which part, and how."""
    from auscult.learning.source import corpus_digest

    return {
        "auscult": __version__,
        "corpus": str(path),
        "digest": corpus_digest(opened),
        "annotators": list(names),
        **{name: list(one) if isinstance(one, tuple) else one for name, one in part.items()},
        **more,
    }


def say_reasons(measures: Mapping[str, Measure]) -> None:
    """Say why measures are undefined, each reason once."""
    by_reason: dict[str, list[str]] = {}
    for name, measure in measures.items():
        if measure.undefined is not None:
            by_reason.setdefault(measure.undefined, []).append(name)
    for reason, names in by_reason.items():
        click.echo(f"undefined: {', '.join(names)}: {reason}.")
