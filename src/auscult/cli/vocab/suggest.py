"""`auscult vocab suggest`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.options import limit
from auscult.cli.output import command, table
from auscult.cli.vocab.arguments import sources_option, types_option, vocabulary_argument

if TYPE_CHECKING:
    from auscult.codes.suggest import Suggestion
    from auscult.codes.vocabulary import Vocabulary


@click.command()
@vocabulary_argument
@click.argument("text")
@click.option(
    "--context", "note", type=click.Path(path_type=Path), help="File with the note TEXT is from."
)
@limit(10)
@types_option
@sources_option
@click.option(
    "--abbreviations",
    type=click.Path(path_type=Path),
    help="Your own abbreviations: short form, tab, long form per line.  [default: common ones]",
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
    """Suggest concepts for a TEXT (candidate generation), each with the reason.

    With --context, abbreviations that the note defines are expanded. In a vocabulary that was built
    from an ICD system alone, concepts are searched as by auscult codes search, unless terms are
    filtered or --abbreviations are given.

    \b
    Example:
      auscult vocab suggest umls "severe asthma exacerbation" --limit 5
      auscult vocab suggest umls CHF --context note.txt --semantic-type "Disease or Syndrome" --json
    """
    from auscult.codes.abbreviations import Abbreviations
    from auscult.codes.suggest import Suggester
    from auscult.codes.vocabulary import Vocabulary
    from auscult.core.files import read_text

    opened = Vocabulary.open(vocabulary)
    own = None if abbreviations is None else Abbreviations.read(abbreviations)
    around = None if note is None else read_text(note)
    if own is None and not types and not sources and _is_code_system(opened):
        found = _search(opened, text, around, limit)
    else:
        found = Suggester(opened, own).suggest(
            text, note=around, limit=limit, types=types, sources=sources
        )

    def say() -> None:
        rows = [(f"{s.score:.2f}", s.code.value, s.name, s.why) for s in found]
        if rows:
            table(None, ["score", "id", "name", "why"], rows)
        else:
            click.echo("Nothing found.")

    return [suggestion.to_dict() for suggestion in found], say


def _is_code_system(vocabulary: Vocabulary) -> bool:
    """Whether a vocabulary has the codes of an ICD system, by their descriptions, and no more."""
    from auscult.codes.sources import icd

    manifest = vocabulary.manifest
    systems = list(manifest.systems)
    sources = [source for source in manifest.sources if source]
    return len(systems) == 1 and systems[0] in icd.SYSTEMS and sources == systems


def _search(vocabulary: Vocabulary, text: str, note: str | None, limit: int) -> list[Suggestion]:
    from auscult.codes.lookup.current import code_search
    from auscult.codes.suggest import Suggestion

    searched = code_search(vocabulary.manifest.systems[0])
    matches = searched.search(text, limit=limit, note=note)
    return [Suggestion(one.code, one.description, one.score, one.why) for one in matches]
