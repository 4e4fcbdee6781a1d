"""`auscult reproduce`: the tables and figures of the papers, measured again."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from auscult.cli.output import command, exit_with_1, table
from auscult.core import OptionError
from auscult.core.plurals import counted
from auscult.core.progress import track
from auscult.core.storage import drafted

if TYPE_CHECKING:
    from auscult.reproduce.contract import Reproduction
    from auscult.reproduce.run import ReproductionResult
    from auscult.reproduce.work import Workspace

F = TypeVar("F", bound=Callable[..., Any])
PAGE, NUMBERS = "reproduce.html", "reproduce.json"
_PATH = click.Path(path_type=Path)


@click.group()
def reproduce() -> None:
    """Reproduce the tables and figures of the papers, with published and measured numbers.

    \b
    Example:
      auscult reproduce list
      auscult reproduce run mdace-table-3 --mdace MDACE
      auscult reproduce all
    """


def _with_sources(function: F) -> F:
    """Add an option for each dataset, and those that control the run."""
    from auscult.reproduce.sources import SOURCES

    for name, says in reversed([*SOURCES.items()]):
        function = click.option(f"--{name}", type=_PATH, help=says)(function)
    for option in (
        click.option("--rerun", is_flag=True, help="Run again even if the data have not changed."),
        click.option("--scale", type=click.Choice(["small", "paper"]),
                     help="Size of substitute data and networks.  [default: paper with --mimic3]"),
        click.option("--work", "folder", type=_PATH, default=Path("reproduced"), show_default=True,
                     help="Working folder; an interrupted run resumes there."),
    ):  # fmt: skip
        function = option(function)
    return function


@reproduce.command("list")
@command
def list_all() -> Any:
    """List the tables and figures, and the data that each needs.

    \b
    Example:
      auscult reproduce list
    """
    from auscult.reproduce.registry import reproductions

    every = reproductions()
    found = [
        {
            "name": one.name, "paper": one.paper, "label": one.label, "title": one.title,
            "numbers": len(one.published), "claims": len(one.claims), "options": list(one.options),
            "needs": one.needs, "stand_in": one.stand_in,
        }
        for one in every
    ]  # fmt: skip
    rows = [
        [one.name, one.title, len(one.published), " ".join(f"--{name}" for name in one.options)]
        for one in every
    ]
    return found, lambda: table(None, ["name", "title", "numbers", "real data from"], rows)


@reproduce.command("run")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@_with_sources
@command
def run_some(
    names: tuple[str, ...], folder: Path, scale: str | None, rerun: bool, **sources: Path | None
) -> Any:
    """Reproduce some tables and figures, by NAME.

    Exit code 1 if a number on the paper's own data is out of tolerance, or a run fails.

    \b
    Example:
      auscult reproduce run mdace-table-3 mdace-table-4 --mdace MDACE
      auscult reproduce run sensitivity-table-1 --mimic3 mimic-iii --bert Bio_ClinicalBERT
    """
    from auscult.reproduce.registry import named

    return _run([named(name) for name in names], _work(folder, scale, sources), rerun)


@reproduce.command("all")
@_with_sources
@command
def run_all(folder: Path, scale: str | None, rerun: bool, **sources: Path | None) -> Any:
    """Reproduce every table and figure, and write an HTML report.

    Without the papers' data it runs on substitutes, and marks every such number. After an
    interruption, the same command resumes. Exit code 1 if a number on the paper's own data is out
    of tolerance, or a run fails.

    \b
    Example:
      auscult reproduce all
      auscult reproduce all --mdace MDACE --cmc train.xml
    """
    from auscult.reproduce.registry import reproductions

    return _run(reproductions(), _work(folder, scale, sources), rerun)


def _work(folder: Path, scale: str | None, sources: dict[str, Path | None]) -> Workspace:
    from auscult.reproduce.sources import DataSources
    from auscult.reproduce.work import PAPER, Scale, Workspace

    given = {name.replace("_", "-"): path for name, path in sources.items() if path is not None}
    chosen = {None: None, "small": Scale(), "paper": PAPER}[scale]
    return Workspace(folder, DataSources(given), scale=chosen)


def _run(chosen: Sequence[Reproduction], work: Workspace, rerun: bool) -> Any:
    from auscult.reproduce.page import reproduce_page
    from auscult.reproduce.run import run
    from auscult.reproduce.summary import VerdictCounts

    if len({one.name for one in chosen}) < len(chosen):
        raise OptionError("A name occurs twice. Name each table or figure once.")
    running = run(chosen, work, again=rerun, tell=lambda line: click.echo(line, err=True))
    results = list(track(running, "reproducing", len(chosen)))
    page = work.folder / PAGE
    reproduce_page(results, page)
    found = {
        "page": str(page),
        "counts": {
            paper: VerdictCounts.of(
                one for one in results if one.reproduction.paper == paper
            ).to_dict()
            for paper in dict.fromkeys(one.reproduction.paper for one in results)
        },
        "reproductions": [one.to_dict() for one in results],
    }
    with drafted(work.folder / NUMBERS, overwrite=True) as draft:
        draft.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if any(one.failed for one in results) or VerdictCounts.of(results).outside:
        exit_with_1()
    return found, lambda: _say(results, page)


def _say(results: Sequence[ReproductionResult], page: Path) -> None:
    from auscult.reproduce.summary import VerdictCounts
    from auscult.reproduce.verdict import Kind, Verdict

    rows = []
    for one in results:
        found = VerdictCounts.of([one])
        rows.append(
            [
                one.reproduction.name,
                found.verdicts.get(Verdict.IN_BAND, 0),
                found.outside,
                f"{found.inside} of {found.with_interval}" if found.with_interval else "",
                *(found.of_kind(kind) for kind in Kind if kind is not Kind.PAPER_DATA),
                found.describe_claims(),
            ]
        )
    table(None, ["", "✓", "↓↑", "inside", "○", "≈", "=", "–", "claims"], rows)
    click.echo(
        "✓ in band, ↓↑ outside: measured on the paper's data. ○ on open data, ≈ on a stand-in, = "
        "a setting compared, – needs data. inside: published numbers inside our intervals."
    )
    for one in results:
        if one.failed:
            click.echo(f"{one.reproduction.name} was not run: {one.failed}")
    total = sum(len(one.reproduction.published) for one in results)
    click.echo(f"{counted(total, 'published number')}. Open {page.resolve()} in a browser.")
