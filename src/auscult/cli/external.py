"""`auscult external`: what another system found, beside the annotations of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.output import command, counted

_TOOLS = ("ctakes", "metamap", "quickumls", "medcat", "scispacy")


@click.command()
@click.argument("tool", type=click.Choice(_TOOLS))
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("corpus", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--annotator", help="What to sign the annotations with  [default: the system's name]")
@click.option("--system", default="UMLS", show_default=True, help="The code system of its ids.")
@click.option(
    "--offsets",
    type=click.Choice(["codepoint", "utf16", "utf8"]),
    help="What its offsets count  [default: found out from what it quotes]",
)
@click.option("--overwrite", is_flag=True, help="Replace the corpus that is at OUT.")
@command
def external(
    tool: str,
    source: Path,
    corpus: Path,
    out: Path,
    annotator: str | None,
    system: str,
    offsets: str | None,
    overwrite: bool,
) -> Any:
    """Add what another system found in the notes of CORPUS, and write both to OUT.

    SOURCE is the output of cTAKES (XMI), MetaMap (MMI lines or JSON), QuickUMLS, MedCAT or scispaCy
    (JSON, JSON lines or CSV): a file, or a folder of files called after the notes, gzipped or not.
    What its offsets count (bytes, UTF-16 units, a text with other line ends) is found out and said.

    \b
    Example:
      auscult external ctakes output/xmi corpus with-ctakes
      auscult external quickumls found.jsonl corpus with-quickumls --annotator quickumls-0.7
    """
    from auscult.core import Unit
    from auscult.corpus import Corpus
    from auscult.corpus.external import read_external, require_unsigned

    opened = Corpus.open(corpus)
    require_unsigned(opened, annotator or tool)
    made = read_external(
        tool,
        source,
        opened.iter_notes(),
        annotator=annotator,
        system=system,
        offsets=None if offsets is None else Unit(offsets),
    )
    opened.with_annotations(made).write(out, overwrite=overwrite)
    found = {"out": str(out), "annotator": annotator or tool, "annotations": len(made)}
    notes = len({annotation.note_id for annotation in made})
    return {**found, "notes": notes}, lambda: click.echo(
        f"{out}: {counted(len(made), 'annotation')} by {annotator or tool} on "
        f"{counted(notes, 'note')}"
    )
