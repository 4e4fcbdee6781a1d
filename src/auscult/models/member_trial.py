"""A cheap trial of the members of an ensemble on two samples of the charts.

It tells how long the training of all charts should take, by how the time grows from the smaller
sample to the larger one, and which members add something on charts that were not trained on.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from auscult.codes.vocabulary import Vocabulary
from auscult.core.progress import track
from auscult.core.randomness import shuffled
from auscult.corpus.corpus import Chart
from auscult.models import scorer_class
from auscult.models.architecture import TrainingData
from auscult.models.decoding import tune_codes
from auscult.models.ensemble import EnsembleConfiguration
from auscult.models.examples import Example, codes_of
from auscult.models.kept_readings import KeptReading
from auscult.models.label_space import LabelSpace
from auscult.models.mixing import Share, choose, share_of
from auscult.models.tuning import kept_gold

_LARGE, _HELD_OUT = 1_000, 300
"""Number of charts of the larger sample, and of those that are scored."""
_LEAST_SHARE = 0.4
"""Share of a small corpus that the larger sample has."""
_SMALLER = 4
"""How many times smaller the smaller sample is."""
_FEWEST = 50
"""Number of charts below which nothing is tried."""
_SLOPES = (0.3, 1.2)
"""Between which exponents time grows with the number of charts."""


@dataclass(frozen=True, slots=True)
class MemberTimes:
    """The training seconds of a member on both samples, and its prediction seconds per chart."""

    small: float
    large: float
    read: float = 0.0
    holds_out: bool = False
    """Whether fitting also scores the training charts out of fold."""
    most: int | None = None
    """The number of charts above which it fits on a sample, so the time no longer grows."""

    def fit(self, samples: tuple[int, int], charts: float) -> float:
        """Estimated seconds of a fit on a number of charts, given the sizes of the samples."""
        small, large = samples
        slope = math.log(max(self.large, 1e-3) / max(self.small, 1e-3)) / math.log(large / small)
        slope = min(max(slope, _SLOPES[0]), _SLOPES[1])
        grown: float = (min(charts, self.most or charts) / large) ** slope
        return self.large * grown


@dataclass(frozen=True, slots=True)
class MemberTrial:
    """The result of the trial: the times of each member, and the members to keep."""

    charts: tuple[int, int]
    times: Mapping[str, MemberTimes]
    kept: tuple[str, ...]
    combining: float = 0.0
    """Seconds per chart for choosing and combining members."""

    def seconds(self, members: Sequence[str], charts: int, *, folds: int, tuning: int) -> float:
        """Estimated seconds of training some members on a number of charts.

        With `folds`, they are combined by cross-validation: a member that does not score its own
        training charts is fitted for each fold too. `tuning` is how many other charts are read to
        combine them, if they are not cross-validated, and to set the thresholds.
        """
        total = 0.0
        for member in members:
            times = self.times[member]
            total += times.fit(self.charts, charts)
            if folds and not times.holds_out:
                total += folds * times.fit(self.charts, charts * (folds - 1) / folds)
                total += charts * times.read
            total += (1 if folds else 2) * tuning * times.read
        if len(members) > 1:  # once on all charts, and without each fold
            total += self.combining * ((1 + folds) * charts if folds else tuning)
        return total

    def said(self, members: Sequence[str]) -> tuple[str, ...]:
        """Which members the trial dropped."""
        left = [one for one in members if one not in self.kept]
        if not left:
            return ()
        return (
            f"without {' and '.join(left)}: on a sample of {self.charts[1]:,} charts "
            f"{'they add' if len(left) > 1 else 'it adds'} nothing",
        )


def try_members(
    members: Sequence[str],
    config: EnsembleConfiguration,
    examples: Callable[[LabelSpace, Sequence[Chart]], list[Example]],
    charts: Callable[[Sequence[str]], Sequence[Chart]],
    patients: Mapping[str, str],
    *,
    vocabulary: Vocabulary | None,
    seed: int,
) -> MemberTrial | None:
    """Train the members on two samples of charts, and score others with the larger ones.

    `charts` gets charts by their ids, and `patients` has the patient of each chart with words and
    codes; None where these are too few. Patients are kept together.
    """
    if len(patients) < _FEWEST:
        return None
    mixed = shuffled(sorted(set(patients.values())), random.Random(seed))
    place = {patient: at for at, patient in enumerate(mixed)}
    order = sorted(patients, key=lambda chart_id: place[patients[chart_id]])
    large = min(_LARGE, max(1, round(_LEAST_SHARE * len(order))))
    small = max(1, large // _SMALLER)
    drawn = charts(order[: large + _HELD_OUT])
    times: dict[str, list[float]] = {member: [] for member in members}
    reading = dict.fromkeys(members, 0.0)
    holds_out = dict.fromkeys(members, False)
    reached: dict[str, list[float]] = {member: [] for member in members}
    read: dict[str, list[KeptReading]] = {}
    work = track([(size, member) for size in (small, large) for member in members],
                 "trying on a sample", 2 * len(members))  # fmt: skip
    made: list[Example] = []
    train: list[Example] = []
    labels = LabelSpace((), ())
    for size, on_size in groupby(work, key=itemgetter(0)):
        sample = drawn[:size]
        labels = LabelSpace.of((codes_of(chart.annotations) for chart in sample), minimum=1)
        train, made = examples(labels, sample), examples(labels, drawn[large:])
        for _, member in on_size:
            begin = time.perf_counter()
            fitted = scorer_class(member).fit(
                TrainingData(train, [], labels, vocabulary=vocabulary),
                config.of_member(member),
                seed=seed,
            )
            times[member].append(time.perf_counter() - begin)
            holds_out[member] = bool(getattr(fitted, "held_out", ()))
            begin = time.perf_counter()
            read[member] = list(kept_gold(member, fitted, made, len(labels)))
            reading[member] = (time.perf_counter() - begin) / max(1, len(made))
            found = tune_codes(read[member], made).counts.f1 if made else None
            reached[member].append(found or 0.0)
    share = share_of(train, len(labels))
    begin = time.perf_counter()
    kept = _helping(members, read, reached, made, [share] * len(made), seed)
    combining = (time.perf_counter() - begin) / max(1, len(made))
    costs = {
        name: MemberTimes(
            first, second, reading[name], holds_out[name],
            getattr(scorer_class(name), "most_charts", None),
        )
        for name, (first, second) in times.items()
    }  # fmt: skip
    return MemberTrial((small, large), costs, kept, combining)


def _helping(
    members: Sequence[str],
    read: Mapping[str, Sequence[KeptReading]],
    reached: Mapping[str, Sequence[float]],
    made: Sequence[Example],
    shares: Sequence[Share],
    seed: int,
) -> tuple[str, ...]:
    """The members that add something, or give codes of their own, or gain on the best one.

    A member that learns more from the larger sample than the best one does may add something when
    it has learned from all charts.
    """
    if not made:
        return tuple(members)
    helping = set(choose(read, made, shares, seed))
    best = max(members, key=lambda one: reached[one][1])

    def gains(one: str) -> float:
        return reached[one][1] - reached[one][0]

    return tuple(
        one
        for one in members
        if one in helping
        or any(reading.beyond for reading in read[one])
        or gains(one) > gains(best)
    )
