"""Grid search: train with several values of a setting and keep the best model.

The best is the one with the lowest loss on the charts that thresholds are tuned on (Cao et al.
2022, appendix B.1, search the learning rate in this way). Trainings run in parallel where the
engine can.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from auscult.core import OptionError
from auscult.core.progress import track
from auscult.corpus.corpus import Corpus
from auscult.engine import Engine, Local
from auscult.models.fitting import configure
from auscult.models.model import Model
from auscult.models.saved import check_target
from auscult.models.training import done, train


@dataclass(frozen=True, slots=True)
class GridPoint:
    """One combination of settings, and the loss of the model trained with it."""

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
) -> tuple[Model, list[GridPoint]]:
    """Train a model for each combination of the grid's values, and save the best to `out`.

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
    tried = [GridPoint(choice, loss) for choice, loss in zip(choices, losses, strict=True)]
    best = min(range(len(tried)), key=lambda at: tried[at].loss)
    model = Model.load(folder / f"{best}")
    model.save(out, overwrite=overwrite)
    shutil.rmtree(folder)
    return model, tried


@dataclass(frozen=True, slots=True)
class _Training:
    """The task of a worker: train a model with one combination of settings."""

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
                model = done(place, corpus, self.kind, config, **self.chosen)
            except OptionError as error:
                raise OptionError(
                    f"{place} is left over from another search. Remove {place.parent} and try "
                    "again."
                ) from error
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            model = train(corpus, place, self.kind, config, **self.chosen)
        loss: float | None = model.about.tuning.get("loss")
        if loss is None:
            raise OptionError(
                f"The model {self.kind} reports no loss or score on held-out notes, so a grid "
                "search has nothing to compare. Train it with each value and evaluate on dev."
            )
        return loss
