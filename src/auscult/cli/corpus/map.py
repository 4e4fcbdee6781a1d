"""`auscult corpus map`: codes of the other revision of ICD."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import click

from auscult.cli.codes.map import TARGET
from auscult.cli.corpus.arguments import corpus_argument, ids_in, out_argument
from auscult.cli.options import gems, overwrite
from auscult.cli.output import command, counted, table


@click.command("map")
@corpus_argument
@out_argument
@click.option("--to", required=True, type=click.Choice(["ICD-9-CM", "ICD-10-CM"]), help=TARGET)
@gems
@click.option(
    "--prefer-from",
    "prefer",
    type=click.Path(path_type=Path),
    help="File of preferred codes, one per line.",
)
@overwrite
@command
def map_(
    corpus: Path, out: Path, to: str, gems: Path | None, prefer: Path | None, overwrite: bool
) -> Any:
    """Map the codes of a corpus between ICD-9 and ICD-10.

    If a code has several equivalents, one that the chart already has is preferred, then one in
    --prefer-from, then the one with the most similar description. No annotation is dropped.

    \b
    Example:
      auscult corpus map mdace mdace-9 --to ICD-9-CM --gems gems/
    """
    from auscult.cli.codes.arguments import open_gems
    from auscult.cli.codes.map import ABSENCES
    from auscult.codes.gems import PACKAGED, Gems
    from auscult.corpus import Corpus
    from auscult.corpus.mapping import map_corpus

    def gems_of(source: str, target: str) -> Gems | None:
        # Procedures need CMS's files; without them the diagnoses can be mapped all the same.
        if gems is None and (source, target) not in PACKAGED:
            return None
        return open_gems(source, target, gems)

    preferred = ids_in(prefer) if prefer else ()
    mapped = map_corpus(Corpus.open(corpus), to, gems_of, prefer=preferred)
    for system in mapped.kept:
        warnings.warn(
            f"Codes of {system} are not mapped: they need CMS's files; pass --gems.",
            stacklevel=1,
        )
    mapped.corpus.write(out, overwrite=overwrite)
    total = sum(mapped.steps.values())

    def say() -> None:
        rows = [(step, n, f"{n / max(total, 1):.1%}") for step, n in mapped.steps.items()]
        table(f"{total:,} annotations mapped to {to}", ["step", "annotations", "fraction"], rows)
        reasons = [(f"not in the mappings, {ABSENCES[why]}", c) for why, c in mapped.absent.items()]
        for name, listed in (*reasons, ("without a mapping", mapped.unmapped)):
            if listed:
                more = " …" if len(listed) > 10 else ""
                click.echo(f"{counted(len(listed), 'code')} {name}: {', '.join(listed[:10])}{more}")

    found = {
        "corpus": str(out),
        "steps": mapped.steps,
        "absent": {why: list(listed) for why, listed in mapped.absent.items()},
        "newer": list(mapped.absent.get("newer", ())),
        "unmapped": list(mapped.unmapped),
        "kept": list(mapped.kept),
    }
    return found, say
