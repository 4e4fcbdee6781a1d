"""`auscult predict`: codes with their evidence for notes."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.output import command
from auscult.core import Annotation, Code, Note, OptionError

if TYPE_CHECKING:
    from auscult.coders.coder import Coder
    from auscult.corpus import Corpus

_STANDARD = "-"


@click.command()
@click.argument("coder", type=click.Path(path_type=Path))
@click.argument("source", metavar="INPUT")
@click.argument("out")
@click.option("--split", "splits", multiple=True, help="Only notes of these splits.")
@click.option("--annotator", help="What to sign the annotations with  [default: the coder's kind]")
@click.option(
    "--codes-of",
    "gold",
    metavar="ANNOTATOR",
    help="Show evidence also for the codes this annotator gave, marked as not given.",
)
@click.option("--never-empty", is_flag=True, help="Give the best code when none passes.")
@click.option(
    "--ranked",
    type=click.IntRange(0),
    default=0,
    help="Also write this many codes a chart below the threshold, marked as not given.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["corpus", "jsonl", "mdace"]),
    help="What to write  [default: jsonl when OUT ends in .jsonl, else corpus]",
)
@click.option("--overwrite", is_flag=True, help="Replace the corpus that is at OUT.")
@command
def predict(
    coder: Path,
    source: str,
    out: str,
    splits: tuple[str, ...],
    annotator: str | None,
    gold: str | None,
    never_empty: bool,
    ranked: int,
    form: str | None,
    overwrite: bool,
) -> Any:
    """Let a CODER code the notes of INPUT and write codes and evidence to OUT.

    INPUT is a corpus, a text file, a folder of text files (a note each), or - for one note on
    standard input. OUT is a corpus with the notes, a .jsonl file of annotations, a folder of MDACE
    files, or - to show the notes in the terminal, evidence in colour.

    \b
    Example:
      auscult predict coder corpus predicted --split test
      auscult predict coder - - < note.txt
    """
    from auscult.coders.coder import Coder
    from auscult.core.progress import track

    loaded = Coder.load(coder)
    corpus = _open(source)
    if splits:
        corpus = corpus.select(splits=splits)
    notes = list(corpus.iter_notes())
    if not notes:
        raise OptionError(f"{source} has no notes{' in that split' if splits else ''}.")
    charts = list(dict.fromkeys(note.chart_id for note in notes))
    _warn_of_seen(loaded, charts, source)
    made = list(
        loaded.code(
            track(notes, "coding", len(notes)),
            annotator=annotator,
            also=_codes_of(corpus, gold) if gold else None,
            never_empty=never_empty,
            ranked=ranked,
        )
    )
    pairs = {(a.chart_id, a.code) for a in made if not a.meta.get("below")}
    pointed = {(a.chart_id, a.code) for a in made if a.spans} & pairs
    found: dict[str, Any] = {
        "coder": str(coder),
        "charts": len(charts),
        "notes": len(notes),
        "codes": len(pairs),
        "codes_with_evidence": len(pointed),
        "annotations": len(made),
    }
    if out == _STANDARD:
        found["predicted"] = [annotation.to_dict() for annotation in made]
        return found, lambda: _show(notes, made)
    _write(corpus, made, Path(out), form, overwrite=overwrite)
    return {**found, "out": out}, lambda: click.echo(
        f"{out}: {len(pairs):,} codes for {len(charts):,} charts, {len(pointed):,} with evidence"
    )


def _open(source: str) -> Corpus:
    from auscult.corpus import Corpus
    from auscult.corpus.formats.shared.files import read_text

    if source == _STANDARD:
        return Corpus.of([Note("stdin", "stdin", text=_standard_input())])
    path = Path(source)
    if path.is_file():
        return Corpus.of([Note(path.stem, path.stem, text=read_text(path))])
    texts = sorted(path.glob("*.txt")) if path.is_dir() else []
    if texts and not (path / "manifest.json").exists():
        return Corpus.of([Note(file.stem, file.stem, text=read_text(file)) for file in texts])
    return Corpus.open(path)


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise OptionError(
            f"The note on standard input is not UTF-8 at byte {error.start:,}: convert it (iconv)."
        ) from None


def _warn_of_seen(coder: Coder, charts: Sequence[str], source: str) -> None:
    if seen := coder.has_seen(charts):
        warnings.warn(
            f"The coder learnt or was tuned on {len(seen):,} of the {len(charts):,} charts of "
            f"{source}: measures on them flatter it. Choose others with --split.",
            stacklevel=2,
        )


def _codes_of(corpus: Corpus, annotator: str) -> dict[str, list[Code]]:
    from auscult.coders.coder import codes_by_chart
    from auscult.core.names import require_known

    there = corpus.annotations.select("annotator").unique().collect()["annotator"].to_list()
    require_known(annotator, there, "annotator")
    return codes_by_chart(corpus.select(annotators=[annotator]).iter_annotations())


def _write(
    corpus: Corpus, made: Iterable[Annotation], out: Path, form: str | None, *, overwrite: bool
) -> None:
    from auscult.core import storage
    from auscult.corpus import formats
    from auscult.corpus.formats.jsonl import write_annotations

    form = form or ("jsonl" if out.suffix == ".jsonl" else "corpus")
    predicted = corpus.select(annotators=[]).with_annotations(made)
    if form == "corpus":
        predicted.write(out, overwrite=overwrite)
    elif form == "jsonl":
        if out.exists() and not overwrite:
            raise OptionError(f"{out} exists already. Choose another name, or pass --overwrite.")
        with storage.drafted(out) as draft:
            write_annotations(predicted.annotations, draft)
    else:
        formats.write(form, predicted, out)


def _show(notes: Sequence[Note], made: Sequence[Annotation]) -> None:
    from auscult.cli.show import say_chart
    from auscult.coders.coder import by_chart
    from auscult.corpus import Chart

    for chart in by_chart(notes):
        chart_id = chart[0].chart_id
        mine = tuple(a for a in made if a.chart_id == chart_id)
        say_chart(Chart(chart_id, chart, mine))
    sys.stdout.flush()
