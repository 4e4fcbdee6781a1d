"""Trying several values of a setting, at once where the engine can, and keeping the best.

The best is the one with the lowest loss on the charts that thresholds are tuned on (Cao et al.
2022, appendix B.1, search the learning rate so).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from auscult.coders.coder import Coder
from auscult.coders.fitting import configure
from auscult.coders.runs import done, train
from auscult.coders.stored import check_target
from auscult.core import OptionError
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.engine import Engine, Local


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
    engine: Engine | None = None,
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
    folder = out.absolute().parent / f".{out.name}.search"
    jobs = [(folder / f"{at}", {**config, **choice}) for at, choice in enumerate(choices)]
    work = _Training(corpus.absolute(), kind, chosen)
    losses = list(track((engine or Local()).run(work, jobs), "searching", len(jobs)))
    tried = [Tried(choice, loss) for choice, loss in zip(choices, losses, strict=True)]
    best = min(range(len(tried)), key=lambda at: tried[at].loss)
    coder = Coder.load(folder / f"{best}")
    coder.save(out, overwrite=overwrite)
    shutil.rmtree(folder)
    return coder, tried


@dataclass(frozen=True, slots=True)
class _Training:
    """The work of a worker: a coder of some configuration, into a directory."""

    corpus: Path
    kind: str
    chosen: Mapping[str, Any]

    def begin(self) -> Callable[[tuple[Path, dict[str, Any]]], float]:
        return self._loss

    def _loss(self, job: tuple[Path, dict[str, Any]]) -> float:
        place, config = job
        corpus = Corpus.open(self.corpus)
        if place.exists():
            try:
                coder = done(place, corpus, self.kind, config, **self.chosen)
            except OptionError as error:
                raise OptionError(
                    f"{place} is left over from another search. Remove {place.parent} and try "
                    "again."
                ) from error
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            coder = train(corpus, place, self.kind, config, **self.chosen)
        loss: float = coder.about.tuning["loss"]
        return loss
