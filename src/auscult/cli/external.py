"""`auscult external`: import the output of other annotation systems."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.options import code_system, overwrite, sign_as
from auscult.cli.output import command, counted

_TOOLS = ("ctakes", "metamap", "quickumls", "medcat", "scispacy")


@click.command()
@click.argument("tool", type=click.Choice(_TOOLS))
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("corpus", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@sign_as(said="the tool's name")
@code_system("UMLS")
@click.option(
    "--offsets",
    type=click.Choice(["codepoint", "utf16", "utf8"]),
    help="What offsets count.  [default: detected from the quoted text]",
)
@overwrite
@command
def external(
    tool: str,
    source: Path,
    corpus: Path,
    out: Path,
    sign_as: str | None,
    system: str,
    offsets: str | None,
    overwrite: bool,
) -> Any:
    """Add the output of another annotation system to CORPUS, and write it to OUT.

    SOURCE is the output of cTAKES (XMI), MetaMap (MMI lines or JSON), QuickUMLS, MedCAT or scispaCy
    (JSON, JSON lines or CSV): a file, or a folder of files named after the notes, gzipped or not.
    What offsets count (bytes, UTF-16 units, other line endings) is detected and reported.

    \b
    Example:
      auscult external ctakes output/xmi corpus with-ctakes
      auscult external quickumls found.jsonl corpus with-quickumls --sign-as quickumls-0.7
    """
    from auscult.core import OffsetUnit
    from auscult.corpus import Corpus
    from auscult.corpus.external import read_external, require_new_annotator

    opened = Corpus.open(corpus)
    require_new_annotator(opened, sign_as or tool)
    made = read_external(
        tool,
        source,
        opened.iter_notes(),
        annotator=sign_as,
        system=system,
        offsets=None if offsets is None else OffsetUnit(offsets),
    )
    opened.with_annotations(made).write(out, overwrite=overwrite)
    found = {"out": str(out), "annotator": sign_as or tool, "annotations": len(made)}
    notes = len({annotation.note_id for annotation in made})
    return {**found, "notes": notes}, lambda: click.echo(
        f"{out}: {counted(len(made), 'annotation')} by {sign_as or tool} on "
        f"{counted(notes, 'note')}"
    )
