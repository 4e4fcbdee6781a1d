"""The code book as a model: ready without training, better with it.

Trained, it has a label space as other models do, and weights of its own; codes outside the label
space it still finds, and judges by what it learned of codes that are new to a chart's training set.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from auscult.codes.icd10 import read_order_file
from auscult.codes.lookup.current import book_digest
from auscult.core import AuscultError, Code
from auscult.core.progress import track
from auscult.models.architecture import NO_LABELS, Resources, TrainingData
from auscult.models.care_setting import CareSetting
from auscult.models.chart_scoring import (
    ChartConfiguration,
    EvidenceRequest,
    EvidenceWeights,
    ScoredChart,
    Scores,
)
from auscult.models.chart_text import ChartText
from auscult.models.codebook.assigning import CodeAssigner, FoundCode
from auscult.models.codebook.experience import Experience
from auscult.models.codebook.scoring import CodeScoring, Weights, fit_scoring, shipped
from auscult.models.codebook.translating import BOOK, in_release, translation_to
from auscult.models.examples import Example
from auscult.models.label_space import LabelSpace
from auscult.models.open_codes import OpenCode

_FILE = "codebook.json"
_FEWEST = 30
"""Right and wrong finds in the training charts, each, from which on weights are fitted."""


class CodebookConfiguration(ChartConfiguration):
    """Settings of the code book."""

    scoring: Weights = Field(
        "fitted",
        description="Weights of the scores without training: `fitted` on open annotated charts, or "
        "`plain`, set by hand.",
    )
    care_setting: CareSetting = Field(
        "auto",
        description="Care setting whose guidelines apply: an uncertain diagnosis is coded for "
        "inpatients only. `auto` goes by the note category, else by whether the note speaks of an "
        "admission.",
    )
    table: Path | None = Field(
        None,
        description="Order file of the ICD-10-CM release to code in; default: the newest release.",
    )


class Codebook:
    """Codes charts by the Tabular List and the Alphabetic Index that are installed."""

    config_type: ClassVar[type[ChartConfiguration]] = CodebookConfiguration
    evidence_step: ClassVar[float] = 0.5
    joins_words: ClassVar[bool] = False
    folds: ClassVar[int] = 5
    is_calibrated: ClassVar[bool] = True

    def __init__(
        self,
        scoring: CodeScoring,
        book: str,
        labels: LabelSpace = NO_LABELS,
        experience: Experience | None = None,
        held_out: Sequence[ScoredChart] = (),
        config: CodebookConfiguration | None = None,
    ) -> None:
        self.scoring = scoring
        self.config = config
        self.book = book
        """A digest of the code book that it was made with, and of the weights."""
        self.labels = labels
        self.experience = experience
        self.held_out = held_out

    @classmethod
    def ready(cls, config: CodebookConfiguration) -> Self:
        """The code book as it comes, with the weights of the configuration."""
        scoring = shipped(config.scoring)
        return cls(scoring, _digest(scoring), config=config)

    @classmethod
    def fit(
        cls,
        data: TrainingData,
        config: CodebookConfiguration,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Fit the weights on the training charts, each judged by the charts of other patients."""
        made = cls(shipped(config.scoring), "", data.labels, config=config)
        found = list(
            track(map(made._found, (one.text for one in data.train)), "looking terms up",
                  len(data.train))
        )  # fmt: skip
        gold = [_gold(one, data.labels) for one in data.train]
        pairs = list(zip(gold, ([one.code for one in each] for each in found), strict=True))
        made.experience = Experience.of(pairs)
        of_patient: dict[str, list[int]] = {}
        for at, one in enumerate(data.train):
            of_patient.setdefault(one.text.patient, []).append(at)
        own = {
            patient: Experience.of(pairs[at] for at in places)
            for patient, places in of_patient.items()
        }
        every = made.experience

        def rows(chart: Example, each: Sequence[FoundCode]) -> list[dict[str, float]]:
            """Made anew when they are asked for: those of all charts take a gigabyte."""
            without = own[chart.text.patient]
            return [{**one.features, **every.features(one.code, without)} for one in each]

        charts = list(zip(data.train, found, strict=True))
        right = [one.code in has for each, has in zip(found, gold, strict=True) for one in each]
        if min(right.count(True), right.count(False)) >= _FEWEST:
            about = f"{len(data.train):,} training charts"
            made.scoring = fit_scoring((row for one in charts for row in rows(*one)), right, about)
        made.held_out = [
            made._reading(
                chart.text, each, rows(chart, each), np.array(sorted(chart.evidence), np.int64)
            )
            for chart, each in charts
        ]
        made.book = _digest(made.scoring)
        return made

    @cached_property
    def assigner(self) -> CodeAssigner | None:
        """What finds the codes; None for code systems that the book does not lead to.

        Tables are opened when they are first needed.
        """
        systems = {code.system for code in self.labels} or {BOOK}
        translation = translation_to(systems)
        config = self.config or CodebookConfiguration()
        if BOOK in systems and config.table is not None:
            translation = in_release(read_order_file(config.table))
        if translation is None:
            return None
        return CodeAssigner(translation, config.care_setting)

    def read(
        self, texts: Iterable[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        """The codes of charts: those of the label space, and those beyond it."""
        for text in texts:
            found = self._found(text)
            rows = [{**one.features, **self._experienced(one.code)} for one in found]
            asked = evidence_for(text, self._scores(found, rows))
            yield self._reading(text, found, rows, asked)

    def _found(self, text: ChartText) -> list[FoundCode]:
        return [] if self.assigner is None else self.assigner.candidates(text.notes)

    def _experienced(self, code: Code) -> dict[str, float]:
        return {} if self.experience is None else self.experience.features(code)

    def _scores(self, found: Sequence[FoundCode], rows: Sequence[dict[str, float]]) -> Scores:
        scores = np.zeros(len(self.labels), np.float32)
        for one, row in zip(found, rows, strict=True):
            at = self.labels.index.get(one.code)
            if at is not None and "unseen" not in row:
                scores[at] = self.scoring.probability(row)
        return scores

    def _reading(
        self,
        text: ChartText,
        found: Sequence[FoundCode],
        rows: Sequence[dict[str, float]],
        asked: npt.NDArray[np.int64],
    ) -> ScoredChart:
        wanted = frozenset(asked.tolist())
        evidence: dict[int, EvidenceWeights] = {}
        beyond = []
        for one, row in zip(found, rows, strict=True):
            at = self.labels.index.get(one.code)
            if at is None or "unseen" in row:
                probability = round(self.scoring.probability(row), 4)
                beyond.append(OpenCode(one.code, probability, one.evidence(text.notes)))
            elif at in wanted:
                evidence[at] = _ranges(text, one)
        return ScoredChart(text, self._scores(found, rows), evidence, tuple(beyond))

    def save(self, directory: Path) -> None:
        """Write the weights, and what training taught, as JSON."""
        held = {"book": self.book, **self.scoring.to_dict()}
        if self.experience is not None:
            held["experience"] = self.experience.to_dict()
        text = json.dumps(held, indent=1)
        (directory / _FILE).write_text(f"{text}\n", encoding="utf-8")

    @classmethod
    def load(cls, directory: Path, resources: Resources, config: CodebookConfiguration) -> Self:
        """What `save` wrote."""
        try:
            held = json.loads((directory / _FILE).read_text(encoding="utf-8"))
            experience = held.get("experience")
        except (OSError, ValueError, AttributeError) as error:
            raise AuscultError(
                f"{directory} does not hold a complete code book model: {_FILE} is missing or "
                "damaged. Train it again."
            ) from error
        return cls(
            CodeScoring.from_dict(held),
            str(held.get("book", "")),
            resources.labels,
            None if experience is None else Experience.from_dict(experience),
            config=config,
        )


def _gold(one: Example, labels: LabelSpace) -> frozenset[Code]:
    return frozenset(labels.codes[at] for at in one.codes.tolist()) | one.unseen


def _ranges(text: ChartText, one: FoundCode) -> EvidenceWeights:
    """The words of a code's mentions, each range with full weight."""
    found = {
        words
        for mention in one.candidate.mentions
        for span in mention.spans
        if (words := text.words_in(text.notes[mention.note].note_id, span)) is not None
    }
    begins, ends = np.array(sorted(found), np.int32).reshape(-1, 2).T
    return EvidenceWeights(begins, ends, np.ones(len(begins), np.float32))


def _digest(scoring: CodeScoring) -> str:
    whole = json.dumps([book_digest(), scoring.to_dict()], sort_keys=True)
    return hashlib.sha256(whole.encode()).hexdigest()[:16]
