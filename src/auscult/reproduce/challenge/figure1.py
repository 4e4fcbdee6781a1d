"""The challenge, Figure 1: systems by micro-averaged F1 and cost-sensitive score."""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

from scipy import stats

from auscult.core import Code, Metric, Status
from auscult.corpus import Corpus
from auscult.corpus.combinations import combinations
from auscult.corpus.sampling import SamplingPlan, sample
from auscult.corpus.split import split_at_random
from auscult.evaluate.system_ranking import RankedSystem, SystemRanking, analyze, rank_systems
from auscult.models.fitting import fit
from auscult.report.plots import scatter
from auscult.reproduce.challenge.coded import GOLD, OPEN, Coded, coded
from auscult.reproduce.contract import (
    Basis,
    Measured,
    Printed,
    Reproduction,
    ReproductionOutcome,
    at_least,
)
from auscult.reproduce.intervals import of_correlation
from auscult.reproduce.work import Workspace

_SYSTEMS: dict[str, tuple[str, dict[str, Any], float]] = {
    "linear": ("linear", {}, 1.0),
    "linear, guidelines": ("policy", {"model": "linear"}, 1.0),
    "linear, half of train": ("linear", {}, 0.5),
    "linear, a quarter": ("linear", {}, 0.25),
    "linear, a tenth": ("linear", {}, 0.1),
    "linear, a twentieth": ("linear", {}, 0.05),
    "lexicon": ("lexicon", {}, 1.0),
}
"""Models of different quality: architecture, hyperparameters, and share of the training charts."""
_FOR_REPORTS: dict[str, tuple[str, dict[str, Any], float]] = {"radiology": ("radiology", {}, 1.0)}
_OURS = "Auscult's own models"
_ROW = "Micro-averaged F1 of systems"
_RANKS = "Spearman correlation of both rankings"


def run(work: Workspace) -> ReproductionOutcome:
    """Enter Auscult's models in a challenge: train on half of the documents, test on the other."""
    there = coded(work, frequent=True)
    plan = SamplingPlan(
        annotator=GOLD, coded=True, code_minimum=2 if there.basis is Basis.OPEN else 1
    )
    kept = sample(there.voted(), plan).corpus
    corpus = split_at_random(kept, {"train": 0.5, "test": 0.5}, by="chart")
    found = _standings(work, there, corpus)
    systems = [(row.name, *_both(row)) for row in found.systems]
    people = [(row.name, *_both(row)) for row in found.humans]
    micro = [one for _, one, _ in systems]
    costs = [one for _, _, one in systems]
    ranks = float(stats.spearmanr(micro, costs).statistic)
    ours = partial(Measured, basis=Basis.STAND_IN, by=_OURS)
    top = found.systems[0].metrics["micro_f1"].interval
    numbers = {
        f"{_ROW} · top": ours(max(micro), interval=top),
        f"{_ROW} · minimum": ours(min(micro)),
        f"{_ROW} · mean": ours(statistics.mean(micro)),
        f"{_ROW} · SD": ours(statistics.stdev(micro)),
        f"{_RANKS} · systems": ours(
            ranks, interval=of_correlation(ranks, len(systems)), n=len(systems)
        ),
    }
    analysis = analyze(found)
    variance = analysis.anova
    remarks = [
        f"{len(systems)} models and {len(people)} people, on {found.charts:,} "
        "documents that were not used for training.",
    ]
    if variance is not None:
        factors = "; ".join(f"{one.name}: {one.p_value}" for one in variance.factors)
        remarks.append(
            f"Two-factor analysis of variance of the codes' F1: {factors}. There "
            f"are {len(analysis.groups)} groups of systems without significant differences."
        )
    picture = scatter(systems, people, ("micro-averaged F1", "cost-sensitive"))
    return ReproductionOutcome(numbers, (there.used,), tuple(remarks), (0,), str(picture))


def _standings(work: Workspace, there: Coded, corpus: Corpus) -> SystemRanking:
    train = corpus.select(splits=["train"], annotators=[GOLD])
    test = corpus.select(splits=["test"])
    gold = combinations(test, GOLD)
    people = {who: combinations(test, who) for who in there.annotators}
    systems: dict[str, Mapping[str, frozenset[Code]]] = {}
    notes = list(test.iter_notes())
    every = [*train.chart_ids()]
    wanted = {**_SYSTEMS, **(_FOR_REPORTS if there.basis is Basis.OPEN else {})}
    for name, (kind, config, share) in wanted.items():
        part = train.select(charts=every[: max(2, round(share * len(every)))])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model = fit(part, kind, config, dev_split="none")
            given: dict[str, set[Code]] = {}
            for one in model.predict(notes, never_empty=True):
                if one.status is Status.GIVEN:
                    given.setdefault(one.chart_id, set()).add(one.code)
        systems[name] = {chart: frozenset(codes) for chart, codes in given.items()}
    return rank_systems(gold, systems, people, times=work.scale.resamples)


def _both(row: RankedSystem) -> tuple[float, float]:
    return _value(row.metrics["micro_f1"]), _value(row.metrics["cost_sensitive"])


def _value(metric: Metric) -> float:
    return float("nan") if metric.value is None else metric.value


REPRODUCTION = Reproduction(
    name="challenge-figure-1",
    paper="challenge",
    label="Figure 1",
    title="Systems by micro-averaged F1 and cost-sensitive score",
    needs="the submissions of 50 teams, which were not published, and the codes of the test part",
    stand_in="Auscult's models, on half of the documents coded by three people (with --cmc "
        "those of the challenge, otherwise charts of the synthetic hospital)",
    options=("cmc",),
    calls=(
        "auscult challenge create split task --annotator majority --humans a,b,c",
        "auscult challenge submit task 'Team X' predicted",
        "auscult challenge leaderboard task --report leaderboard.html",
        "auscult challenge analyze task",
    ),
    run=run,
    published=(
        Printed(_ROW, "top", 0.8908, 0.0, ".4f"),
        Printed(_ROW, "minimum", 0.1541, 0.0, ".4f"),
        Printed(_ROW, "mean", 0.7670, 0.0, ".4f"),
        Printed(_ROW, "SD", 0.1340, 0.0, ".4f"),
    ),
    claims=(
        at_least(f"{_RANKS} · systems", 0, "Both metrics rank systems similarly."),
    ),
    remark=OPEN[:1].upper() + OPEN[1:] + ". Without the submissions no number can be reproduced; "
    "the points show Auscult's models instead.",
)  # fmt: skip
