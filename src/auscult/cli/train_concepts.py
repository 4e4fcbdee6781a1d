"""`auscult train` for coders of concepts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from auscult.coders.concepts.coder import ConceptCoder


def train_concepts(
    corpus: Path, out: Path, kind: str, config: Mapping[str, Any], **chosen: Any
) -> Any:
    """Learn a coder of concepts from a corpus; what was found, and how to say it."""
    from auscult.coders.concepts.fitting import train_concepts as train_one
    from auscult.corpus import Corpus

    coder = train_one(Corpus.open(corpus), out, kind, config, **chosen)
    about = coder.about
    found = {
        "coder": str(out),
        "kind": about.kind,
        "concepts": about.concepts,
        "marks": about.marks,
        "notes": about.notes,
        "notes_left_out": about.left_out,
        "discontinuous": about.discontinuous,
        "seed": about.seed,
        "vocabulary": about.vocabulary.name if about.vocabulary else None,
        "measured": about.tuning,
    }
    return found, lambda: _say(out, coder)


def _say(out: Path, coder: ConceptCoder) -> None:
    about = coder.about
    click.echo(
        f"{out}: {about.kind}, learnt {about.concepts:,} concepts from {about.marks:,} marks in "
        f"{about.notes:,} notes"
    )
    if about.left_out:
        click.echo(
            f"left out: {about.left_out:,} training notes that the annotator has not read. To "
            "count them as notes without annotations, pass --charts all."
        )
    if about.discontinuous and about.kind in ("tagger", "vocabulary"):
        click.echo(
            f"{about.discontinuous:,} marks of several spans were learnt as all the text from the "
            "first to the last, and none is given so"
        )
    where = about.tuning.get("on", "training notes")
    said = [
        f"{name.replace('_', ' ')} {value:.3f}"
        for name, value in about.tuning.items()
        if isinstance(value, float)
    ]
    if said:
        click.echo(f"on {where}: " + ", ".join(said))
    for name, where in (("cui_less", "CUI-less"), ("cui_less_of_new_text", "CUI-less, new text")):
        nothing = about.tuning.get(name) or {}
        if nothing.get("f1") is not None:
            click.echo(f"{where}: F1 {nothing['f1']:.3f} of {nothing['tp'] + nothing['fn']:,}")
