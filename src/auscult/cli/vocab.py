"""`auscult vocab`: build vocabularies, and suggest, find and show their concepts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.output import command, table
from auscult.core import Annotation, Code, Note, OptionError, Span

if TYPE_CHECKING:
    from auscult.codes.find import Finder
    from auscult.corpus import Corpus

_vocabulary = click.argument("vocabulary", type=click.Path(path_type=Path))
_types = click.option("--type", "types", multiple=True, help="Only concepts of this semantic type.")
_sources = click.option("--source", "sources", multiple=True, help="Only terms of this source.")
_NOTES_AT_ONCE = 1_000


@click.group()
def vocab() -> None:
    """Build vocabularies; suggest concepts for a text, and find them in notes.

    \b
    Example:
      auscult vocab build hpo phenotypes
      auscult vocab suggest phenotypes "enlarged spleen"
      auscult vocab find phenotypes notes notes-with-phenotypes
    """


@vocab.command("build")
@click.argument("sources", nargs=-1, required=True)
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--sab", "sabs", multiple=True, help="UMLS: only rows of this source, SNOMEDCT_US …")
@click.option(
    "--lat", "lats", multiple=True, default=("ENG",), show_default=True, help="UMLS: languages."
)
@click.option("--suppressed", is_flag=True, help="UMLS: suppressed rows too.")
@click.option("--key", help="Give each concept its code in this system, by cross-reference: UMLS …")
@click.option("--system", help="The code system, where a file does not say.")
@click.option("--column", "columns", multiple=True, help="CSV, TSV: id=NAME, name=NAME …")
@click.option(
    "--corpus",
    type=click.Path(path_type=Path),
    help="Also the strings this corpus was annotated with, and how often.",
)
@click.option("--annotator", "annotators", multiple=True, help="Of the corpus: only by these.")
@click.option("--name", help="What the vocabulary is called.")
@click.option("--stemmer", default="english", show_default=True, help="The language of its words.")
@click.option("--overwrite", is_flag=True, help="Replace the vocabulary that is at OUT.")
@command
def build(sources: tuple[str, ...], out: Path, overwrite: bool, **options: Any) -> Any:
    """Make a vocabulary of one or more SOURCES in the directory OUT.

    A source is a folder with MRCONSO.RRF (and MRSTY.RRF), an .obo, .csv or .tsv file, or one of
    hpo, icd-9-cm, icd-9-pcs, icd-10-cm, icd-10-pcs. What one of them cannot give is listed.

    \b
    Example:
      auscult vocab build 2024AB/META snomed --sab SNOMEDCT_US --sab RXNORM
      auscult vocab build hpo phenotypes --key UMLS
      auscult vocab build icd-10-cm doid.obo mine.csv mixed --corpus train
    """
    from auscult.codes.exclusions import Exclusions
    from auscult.codes.sources import SourceOptions, from_strings, keyed_by, read
    from auscult.codes.vocabulary import Vocabulary, check_target

    check_target(out, overwrite)
    exclusions = Exclusions()
    chosen = SourceOptions(
        sources=options["sabs"],
        languages=options["lats"],
        suppressed=options["suppressed"],
        system=options["system"],
        columns=dict(_pair(given) for given in options["columns"]),
    )
    uses: list[tuple[str, Code]] = []
    if options["corpus"] is not None:
        from auscult.corpus import Corpus

        part = Corpus.open(options["corpus"]).select(annotators=options["annotators"] or None)
        uses = list(annotated_strings(part))
    streams = [read(source, chosen, exclusions) for source in sources]

    def concepts() -> Iterator[Any]:
        for stream in streams:
            yield from (
                stream if not options["key"] else keyed_by(stream, options["key"], exclusions)
            )
        yield from from_strings(uses)

    made = Vocabulary.build(
        concepts(),
        out,
        name=options["name"] or out.name,
        source=", ".join(Path(source).name for source in sources),
        language=options["stemmer"],
        exclusions=exclusions,
        overwrite=overwrite,
    )
    return _describe(made), lambda: _say(made)


def _pair(given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not (name and equals and value):
        raise OptionError(f"Expected --column NAME=COLUMN, got {given!r}.")
    return name, value


def annotated_strings(corpus: Corpus) -> Iterator[tuple[str, Code]]:
    """The text under each annotation's spans, and its code."""
    on: dict[str, list[Annotation]] = {}
    for annotation in corpus.iter_annotations():
        if annotation.note_id is not None and annotation.spans:
            on.setdefault(annotation.note_id, []).append(annotation)
    for note in corpus.iter_notes():
        for annotation in on.get(note.note_id, ()):
            if note.text is not None:
                parts = (span.of(note.text) for span in annotation.spans)
                yield " ".join(parts), annotation.code


