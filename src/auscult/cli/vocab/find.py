"""`auscult vocab find`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.engines import on_engine, partition_option
from auscult.cli.output import command
from auscult.cli.vocab.arguments import sources_option, types_option, vocabulary_argument
from auscult.core import Note, OptionError

if TYPE_CHECKING:
    import polars as pl

    from auscult.corpus import Corpus
    from auscult.engine import Engine

_FILES = (".csv", ".html", ".json", ".parquet", ".tsv", ".txt", ".xml")
"""What nobody calls a folder."""


@click.command()
@vocabulary_argument
@click.argument("input_", metavar="INPUT", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@types_option
@sources_option
@click.option(
    "--case",
    type=click.Choice(["strict", "loose", "ignore"]),
    default="strict",
    show_default=True,
    help="Abbreviations in capitals match capitals only; anything but English words; anything.",
)
@click.option("--longest", is_flag=True, help="Only terms that are not inside a longer one.")
@click.option("--best", is_flag=True, help="Of several concepts of one span, only the first.")
@click.option("--annotator", default="vocabulary", show_default=True, help="Who says so.")
@partition_option
@click.option("--overwrite", is_flag=True, help="Replace the corpus that is at OUT.")
@command
@on_engine
def find(
    vocabulary: Path,
    input_: Path,
    out: Path,
    partition: int,
    overwrite: bool,
    engine: Engine,
    **options: Any,
) -> Any:
    """Find all terms of a vocabulary in INPUT and write them to OUT, with their spans.

    INPUT is a corpus, a text file, or a folder of .txt files. OUT is a corpus, or a .jsonl file
    with one annotation a line. Terms inside terms are found too, and a term that means several
    concepts is given for each.

    A corpus is worked on partition by partition. Interrupted, the same command goes on with the
    first that is not finished, on whatever engine.

    \b
    Example:
      auscult vocab find phenotypes notes notes-with-phenotypes
      auscult vocab find phenotypes note.txt found.jsonl --longest
      auscult vocab find phenotypes notes found --workers 4
    """
    from auscult.codes.find import Finder
    from auscult.codes.vocabulary import Vocabulary
    from auscult.corpus.parts import annotate_at_once, annotated
    from auscult.corpus.terms import Finding

    _check_out(out, overwrite)
    corpus = _open_notes(input_)
    opened = Vocabulary.open(vocabulary)
    chosen = {name: options[name] for name in ("types", "sources", "case")}
    Finder(opened, **chosen)  # a slip is known before anything is begun
    how = Finding(
        vocabulary.absolute(),
        opened.manifest.digest,
        **chosen,
        annotator=options["annotator"],
        only_longest=options["longest"],
        only_best=options["best"],
    )
    if corpus.path is None:
        table, counts = annotate_at_once(corpus, how)
        _write(corpus, table.lazy(), out, overwrite=overwrite)
    else:
        with annotated(
            corpus, how, out, engine,
            notes=partition, whole_charts=False, doing="finding terms in partitions",
        ) as (found, counts):  # fmt: skip
            _write(corpus, found, out, overwrite=overwrite)
    notes, count = counts["notes"], counts["annotations"]
    result = {"out": str(out), "notes": notes, "annotations": count}
    return result, lambda: click.echo(f"{out}: {count:,} annotations on {notes:,} notes")


def _check_out(out: Path, overwrite: bool) -> None:
    """Before the work, not after it."""
    if out.suffix in _FILES:
        raise OptionError(f"{out} is neither a corpus, which is a folder, nor a .jsonl file.")
    taken = out.exists() and not (out.is_dir() and not any(out.iterdir()))
    if taken and not overwrite:
        raise OptionError(f"{out} exists already. Choose another name, or pass --overwrite.")


def _open_notes(path: Path) -> Corpus:
    """A corpus as it is; text files as a corpus of notes named after them."""
    from auscult.core.files import read_text
    from auscult.corpus import Corpus
    from auscult.corpus.corpus import locate_manifest

    if not path.exists():
        raise OptionError(f"{path} does not exist.")
    if path.is_file():
        files = [path]
    elif locate_manifest(path).exists():
        return Corpus.open(path)
    else:
        files = sorted(path.glob("*.txt"))
        if not files:
            raise OptionError(f"{path} is no corpus, and has no .txt file.")
    return Corpus.of(Note(file.stem, file.stem, text=read_text(file)) for file in files)


def _write(corpus: Corpus, found: pl.LazyFrame, out: Path, *, overwrite: bool) -> None:
    import polars as pl

    from auscult.core.storage import drafted
    from auscult.corpus import schema

    if out.suffix != ".jsonl":
        both = pl.concat([corpus.all_annotations, found])
        replace(corpus, all_annotations=both, path=None).write(out, overwrite=overwrite)
        return
    with drafted(out) as draft, draft.open("w", encoding="utf-8") as handle:
        handle.writelines(
            json.dumps(annotation.to_dict(), ensure_ascii=False) + "\n"
            for annotation in schema.iter_annotations(found)
        )
