"""`auscult evaluate faithfulness`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from auscult.cli.options import bootstrap, max_charts, seed, split
from auscult.cli.output import command, table
from auscult.core import OptionError
from auscult.core.version import __version__


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("corpus", type=click.Path(path_type=Path))
@split("test")
@max_charts
@bootstrap()
@seed
@command
def faithfulness(
    model: Path, corpus: Path, split: str, max_charts: int | None, times: int, seed: int
) -> Any:
    """Measure the faithfulness of a MODEL's evidence: comprehensiveness and sufficiency.

    Scores each predicted code again without its evidence, and with nothing but its evidence. Needs
    no gold. Takes two predictions per code: try --max-charts first.

    \b
    Example:
      auscult evaluate faithfulness model corpus --split test --max-charts 100
    """
    import random

    from auscult.core.randomness import shuffled
    from auscult.corpus import Corpus
    from auscult.corpus.split import part_of
    from auscult.evaluate import faithfulness as metric
    from auscult.models.model import Model
    from auscult.models.seen_charts import warn_if_seen
    from auscult.report import metric_format

    loaded = Model.load(model)
    part = part_of(Corpus.open(corpus), split).select(annotators=[])
    ids = part.chart_ids()
    if max_charts is not None:
        ids = sorted(shuffled(ids, random.Random(seed))[:max_charts])
        part = part.select(charts=ids)
    warn_if_seen(loaded, part, ids)
    coded = part.with_annotations(loaded.predict(part.iter_notes()))
    found = metric(loaded.scores, coded.charts(), times=times, seed=seed)
    if not found.pairs:
        raise OptionError(
            f"The model predicts no code with evidence on these {len(ids):,} charts, so there is "
            "nothing to measure."
        )
    about = {
        "auscult": __version__,
        "model": str(model),
        "corpus": str(corpus),
        "split": split,
        "bootstrap": times,
        "seed": seed,
    }

    def say() -> None:
        click.echo(f"{len(ids):,} charts, {len(found.pairs):,} codes with evidence")
        metrics = (found.comprehensiveness, found.sufficiency)
        rows = [
            (m.name, metric_format.value(m), metric_format.interval(m), m.definition)
            for m in metrics
        ]
        table(None, ["metric", "value", "95%", "definition"], rows)

    return {"charts": len(ids), **found.to_dict(), "about": about}, say
