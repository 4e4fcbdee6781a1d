"""`auscult vocab build`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.options import annotators, code_system, name, overwrite
from auscult.cli.output import command, pair
from auscult.cli.vocab.show import describe, say

if TYPE_CHECKING:
    from auscult.codes.concept import Concept


@click.command()
@click.argument("sources", nargs=-1, required=True)
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--sab", "sabs", multiple=True, help="UMLS: only this source, such as SNOMEDCT_US; repeatable."
)
@click.option(
    "--lat",
    "lats",
    multiple=True,
    default=("ENG",),
    show_default=True,
    help="UMLS: language; repeatable.",
)
@click.option("--suppressed", is_flag=True, help="UMLS: include suppressed rows.")
@click.option(
    "--id-system", "key", help="Identify concepts by cross-reference to this system, such as UMLS."
)
@code_system()
@click.option(
    "--column", "columns", multiple=True, help="CSV, TSV: id=NAME, name=NAME …; repeatable."
)
@click.option(
    "--terms-from",
    "corpus",
    metavar="CORPUS",
    type=click.Path(path_type=Path),
    help="Add the strings annotated in this corpus, with their counts.",
)
@annotators()
@name("as OUT")
@click.option("--stemmer", default="english", show_default=True, help="Language of the stemmer.")
@overwrite
@command
def build(sources: tuple[str, ...], out: Path, overwrite: bool, **options: Any) -> Any:
    """Build a vocabulary from one or more SOURCES in the folder OUT.

    A source is a folder with MRCONSO.RRF (and MRSTY.RRF), an .obo, .csv or .tsv file, or one of
    hpo, icd-9-cm, icd-9-pcs, icd-10-cm, icd-10-pcs. Concepts that are left out are listed.

    \b
    Example:
      auscult vocab build 2024AB/META snomed --sab SNOMEDCT_US --sab RXNORM
      auscult vocab build hpo phenotypes --id-system UMLS
      auscult vocab build icd-10-cm doid.obo mine.csv mixed --terms-from train
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
        columns=dict(pair(given, "--column NAME=COLUMN") for given in options["columns"]),
    )
    streams = [read(source, chosen, exclusions) for source in sources]
    counted: list[Concept] = []
    if options["corpus"] is not None:
        from auscult.corpus import Corpus
        from auscult.corpus.vocabulary_terms import annotated_strings

        part = Corpus.open(options["corpus"]).select(annotators=options["annotators"] or None)
        counted = from_strings(annotated_strings(part))

    def concepts() -> Iterator[Concept]:
        for stream in streams:
            yield from (keyed_by(stream, options["key"], exclusions) if options["key"] else stream)
        yield from counted

    made = Vocabulary.build(
        concepts(),
        out,
        name=options["name"] or out.name,
        source=", ".join(Path(source).name for source in sources),
        language=options["stemmer"],
        exclusions=exclusions,
        overwrite=overwrite,
    )
    return describe(made), lambda: say(made)
