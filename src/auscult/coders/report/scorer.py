"""The coder for short reports: linear models, concepts and their sense, put together by a forest.

Two linear models read the report, one its words and one the concepts it names, by part and sense.
What they believe of a code, how its concepts are named and what else is there goes into one forest
that all codes share. Which codes stand together is weighed last.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field
from scipy.special import expit

from auscult.coders.contract import Configuration, Pointed, Reading, Scores, Wanted
from auscult.coders.examples import Example
from auscult.coders.forest import Forest
from auscult.coders.labels import LabelSpace
from auscult.coders.linear.features import Vocabulary
from auscult.coders.linear.scorer import Linear, LinearConfiguration
from auscult.coders.report.grams import ConceptGrams, MarkedGrams
from auscult.coders.report.learning import (
    Charts,
    believe,
    grow,
    learn_voice,
    log_odds,
    make_rows,
)
from auscult.coders.report.prepared import AFFIRMED, DENIED, KNOWN, cells_of, prepare
from auscult.coders.report.rows import Floats, Links, Places, RowMaker, Tallies
from auscult.coders.report.sets import Sets
from auscult.coders.sequence import ChartText
from auscult.core import AuscultError

_FOREST, _TALLIES, _SETS = "forest.safetensors", "tallies.npz", "sets.json"
_TRACE = 1e-3
"""What is left of the score of a code that nothing speaks for."""
_BEST = 0.6
"""The score that a chart's best code has at least: a report is never without a code."""

_WEIGHTY = 0.4
"""The weight, relative to a code's heaviest word, from which a word is shown as evidence."""


class WordModel(Linear):
    """The linear model over words in their sense."""

    vocabulary_type: ClassVar[type[Vocabulary]] = MarkedGrams


class ConceptModel(Linear):
    """The linear model over concepts."""

    vocabulary_type: ClassVar[type[Vocabulary]] = ConceptGrams


MODELS: dict[str, type[Linear]] = {"words": WordModel, "concepts": ConceptModel}


class ReportConfiguration(Configuration):
    """How the coder for short reports learns."""

    words_strength: float = Field(
        100.0, gt=0, description="Inverse of the regularisation of the model over words."
    )
    concepts_strength: float = Field(
        10.0, gt=0, description="Inverse of the regularisation of the model over concepts."
    )
    inner_folds: int = Field(
        5, ge=2, description="Folds in which each stage is learnt for the next."
    )

    def of_model(self, name: str) -> LinearConfiguration:
        """The settings of one of the linear models."""
        strength = self.words_strength if name == "words" else self.concepts_strength
        return LinearConfiguration(strength=strength, balanced=False, least=2, least_charts=1)


