"""`auscult corpus map`: codes of the other revision of ICD."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import click

from auscult.cli.corpus.arguments import corpus_argument, ids_in, out_argument, overwrite_option
from auscult.cli.output import command, counted, table


@click.command("map")
@corpus_argument
@out_argument
@click.option(
    "--to", required=True, type=click.Choice(["ICD-9-CM", "ICD-10-CM"]), help="The revision wanted."
)
@click.option(
    "--gems",
    type=click.Path(path_type=Path),
    help="Folder with CMS's GEM files; needed for procedures.",
)
@click.option(
    "--prefer",
    type=click.Path(path_type=Path),
    help="File with one code a line, taken when a code has several equivalents.",
)
@overwrite_option
@command
def map_(
    corpus: Path, out: Path, to: str, gems: Path | None, prefer: Path | None, overwrite: bool
) -> Any:
    """Map a corpus's codes to the other revision of ICD, and say how it was decided.

    Where a code has several equivalents, one that the chart already carries is taken, then one
    in --prefer, then the one whose description fits best. No annotation is dropped.

    \b
    Example:
      auscult corpus map mdace mdace-9 --to ICD-9-CM --gems gems/
    """
    from auscult.cli.codes import ABSENCES, open_gems
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
            f"Codes of {system} stay as they are: mapping them needs --gems with CMS's files.",
            stacklevel=1,
        )
    mapped.corpus.write(out, overwrite=overwrite)
    total = sum(mapped.steps.values())

    def say() -> None:
        rows = [(step, n, f"{n / max(total, 1):.1%}") for step, n in mapped.steps.items()]
        table(f"{total:,} annotations mapped to {to}", ["step", "annotations", "share"], rows)
        reasons = [(f"not in the mappings, {ABSENCES[why]}", c) for why, c in mapped.absent.items()]
        for name, listed in (*reasons, ("mapped to nothing", mapped.unmapped)):
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
