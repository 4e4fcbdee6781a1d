"""The ensemble: several coders, and how far to listen to each, found by cross-validation.

Each member codes the training charts out of fold; by that it is known how to mix them, which to
keep, and whose evidence is best.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, field_validator

from auscult.coders import CODERS, kinds
from auscult.coders import scorer as scorer_of
from auscult.coders.contract import Configuration, Pointed, Reading, Scorer, Scores, Wanted
from auscult.coders.decoding import tune_evidence
from auscult.coders.examples import Example
from auscult.coders.fitting import configure, fair_readings, sparing_threshold
from auscult.coders.folds import forget_unknown
from auscult.coders.labels import LabelSpace
from auscult.coders.mixing import (
    Mix,
    Share,
    choose,
    count_out_of_fold,
    share_of,
    shares_inside,
)
from auscult.coders.sequence import ChartText
from auscult.core import AuscultError
from auscult.core.counts import Counts
from auscult.core.progress import track

_FILE = "ensemble.json"
_BATCH = 64
_STEP = 0.02
"""In which members' evidence thresholds are tuned, whatever their own."""
_NOTHING = np.zeros(0, np.int64)


class EnsembleConfiguration(Configuration):
    """Who is in the ensemble."""

    members: tuple[str, ...] = Field(
        ("lexicon", "linear"), min_length=1, description="Kinds of coders to combine."
    )
    settings: Mapping[str, Mapping[str, Any]] = Field(
        default_factory=dict, description="Settings of members, by kind."
    )
    folds: int = Field(5, ge=2, description="Folds in which members code the training charts.")

    @field_validator("members")
    @classmethod
    def _are_known(cls, members: tuple[str, ...]) -> tuple[str, ...]:
        for member in members:
            if member == "ensemble" or (member not in CODERS and member not in kinds()):
                others = ", ".join(kind for kind in kinds() if kind != "ensemble")
                raise ValueError(f"{member!r} cannot be a member; choose from {others}")
        if len(set(members)) < len(members):
            raise ValueError("a member is named twice")
        return members

    def of_member(self, kind: str) -> Configuration:
        """The configuration of one member: what was set for all, and its own settings."""
        shared = {
            name: getattr(self, name)
            for name, field in Configuration.model_fields.items()
            if getattr(self, name) != field.default
        }
        return configure(kind, {**shared, **self.settings.get(kind, {})})

    def settled(self) -> Self:
        """With as many words to read as the member reads that reads least, unless told."""
        if {"longest", "longest_chart"} & self.model_fields_set:
            return self
        members = [self.of_member(kind) for kind in self.members]
        one, several = (
            min((limit for each in members if (limit := each.most_words(notes))), default=None)
            for notes in (1, 2)
        )
        return self.model_copy(update={"longest": one, "longest_chart": several})


