"""The charts of an audit, distributed among the workers of an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from auscult.audit.predictor import Question
from auscult.core import Code, Note
from auscult.engine import Engine
from auscult.models.model import Model
from auscult.models.perturbation import Perturbation
from auscult.models.predicting import require_same

_CHARTS = 8
"""Charts of a shard: enough that sending it costs little, few enough to occupy all workers."""


@dataclass(frozen=True, eq=False)
class ShardedPredictor:
    """A model whose charts are scored by the workers of an engine, each chart by one."""

    inner: Model
    path: Path
    digest: str
    engine: Engine

    def scores_of_edits(
        self, notes: Sequence[Note], perturbed: Sequence[Perturbation], code: Code
    ) -> list[float]:
        """A single chart is scored in this process."""
        return self.inner.scores_of_edits(notes, perturbed, code)

    def scores_of_charts(self, asked: Iterable[Question], code: Code) -> Iterator[list[float]]:
        """The scores of each chart, in order."""
        work = _Scoring(self.path.absolute(), self.digest, code)
        source = iter(asked)
        shards = iter(lambda: list(islice(source, _CHARTS)), [])
        for scores in self.engine.run(work, shards):
            yield from scores


@dataclass(frozen=True, slots=True)
class _Scoring:
    """The task of a worker: edited charts in, scores out."""

    path: Path
    digest: str
    code: Code

    def begin(self) -> Callable[[Sequence[Question]], list[list[float]]]:
        model = Model.load(self.path)
        require_same(self.path, self.digest)
        return lambda shard: [model.scores_of_edits(*asked, self.code) for asked in shard]
