"""Trying several values of a setting, each in a process of its own, and keeping the best.

The best is the one with the lowest loss on the charts that thresholds are tuned on (Cao et al.
2022, appendix B.1, search the learning rate so).
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from auscult.coders.coder import Coder
from auscult.coders.fitting import configure
from auscult.coders.runs import train
from auscult.coders.stored import check_target
from auscult.core import OptionError
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus


@dataclass(frozen=True, slots=True)
class Tried:
    """A choice of settings, and the loss of the coder that was trained with it."""

    settings: Mapping[str, Any]
    loss: float

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"settings": dict(self.settings), "loss": self.loss}


def search(
    corpus: Path,
    out: Path,
    kind: str,
    config: Mapping[str, Any],
    grid: Mapping[str, Sequence[Any]],
    *,
    processes: int = 1,
    overwrite: bool = False,
    **chosen: Any,
) -> tuple[Coder, list[Tried]]:
    """Train a coder for each combination of the grid's values, and save the best to `out`.

    The others are kept beside it until all are done, so that an interrupted search goes on.
    """
    check_target(out, overwrite)
    choices = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    if not choices or not grid:
        raise OptionError("A grid needs a setting and at least one value for it.")
    for choice in choices:  # a slip is known before hours of training, not after
        configure(kind, {**config, **choice})
    folder = out.parent / f".{out.name}.search"
    jobs = [
        (corpus, folder / f"{at}", kind, {**config, **choice}, chosen)
        for at, choice in enumerate(choices)
    ]
    if processes == 1:
        losses = [_train(job) for job in track(jobs, "searching", len(jobs))]
    else:
        # Not forked: threads of the libraries would be left hanging in the child.
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            losses = list(track(pool.map(_train, jobs), "searching", len(jobs)))
    tried = [Tried(choice, loss) for choice, loss in zip(choices, losses, strict=True)]
    best = min(range(len(tried)), key=lambda at: tried[at].loss)
    coder = Coder.load(folder / f"{best}")
    coder.save(out)
    shutil.rmtree(folder)
    return coder, tried


def _train(job: tuple[Path, Path, str, dict[str, Any], dict[str, Any]]) -> float:
    corpus, place, kind, config, chosen = job
    if place.exists():
        coder = Coder.load(place)
        if coder.config != configure(kind, config) or coder.about.kind != kind:
            raise OptionError(
                f"{place} is left over from another search. Remove {place.parent} and try again."
            )
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        coder = train(Corpus.open(corpus), place, kind, config, **chosen)
    loss: float = coder.about.tuning["loss"]
    return loss
