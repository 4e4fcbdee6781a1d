"""`auscult vocab build`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.output import command, pair
from auscult.cli.vocab.show import describe, say

if TYPE_CHECKING:
    from auscult.codes.concept import Concept


@click.command()
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
        columns=dict(pair(given, "--column NAME=COLUMN") for given in options["columns"]),
    )
    streams = [read(source, chosen, exclusions) for source in sources]
    counted: list[Concept] = []
    if options["corpus"] is not None:
        from auscult.corpus import Corpus
        from auscult.corpus.terms import annotated_strings

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