class Report:
    """Linear models, the forest over what they and the concepts say, and the sets of codes."""

    config_type: ClassVar[type[Configuration]] = ReportConfiguration
    evidence_step: ClassVar[float] = 0.05
    joins_words: ClassVar[bool] = True
    folds: ClassVar[int] = 5

    def __init__(
        self,
        models: Mapping[str, Linear],
        links: Links,
        tallies: Tallies,
        forest: Forest,
        sets: Sets,
        held_out: Sequence[Reading] = (),
    ) -> None:
        self._models = dict(models)
        self._links = links
        self._tallies = tallies
        self._maker = RowMaker(links, tallies)
        self._forest = forest
        self._sets = sets
        self.held_out = held_out

    @classmethod
    def fit(
        cls,
        train: Sequence[Example],
        dev: Sequence[Example],
        labels: LabelSpace,
        config: ReportConfiguration,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Learn each stage from what the one before says of charts it has not learnt from."""
        charts = Charts.of(train, len(labels), config.inner_folds, seed)
        if len(charts.folds) < 2:
            raise AuscultError(
                "The coder report learns from charts of at least two patients; there is one. "
                "Add charts, or choose --coder linear."
            )
        voices = {
            name: learn_voice(kind, charts, config.of_model(name), seed)
            for name, kind in MODELS.items()
        }
        links = Links.of(labels)
        named = [cells_of(one.text) for one in train]
        rows = make_rows(charts, named, list(voices.values()), links)
        believed = believe(charts, rows, seed)
        every = np.arange(len(train))
        whole = cls(
            {name: voice.whole for name, voice in voices.items()},
            links,
            Tallies.count(named, charts.gold, links),
            grow(charts, rows, every, seed),
            Sets.count(charts.sets(every), believed.sets[0].weights),
        )
        readings: dict[int, Reading] = {}
        for number, held in enumerate(charts.folds):
            models = {name: voice.of_fold[number] for name, voice in voices.items()}
            for at in held.tolist():
                one = train[at]
                trace = _trace([voice.across[at] for voice in voices.values()])
                scores = _scores(believed.sets[at], rows[at].codes, believed.chance[at], trace)
                evidence = _pointed(one.text, sorted(one.evidence), models, links)
                readings[at] = Reading(one.text, scores, evidence)
        whole.held_out = [readings[at] for at in range(len(train))]
        return whole

    def read(self, texts: Iterable[ChartText], wanted: Wanted) -> Iterator[Reading]:
        """Score charts; evidence is the words of a code's concepts and those that weigh for it."""
        for text in texts:
            logits = [
                log_odds(model, model.vocabulary.matrix([text]))[0]
                for model in self._models.values()
            ]
            rows = self._maker.make(cells_of(text), logits)
            chance = self._forest.apply(rows.numbers).astype(np.float64)
            scores = _scores(self._sets, rows.codes, chance, _trace(logits))
            codes = wanted(text, scores).tolist()
            yield Reading(text, scores, _pointed(text, codes, self._models, self._links))

    def save(self, directory: Path) -> None:
        """Write the linear models into directories of their own, the rest as arrays and JSON."""
        for name, model in self._models.items():
            (directory / name).mkdir()
            model.save(directory / name)
        self._tallies.save(directory / _TALLIES)
        self._forest.save(directory / _FOREST)
        held = {
            "weights": self._sets.weights,
            "counts": [[list(one), count] for one, count in sorted(self._sets.counts.items())],
        }
        (directory / _SETS).write_text(json.dumps(held) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, directory: Path, labels: LabelSpace, config: ReportConfiguration) -> Self:
        """What `save` wrote."""
        models = {
            name: kind.load(directory / name, labels, config.of_model(name))
            for name, kind in MODELS.items()
        }
        try:
            held = json.loads((directory / _SETS).read_text(encoding="utf-8"))
            return cls(
                models,
                Links.of(labels),
                Tallies.load(directory / _TALLIES),
                Forest.load(directory / _FOREST),
                Sets.of_counts(
                    {tuple(one): count for one, count in held["counts"]}, held["weights"]
                ),
            )
        except (OSError, ValueError, LookupError, TypeError, zipfile.BadZipFile) as error:
            raise AuscultError(
                f"{directory} does not hold a whole coder for reports: a file is missing or "
                "damaged. Train it again."
            ) from error


def _trace(logits: Sequence[Floats]) -> Floats:
    found: Floats = (expit(np.mean(logits, axis=0)) * _TRACE).astype(np.float32)
    return found


def _scores(sets: Sets, codes: Places, chance: npt.NDArray[np.float64], trace: Floats) -> Scores:
    """What is believed of each code, by itself and within the sets it can be in, on average."""
    scores = trace.copy()
    believed = (chance + sets.marginals(codes, chance)) / 2
    scores[codes] = np.maximum(believed, trace[codes])
    best = int(scores.argmax())
    scores[best] = max(float(scores[best]), _BEST)
    return scores


def _pointed(
    text: ChartText, codes: Sequence[int], models: Mapping[str, Linear], links: Links
) -> dict[int, Pointed]:
    if not codes:
        return {}
    asked = np.array(codes, np.int64)
    weights = {code: np.zeros(len(text), np.float32) for code in codes}
    for model in models.values():
        reading = next(model.read([text], lambda _text, _scores: asked))
        for code, pointed in reading.evidence.items():
            weights[code] += pointed.by_word(len(text))
    for (concept, _, how), hit in prepare(text).cells():
        for code in links.codes_of[concept].tolist():
            if code in weights and how != DENIED:
                weights[code][hit.begin : hit.end] += 1 if how in (AFFIRMED, KNOWN) else 0.5
    found: dict[int, Pointed] = {}
    for code, weight in weights.items():
        relative = weight / max(float(weight.max()), 1e-9)
        found[code] = Pointed.words(np.where(relative >= _WEIGHTY, relative, 0))
    return found
