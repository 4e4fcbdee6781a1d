"""The code book as a model: it needs no training, and can be calibrated on annotated charts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from pydantic import Field

from auscult.codes.lookup.current import book_digest
from auscult.core import AuscultError
from auscult.models.architecture import Resources, TrainingData
from auscult.models.chart_scoring import ChartConfiguration, EvidenceRequest, ScoredChart
from auscult.models.chart_text import ChartText
from auscult.models.codebook.assigning import CodeAssigner
from auscult.models.codebook.scoring import CodeScoring, Weights, shipped

_FILE = "codebook.json"
_NO_SCORES = np.zeros(0, np.float32)


class CodebookConfiguration(ChartConfiguration):
    """Settings of the code book."""

    weights: Weights = Field(
        "fitted",
        description="Weights of the scores: `fitted` on open annotated charts, or `plain`, set by "
        "hand.",
    )


class Codebook:
    """Codes charts by the Tabular List and the Alphabetic Index that are installed."""

    config_type: ClassVar[type[ChartConfiguration]] = CodebookConfiguration

    def __init__(self, scoring: CodeScoring, book: str) -> None:
        self.scoring = scoring
        self.book = book
        """A digest of the code book that it was made with, and of the weights."""

    @classmethod
    def fit(
        cls,
        data: TrainingData,
        config: CodebookConfiguration,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """The shipped weights."""
        return cls.ready(config)

    @classmethod
    def ready(cls, config: CodebookConfiguration) -> Self:
        """The code book as it comes, with the weights of the configuration."""
        return cls(shipped(config.weights), _digest(shipped(config.weights)))

    @cached_property
    def assigner(self) -> CodeAssigner:
        """What finds the codes. Tables are opened when they are first needed."""
        return CodeAssigner()

    def read(
        self, texts: Iterable[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        """The codes of charts, all of them open: there is no label space."""
        for text in texts:
            evidence_for(text, _NO_SCORES)
            yield ScoredChart(
                text, _NO_SCORES, {}, tuple(self.assigner.codes(text.notes, self.scoring))
            )

    def save(self, directory: Path) -> None:
        """Write the weights as JSON."""
        text = json.dumps({"book": self.book, **self.scoring.to_dict()}, indent=1)
        (directory / _FILE).write_text(f"{text}\n", encoding="utf-8")

    @classmethod
    def load(cls, directory: Path, resources: Resources, config: CodebookConfiguration) -> Self:
        """What `save` wrote."""
        try:
            held = json.loads((directory / _FILE).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise AuscultError(
                f"{directory} does not hold a complete code book model: {_FILE} is missing or "
                "damaged. Train it again."
            ) from error
        return cls(CodeScoring.from_dict(held), str(held.get("book", "")))


def _digest(scoring: CodeScoring) -> str:
    whole = json.dumps([book_digest(), scoring.to_dict()], sort_keys=True)
    return hashlib.sha256(whole.encode()).hexdigest()[:16]
