"""`auscult predict`: codes with their evidence for notes."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.engines import on_engine, partition_option
from auscult.cli.losses import say_losses
from auscult.cli.output import command, counted, exit_with_1
from auscult.core import Annotation, Note, OptionError, Status
from auscult.core.names import require_known

if TYPE_CHECKING:
    from auscult.coders.categories import Categories
    from auscult.coders.predicting import Coding, Reading
    from auscult.corpus import Corpus
    from auscult.corpus.formats import Loss
    from auscult.engine import Engine

_STANDARD = "-"
_NEAREST = 5
"""Codes below the threshold that the terminal names."""
_SAYS = 0.05
"""The score from which it names them."""
_FILES = (".csv", ".json", ".parquet", ".tsv", ".xml", ".xmi", ".gz", ".zip")
_NO_NOTES = (*_FILES, ".jsonl")


@click.command()
@click.argument("coder", type=click.Path(path_type=Path))
@click.argument("source", metavar="INPUT")
@click.argument("out")
@click.option("--split", "splits", multiple=True, help="Only notes of these splits.")
@click.option("--annotator", help="Who signs  [default: the coder's kind]")
@click.option(
    "--codes-of",
    "gold",
    metavar="ANNOTATOR",
    help="Also write evidence for this annotator's codes, with status asked.",
)
@click.option("--never-empty", is_flag=True, help="Give the best code when none passes.")
@click.option(
    "--ranked",
    metavar="N|all",
    default="0",
    help="Also write this many codes per chart below the threshold, as ranked.",
)
@click.option(
    "--threshold",
    metavar="P",
    type=click.FloatRange(0, 1),
    help="Give codes of this score or more.",
)
@click.option(
    "--evidence-threshold",
    metavar="P",
    type=click.FloatRange(0, 1),
    help="Show words of this weight or more.",
)
@click.option("--alternatives", is_flag=True, help="Also write spans that overlap a better one.")
@click.option("--category", help="What notes without a category are read as.")
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
    help="Coders of concepts: read the spans this one finds; repeatable, for where none is yet.",
)
@click.option(
    "--vocabulary",
    type=click.Path(path_type=Path),
    help="Coders of concepts: where it is now.",
)
@partition_option
@click.option("--overwrite", is_flag=True, help="Replace the corpus that is at OUT.")
@command
@on_engine
def predict(
    coder: Path,
    source: str,
    out: str,
    splits: tuple[str, ...],
    annotator: str | None,
    gold: str | None,
    never_empty: bool,
    ranked: str,
    threshold: float | None,
    evidence_threshold: float | None,
    alternatives: bool,
    category: str | None,
    form: str | None,
    spans_of: str | None,
    spans_by: tuple[Path, ...],
    vocabulary: Path | None,
    partition: int,
    overwrite: bool,
    engine: Engine,
) -> Any:
    """Let a CODER code the notes of INPUT and write codes and evidence to OUT.

    INPUT is a corpus, a text file, a folder of text files (a note each), or - for one note on
    standard input. OUT is a corpus with the notes, a .jsonl file of annotations, a folder of MDACE
    files, or - to show the notes in the terminal, evidence in colour.

    Notes without a category are read as of the one that had most evidence. Interrupted, the same
    command goes on. Exit code 1: nothing could be read.

    \b
    Example:
      auscult predict coder corpus predicted --split test
      auscult predict coder - - < note.txt
      auscult predict normaliser concepts read --split test --spans-by tagger
      auscult predict coder corpus predicted --engine ray --address head:6379
    """
    from auscult.coders.predicting import Coding, categories_of, predicted

    if out == _STANDARD and form is not None:
        raise OptionError(
            f"The terminal takes no --format {form}: name a file or folder as OUT, or use --json."
        )
    if form is None and Path(out).suffix in _FILES:
        raise OptionError(
            f"{out} would be a folder, the corpus of what was found, despite its name. Choose a "
            "name without a suffix, one in .jsonl for lines, or another --format."
        )
    if out != _STANDARD:
        _check_target(Path(out), form, overwrite=overwrite)
    reads = categories_of(coder, category)
    corpus = _open(source, reads.usual)
    if splits:
        there = corpus.notes.select("split").unique().collect()["split"].drop_nulls().to_list()
        for split in splits:
            require_known(split, there, "split")
    place = None if out == _STANDARD else Path(out)
    how = _how(
        corpus, coder.absolute(), annotator, gold, never_empty, ranked,
        (threshold, evidence_threshold), alternatives, spans_of, spans_by, vocabulary,
    )  # fmt: skip
    if corpus.path is not None:  # a text is a note of that category already
        how = replace(how, category=category)
    is_peeking = False
    if place is None and isinstance(how, Coding) and how.ranked == 0:
        how, is_peeking = replace(how, ranked=_NEAREST), True
    with predicted(corpus, how, place, engine, splits=splits, notes=partition) as (found, counts):
        if counts["empty"] == counts["charts"]:
            exit_with_1()
        said: dict[str, Any] = {"coder": str(coder), **_counted(counts), "read_as": reads.usual}
        if place is None:
            notes, made = list(found.iter_notes()), list(found.iter_annotations(every_status=True))
            below: list[Annotation] = []
            if is_peeking:
                below = [one for one in made if one.status is Status.RANKED]
                made = [one for one in made if one.status is not Status.RANKED]
            said["predicted"] = [annotation.to_dict() for annotation in made]
            said["annotations"] = len(made)
            return said, lambda: _show(notes, made, below, reads)
        losses = _write(found, place, form, overwrite=overwrite)
    said |= {"out": out, "losses": [loss.to_dict() for loss in losses]}

    def say() -> None:
        click.echo(f"{out}: {_summary(said)}")
        say_losses(losses)

    return said, say


def _how(
    corpus: Corpus, coder: Path, annotator: str | None, gold: str | None, never_empty: bool,
    ranked: str, thresholds: tuple[float | None, float | None], alternatives: bool,
    spans_of: str | None, spans_by: Sequence[Path], vocabulary: Path | None,
) -> Coding | Reading:  # fmt: skip
    """What annotates the notes, as the options have it."""
    from auscult.coders import reads_concepts
    from auscult.coders.predicting import Coding, Given, Reading
    from auscult.coders.stored import kind_at
    from auscult.core.digests import directory_digest

    if not reads_concepts(kind_at(coder)):
        if spans_of or spans_by or vocabulary:
            raise OptionError(
                f"{coder} gives codes to charts and reads no spans: leave --spans-of, --spans-by "
                "and --vocabulary out."
            )
        codes_of = Given.of(corpus, gold) if gold else None
        many = _how_many(ranked)
        return Coding(
            coder,
            directory_digest(coder),
            annotator,
            codes_of,
            never_empty,
            many,
            *thresholds,
            alternatives,
        )
    if gold or never_empty or ranked != "0" or thresholds != (None, None) or alternatives:
        raise OptionError(
            f"{coder} is a coder of concepts, which gives each span what it means: leave "
            "--codes-of, --never-empty, --ranked, --threshold, --evidence-threshold and "
            "--alternatives out."
        )
    if spans_of is not None and spans_by:
        raise OptionError("Give --spans-of or --spans-by, not both.")
    return Reading(
        coder,
        directory_digest(coder),
        annotator,
        vocabulary and vocabulary.absolute(),
        Given.of(corpus, spans_of) if spans_of else None,
        [(path.absolute(), directory_digest(path)) for path in spans_by],
    )


def _counted(counts: Mapping[str, int]) -> dict[str, int]:
    of_charts = ("charts", "notes", "codes", "codes_with_evidence", "annotations")
    of_notes = ("notes", "annotations")
    return {
        **{name: counts[name] for name in (of_charts if "codes" in counts else of_notes)},
        "charts_unread": counts["empty"],
        "notes_without_category": counts["uncategorized"],
    }


def _summary(said: Mapping[str, Any]) -> str:
    if "codes" not in said:
        return f"{counted(said['annotations'], 'annotation')} on {counted(said['notes'], 'note')}"
    return (
        f"{counted(said['codes'], 'code')} for {counted(said['charts'], 'chart')}, "
        f"{said['codes_with_evidence']:,} with evidence"
    )


def _open(source: str, category: str | None) -> Corpus:
    """The corpus at a place, or one of the texts there, which are notes of the category."""
    from auscult.corpus import Corpus
    from auscult.corpus.corpus import locate_manifest
    from auscult.corpus.formats.shared.files import read_text

    if source == _STANDARD:
        return _plain({"stdin": _standard_input()}, category)
    path = Path(source)
    if path.suffix in _NO_NOTES:
        raise OptionError(
            f"{path} is no text file. Make a corpus of it first: auscult corpus import"
        )
    if path.is_file():
        return _plain({path.stem: read_text(path)}, category)
    if not path.is_dir() or locate_manifest(path).exists():
        return Corpus.open(path)
    texts = sorted(path.glob("*.txt"))
    if not texts:
        raise OptionError(
            f"{path} is neither a corpus (it has no manifest.json) nor a folder of notes: none of "
            "its files ends in .txt."
        )
    return _plain({file.stem: read_text(file) for file in texts}, category)


def _plain(texts: Mapping[str, str], category: str | None) -> Corpus:
    """Texts as notes, a chart each."""
    from auscult.corpus import Corpus

    return Corpus.of([Note(name, name, category=category, text=texts[name]) for name in texts])


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise OptionError(
            f"The note on standard input is not UTF-8 at byte {error.start:,}: convert it (iconv)."
        ) from None


def _how_many(ranked: str) -> int | None:
    if ranked == "all":
        return None
    if not ranked.isdecimal():
        raise OptionError(f"--ranked takes a whole number, or all; got {ranked!r}.")
    return int(ranked)


def _check_target(out: Path, form: str | None, *, overwrite: bool) -> None:
    """An error before anything is coded that could not be written."""
    from auscult.core import storage
    from auscult.corpus.corpus import check_target

    form = form or _form_of(out)
    if form == "corpus":
        check_target(out, overwrite=overwrite)
    elif out.exists() and not overwrite:
        raise OptionError(f"{out} exists already. Choose another name, or pass --overwrite.")
    else:
        storage.check_kind(out, is_folder=form != "jsonl")


def _form_of(out: Path) -> str:
    return "jsonl" if out.suffix == ".jsonl" else "corpus"


def _write(predicted: Corpus, out: Path, form: str | None, *, overwrite: bool) -> list[Loss]:
    """Write what was predicted, and say what the format could not hold of it."""
    from auscult.core import storage
    from auscult.corpus import formats
    from auscult.corpus.formats.jsonl import write_annotations

    form = form or _form_of(out)
    if form == "corpus":
        predicted.write(out, overwrite=overwrite)
    elif form == "jsonl":
        with storage.drafted(out, overwrite=overwrite) as draft:
            write_annotations(predicted.all_annotations, draft)
    else:
        return formats.write(form, predicted, out, overwrite=overwrite)
    return []


def _show(
    notes: Sequence[Note],
    made: Sequence[Annotation],
    below: Sequence[Annotation],
    reads: Categories,
) -> None:
    """Charts with their codes, and those that came nearest to the threshold from below."""
    from auscult.cli.show import say_chart
    from auscult.coders.coder import by_chart
    from auscult.codes import describe
    from auscult.core.tokens import tokens
    from auscult.corpus import Chart

    mine: dict[str, list[Annotation]] = {}
    for annotation in made:
        mine.setdefault(annotation.chart_id, []).append(annotation)
    for chart in by_chart(notes):
        chart_id = chart[0].chart_id
        said = tuple(mine.get(chart_id, ()))
        say_chart(Chart(chart_id, chart, said))
        read = list(reads.chosen(chart))
        if not any(True for note in read for _ in tokens(note.text or "")):
            which = "notes have no text" if read else "coder does not read this category"
            click.echo(f"No note could be read: the {which}.")
            continue
        if not any(one.status is Status.GIVEN for one in said):
            click.echo(
                "No code reached the threshold. Expect few codes on notes unlike those in training."
            )
        mine_below = [one for one in below if one.chart_id == chart_id]
        near = {a.code: a.score for a in mine_below if a.score is not None and a.score >= _SAYS}
        if near:
            listed = (
                f"{code.value} {describe(code) or code.system} {score:.2f}"
                for code, score in near.items()
            )
            click.echo(f"Below the threshold (--threshold): {'; '.join(listed)}")
    sys.stdout.flush()
