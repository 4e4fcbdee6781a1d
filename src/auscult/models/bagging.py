"""The model `bagging`: several copies of a model, each trained without one fold of the charts.

Their scores are averaged, which helps models that vary from training to training, such as a
pretrained encoder that is fine-tuned on few charts. Each training chart is scored by the copy that
has not seen it, so thresholds are tuned on all training charts and none is held out for that.

Parmanto, Munro and Doyle 1996, "Improving Committee Diagnosis with Resampling Techniques"; the same
as k-fold bagging in AutoGluon.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from auscult.core import AuscultError, OptionError
from auscult.core.progress import track
from auscult.models import scorer_class
from auscult.models.architecture import Resources, TrainingData
from auscult.models.chart_scoring import (
    ChartConfiguration,
    ChartScorer,
    EvidenceRequest,
    EvidenceWeights,
    ScoredChart,
    Scores,
    evidence_step,
    joins_words,
)
from auscult.models.chart_text import ChartText
from auscult.models.folds import fold
from auscult.models.kept_fits import KeptFits
from auscult.models.tuning import read_gold
from auscult.models.wrapping import WrappingConfiguration

_FILE = "bagging.json"
_BATCH = 64
"""Charts that every copy scores before the next charts are read."""
_NOTHING = np.zeros(0, np.int64)


class BaggingConfiguration(WrappingConfiguration):
    """Settings of the bagging: the model and the number of its copies."""

    wrapper: ClassVar[str] = "bagging"

    model: str = Field("transformer", description="Model to train several copies of.")
    settings: Mapping[str, Any] = Field(
        default_factory=dict, description="Hyperparameters of the copies."
    )
    folds: int = Field(
        5, ge=2, description="Number of cross-validation folds; each copy leaves one out."
    )


class Bagging:
    """The copies of a model, whose scores and evidence are averaged."""

    config_type: ClassVar[type[ChartConfiguration]] = BaggingConfiguration
    evidence_step: ClassVar[float] = 0.05
    joins_words: ClassVar[bool] = True
    folds: ClassVar[int] = 5

    def __init__(self, copies: Sequence[ChartScorer], held_out: Sequence[ScoredChart] = ()) -> None:
        self.copies = list(copies)
        self.held_out = held_out
        # An instance shows evidence as the copies do.
        self.joins_words = joins_words(copies[0])  # type: ignore[misc] # read from the instance only
        self.evidence_step = evidence_step(copies[0])  # type: ignore[misc] # likewise

    @classmethod
    def fit(
        cls,
        data: TrainingData,
        config: BaggingConfiguration,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Train a copy without each fold, and let it score that fold.

        With dev charts, each copy stops by them, and thresholds are tuned on them. Otherwise they
        are tuned on the scores of single copies, each for its fold; the mean of several is a little
        less extreme.
        """
        kind, settings, kept = scorer_class(config.model), config.of_model(), KeptFits(directory)
        parts = list(fold(data.train, config.folds, seed))
        if len(parts) < 2:
            raise OptionError(
                "The model bagging needs training charts of at least two patients; there is one. "
                f"Add charts, or train the model {config.model} alone."
            )
        copies: list[ChartScorer] = []
        readings: dict[str, ScoredChart] = {}
        for number, (inside, outside) in enumerate(track(parts, "bagging", len(parts)), 1):
            some = replace(data, train=inside)
            copies.append(kept.within(f"copy-{number}").fit(kind, some, settings, seed=seed))
            for reading in () if data.dev else read_gold(copies[-1], outside):
                readings[reading.text.chart_id] = reading
        return cls(copies, () if data.dev else [readings[one.chart_id] for one in data.train])

    def read(
        self, texts: Iterable[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        """Score charts with every copy; then get every copy's evidence for the codes asked for."""
        source = iter(texts)
        while batch := list(islice(source, _BATCH)):
            # Under their numbers: an audit hands in one chart many times.
            numbered = [text.renamed(str(at)) for at, text in enumerate(batch)]
            scored = [
                list(copy.read(numbered, lambda _text, _scores: _NOTHING)) for copy in self.copies
            ]
            together = list(zip(*scored, strict=True))
            scores: list[Scores] = [
                np.stack([one.scores for one in each]).mean(axis=0, dtype=np.float32)
                for each in together
            ]
            asked = [evidence_for(text, mine) for text, mine in zip(batch, scores, strict=True)]
            evidence = self._evidence(numbered, asked)
            for at, text in enumerate(batch):
                # Codes outside the label space come from a code book, which is in every copy.
                beyond = together[at][0].beyond
                yield ScoredChart(text, scores[at], evidence.get(at, {}), beyond)

    def _evidence(
        self, numbered: Sequence[ChartText], asked: Sequence[npt.NDArray[np.int64]]
    ) -> dict[int, dict[int, EvidenceWeights]]:
        """The mean evidence of the copies, by chart and code."""
        left = [text for text, codes in zip(numbered, asked, strict=True) if len(codes)]
        found: dict[int, dict[int, list[EvidenceWeights]]] = defaultdict(lambda: defaultdict(list))
        for copy in self.copies if left else ():
            for one in copy.read(left, lambda text, _scores: asked[int(text.chart_id)]):
                for code, weights in one.evidence.items():
                    found[int(one.text.chart_id)][code].append(weights)
        return {
            at: {code: mean_evidence(each, len(self.copies)) for code, each in by_code.items()}
            for at, by_code in found.items()
        }

    def save(self, directory: Path) -> None:
        """Write each copy into a directory of its own."""
        held = json.dumps({"copies": len(self.copies)})
        (directory / _FILE).write_text(held + "\n", encoding="utf-8")
        for number, copy in enumerate(self.copies, 1):
            place = directory / f"copy-{number}"
            place.mkdir()
            copy.save(place)

    @classmethod
    def load(cls, directory: Path, resources: Resources, config: BaggingConfiguration) -> Self:
        """What `save` wrote."""
        try:
            count = int(json.loads((directory / _FILE).read_text(encoding="utf-8"))["copies"])
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise AuscultError(
                f"{directory} does not hold a complete model bagging: {_FILE} is missing or "
                "damaged. Train it again."
            ) from error
        kind, settings = scorer_class(config.model), config.of_model()
        places = [directory / f"copy-{number}" for number in range(1, count + 1)]
        return cls([kind.load(place, resources, settings) for place in places])


def mean_evidence(each: Sequence[EvidenceWeights], copies: int) -> EvidenceWeights:
    """The mean weight of every range that some copies show; for the others it weighs nothing."""
    begins, ends, weights = (
        np.concatenate([getattr(one, name) for one in each])
        for name in ("begins", "ends", "weights")
    )
    ranges, of = np.unique(np.stack([begins, ends], axis=1), axis=0, return_inverse=True)
    summed = np.bincount(of.ravel(), weights, len(ranges)) / copies
    return EvidenceWeights(ranges[:, 0], ranges[:, 1], summed.astype(np.float32))
