"""The model `ensemble`: several models combined by stacking on out-of-fold predictions.

Out-of-fold predictions of the training charts decide how the scores are combined, which members are
kept, and whose evidence is shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt
from pydantic import Field, field_validator

from auscult.core import AuscultError
from auscult.core.counts import Counts
from auscult.core.progress import track
from auscult.models import coding_names, config_type_of, scorer_class
from auscult.models.architecture import Resources, TrainingData
from auscult.models.chart_scoring import (
    ChartConfiguration,
    ChartScorer,
    EvidenceRequest,
    EvidenceWeights,
    ScoredChart,
    Scores,
    joins_words,
    tuning_folds,
)
from auscult.models.chart_text import ChartText
from auscult.models.configuring import configure
from auscult.models.decoding import tune_codes, tune_evidence
from auscult.models.examples import Example
from auscult.models.folds import zero_unknown_codes
from auscult.models.kept_fits import KeptFits
from auscult.models.kept_readings import KeptReading, Reading
from auscult.models.mixing import (
    ScoreMixture,
    Share,
    choose,
    count_out_of_fold,
    share_of,
    shares_inside,
)
from auscult.models.open_codes import OpenCode, tune_open
from auscult.models.tuning import unseen_readings, untuned_evidence_threshold

_FILE = "ensemble.json"
_VOCABULARY = "vocabulary"
_BATCH = 64
_STEP = 0.02
"""Step size in which the evidence thresholds of all members are tuned."""
_NOTHING = np.zeros(0, np.int64)
R = TypeVar("R", ScoredChart, KeptReading)


class EnsembleConfiguration(ChartConfiguration):
    """Settings of the ensemble: its members and the settings of each."""

    members: tuple[str, ...] = Field(
        ("lexicon", "linear", "codebook"), min_length=1, description="Models to combine."
    )
    vocabulary: Path | None = Field(
        None, description="Directory of a vocabulary whose terms the member `codebook` finds."
    )
    settings: Mapping[str, Mapping[str, Any]] = Field(
        default_factory=dict, description="Hyperparameters of each member, by its name."
    )
    folds: int = Field(
        5, ge=2, description="Number of cross-validation folds for out-of-fold predictions."
    )

    @field_validator("members")
    @classmethod
    def _are_known(cls, members: tuple[str, ...]) -> tuple[str, ...]:
        for member in members:
            if member == "ensemble" or member not in coding_names():
                others = ", ".join(one for one in coding_names() if one != "ensemble")
                raise ValueError(f"{member!r} cannot be a member; choose from {others}")
        if len(set(members)) < len(members):
            raise ValueError("a member is named twice")
        return members

    def of_member(self, kind: str) -> ChartConfiguration:
        """The settings of one member: those of the ensemble, overridden by its own."""
        theirs = config_type_of(scorer_class(kind)).model_fields
        shared = {
            name: getattr(self, name)
            for name in (*ChartConfiguration.model_fields, _VOCABULARY)
            if name in theirs and getattr(self, name) != type(self).model_fields[name].default
        }
        return cast(ChartConfiguration, configure(kind, {**shared, **self.settings.get(kind, {})}))

    def settled(self) -> Self:
        """With the smallest maximum length of the members, unless one is set."""
        if {"max_length", "max_chart_length"} & self.model_fields_set:
            return self
        members = [self.of_member(kind) for kind in self.members]
        one, several = (
            min((limit for each in members if (limit := each.most_words(notes))), default=None)
            for notes in (1, 2)
        )
        return self.model_copy(update={"max_length": one, "max_chart_length": several})


class Ensemble:
    """The members, the mixture of their scores, and the order in which their evidence is used."""

    config_type: ClassVar[type[ChartConfiguration]] = EnsembleConfiguration
    evidence_step: ClassVar[float] = 0.05
    joins_words: ClassVar[bool] = False
    folds: ClassVar[int] = 5

    def __init__(
        self,
        members: Mapping[str, ChartScorer],
        mix: ScoreMixture | None,
        thresholds: Mapping[str, float],
        share: Share,
        held_out: Sequence[KeptReading] = (),
        opens: Mapping[str, ChartScorer] | None = None,
    ) -> None:
        self.members = dict(members)
        self.opens = dict(opens or {})
        """A member that is not mixed, and only finds codes outside the label space."""
        self.mix = mix
        self.thresholds = dict(thresholds)
        self.held_out = held_out
        self.held_out_counts: Counts | None = None
        self._share = share

    @property
    def is_calibrated(self) -> bool:
        """Whether it has a mixture, which is fitted on out-of-fold scores."""
        return self.mix is not None

    @classmethod
    def fit(
        cls,
        data: TrainingData,
        config: EnsembleConfiguration,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Compute out-of-fold scores of every member, fit the mixture, then fit all members.

        If cross-validation takes too long (a slow member, many charts) and there are dev charts,
        the mixture is fitted on those; otherwise on the training charts, out of fold.
        """
        train, dev, labels = data.train, data.dev, data.labels
        kinds = {kind: scorer_class(kind) for kind in config.members}
        settings = {kind: config.of_member(kind) for kind in kinds}

        members: dict[str, ChartScorer] = {}
        read: dict[str, list[KeptReading]] = {}
        on_dev = bool(dev) and not all(
            tuning_folds(scorer_type, len(train)) for scorer_type in kinds.values()
        )
        dev_examples = dev if on_dev else ()
        kept_fits = KeptFits(directory)
        for kind in track(kinds, "members of the ensemble", len(kinds)):
            own = kept_fits.within(kind)
            members[kind] = own.fit(
                kinds[kind], data, settings[kind], seed=seed, is_read_again=on_dev
            )
            made, read[kind] = unseen_readings(
                kind, members[kind], train, dev_examples, labels, settings[kind],
                folds=config.folds, seed=seed, kept=own,
            )  # fmt: skip
        share = share_of(train, len(labels))
        if on_dev:
            shares = [share] * len(made)
        else:
            shares = shares_inside(made, len(labels), config.folds, seed)
            for kind, readings in read.items():  # what a member held out itself too
                read[kind] = zero_unknown_codes(readings, made, len(labels), config.folds, seed)
        kept = choose(read, made, shares, seed)
        opens = {
            kind: member
            for kind, member in members.items()
            if kind not in kept and any(reading.beyond for reading in read[kind])
        }
        members = {kind: members[kind] for kind in kept}
        thresholds = _thresholds(members, read, made)
        members = {kind: members[kind] for kind in thresholds}
        by_chart = [[read[kind][at] for kind in members] for at in range(len(made))]
        mix = ScoreMixture.fit(by_chart, made, shares) if len(members) > 1 else None
        whole = cls(members, mix, thresholds, share)
        combined = [
            _with_open(whole._combined(readings, inside), [read[kind][at] for kind in opens])
            for at, (readings, inside) in enumerate(zip(by_chart, shares, strict=True))
        ]
        if opens and tune_open(combined, made, labels, tune_codes(combined, made).counts).is_passed:
            whole.opens = opens
        elif opens:
            combined = [replace(one, beyond=()) for one in combined]
        if not on_dev:
            whole.held_out = combined
            if not dev and len({one.text.patient for one in made}) > 1:
                whole.held_out_counts = count_out_of_fold(read, made, shares, config.folds, seed)
        return whole

    def read(
        self, texts: Iterable[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        """Score charts with every member, then get evidence for the codes asked for.

        Evidence comes from the member with the best evidence, or from the next where it has none.
        """
        for reading in self._read(texts, evidence_for):
            others = (
                next(iter(member.read([reading.text], lambda _text, _scores: _NOTHING)))
                for member in self.opens.values()
            )
            yield _with_open(reading, others)

    def _read(
        self, texts: Iterable[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        if self.mix is None:
            [(kind, member)] = self.members.items()
            for reading in member.read(texts, evidence_for):
                yield replace(reading, evidence=self._evidence(kind, reading))
            return
        texts = iter(texts)
        while batch := list(islice(texts, _BATCH)):
            yield from self._mixed(self.mix, batch, evidence_for)

    def _mixed(
        self, mix: ScoreMixture, batch: Sequence[ChartText], evidence_for: EvidenceRequest
    ) -> Iterator[ScoredChart]:
        """The first member is read last, so that it is asked for evidence as it scores.

        Members get the charts under their numbers: an audit hands in one chart many times, and a
        member may ask for evidence in another order than it reads.
        """
        numbered = [text.renamed(str(at)) for at, text in enumerate(batch)]
        (kind, first), *others = self.members.items()
        by_member: list[list[Scores]] = [[] for _ in batch]
        beyond: list[tuple[OpenCode, ...]] = [() for _ in batch]
        for _, member in others:
            for reading in member.read(numbered, lambda _text, _scores: _NOTHING):
                at = int(reading.text.chart_id)
                by_member[at].append(reading.scores)
                beyond[at] = beyond[at] or reading.beyond
        mixed: dict[int, Scores] = {}
        asked: dict[int, npt.NDArray[np.int64]] = {}

        def ask(text: ChartText, scores: Scores) -> npt.NDArray[np.int64]:
            at = int(text.chart_id)
            mixed[at] = mix.scores([scores, *by_member[at]], self._share)
            asked[at] = evidence_for(batch[at], mixed[at])
            return asked[at]

        found = []
        for at, reading in enumerate(first.read(numbered, ask)):
            found.append(self._evidence(kind, reading))
            beyond[at] = beyond[at] or reading.beyond
        for kind, member in others:
            self._fill(kind, member, numbered, asked, found)
        for at, (text, evidence) in enumerate(zip(batch, found, strict=True)):
            yield ScoredChart(text, mixed[at], evidence, beyond[at])

    def _fill(
        self,
        kind: str,
        member: ChartScorer,
        numbered: Sequence[ChartText],
        asked: Mapping[int, npt.NDArray[np.int64]],
        found: Sequence[dict[int, EvidenceWeights]],
    ) -> None:
        """Add a member's evidence for the requested codes that have none yet."""
        missing = [
            asked[at][[code not in have for code in asked[at].tolist()]]
            for at, have in enumerate(found)
        ]
        left = [at for at, codes in enumerate(missing) if len(codes)]
        readings = member.read(
            [numbered[at] for at in left], lambda text, _scores: missing[int(text.chart_id)]
        )
        for at, reading in zip(left, readings, strict=True):
            found[at].update(self._evidence(kind, reading))

    def save(self, directory: Path) -> None:
        """Write each member into a directory of its own, and the mix as JSON."""
        held = {
            "members": list(self.members),
            "opens": list(self.opens),
            "thresholds": self.thresholds,
            "mix": None if self.mix is None else {
                "weights": self.mix.weights, "common": self.mix.common, "bias": self.mix.bias
            },
            "share": self._share.tolist(),
        }  # fmt: skip
        (directory / _FILE).write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")
        for kind, member in (*self.members.items(), *self.opens.items()):
            (directory / kind).mkdir()
            member.save(directory / kind)

    @classmethod
    def load(cls, directory: Path, resources: Resources, config: EnsembleConfiguration) -> Self:
        """What `save` wrote."""
        try:
            held = json.loads((directory / _FILE).read_text(encoding="utf-8"))
            mix = held["mix"] and ScoreMixture(
                tuple(held["mix"]["weights"]), held["mix"]["common"], held["mix"]["bias"]
            )
            kinds = [(kind, scorer_class(kind)) for kind in (*held["members"], *held["opens"])]
            thresholds, share = held["thresholds"], np.array(held["share"], np.float64)
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise AuscultError(
                f"{directory} does not hold a complete ensemble: a file is missing or damaged. "
                "Train it again."
            ) from error
        members = {
            kind: scorer_type.load(directory / kind, resources, config.of_member(kind))
            for kind, scorer_type in kinds
        }
        opens = {kind: members.pop(kind) for kind in held["opens"]}
        return cls(members, mix, thresholds, share, opens=opens)

    def _combined(self, readings: Sequence[KeptReading], share: Share) -> KeptReading:
        """The members' scores of a chart combined; `share` is of their training charts."""
        evidence: dict[int, EvidenceWeights] = {}
        for kind, reading in zip(self.members, readings, strict=True):
            evidence = self._evidence(kind, reading) | evidence
        scores = readings[0].scores
        if self.mix is not None:
            scores = self.mix.kept_scores([reading.scores for reading in readings], share)
        beyond = next((reading.beyond for reading in readings if reading.beyond), ())
        return KeptReading(readings[0].text, scores, evidence, beyond)

    def _evidence(self, kind: str, reading: Reading) -> dict[int, EvidenceWeights]:
        """The evidence a member has, as ranges."""
        if not joins_words(self.members[kind]):
            return {code: one for code, one in reading.evidence.items() if len(one.weights)}
        joined = {
            code: _runs(reading.text, evidence, self.thresholds[kind])
            for code, evidence in reading.evidence.items()
        }
        return {code: one for code, one in joined.items() if len(one.weights)}


def _with_open(reading: R, others: Iterable[Reading]) -> R:
    """A chart with codes outside the label space, from the first that has some."""
    every = (one.beyond for one in (reading, *others))
    return replace(reading, beyond=next(filter(None, every), ()))


def _thresholds(
    members: Mapping[str, ChartScorer],
    read: Mapping[str, Sequence[KeptReading]],
    made: Sequence[Example],
) -> dict[str, float]:
    """The evidence threshold of each member, the member of the best evidence first."""
    if not any(one.evidence for one in made):
        # Members whose evidence is ranges come first; ties keep the given order.
        order = sorted(members, key=lambda kind: joins_words(members[kind]))
        return {kind: untuned_evidence_threshold(members[kind], made, _STEP) for kind in order}
    tuned = {kind: tune_evidence(read[kind], made, _STEP) for kind in members}
    order = sorted(tuned, key=lambda kind: -(tuned[kind].counts.f1 or 0.0))
    return {kind: tuned[kind].threshold for kind in order}


def _runs(text: ChartText, evidence: EvidenceWeights, threshold: float) -> EvidenceWeights:
    """Neighboring words that pass a threshold as one range each, with the largest weight."""
    by_word = evidence.by_word(len(text))
    runs = text.runs(np.flatnonzero(by_word >= max(threshold, 1e-9)))
    return EvidenceWeights(
        np.array([run[0] for run in runs], np.int32),
        np.array([run[-1] + 1 for run in runs], np.int32),
        np.array([by_word[run].max() for run in runs], np.float32),
    )