def _describe(vocabulary: Any) -> dict[str, Any]:
    manifest = vocabulary.manifest
    return {
        "vocabulary": str(vocabulary.path),
        **manifest.model_dump(exclude={"files", "layout", "term_types", "types", "exclusions"}),
        "sources": [source for source in manifest.sources if source],
        "types": len(manifest.types),
        "exclusions": [
            {"reason": e.reason, "count": e.count, "places": list(e.places)}
            for e in manifest.exclusions
        ],
    }


def _say(vocabulary: Any) -> None:
    manifest = vocabulary.manifest
    click.echo(
        f"{vocabulary.path}: {manifest.concepts:,} concepts, {manifest.terms:,} terms, "
        f"{manifest.words:,} words, of {', '.join(manifest.systems)}"
    )
    if manifest.exclusions:
        rows = [(e.count, e.reason, ", ".join(e.places[:3])) for e in manifest.exclusions]
        table("Left out:", ["", "what", "the first of them"], rows)


@vocab.command("suggest")
@_vocabulary
@click.argument("text")
@click.option("--note", type=click.Path(path_type=Path), help="File with the note it stands in.")
@click.option("--limit", default=10, show_default=True)
@_types
@_sources
@click.option(
    "--abbreviations",
    type=click.Path(path_type=Path),
    help="Your own list instead of the common ones: short form, tab, long form, one a line.",
)
@command
def suggest(
    vocabulary: Path,
    text: str,
    note: Path | None,
    limit: int,
    types: tuple[str, ...],
    sources: tuple[str, ...],
    abbreviations: Path | None,
) -> Any:
    """Suggest concepts for a TEXT, each with the reason it is there.

    With the note it stands in, abbreviations that the note spells out are read that way.

    \b
    Example:
      auscult vocab suggest umls "severe asthma exacerbation" --limit 5
      auscult vocab suggest umls CHF --note note.txt --type "Disease or Syndrome" --json
    """
    from auscult.codes.abbreviations import Abbreviations
    from auscult.codes.suggest import Suggester
    from auscult.codes.vocabulary import Vocabulary

    opened = Vocabulary.open(vocabulary)
    own = None if abbreviations is None else Abbreviations.read(abbreviations)
    within = None if note is None else _read_text(note)
    found = Suggester(opened, own).suggest(
        text, note=within, limit=limit, types=types, sources=sources
    )

    def say() -> None:
        rows = [(f"{s.score:.2f}", s.code.value, s.name, s.why) for s in found]
        table(None, ["score", "id", "name", "why"], rows)
        if not found:
            click.echo("Nothing found.")

    return [suggestion.to_dict() for suggestion in found], say


