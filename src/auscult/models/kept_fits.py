"""Fitted scorers that are kept until a training is done, so that an interrupted one goes on.

A training fits several: the members of an ensemble, one for each fold. Each is saved as soon as it
is fitted, whole or not at all, and opened instead of fitted again when the training is repeated.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from auscult.models.architecture import Resources, TrainingData
from auscult.models.chart_scoring import ChartConfiguration, ChartScorer

_FITS = "fits"


@dataclass(frozen=True, slots=True)
class KeptFits:
    """Those of one training run, in its directory of checkpoints; without one nothing is kept."""

    directory: Path | None = None

    def within(self, name: str) -> KeptFits:
        """Those of a part of the run."""
        return KeptFits(None if self.directory is None else self.directory / name)

    def fit(
        self,
        scorer_type: type[ChartScorer],
        data: TrainingData,
        config: ChartConfiguration,
        *,
        seed: int,
        is_read_again: bool = True,
    ) -> ChartScorer:
        """The fitted scorer: the one that is kept, or a new one, which then is.

        A scorer that computed held-out scores has them only when it is new. If they are needed
        (not `is_read_again`), it is not kept.
        """

        def fitted() -> ChartScorer:
            return scorer_type.fit(data, config, seed=seed, directory=self.directory)

        if self.directory is None:
            return fitted()
        place = self.directory / _FITS
        if place.exists():
            return scorer_type.load(place, Resources(data.labels, data.vocabulary), config)
        found = fitted()
        if is_read_again or not getattr(found, "held_out", ()):
            _keep(place, found.save)
        return found


def _keep(place: Path, save: Callable[[Path], None]) -> None:
    draft = place.with_name(f".{place.name}")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    save(draft)
    draft.rename(place)
