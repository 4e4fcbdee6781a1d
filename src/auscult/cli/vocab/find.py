"""`auscult vocab find`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.engines import on_engine, partition_option
from auscult.cli.options import overwrite, sign_as
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
    help="Case-sensitive for abbreviations, for common English words, or never.",
)
@click.option("--longest", is_flag=True, help="Only the longest of nested terms.")
@click.option("--best", is_flag=True, help="Only the best concept per span.")
@sign_as("vocabulary")
@partition_option
@overwrite
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
    """Find all terms of a vocabulary in INPUT (dictionary matching) and annotate them in OUT.

    INPUT is a corpus, a text file, or a folder of .txt files. OUT is a corpus, or a .jsonl file
    with one annotation per line. Nested terms are found too, and an ambiguous term is annotated
    with each of its concepts.

    A corpus is processed in partitions. After an interruption, the same command resumes at the
    first unfinished one, on any engine.

    \b
    Example:
      auscult vocab find phenotypes notes notes-with-phenotypes
      auscult vocab find phenotypes note.txt found.jsonl --longest
      auscult vocab find phenotypes notes found --workers 4
    """
    from auscult.codes.find import TermFinder
    from auscult.codes.vocabulary import Vocabulary
    from auscult.corpus.partitioned import annotate_at_once, annotated
    from auscult.corpus.vocabulary_terms import TermAnnotator

    _check_out(out, overwrite)
    corpus = _open_notes(input_)
    opened = Vocabulary.open(vocabulary)
    chosen = {name: options[name] for name in ("types", "sources", "case")}
    TermFinder(opened, **chosen)  # a slip is known before anything is begun
    how = TermAnnotator(
        vocabulary.absolute(),
        opened.manifest.digest,
        **chosen,
        annotator=options["sign_as"],
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
        raise OptionError(f"{out} is neither a folder name for a corpus nor a .jsonl file.")
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
            raise OptionError(f"{path} is not a corpus and has no .txt files.")
    return Corpus.of(Note(file.stem, file.stem, text=read_text(file)) for file in files)


def _write(corpus: Corpus, found: pl.LazyFrame, out: Path, *, overwrite: bool) -> None:
    import polars as pl

    from auscult.core.storage import drafted
    from auscult.corpus import schema

    if out.suffix != ".jsonl":
        both = pl.concat([corpus.lazy_all_annotations, found])
        replace(corpus, lazy_all_annotations=both, path=None).write(out, overwrite=overwrite)
        return
    with drafted(out) as draft, draft.open("w", encoding="utf-8") as handle:
        handle.writelines(
            json.dumps(annotation.to_dict(), ensure_ascii=False) + "\n"
            for annotation in schema.iter_annotations(found)
        )
