"""The code book as a model: ready without training, better with it.

Trained, it has a label space as other models do, and weights of its own; codes outside the label
space it still finds, and judges by what it learned of codes that are new to a chart's training set.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from auscult.codes.lookup.current import book_digest
from auscult.codes.vocabulary import Vocabulary
from auscult.core import AuscultError, Code, Note
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
from auscult.models.codebook.assigners import ENGLISH, Assigner, assigner_of
from auscult.models.codebook.assigning import FoundCode
from auscult.models.codebook.experience import Experience
from auscult.models.codebook.scoring import CodeScoring, Weights, fit_across, shipped
from auscult.models.examples import Example
from auscult.models.folds import fold_of
from auscult.models.label_space import LabelSpace
from auscult.models.open_codes import OpenCode

_FILE = "codebook.json"
_MOST = 10_000
"""Maximum number of training charts in which its terms are looked up."""
_RECENT = 128
"""Number of charts in the cache: an ensemble asks for scores first, then for evidence."""


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
    vocabulary: Path | None = Field(
        None,
        description="Directory of a vocabulary whose terms to find, for code systems other than "
        "ICD-10-CM and for other languages.",
    )
    table: Path | None = Field(
        None,
        description="Order file of the ICD-10-CM release to code in; default: the newest release.",
    )

    def first_scoring(self) -> CodeScoring:
        """The weights before any training. What was fitted is fitted to ICD-10-CM."""
        return shipped("plain" if self.vocabulary is not None else self.scoring)


class Codebook:
    """Codes charts by the Tabular List and the Alphabetic Index that are installed."""

    config_type: ClassVar[type[ChartConfiguration]] = CodebookConfiguration
    evidence_step: ClassVar[float] = 0.5
    joins_words: ClassVar[bool] = False
    folds: ClassVar[int] = 5
    is_calibrated: ClassVar[bool] = True
    most_charts: ClassVar[int] = _MOST

    def __init__(
        self,
        scoring: CodeScoring,
        book: str,
        labels: LabelSpace = NO_LABELS,
        experience: Experience | None = None,
        held_out: Sequence[ScoredChart] = (),
        config: CodebookConfiguration | None = None,
        language: str = ENGLISH,
        vocabulary: Vocabulary | None = None,
    ) -> None:
        self.scoring = scoring
        self.config = config
        self.book = book
        """A digest of the code book that it was made with, and of the weights."""
        self.labels = labels
        self.experience = experience
        self.held_out = held_out
        self.language = language
        """That of the notes, as far as the code book is concerned."""
        self.vocabulary = vocabulary
        self._recent = deque[tuple[Sequence[Note], list[FoundCode]]](maxlen=_RECENT)

    @classmethod
    def ready(cls, config: CodebookConfiguration) -> Self:
        """The code book as it comes, with the weights of the configuration."""
        scoring = config.first_scoring()
        vocabulary = None if config.vocabulary is None else Vocabulary.open(config.vocabulary)
        return cls(scoring, _digest(scoring), config=config, vocabulary=vocabulary)

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
        from auscult.models.lexicon.lexicon_text import guess_language

        train = _some(data.train, seed)
        language = guess_language(one.text for one in train)
        made = cls(
            config.first_scoring(), "", data.labels,
            config=config, language=language, vocabulary=data.vocabulary,
        )  # fmt: skip
        found = list(
            track(map(made._found, (one.text for one in train)), "looking terms up",
                  len(train))
        )  # fmt: skip
        gold = [_gold(one, data.labels) for one in train]
        pairs = list(zip(gold, ([one.code for one in each] for each in found), strict=True))
        is_whole = len(train) == len(data.train)
        made.experience = every = Experience.of(pairs)
        if not is_whole:
            given = Counter(code for one in data.train for code in _gold(one, data.labels))
            made.experience = every = replace(every, given=given)
        of_patient: dict[str, list[int]] = {}
        for at, one in enumerate(train):
            of_patient.setdefault(one.text.patient, []).append(at)
        own = {
            patient: Experience.of(pairs[at] for at in places)
            for patient, places in of_patient.items()
        }

        def rows(at: int) -> list[dict[str, float]]:
            without = own[train[at].text.patient]
            return [{**one.features, **every.features(one.code, without)} for one in found[at]]

        right = [[one.code in has for one in each] for each, has in zip(found, gold, strict=True)]
        fold_at = fold_of(of_patient, cls.folds, seed)
        folds = [fold_at[chart.text.patient] for chart in train]
        about = f"{len(train):,} training charts"
        made.scoring, without = fit_across(rows, right, folds, about, made.scoring)
        if is_whole:
            made.held_out = [
                made._reading(
                    chart.text,
                    found[at],
                    rows(at),
                    np.array(sorted(chart.evidence), np.int64),
                    without[folds[at]],
                )
                for at, chart in enumerate(train)
            ]
        made.book = _digest(made.scoring)
        return made

    @cached_property
    def assigner(self) -> Assigner | None:
        """What finds the codes; None if nothing can, for their systems or the notes' language.

        Tables are opened when they are first needed.
        """
        config = self.config or CodebookConfiguration()
        return assigner_of(
            self.labels, self.language, self.vocabulary, config.table, config.care_setting
        )

    def read(
        self, texts: Iterable[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        """The codes of charts: those of the label space, and those beyond it."""
        for text in texts:
            found = self._found(text)
            rows = [{**one.features, **self._experienced(one.code)} for one in found]
            asked = evidence_for(text, self._scores(found, rows, self.scoring))
            yield self._reading(text, found, rows, asked, self.scoring)

    def _found(self, text: ChartText) -> list[FoundCode]:
        if self.assigner is None:
            return []
        for notes, found in tuple(self._recent):  # a copy, as threads may share this
            if notes is text.notes:
                return found
        found = self.assigner.candidates(text.notes)
        self._recent.append((text.notes, found))
        return found

    def _experienced(self, code: Code) -> dict[str, float]:
        return {} if self.experience is None else self.experience.features(code)

    def _scores(
        self, found: Sequence[FoundCode], rows: Sequence[dict[str, float]], scoring: CodeScoring
    ) -> Scores:
        scores = np.zeros(len(self.labels), np.float32)
        for one, row in zip(found, rows, strict=True):
            at = self.labels.index.get(one.code)
            if at is not None and "unseen" not in row:
                scores[at] = scoring.probability(row)
        return scores

    def _reading(
        self,
        text: ChartText,
        found: Sequence[FoundCode],
        rows: Sequence[dict[str, float]],
        asked: npt.NDArray[np.int64],
        scoring: CodeScoring,
    ) -> ScoredChart:
        wanted = frozenset(asked.tolist())
        evidence: dict[int, EvidenceWeights] = {}
        beyond = []
        for one, row in zip(found, rows, strict=True):
            at = self.labels.index.get(one.code)
            if at is None or "unseen" in row:
                probability = round(scoring.probability(row), 4)
                beyond.append(OpenCode(one.code, probability, one.evidence(text.notes)))
            elif at in wanted:
                evidence[at] = _ranges(text, one)
        return ScoredChart(text, self._scores(found, rows, scoring), evidence, tuple(beyond))

    def save(self, directory: Path) -> None:
        """Write the weights, and what training taught, as JSON."""
        held = {"book": self.book, "language": self.language, **self.scoring.to_dict()}
        if self.experience is not None:
            held["experience"] = self.experience.to_dict()
        text = json.dumps(held, indent=1)
        (directory / _FILE).write_text(f"{text}\n", encoding="utf-8")

    @classmethod
    def load(cls, directory: Path, resources: Resources, config: CodebookConfiguration) -> Self:
        """What `save` wrote."""
        try:
            held = json.loads((directory / _FILE).read_text(encoding="utf-8"))
            experience, language = held.get("experience"), str(held.get("language", ENGLISH))
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
            language=language,
            vocabulary=resources.vocabulary,
        )


def _some(charts: Sequence[Example], seed: int) -> Sequence[Example]:
    """The charts to learn from, at most so many: a few dozen weights need no more."""
    if len(charts) <= _MOST:
        return charts
    drawn = np.random.default_rng(seed).permutation(len(charts))[:_MOST]
    return [charts[at] for at in sorted(drawn.tolist())]


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
