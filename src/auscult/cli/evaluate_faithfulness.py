"""`auscult evaluate faithfulness`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.options import bootstrap, seed
from auscult.cli.output import command, table
from auscult.core import OptionError
from auscult.core.version import __version__


@click.command()
@click.argument("coder", type=click.Path(path_type=Path))
@click.argument("corpus", type=click.Path(path_type=Path))
@click.option("--split", default="test", show_default=True, help="Split to code, or all.")
@click.option("--charts", type=click.IntRange(1), help="Only so many charts, drawn at random.")
@bootstrap()
@seed
@command
def faithfulness(
    coder: Path, corpus: Path, split: str, charts: int | None, times: int, seed: int
) -> Any:
    """Say whether the words that a CODER points at in CORPUS are what it goes by.

    Cuts the evidence of each code it gives out of the notes, and leaves nothing else, and sees how
    far the score falls. Needs no gold. Takes a reading for every code, twice: try --charts first.

    \b
    Example:
      auscult evaluate faithfulness coder corpus --split test --charts 100
    """
    import random

    from auscult.coders.coder import Coder
    from auscult.coders.familiar import warn_if_familiar
    from auscult.core.dice import shuffled
    from auscult.corpus import Corpus
    from auscult.corpus.split import part_of
    from auscult.evaluate import faithfulness as measure
    from auscult.report import shown

    loaded = Coder.load(coder)
    part = part_of(Corpus.open(corpus), split).select(annotators=[])
    ids = part.chart_ids()
    if charts is not None:
        ids = sorted(shuffled(ids, random.Random(seed))[:charts])
        part = part.select(charts=ids)
    warn_if_familiar(loaded, part, ids)
    coded = part.with_annotations(loaded.code(part.iter_notes()))
    found = measure(loaded.scores, coded.charts(), times=times, seed=seed)
    if not found.pairs:
        raise OptionError(
            f"The coder gives no code with evidence on these {len(ids):,} charts, so there is "
            "nothing to take away."
        )
    about = {
        "auscult": __version__,
        "coder": str(coder),
        "corpus": str(corpus),
        "split": split,
        "bootstrap": times,
        "seed": seed,
    }

    def say() -> None:
        click.echo(f"{len(ids):,} charts, {len(found.pairs):,} codes with evidence")
        measures = (found.comprehensiveness, found.sufficiency)
        rows = [(m.name, shown.value(m), shown.interval(m), m.definition) for m in measures]
        table(None, ["measure", "value", "95%", "is"], rows)

    return {"charts": len(ids), **found.to_dict(), "about": about}, say
