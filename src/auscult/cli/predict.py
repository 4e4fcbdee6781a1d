"""`auscult predict`: codes with their evidence for notes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.output import command
from auscult.core import Annotation, Code, Note, OptionError
from auscult.core.names import require_known

if TYPE_CHECKING:
    from auscult.corpus import Corpus

_STANDARD = "-"
_NO_NOTES = (".csv", ".json", ".jsonl", ".parquet", ".tsv", ".xml", ".xmi", ".gz", ".zip")


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
    metavar="N|all",
    default="0",
    help="Also write this many codes a chart below the threshold, marked as not given.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["corpus", "jsonl", "mdace"]),
    help="What to write  [default: jsonl when OUT ends in .jsonl, else corpus]",
)
@click.option(
    "--spans-of", metavar="ANNOTATOR", help="Coders of concepts: read the spans of this annotator."
)
@click.option(
    "--spans-by",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="CODER",
    help="Coders of concepts: read the spans that this coder finds; repeatable, a further one's "
    "where none is yet.",
)
@click.option(
    "--vocabulary",
    type=click.Path(path_type=Path),
    help="Coders of concepts: where the vocabulary is now.",
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
    ranked: str,
    form: str | None,
    spans_of: str | None,
    spans_by: tuple[Path, ...],
    vocabulary: Path | None,
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
      auscult predict normaliser concepts read --split test --spans-by tagger
    """
    from auscult.cli import predict_concepts
    from auscult.coders import SPAN_CODERS
    from auscult.coders.coder import Coder
    from auscult.coders.familiar import warn_if_familiar
    from auscult.coders.stored import kind_at
    from auscult.core.progress import track
    from auscult.corpus.given import is_given

    if out != _STANDARD and Path(out).exists() and not overwrite:
        raise OptionError(f"{out} exists already. Choose another name, or pass --overwrite.")
    found: dict[str, Any]
    of_concepts = kind_at(coder) in SPAN_CODERS
    opened = corpus = _open(source)
    if splits:
        there = corpus.notes.select("split").unique().collect()["split"].drop_nulls().to_list()
        for split in splits:
            require_known(split, there, "split")
        corpus = corpus.select(splits=splits)
    notes = list(corpus.iter_notes())
    if not notes:
        raise OptionError(f"{source} has no notes{' in that split' if splits else ''}.")
    charts = list(dict.fromkeys(note.chart_id for note in notes))
    if of_concepts:
        if gold or never_empty or ranked != "0":
            raise OptionError(
                f"{coder} is a coder of concepts, which gives each span what it means: leave "
                "--codes-of, --never-empty and --ranked out."
            )
        reader = predict_concepts.Reader(coder, vocabulary)
        warn_if_familiar(reader.coder, opened, charts)
        made = reader.annotate(
            corpus, notes, annotator=annotator, spans_of=spans_of, spans_by=spans_by
        )
        found = {"coder": str(coder), "notes": len(notes), "annotations": len(made)}
        if out == _STANDARD:
            found["predicted"] = [annotation.to_dict() for annotation in made]
            return found, lambda: _show(notes, made)
        _write(corpus, made, Path(out), form, overwrite=overwrite)
        return {**found, "out": out}, lambda: click.echo(
            f"{out}: {len(made):,} annotations on {len(notes):,} notes"
        )
    if spans_of or spans_by or vocabulary:
        raise OptionError(
            f"{coder} gives codes to charts and reads no spans: leave --spans-of, --spans-by and "
            "--vocabulary out."
        )
    loaded = Coder.load(coder)
    warn_if_familiar(loaded, opened, charts)
    made = list(
        loaded.code(
            track(notes, "coding", len(notes)),
            annotator=annotator,
            also=_codes_of(corpus, gold) if gold else None,
            never_empty=never_empty,
            ranked=_how_many(ranked, len(loaded.labels)),
        )
    )
    pairs = {(a.chart_id, a.code) for a in made if is_given(a)}
    pointed = {(a.chart_id, a.code) for a in made if a.spans} & pairs
    found = {
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
    if path.suffix in _NO_NOTES:
        raise OptionError(
            f"{path} is no text file. Make a corpus of it first: auscult corpus import"
        )
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


def _how_many(ranked: str, every: int) -> int:
    if ranked == "all":
        return every
    if not ranked.isdecimal():
        raise OptionError(f"--ranked takes a whole number, or all; got {ranked!r}.")
    return int(ranked)


def _codes_of(corpus: Corpus, annotator: str) -> dict[str, list[Code]]:
    from auscult.coders.coder import codes_by_chart

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
        with storage.drafted(out, overwrite=overwrite) as draft:
            write_annotations(predicted.annotations, draft)
    else:
        formats.write(form, predicted, out, overwrite=overwrite)


def _show(notes: Sequence[Note], made: Sequence[Annotation]) -> None:
    from auscult.cli.show import say_chart
    from auscult.coders.coder import by_chart
    from auscult.corpus import Chart
    from auscult.corpus.given import is_given

    mine: dict[str, list[Annotation]] = {}
    for annotation in made:
        mine.setdefault(annotation.chart_id, []).append(annotation)
    for chart in by_chart(notes):
        chart_id = chart[0].chart_id
        said = tuple(mine.get(chart_id, ()))
        say_chart(Chart(chart_id, chart, said))
        if not any(map(is_given, said)):
            click.echo("No code passes the threshold; --never-empty gives the best.")
    sys.stdout.flush()
