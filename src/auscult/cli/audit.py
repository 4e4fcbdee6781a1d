"""`auscult audit`: whether a coder listens to the words a clinician would."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.audit_options import code_option, drawn
from auscult.cli.audit_others import mlm, outcome, swaps
from auscult.cli.engines import on_engine
from auscult.cli.lazy import StoryGroup
from auscult.cli.options import bootstrap, seed
from auscult.cli.output import command, table
from auscult.core import OptionError
from auscult.core.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auscult.audit.filters import Filter
    from auscult.audit.ratings import Ratings
    from auscult.audit.run import Audit
    from auscult.corpus.corpus import Chart
    from auscult.engine import Engine

PAGE = "report.html"
_path = click.Path(path_type=Path)


@click.group(
    cls=StoryGroup,
    story={
        "sensitivity": "Say which words move the score of a code.",
        "swaps": "Say what sex, age or typing errors do to it.",
        "outcome": "Say how well a coder tells charts apart.",
        "mlm": "Train a language model that proposes words.",
    },
)
def audit() -> None:
    """Say whether a coder listens to the words a clinician would.

    \b
    Example:
      auscult audit sensitivity coder readmission audit --code outcome readmitted --frequent 50
    """


@audit.command()
@click.argument("coder", type=_path)
@click.argument("corpus", type=_path)
@click.argument("out", type=_path)
@code_option
@click.option("--words", "file", type=_path, help="File with the words of interest, one a line.")
@click.option("--frequent", type=click.IntRange(1), help="Take the most frequent words instead.")
@click.option("--influential", type=click.IntRange(1), help="Take those the coder points at most.")
@click.option("--reference", type=_path, help="CSV: word, and a rating by each clinician.")
@click.option(
    "--reference-is",
    type=click.Choice(["rating", "rank"]),
    default="rating",
    show_default=True,
    help="In a rating a larger number matters more.",
)
@click.option("--compare", "other", type=_path, help="Another coder, on the same trials.")
@click.option("--split", default="test", show_default=True, help="Split to try words in, or all.")
@click.option("--charts", type=click.IntRange(1), help="Only so many charts, drawn at random.")
@click.option(
    "--swap",
    type=click.Choice(["first", "all"]),
    default="first",
    show_default=True,
    help="Occurrences of a word that are replaced.",
)
@click.option("--both-swaps", is_flag=True, help="Also the other way, to see what frequency does.")
@click.option("--case", is_flag=True, help="Words match in their own case only.")
@click.option("--number", type=click.IntRange(1), default=5, show_default=True,
              help="Replacements from each filter.")  # fmt: skip
@click.option("--vocabulary", type=_path, help="Words for the uniform filter, one a line.")
@click.option("--mlm", type=_path, help="Masked language model for the context filter.")
@click.option("--typos", is_flag=True, help="Replace words by misspellings of them too.")
@click.option("--budget", type=click.IntRange(1), help="Readings of changed charts at most.")
@click.option("--early-stop", "early", is_flag=True, help="Stop words whose rank is clear.")
@click.option("--word", help="The word the page shows chart by chart  [default: the first]")
@bootstrap()
@seed
@command
@on_engine
def sensitivity(
    coder: Path, corpus: Path, out: Path, code: tuple[str, str], file: Path | None,
    frequent: int | None, influential: int | None, reference: Path | None, reference_is: Any,
    other: Path | None, split: str, charts: int | None, swap: Any, both_swaps: bool, case: bool,
    number: int, vocabulary: Path | None, mlm: Path | None, typos: bool, budget: int | None,
    early: bool, word: str | None, times: int, seed: int, engine: Engine,
) -> Any:  # fmt: skip
    """Replace words in the charts of CORPUS and see how far the score of a CODER's code moves.

    Leaves a page, the numbers and every score in the folder OUT. Interrupted, the same command
    goes on where it stopped. Without --words, --frequent or --influential the words of the
    reference are taken.

    \b
    Example:
      auscult audit sensitivity coder readmission audit --code outcome readmitted \\
        --words words.txt --reference clinicians.csv --compare other-coder --budget 20000
    """
    from auscult.audit.ratings import read_ratings
    from auscult.audit.run import SCORES, Plan, write_results
    from auscult.audit.run import audit as run
    from auscult.audit.sampling import Budget
    from auscult.audit.words import read_words
    from auscult.core import Code
    from auscult.corpus import Corpus
    from auscult.corpus.split import part_of

    is_ours = (out / SCORES).exists() or (out.is_dir() and not any(out.iterdir()))
    if out.exists() and not is_ours:
        raise OptionError(f"{out} exists and is no earlier audit. Choose another name.")
    chosen = [given for given in (file, frequent, influential) if given is not None]
    if len(chosen) > 1:
        raise OptionError("Give one of --words, --frequent and --influential.")
    ratings = None if reference is None else read_ratings(reference, reference_is)
    opened = Corpus.open(corpus)
    part = drawn(list(part_of(opened, split).select(annotators=[]).charts()), charts, seed)
    watched = Code(*code)
    words = _words(coder, part, watched, file, frequent, influential, ratings)
    if word is not None and word not in words:
        raise OptionError(f"--word {word!r} is not among the {len(words):,} words of interest.")
    plan = Plan(
        watched, tuple(words), swap, case, number, Budget(budget, early), both_swaps, typos,
        times, seed,
    )  # fmt: skip
    found = run(
        coder, part, plan, out,
        other=other, ratings=ratings, context=_context(mlm, coder, other, number),
        vocabulary=None if vocabulary is None else read_words(vocabulary), engine=engine,
    )  # fmt: skip
    about = {
        "auscult": __version__, "coder": str(coder), "corpus": opened.manifest.name, "split": split,
        "code": f"{watched}", "seed": seed, "bootstrap": times,
        "compared with": None if other is None else str(other),
        "reference": None if reference is None else str(reference),
        "context filter": None if mlm is None else str(mlm), "budget": budget,
    }  # fmt: skip
    write_results(found, out, about)
    _page(found, out, coder, other, word, {k: f"{v}" for k, v in about.items() if v is not None})
    return {**found.to_dict(), "out": str(out), "about": about}, lambda: _say(found, out)


def _words(
    coder: Path, charts: Sequence[Chart], code: Any, file: Path | None, frequent: int | None,
    influential: int | None, ratings: Ratings | None,
) -> list[str]:  # fmt: skip
    from auscult.audit.words import frequent_words, influential_words, read_words
    from auscult.coders.coder import Coder

    if file is not None:
        return read_words(file)
    if frequent is not None:
        return frequent_words(charts, frequent)
    if influential is not None:
        return influential_words(Coder.load(coder), charts, code, influential)
    if ratings is None:
        raise OptionError(
            "Say which words: --words FILE, --frequent N, --influential N, or --reference FILE."
        )
    return list(ratings.importance)


def _context(mlm: Path | None, coder: Path, other: Path | None, number: int) -> Filter | None:
    if mlm is None:
        return None
    if mlm.resolve() in {place.resolve() for place in (coder, other) if place is not None}:
        raise OptionError(
            "The language model that proposes words may not be the coder that is audited."
        )
    from auscult.audit.filters.context import InContext
    from auscult.core.errors import MissingExtraError

    try:
        from auscult.audit.mlm import MaskedModel
    except ModuleNotFoundError as error:
        raise MissingExtraError("The context filter", "neural") from error
    return InContext(MaskedModel.load(mlm), number)


def _page(
    found: Audit,
    out: Path,
    coder: Path,
    other: Path | None,
    word: str | None,
    about: dict[str, str],
) -> None:
    from auscult.coders.coder import Coder
    from auscult.report.audit_report import Audited, audit_report

    first = Coder.load(coder).about
    name = first.kind if other is None else coder.name
    audit_report(
        Audited(name, found.found, found.alignment, first.decoding.code_threshold),
        out / PAGE,
        about=about,
        title=f"What moves {name}",
        second=None
        if other is None or found.other is None
        else Audited(other.name, found.other, found.other_alignment),
        difference=found.difference,
        frequencies=found.frequencies,
        word=word,
    )


def _say(found: Audit, out: Path) -> None:
    rows = [
        (
            f"{one.rank:g}",
            one.word,
            f"{one.score.value:.4f}",
            "" if one.rank_interval is None else "{:.3g}–{:.3g}".format(*one.rank_interval),
            one.coverage.tried,
        )
        for one in found.found.ranked()
    ]
    table(None, ["rank", "word", "score", "rank 95%", "charts"], rows)
    for one in found.found.undefined():
        click.echo(f"{one.score}")
    if found.alignment is not None:
        click.echo(f"{found.alignment.spearman} with clinicians, {found.alignment.p_value}")
    if found.difference is not None:
        click.echo(f"{found.other_alignment and found.other_alignment.spearman} of the other coder")
        click.echo(f"{found.difference}")
    for turn in found.frequencies:
        click.echo(f"rank and frequency, {turn.name}: {turn.pearson}")
    click.echo(f"Open {(out / PAGE).resolve()} in a browser.")


for one in (swaps, outcome, mlm):
    audit.add_command(one)
