"""The charts of an audit, shared out among the workers of an engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from auscult.audit.predictor import Question
from auscult.coders.coder import Coder
from auscult.coders.perturbation import Perturbation
from auscult.coders.predicting import require_same
from auscult.core import Code, Note
from auscult.engine import Engine

_CHARTS = 8
"""Charts of a shard: enough that sending it costs little, few enough that all workers have some."""


@dataclass(frozen=True, eq=False)
class Sharded:
    """A coder whose charts are read by the workers of an engine, each chart by one."""

    inner: Coder
    path: Path
    digest: str
    engine: Engine

    def scores_of_edits(
        self, notes: Sequence[Note], perturbed: Sequence[Perturbation], code: Code
    ) -> list[float]:
        """One chart is not worth sending."""
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
    """The work of a worker: changed charts in, scores out."""

    path: Path
    digest: str
    code: Code

    def begin(self) -> Callable[[Sequence[Question]], list[list[float]]]:
        coder = Coder.load(self.path)
        require_same(self.path, self.digest)
        return lambda shard: [coder.scores_of_edits(*asked, self.code) for asked in shard]