@vocab.command("find")
@_vocabulary
@click.argument("input_", metavar="INPUT", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@_types
@_sources
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
@click.option("--overwrite", is_flag=True, help="Replace the corpus that is at OUT.")
@command
def find(vocabulary: Path, input_: Path, out: Path, overwrite: bool, **options: Any) -> Any:
    """Find all terms of a vocabulary in INPUT and write them to OUT, with their spans.

    INPUT is a corpus, a text file, or a folder of .txt files. OUT is a corpus, or a .jsonl file
    with one annotation a line. Terms inside terms are found too, and a term that means several
    concepts is given for each.

    \b
    Example:
      auscult vocab find phenotypes notes notes-with-phenotypes
      auscult vocab find phenotypes note.txt found.jsonl --longest
    """
    from auscult.codes.find import Finder
    from auscult.codes.vocabulary import Vocabulary

    _check_out(out, overwrite)
    corpus = _open_notes(input_)
    finder = Finder(
        Vocabulary.open(vocabulary),
        types=options["types"],
        sources=options["sources"],
        case=options["case"],
    )
    found = find_annotations(
        finder,
        corpus.iter_notes(),
        annotator=options["annotator"],
        only_longest=options["longest"],
        only_best=options["best"],
    )
    count = (
        _write_lines(found, out)
        if out.suffix == ".jsonl"
        else _write_corpus(corpus, found, out, overwrite)
    )
    notes = int(corpus.notes.select("note_id").collect().height)
    result = {"out": str(out), "notes": notes, "annotations": count}
    return result, lambda: click.echo(f"{out}: {count:,} annotations on {notes:,} notes")


def find_annotations(
    finder: Finder,
    notes: Iterator[Note],
    *,
    annotator: str = "vocabulary",
    only_longest: bool = False,
    only_best: bool = False,
) -> Iterator[list[Annotation]]:
    """The annotations of notes with a finder, a batch of notes at a time."""
    from auscult.codes.find import longest
    from auscult.core.progress import track

    going_by = iter(track(notes, "finding terms"))
    while batch := list(islice(going_by, _NOTES_AT_ONCE)):
        found = []
        for note, occurrences in zip(
            batch, finder.find_all(note.text or "" for note in batch), strict=True
        ):
            if only_longest:
                occurrences = longest(occurrences)
            seen: set[Span] = set()
            for o in occurrences:
                if only_best and o.span in seen:
                    continue
                seen.add(o.span)
                found.append(
                    Annotation(annotator, o.code, note.chart_id, note.note_id, (o.span,), o.score)
                )
        yield found


def _check_out(out: Path, overwrite: bool) -> None:
    """Before the work, not after it."""
    taken = out.exists() and not (out.is_dir() and not any(out.iterdir()))
    if taken and not overwrite:
        raise OptionError(f"{out} exists already. Choose another name, or pass --overwrite.")


def _open_notes(path: Path) -> Corpus:
    """A corpus as it is; text files as a corpus of notes named after them."""
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
    return Corpus.of(Note(f.stem, f.stem, text=_read_text(f)) for f in files)


def _read_text(path: Path) -> str:
    from auscult.corpus.formats.shared.files import read_text

    return read_text(path)


def _write_lines(batches: Iterator[list[Annotation]], out: Path) -> int:
    from auscult.core.storage import drafted

    count = 0
    with drafted(out) as draft, draft.open("w", encoding="utf-8") as handle:
        for batch in batches:
            count += len(batch)
            handle.writelines(_line(annotation) for annotation in batch)
    return count


def _line(annotation: Annotation) -> str:
    row = {
        "note_id": annotation.note_id,
        "chart_id": annotation.chart_id,
        "annotator": annotation.annotator,
        "system": annotation.code.system,
        "code": annotation.code.value,
        "spans": [[span.begin, span.end] for span in annotation.spans],
        "score": annotation.score,
    }
    return json.dumps(row, ensure_ascii=False) + "\n"


def _write_corpus(
    corpus: Corpus, batches: Iterator[list[Annotation]], out: Path, overwrite: bool
) -> int:
    """The corpus with the annotations beside those it has. Only their table is held in memory."""
    from dataclasses import replace

    import polars as pl

    from auscult.corpus import schema

    tables = [schema.annotations_table(batch) for batch in batches]
    found = pl.concat([schema.annotations_table([]), *tables])
    annotations = pl.concat([corpus.annotations, found.lazy()])
    replace(corpus, annotations=annotations, path=None).write(out, overwrite=overwrite)
    return len(found)


@vocab.command("show")
@_vocabulary
@click.argument("id_", metavar="[ID]", required=False)
@command
def show(vocabulary: Path, id_: str | None) -> Any:
    """Show a concept and all it is called, or what the vocabulary holds.

    \b
    Example:
      auscult vocab show phenotypes HP:0001744
    """
    from dataclasses import asdict

    from auscult.codes.vocabulary import Vocabulary

    opened = Vocabulary.open(vocabulary)
    if id_ is None:
        return _describe(opened), lambda: _say(opened)
    concept = opened.require(id_)
    found = {
        "id": concept.id,
        "system": concept.code.system,
        "name": concept.name,
        "types": list(concept.types),
        "parents": list(concept.parents),
        "xrefs": [str(code) for code in concept.xrefs],
        "synonyms": [asdict(synonym) for synonym in concept.synonyms],
    }

    def say() -> None:
        click.echo(f"{concept.code}  {concept.name}")
        for key in ("types", "parents", "xrefs"):
            if found[key]:
                click.echo(f"{key:8} {'; '.join(map(str, found[key]))}")
        rows = [(s.text, s.source, s.term_type, s.count or "") for s in concept.synonyms]
        table(None, ["called", "source", "kind", "times"], rows)

    return found, say
