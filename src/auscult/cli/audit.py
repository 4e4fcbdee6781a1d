"""`auscult audit`: explainability by perturbation; how sensitive a model is to single words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.audit_options import code_option, drawn
from auscult.cli.audit_others import mlm, outcome, swaps
from auscult.cli.engines import on_engine
from auscult.cli.lazy import StoryGroup
from auscult.cli.options import bootstrap, match_case, max_charts, seed, split
from auscult.cli.output import command, table
from auscult.core import OptionError
from auscult.core.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from auscult.audit.filters import ReplacementFilter
    from auscult.audit.ratings import ClinicianRatings
    from auscult.audit.run import Audit
    from auscult.corpus.corpus import Chart
    from auscult.engine import Engine

PAGE = "report.html"
_path = click.Path(path_type=Path)


@click.group(
    cls=StoryGroup,
    story={
        "sensitivity": "Rank words by their effect on the score of a code.",
        "swaps": "Test the effect of gender, age and typos.",
        "outcome": "Measure discrimination: AUROC and AUPRC.",
        "mlm": "Train a masked language model for replacements.",
    },
)
def audit() -> None:
    """Explain a model by perturbation: measure how sensitive it is to single words.

    Compares the ranking of words with clinicians' ratings, where there are any.

    \b
    Example:
      auscult audit sensitivity model readmission audit --code outcome readmitted --frequent 50
    """


@audit.command()
@click.argument("model", type=_path)
@click.argument("corpus", type=_path)
@click.argument("out", type=_path)
@code_option
@click.option("--words", "file", type=_path, help="Words to test, one per line.")
@click.option(
    "--frequent",
    type=click.IntRange(1),
    metavar="N",
    help="Test the N most frequent words instead.",
)
@click.option("--influential", type=click.IntRange(1), metavar="N",
              help="Test the N words most often cited as evidence.")  # fmt: skip
@click.option("--reference", type=_path, help="CSV of words and clinicians' ratings.")
@click.option(
    "--reference-scale",
    type=click.Choice(["rating", "rank"]),
    default="rating",
    show_default=True,
    help="Higher ratings, or lower ranks, mean more important.",
)
@click.option("--compare-model", "other", type=_path, help="Second model, on the same trials.")
@split("test")
@max_charts
@click.option(
    "--occurrences",
    type=click.Choice(["first", "all"]),
    default="first",
    show_default=True,
    help="Occurrences of a word to replace in a chart.",
)
@click.option("--frequency-check", is_flag=True, help="Also run with the other --occurrences.")
@match_case
@click.option("--replacements", type=click.IntRange(1), default=5, show_default=True,
              metavar="N",
              help="Replacements per filter.")  # fmt: skip
@click.option("--word-list", type=_path, help="Words for the uniform filter, one per line.")
@click.option("--mlm", type=_path, help="Masked language model for the context filter.")
@click.option("--typos", is_flag=True, help="Also replace words by misspellings.")
@click.option(
    "--budget", type=click.IntRange(1), metavar="N", help="Maximum number of predictions."
)
@click.option("--early-stop", "early", is_flag=True, help="Stop testing words of settled rank.")
@click.option("--show-word", help="Word to show in detail.  [default: the first]")
@bootstrap()
@seed
@command
@on_engine
def sensitivity(
    model: Path, corpus: Path, out: Path, code: tuple[str, str], file: Path | None,
    frequent: int | None, influential: int | None, reference: Path | None, reference_scale: Any,
    other: Path | None, split: str, max_charts: int | None, occurrences: Any,
    frequency_check: bool, match_case: bool, replacements: int, word_list: Path | None,
    mlm: Path | None, typos: bool, budget: int | None, early: bool, show_word: str | None,
    times: int, seed: int, engine: Engine,
) -> Any:  # fmt: skip
    """Rank words by how far replacing them in CORPUS moves MODEL's score of a code.

    Writes an HTML report, the results and all scores to the folder OUT. After an interruption, the
    same command resumes. Tests the words of --reference unless other words are given.

    \b
    Example:
      auscult audit sensitivity model readmission audit --code outcome readmitted \\
        --words words.txt --reference clinicians.csv --compare-model other --budget 20000
    """
    from auscult.audit.ratings import read_ratings
    from auscult.audit.run import SCORES, AuditPlan, write_results
    from auscult.audit.run import audit as run
    from auscult.audit.sampling import Budget
    from auscult.audit.words_of_interest import read_words
    from auscult.core import Code
    from auscult.corpus import Corpus
    from auscult.corpus.split import part_of

    is_ours = (out / SCORES).exists() or (out.is_dir() and not any(out.iterdir()))
    if out.exists() and not is_ours:
        raise OptionError(f"{out} exists and is not an audit to resume. Choose another name.")
    chosen = [given for given in (file, frequent, influential) if given is not None]
    if len(chosen) > 1:
        raise OptionError("Give one of --words, --frequent and --influential.")
    ratings = None if reference is None else read_ratings(reference, reference_scale)
    opened = Corpus.open(corpus)
    part = drawn(list(part_of(opened, split).select(annotators=[]).charts()), max_charts, seed)
    watched = Code(*code)
    words = _words(model, part, watched, file, frequent, influential, ratings)
    if show_word is not None and show_word not in words:
        raise OptionError(
            f"--show-word {show_word!r} is not one of the {len(words):,} words tested."
        )
    plan = AuditPlan(
        watched, tuple(words), occurrences, match_case, replacements, Budget(budget, early),
        frequency_check, typos, times, seed,
    )  # fmt: skip
    found = run(
        model, part, plan, out,
        other=other, ratings=ratings, context=_context(mlm, model, other, replacements),
        vocabulary=None if word_list is None else read_words(word_list), engine=engine,
    )  # fmt: skip
    about = {
        "auscult": __version__, "model": str(model), "corpus": opened.manifest.name, "split": split,
        "code": f"{watched}", "seed": seed, "bootstrap": times,
        "compared with": None if other is None else str(other),
        "reference": None if reference is None else str(reference),
        "uniform filter": found.uniform,
        "context filter": None if mlm is None else str(mlm), "budget": budget,
    }  # fmt: skip
    write_results(found, out, about)
    _page(
        found, out, model, other, show_word, {k: f"{v}" for k, v in about.items() if v is not None}
    )
    return {**found.to_dict(), "out": str(out), "about": about}, lambda: _say(found, out)


def _words(
    model: Path, charts: Sequence[Chart], code: Any, file: Path | None, frequent: int | None,
    influential: int | None, ratings: ClinicianRatings | None,
) -> list[str]:  # fmt: skip
    from auscult.audit.words_of_interest import frequent_words, influential_words, read_words
    from auscult.models.model import Model

    if file is not None:
        return read_words(file)
    if frequent is not None:
        return frequent_words(charts, frequent)
    if influential is not None:
        return influential_words(Model.load(model), charts, code, influential)
    if ratings is None:
        raise OptionError(
            "Choose the words: --words FILE, --frequent N, --influential N, or --reference FILE."
        )
    return list(ratings.importance)


def _context(
    mlm: Path | None, model: Path, other: Path | None, number: int
) -> ReplacementFilter | None:
    if mlm is None:
        return None
    if mlm.resolve() in {place.resolve() for place in (model, other) if place is not None}:
        raise OptionError("--mlm must be another model than the one that is audited.")
    from auscult.audit.filters.context import ContextFilter
    from auscult.core.errors import MissingExtraError

    try:
        from auscult.audit.mlm import MaskedModel
    except ModuleNotFoundError as error:
        raise MissingExtraError("The context filter", "neural") from error
    masked = MaskedModel.load(mlm)
    for audited in (model, other):
        if audited is not None:
            masked.require_other_than(audited)
    return ContextFilter(masked, number)


def _page(
    found: Audit,
    out: Path,
    model: Path,
    other: Path | None,
    word: str | None,
    about: dict[str, str],
) -> None:
    from auscult.models.model import Model
    from auscult.report.audit_report import AuditedModel, audit_report

    first = Model.load(model)
    name = first.name if other is None else model.name
    audit_report(
        AuditedModel(name, found.found, found.alignment, first.decoding.code_threshold),
        out / PAGE,
        about=about,
        title=f"Sensitivity of {name} to single words",
        second=None
        if other is None or found.other is None
        else AuditedModel(other.name, found.other, found.other_alignment),
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
        click.echo(f"{found.other_alignment and found.other_alignment.spearman} for the second")
        click.echo(f"{found.difference}")
    for turn in found.frequencies:
        click.echo(f"rank and word frequency, {turn.name}: {turn.pearson}")
    click.echo(f"Open {(out / PAGE).resolve()} in a browser.")


for one in (swaps, outcome, mlm):
    audit.add_command(one)