class Ensemble:
    """Members, how their scores are mixed, and whose evidence is shown."""

    config_type: ClassVar[type[Configuration]] = EnsembleConfiguration
    evidence_step: ClassVar[float] = 0.05
    joins_words: ClassVar[bool] = False
    folds: ClassVar[int] = 5

    def __init__(
        self,
        members: Mapping[str, Scorer],
        mix: Mix | None,
        thresholds: Mapping[str, float],
        share: Share,
        held_out: Sequence[Reading] = (),
    ) -> None:
        self.members = dict(members)
        self.mix = mix
        self.thresholds = dict(thresholds)
        self.held_out = held_out
        self.held_out_counts: Counts | None = None
        self._share = share

    @property
    def is_calibrated(self) -> bool:
        """A mix is a regression, learnt from charts that its members had not; one member is not."""
        return self.mix is not None

    @classmethod
    def fit(
        cls,
        train: Sequence[Example],
        dev: Sequence[Example],
        labels: LabelSpace,
        config: EnsembleConfiguration,
        *,
        seed: int,
        directory: Path | None = None,
    ) -> Self:
        """Let members code charts they have not learnt from, learn to mix them, and fit them all.

        Where a member takes too long to be fitted several times and there are dev charts, those
        serve; else the training charts do, out of fold.
        """
        kinds = {kind: scorer_of(kind) for kind in config.members}
        settings = {kind: config.of_member(kind) for kind in kinds}

        def fitted(kind: str) -> Scorer:
            place = None if directory is None else directory / kind
            return kinds[kind].fit(train, dev, labels, settings[kind], seed=seed, directory=place)

        members: dict[str, Scorer] = {}
        read: dict[str, list[Reading]] = {}
        on_dev = bool(dev) and not all(learner.folds for learner in kinds.values())
        judging = dev if on_dev else ()
        for kind in track(kinds, "members of the ensemble", len(kinds)):
            members[kind] = fitted(kind)
            made, read[kind] = fair_readings(
                kind, members[kind], train, judging, labels, settings[kind],
                folds=config.folds, seed=seed,
            )  # fmt: skip
        share = share_of(train, len(labels))
        if on_dev:
            shares = [share] * len(made)
        else:
            shares = shares_inside(made, len(labels), config.folds, seed)
            for readings in read.values():  # what a member held out itself too
                forget_unknown(readings, made, len(labels), config.folds, seed)
        kept = choose(read, made, shares, seed)
        members = {kind: members[kind] for kind in kept}
        thresholds = _thresholds(members, read, made)
        members = {kind: members[kind] for kind in thresholds}
        said = [[read[kind][at] for kind in members] for at in range(len(made))]
        mix = Mix.fit(said, made, shares) if len(members) > 1 else None
        whole = cls(members, mix, thresholds, share)
        if not on_dev:
            pairs = zip(said, shares, strict=True)
            whole.held_out = [whole._combined(readings, inside) for readings, inside in pairs]
            if not dev and len({one.text.patient for one in made}) > 1:
                whole.held_out_counts = count_out_of_fold(read, made, shares, config.folds, seed)
        return whole

    def read(self, texts: Iterable[ChartText], wanted: Wanted) -> Iterator[Reading]:
        """Score charts with every member, then ask for evidence of the codes wanted.

        Evidence comes from the member whose evidence was best, from the next where it has none.
        """
        if self.mix is None:
            [(kind, member)] = self.members.items()
            for reading in member.read(texts, wanted):
                yield replace(reading, evidence=self._evidence(kind, reading))
            return
        texts = iter(texts)
        while batch := list(islice(texts, _BATCH)):
            yield from self._mixed(self.mix, batch, wanted)

    def _mixed(self, mix: Mix, batch: Sequence[ChartText], wanted: Wanted) -> Iterator[Reading]:
        """The first member is read last, so that it is asked for evidence as it scores.

        Members get the charts under their numbers: an audit hands in one chart many times, and a
        member may ask for evidence in another order than it reads.
        """
        numbered = [replace(text, chart_id=str(at)) for at, text in enumerate(batch)]
        (kind, first), *others = self.members.items()
        heard: list[list[Scores]] = [[] for _ in batch]
        for _, member in others:
            for reading in member.read(numbered, lambda _text, _scores: _NOTHING):
                heard[int(reading.text.chart_id)].append(reading.scores)
        mixed: dict[int, Scores] = {}
        asked: dict[int, npt.NDArray[np.int64]] = {}

        def ask(text: ChartText, scores: Scores) -> npt.NDArray[np.int64]:
            at = int(text.chart_id)
            mixed[at] = mix.scores([scores, *heard[at]], self._share)
            asked[at] = wanted(batch[at], mixed[at])
            return asked[at]

        found = [self._evidence(kind, reading) for reading in first.read(numbered, ask)]
        for kind, member in others:
            self._fill(kind, member, numbered, asked, found)
        for at, (text, evidence) in enumerate(zip(batch, found, strict=True)):
            yield Reading(text, mixed[at], evidence)

    def _fill(
        self,
        kind: str,
        member: Scorer,
        numbered: Sequence[ChartText],
        asked: Mapping[int, npt.NDArray[np.int64]],
        found: Sequence[dict[int, Pointed]],
    ) -> None:
        """Add a member's evidence for codes asked for that have none yet."""
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
            "thresholds": self.thresholds,
            "mix": None if self.mix is None else {
                "weights": self.mix.weights, "common": self.mix.common, "bias": self.mix.bias
            },
            "share": self._share.tolist(),
        }  # fmt: skip
        (directory / _FILE).write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")
        for kind, member in self.members.items():
            (directory / kind).mkdir()
            member.save(directory / kind)

    @classmethod
    def load(cls, directory: Path, labels: LabelSpace, config: EnsembleConfiguration) -> Self:
        """What `save` wrote."""
        try:
            held = json.loads((directory / _FILE).read_text(encoding="utf-8"))
            mix = held["mix"] and Mix(
                tuple(held["mix"]["weights"]), held["mix"]["common"], held["mix"]["bias"]
            )
            kinds = [(kind, scorer_of(kind)) for kind in held["members"]]
            thresholds, share = held["thresholds"], np.array(held["share"], np.float64)
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise AuscultError(
                f"{directory} does not hold a whole ensemble: a file is missing or damaged. "
                "Train it again."
            ) from error
        members = {
            kind: learner.load(directory / kind, labels, config.of_member(kind))
            for kind, learner in kinds
        }
        return cls(members, mix, thresholds, share)

    def _combined(self, readings: Sequence[Reading], share: Share) -> Reading:
        """What the members said of a chart as one reading; `share` is of those they learnt from."""
        evidence: dict[int, Pointed] = {}
        for kind, reading in zip(self.members, readings, strict=True):
            evidence = self._evidence(kind, reading) | evidence
        scores = readings[0].scores
        if self.mix is not None:
            scores = self.mix.scores([reading.scores for reading in readings], share)
        return Reading(readings[0].text, scores, evidence)

    def _evidence(self, kind: str, reading: Reading) -> dict[int, Pointed]:
        """The evidence a member has, as ranges."""
        if not self.members[kind].joins_words:
            return {code: one for code, one in reading.evidence.items() if len(one.weights)}
        joined = {
            code: _runs(reading.text, pointed, self.thresholds[kind])
            for code, pointed in reading.evidence.items()
        }
        return {code: one for code, one in joined.items() if len(one.weights)}


def _thresholds(
    members: Mapping[str, Scorer],
    read: Mapping[str, Sequence[Reading]],
    made: Sequence[Example],
) -> dict[str, float]:
    """The evidence threshold of each member, the member of the best evidence first."""
    if not any(one.evidence for one in made):
        # Members that point at ranges are made to explain; of equals the order given stands.
        order = sorted(members, key=lambda kind: members[kind].joins_words)
        return {kind: sparing_threshold(members[kind], made, _STEP) for kind in order}
    tuned = {kind: tune_evidence(read[kind], made, _STEP) for kind in members}
    order = sorted(tuned, key=lambda kind: -(tuned[kind].counts.f1 or 0.0))
    return {kind: tuned[kind].threshold for kind in order}


def _runs(text: ChartText, pointed: Pointed, threshold: float) -> Pointed:
    """Neighbouring words that pass a threshold as one range each, with the largest weight."""
    by_word = pointed.by_word(len(text))
    runs = text.runs(np.flatnonzero(by_word >= max(threshold, 1e-9)))
    return Pointed(
        np.array([run[0] for run in runs], np.int32),
        np.array([run[-1] + 1 for run in runs], np.int32),
        np.array([by_word[run].max() for run in runs], np.float32),
    )
