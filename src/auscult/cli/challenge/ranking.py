"""`auscult challenge leaderboard` and `auscult challenge analyze`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.annotator_options import bootstrapped, ranged, shown
from auscult.cli.challenge.arguments import challenge_argument, open_challenge, track
from auscult.cli.options import overwrite, report
from auscult.cli.output import command, counted, table
from auscult.core import OptionError
from auscult.core.version import __version__

if TYPE_CHECKING:
    from auscult.challenge import Challenge
    from auscult.challenge.settings import Track
    from auscult.evaluate.ranked import RankedRow
    from auscult.evaluate.system_ranking import Analysis

_LISTED = 15


@click.command()
@challenge_argument
@track
@bootstrapped
@report
@overwrite
@command
def leaderboard(
    challenge: Path,
    track: str,
    times: int,
    seed: int,
    report: Path | None,
    overwrite: bool,
) -> Any:
    """Rank the systems by micro-F1 with 95% intervals, and show human annotators among them.

    Systems of the evidence track are ranked by token F1. The page written by --report shows every
    track, the teams' descriptions of their systems, and how the documents were selected.

    \b
    Example:
      auscult challenge leaderboard our-task --report leaderboard.html
      auscult challenge leaderboard our-task --track evidence
    """
    from auscult.challenge import leaderboard as rank
    from auscult.evaluate.system_ranking import MACRO, MACRO_OF_AVERAGES
    from auscult.evaluate.system_ranking import analyze as tell_apart

    if report is not None and report.exists() and not overwrite:
        raise OptionError(f"{report} exists already. Choose another name, or pass --overwrite.")
    opened = open_challenge(challenge)
    if track == "evidence":
        if report is not None:
            raise OptionError("The page shows all tracks: pass --report without --track evidence.")
        return _evidence(opened, times, seed)
    found = rank(opened, times=times, seed=seed)
    attempts = {team: len(taken) for team, taken in opened.ledger.accepted().items()}
    made: dict[str, Any] = {
        **found.to_dict(),
        "attempts": attempts,
        "about": _about(opened, bootstrap=times, seed=seed),
    }
    if report is not None:
        from auscult.challenge.page import also_on_page
        from auscult.report.challenge_report import challenge_report

        challenge_report(
            found,
            tell_apart(found),
            report,
            name=opened.settings.name,
            attempts=attempts,
            also=also_on_page(opened, times=times, seed=seed),
        )
        made["report"] = str(report)

    def say() -> None:
        rows = [
            _cells(row, "micro_f1", MACRO, MACRO_OF_AVERAGES, "cost_sensitive")
            for row in found.rows
        ]
        names = ["rank", "system", "micro-F1", "95%", "rank 95%", "mean F1", "F1 of P, R", "cost"]
        table(f"{opened.settings.name}: {found.charts:,} documents", names, rows)
        click.echo("mean F1: macro-F1 as the mean of the codes' F1, over the gold codes")
        click.echo(
            "F1 of P, R: macro-F1 from macro-precision and macro-recall, over the gold codes"
        )
        click.echo("cost: cost-sensitive accuracy; 1 is perfect")
        if found.outside:
            click.echo(
                f"{counted(len(found.outside), 'code')} of gold outside the label set: no system "
                f"can exceed micro-F1 {found.ceiling or 0:.3f}"
            )
        if report is not None:
            click.echo(f"\nOpen {report.resolve()} in a browser.")

    return made, say


def _cells(row: RankedRow, by: str, *more: str) -> tuple[str, ...]:
    """A row of the table: its place by a metric, and other metrics."""
    return (
        "human" if row.rank is None else str(row.rank),
        row.name,
        shown(row.metrics[by]),
        ranged(row.metrics[by]),
        "" if row.ranks is None else "{}–{}".format(*row.ranks),
        *(shown(row.metrics[name]) for name in more),
    )


def _evidence(challenge: Challenge, times: int, seed: int) -> Any:
    from auscult.challenge.evidence_track import evidence_leaderboard
    from auscult.challenge.settings import Track

    found = evidence_leaderboard(challenge, times=times, seed=seed)
    ledger = challenge.ledger_of(Track.EVIDENCE)
    attempts = {team: len(taken) for team, taken in ledger.accepted().items()}
    about = _about(challenge, Track.EVIDENCE, bootstrap=times, seed=seed)

    def say() -> None:
        rows = [
            _cells(row, "token_f1", "span_f1", "token_pi_f1", "span_pi_f1") for row in found.rows
        ]
        names = ["rank", "system", "token F1", "95%", "rank 95%", "span F1", "token pi", "span pi"]
        table(f"{challenge.settings.name}, evidence: {found.charts:,} documents", names, rows)
        click.echo("pi: F1 of position-independent matches, anywhere in the document")

    return {**found.to_dict(), "track": "evidence", "attempts": attempts, "about": about}, say


@click.command()
@challenge_argument
@click.option(
    "--all-pairs", is_flag=True, help="Print all pairs, not only those of the best system."
)
@command
def analyze(challenge: Path, all_pairs: bool) -> Any:
    """Test which systems differ significantly.

    Based on the F1 of each code: two-way analysis of variance (systems, codes), paired t-tests of
    all pairs with Holm's correction, and groups of systems that do not differ significantly.

    \b
    Example:
      auscult challenge analyze our-task
    """
    from auscult.challenge import leaderboard as rank
    from auscult.evaluate.system_ranking import analyze as tell_apart

    opened = open_challenge(challenge)
    found = tell_apart(rank(opened, times=0))
    return {**found.to_dict(), "about": _about(opened)}, lambda: _say(found, all_pairs)


def _about(challenge: Challenge, track: Track | None = None, **more: object) -> dict[str, object]:
    """Provenance of the numbers."""
    settings = challenge.settings
    ledger = challenge.ledger if track is None else challenge.ledger_of(track)
    return {
        "auscult": __version__,
        "challenge": settings.name,
        "gold": settings.gold,
        "test": settings.test,
        "counting": settings.counting.value,
        "submissions": sum(map(len, ledger.accepted().values())),
        **more,
    }


def _say(found: Analysis, all_pairs: bool) -> None:
    from auscult.statistics.pairwise import letters

    if found.anova is None:
        click.echo(f"Undefined: {found.undefined}.")
        return
    rows: list[tuple[object, ...]] = [
        (
            one.name,
            one.freedom,
            f"{one.sum_of_squares:.4f}",
            "–" if one.f_ratio.value is None else f"{one.f_ratio.value:.3f}",
            "–" if one.p_value.value is None else f"{one.p_value.value:.3g}",
        )
        for one in found.anova.factors
    ]
    rows.append(("error", found.anova.freedom, f"{found.anova.sum_of_squares:.4f}", "", ""))
    table("F1 by system and code", ["", "df", "sum of squares", "F", "p"], rows)
    click.echo()
    pairs = [pair for pair in found.pairs if all_pairs or pair.first == 0]
    listed = pairs if all_pairs else pairs[:_LISTED]
    table(
        "Paired t-tests over codes, Holm's correction for all pairs",
        ["", "", "difference", "p", "corrected p", "significant"],
        [
            (
                found.names[pair.first],
                found.names[pair.second],
                f"{pair.difference:+z.4f}",
                f"{pair.p_value:.3g}",
                f"{pair.corrected:.3g}",
                "yes" if pair.differs else "no",
            )
            for pair in listed
        ],
    )
    if len(listed) < len(found.pairs):
        click.echo(
            f"{len(listed):,} of {counted(len(found.pairs), 'pair')}; --all-pairs prints them all"
        )
    click.echo()
    click.echo("Groups of systems that do not differ significantly")
    for at, group in enumerate(found.groups):
        click.echo(f"  {letters(at):3} {len(group):3}  {', '.join(group)}")
