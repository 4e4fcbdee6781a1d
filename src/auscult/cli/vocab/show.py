"""`auscult vocab show`, and how a vocabulary is described."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.output import command, table
from auscult.cli.vocab.arguments import vocabulary_argument

if TYPE_CHECKING:
    from auscult.codes.concept import Concept
    from auscult.codes.vocabulary import Vocabulary


@click.command()
@vocabulary_argument
@click.argument("id_", metavar="[ID]", required=False)
@command
def show(vocabulary: Path, id_: str | None) -> Any:
    """Show a concept with its synonyms, or summarize the vocabulary.

    \b
    Example:
      auscult vocab show phenotypes HP:0001744
    """
    from auscult.codes.vocabulary import Vocabulary

    opened = Vocabulary.open(vocabulary)
    if id_ is None:
        return describe(opened), lambda: say(opened)
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
    return found, lambda: _say_concept(concept)


def _say_concept(concept: Concept) -> None:
    click.echo(f"{concept.code}  {concept.name}")
    for what, values in (
        ("types", concept.types),
        ("parents", concept.parents),
        ("xrefs", concept.xrefs),
    ):
        if values:
            click.echo(f"{what:8} {'; '.join(map(str, values))}")
    rows = [(s.text, s.source, s.term_type, s.count or "") for s in concept.synonyms]
    table(None, ["term", "source", "term type", "count"], rows)


def describe(vocabulary: Vocabulary) -> dict[str, Any]:
    """What a vocabulary holds, for JSON."""
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


def say(vocabulary: Vocabulary) -> None:
    """Print what a vocabulary holds, and what was left out of it."""
    manifest = vocabulary.manifest
    click.echo(
        f"{vocabulary.path}: {manifest.concepts:,} concepts, {manifest.terms:,} terms, "
        f"{manifest.words:,} words, of {', '.join(manifest.systems)}"
    )
    if manifest.exclusions:
        rows = [(e.count, e.reason, ", ".join(e.places[:3])) for e in manifest.exclusions]
        table("Left out:", ["", "reason", "first places"], rows)
