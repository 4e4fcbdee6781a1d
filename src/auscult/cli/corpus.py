"""`auscult corpus`: import, export, info, doctor, split, sample, select, merge, map, show."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click

from auscult.cli.formats import FormatGroup, export_command, import_command
from auscult.cli.lazy import StoryGroup
from auscult.cli.options import seed
from auscult.cli.output import command, counted, exit_with_1, pair, table
from auscult.cli.sampling import annotator_of, sample
from auscult.cli.selecting import select
from auscult.core import OptionError
from auscult.core.names import require_known

_corpus = click.argument("corpus", type=click.Path(path_type=Path))
_out = click.argument("out", type=click.Path(path_type=Path))


@click.group(
    cls=StoryGroup,
    story={
        "import": "Read a format into a corpus.",
        "doctor": "Find what is wrong with a corpus, and what to do.",
        "info": "Say what is in a corpus, in numbers.",
        "show": "Show a chart with its evidence, or list charts.",
        "merge": "Put several corpora together.",
        "select": "Take the part of a corpus that fits.",
        "sample": "Take a sample, and say what was left out.",
        "split": "Divide a corpus into splits.",
        "map": "Map codes to the other revision of ICD.",
        "export": "Write a corpus in another format.",
    },
)
def corpus() -> None:
    """Import, check, split, show and export corpora.

    \b
    Example:
      auscult corpus import codiesp CodiEsp codiesp-corpus
      auscult corpus info codiesp-corpus
    """


@corpus.group("import", cls=FormatGroup, make=import_command)
def import_() -> None:
    """Read a FORMAT from SOURCE and write it as a corpus to OUT.

    \b
    Example:
      auscult corpus import mdace MDACE/data/Inpatient/ICD-10 mdace --noteevents NOTEEVENTS.csv.gz
      auscult corpus import mdace --help
    """


@corpus.group("export", cls=FormatGroup, make=export_command)
def export() -> None:
    """Write a corpus as a FORMAT to OUT, and say what the format cannot hold.

    \b
    Example:
      auscult corpus export webanno mdace mdace-for-inception
    """


@corpus.command("info")
@_corpus
@click.option("--verify", is_flag=True, help="Also compare the files with their digests.")
@command
def info(corpus: Path, verify: bool) -> Any:
    """Say what is in a corpus, in numbers, and by which steps it came to that.

    \b
    Example:
      auscult corpus info mdace --json
    """
    from auscult.corpus import Corpus
    from auscult.corpus.history import table as made_by
    from auscult.corpus.info import info

    opened = Corpus.open(corpus)
    if verify:
        opened.verify()
    found = info(opened)
    checked = {"verified": True} if verify else {}

    def say() -> None:
        single = [
            (key.replace("_", " "), value)
            for key, value in found.to_dict().items()
            if value is not None and not isinstance(value, dict)
        ]
        for key, value in single:
            shown = f"{value:,}" if isinstance(value, int) else value
            click.echo(f"{key:20} {shown}")
        for key, values in found.to_dict().items():
            if isinstance(values, dict) and values:
                click.echo(f"{key}")
                for name, count in values.items():
                    click.echo(f"  {name:28} {count:>10,}")
        if steps := made_by(opened):
            click.echo()
            table("how it was made", ["by", "step", "removed", "documents left"], steps)
        if verify:
            click.echo("All files are as their digests say.")

    history = [made.model_dump(mode="json") for made in opened.manifest.history]
    return {**found.to_dict(), "history": history, **checked}, say


@corpus.command("doctor")
@_corpus
@click.option("--show-text", is_flag=True, help="Quote the notes in the examples.")
@click.option("--concepts", is_flag=True, help="Check the guidelines for marking concepts too.")
@click.option(
    "--examples",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How many places to name for each finding.",
)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "remark"]),
    help="Exit with 1 when there is a finding as bad as this, for use in scripts.",
)
@command
def doctor(
    corpus: Path, show_text: bool, concepts: bool, examples: int, fail_on: str | None
) -> Any:
    """Find what is wrong with a corpus, how bad it is, and what to do.

    Examples say where, and quote no text unless asked to.

    \b
    Example:
      auscult corpus doctor mdace --fail-on error
    """
    from auscult.corpus import Corpus
    from auscult.corpus.doctor import Severity, examine

    opened = Corpus.open(corpus)
    findings = examine(opened, show_text=show_text, examples=examples, concepts=concepts)

    def say() -> None:
        for finding in findings:
            colour = {"error": "red", "warning": "yellow"}.get(finding.severity)
            mark = click.style(f"{finding.severity:8}", fg=colour, bold=True)
            click.echo(f"{mark} {finding.count:,} {finding.problem}")
            for example, text in zip_longest(finding.examples, finding.texts):
                click.echo(f"         e.g. {example}")
                if text is not None:
                    click.echo(f"         text {text!r}")
            click.echo(f"         {finding.advice}")
        if not findings:
            click.echo("Nothing found.")

    if fail_on and any(f.severity.rank <= Severity(fail_on).rank for f in findings):
        exit_with_1()
    return {"corpus": str(corpus), "findings": [f.to_dict() for f in findings]}, say


@corpus.command("split")
@_corpus
@_out
@click.option("--share", "shares", multiple=True, help="NAME=SHARE; the shares sum to 1.")
@click.option("--list", "lists", multiple=True, help="NAME=FILE with one id a line, instead.")
@click.option(
    "--by",
    type=click.Choice(["subject", "chart", "note"]),
    help="What stays together  [default: subject for shares, chart for lists]",
)
@click.option(
    "--combinations",
    is_flag=True,
    help="Divide each combination of codes between the splits; one that occurs once goes to train.",
)
@click.option("--annotator", help="Whose codes make the combinations, when there are several.")
@seed
@click.option("--overwrite", is_flag=True, help="Replace the corpus that is at OUT.")
@command
def split(
    corpus: Path,
    out: Path,
    shares: tuple[str, ...],
    lists: tuple[str, ...],
    by: Any,
    combinations: bool,
    annotator: str | None,
    seed: int,
    overwrite: bool,
) -> Any:
    """Divide a corpus into splits, at random by patient, by combinations of codes, or by lists.

    \b
    Example:
      auscult corpus split notes notes-split --share train=0.7 --share dev=0.15 --share test=0.15
      auscult corpus split notes notes-split --list train=train.csv --list test=test.csv
      auscult corpus split notes notes-split --share train=0.5 --share test=0.5 --combinations
    """
    from auscult.corpus import Corpus
    from auscult.corpus.info import info
    from auscult.corpus.split import split_at_random, split_by_list
    from auscult.corpus.split_combinations import parts_of, split_by_combination

    opened = Corpus.open(corpus)
    whose = None
    if lists and combinations:
        raise OptionError("Combinations are divided by --share, not by --list.")
    if shares and lists:
        raise OptionError("Both --share and --list were given; a corpus is split by one of them.")
    if not shares and not lists:
        raise OptionError(
            "Say how to split: --share NAME=SHARE for each split, or --list NAME=FILE for each."
        )
    if shares:
        parts = {name: _share(value) for name, value in map(pair, shares)}
        if combinations:
            whose = annotator_of(opened, annotator)
            made = split_by_combination(opened, parts, whose, by=by or "subject", seed=seed)
        else:
            made = split_at_random(opened, parts, by=by or "subject", seed=seed)
    else:
        ids = {name: _ids(Path(value)) for name, value in map(pair, lists)}
        made = split_by_list(opened, ids, by=by or "chart")
    written = made.write(out, overwrite=overwrite)
    found = info(written)
    parts_made = (
        [] if whose is None else parts_of(written, whose, "note" if by == "note" else "chart")
    )

    def say() -> None:
        if not parts_made:
            table(None, ["split", "notes"], found.splits.items())
            return
        names = ["split", "notes", "documents", "combinations", "only in this split"]
        rows = [
            (one.split, found.splits[one.split], one.documents, one.combinations, one.only_here)
            for one in parts_made
        ]
        table(None, names, rows)

    made_of = {"parts": [asdict(one) for one in parts_made]} if parts_made else {}
    return {"corpus": str(out), **found.to_dict(), **made_of}, say


def _share(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise OptionError(f"A share is a number such as 0.7; got {value!r}.") from None


def _ids(file: Path) -> list[str]:
    from auscult.core.files import read_text

    return [line.strip() for line in read_text(file).splitlines() if line.strip()]


corpus.add_command(sample)
corpus.add_command(select)


@corpus.command("merge")
@click.argument("corpora", nargs=-1, required=True, type=click.Path(path_type=Path))
@_out
@click.option("--overwrite", is_flag=True, help="Replace the corpus that is at OUT.")
@command
def merge(corpora: tuple[Path, ...], out: Path, overwrite: bool) -> Any:
    """Put the notes and annotations of several corpora into one.

    A note that is in several is taken once, with its text wherever one of them has it; a note id
    that stands for different notes is an error. Annotations that are the same are taken once.

    \b
    Example:
      auscult corpus merge notes evidence notes-with-evidence
    """
    from auscult.corpus import Corpus
    from auscult.corpus.info import info

    if len(corpora) < 2:
        raise OptionError("Merging takes two corpora or more, and then the place for the result.")
    first, *others = [Corpus.open(path) for path in corpora]
    found = info(first.merge(*others).write(out, overwrite=overwrite))
    brought = sum(sum(corpus.manifest.annotators.values()) for corpus in (first, *others))
    shared = brought - found.annotations

    def say() -> None:
        many = counted(found.annotations, "annotation")
        click.echo(f"{out}: {counted(found.notes, 'note')}, {many}")
        if shared:
            click.echo(f"{counted(shared, 'annotation')} of several corpora taken once.")

    return {"corpus": str(out), "duplicates": shared, **found.to_dict()}, say


@corpus.command("map")
@_corpus
@_out
@click.option(
    "--to", required=True, type=click.Choice(["ICD-9-CM", "ICD-10-CM"]), help="The revision wanted."
)
@click.option(
    "--gems",
    type=click.Path(path_type=Path),
    help="Folder with CMS's GEM files; needed for procedures.",
)
@click.option(
    "--prefer",
    type=click.Path(path_type=Path),
    help="File with one code a line, taken when a code has several equivalents.",
)
@click.option("--overwrite", is_flag=True, help="Replace the corpus that is at OUT.")
@command
def map_(
    corpus: Path, out: Path, to: str, gems: Path | None, prefer: Path | None, overwrite: bool
) -> Any:
    """Map a corpus's codes to the other revision of ICD, and say how it was decided.

    Where a code has several equivalents, one that the chart already carries is taken, then one
    in --prefer, then the one whose description fits best. No annotation is dropped.

    \b
    Example:
      auscult corpus map mdace mdace-9 --to ICD-9-CM --gems gems/
    """
    from auscult.cli.codes import ABSENCES, open_gems
    from auscult.codes.gems import PACKAGED, Gems
    from auscult.corpus import Corpus
    from auscult.corpus.mapping import map_corpus

    def gems_of(source: str, target: str) -> Gems | None:
        # Procedures need CMS's files; without them the diagnoses can be mapped all the same.
        if gems is None and (source, target) not in PACKAGED:
            return None
        return open_gems(source, target, gems)

    preferred = _ids(prefer) if prefer else ()
    mapped = map_corpus(Corpus.open(corpus), to, gems_of, prefer=preferred)
    for system in mapped.kept:
        warnings.warn(
            f"Codes of {system} stay as they are: mapping them needs --gems with CMS's files.",
            stacklevel=1,
        )
    mapped.corpus.write(out, overwrite=overwrite)
    total = sum(mapped.steps.values())

    def say() -> None:
        rows = [(step, n, f"{n / max(total, 1):.1%}") for step, n in mapped.steps.items()]
        table(f"{total:,} annotations mapped to {to}", ["step", "annotations", "share"], rows)
        reasons = [(f"not in the mappings, {ABSENCES[why]}", c) for why, c in mapped.absent.items()]
        for name, listed in (*reasons, ("mapped to nothing", mapped.unmapped)):
            if listed:
                more = " …" if len(listed) > 10 else ""
                click.echo(f"{counted(len(listed), 'code')} {name}: {', '.join(listed[:10])}{more}")

    found = {
        "corpus": str(out),
        "steps": mapped.steps,
        "absent": {why: list(listed) for why, listed in mapped.absent.items()},
        "newer": list(mapped.absent.get("newer", ())),
        "unmapped": list(mapped.unmapped),
        "kept": list(mapped.kept),
    }
    return found, say


@corpus.command("show")
@_corpus
@click.argument("chart", required=False)
@click.option("--note", help="Only this note of the chart.")
@click.option("--annotator", "annotators", multiple=True, help="Only annotations by these.")
@click.option("--system", "systems", multiple=True, help="Only codes of these systems.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="How many charts to list.",
)
@command
def show(
    corpus: Path,
    chart: str | None,
    note: str | None,
    annotators: tuple[str, ...],
    systems: tuple[str, ...],
    limit: int,
) -> Any:
    """Show a chart's notes with the evidence marked, or list the charts.

    The text of the notes is printed: mind who looks at your screen.

    \b
    Example:
      auscult corpus show mdace
      auscult corpus show mdace 102763 --annotator inpatient
    """
    from auscult.cli.show import list_charts, show_chart
    from auscult.corpus import Corpus

    opened = Corpus.open(corpus)
    for annotator in annotators:
        require_known(annotator, opened.manifest.annotators, "annotator")
    for system in systems:
        require_known(system, opened.manifest.systems, "code system")
    part = opened.select(annotators=annotators or None, systems=systems or None)
    return list_charts(part, limit) if chart is None else show_chart(part, chart, note)
