"""`auscult vocab`: build vocabularies, and suggest, find and show their concepts."""

from __future__ import annotations

import click

from auscult.cli.lazy import LazyGroup


@click.group(
    cls=LazyGroup,
    commands_at={
        "build": ("auscult.cli.vocab.build:build", "Build a vocabulary from one or more sources."),
        "embed": ("auscult.cli.vocab.embed:embed", "Embed the names to find concepts by meaning."),
        "suggest": (
            "auscult.cli.vocab.suggest:suggest",
            "Suggest concepts for a text (entity linking).",
        ),
        "find": ("auscult.cli.vocab.find:find", "Find the terms of a vocabulary in notes."),
        "show": ("auscult.cli.vocab.show:show", "Show a concept, or summarize a vocabulary."),
    },
)
def vocab() -> None:
    """Build vocabularies; suggest concepts for a text, and find terms in notes.

    \b
    Example:
      auscult vocab build hpo phenotypes
      auscult vocab suggest phenotypes "large spleen"
      auscult vocab find phenotypes notes notes-with-phenotypes
    """
