"""The challenge, Figure 1: systems by micro-averaged F1 and by the cost-sensitive measure."""

from __future__ import annotations

import statistics
import warnings
from collections.abc import Mapping
from typing import Any

from scipy import stats

from auscult.coders.fitting import fit
from auscult.core import Code, Measure, Status
from auscult.corpus import Corpus
from auscult.corpus.combinations import combinations
from auscult.corpus.sampling import Plan, sample
from auscult.corpus.split import split_at_random
from auscult.evaluate.standings import Standing, Standings, analyse, standings
from auscult.report.plots import scatter
from auscult.reproduce.challenge.coded import GOLD, OPEN, Coded, coded
from auscult.reproduce.contract import Basis, Found, Measured, Printed, Reproduction, at_least
from auscult.reproduce.work import Work

_SYSTEMS: dict[str, tuple[str, dict[str, Any], float]] = {
    "linear": ("linear", {}, 1.0),
    "linear, guidelines": ("policy", {"coder": "linear"}, 1.0),
    "linear, half of train": ("linear", {}, 0.5),
    "linear, a quarter": ("linear", {}, 0.25),
    "linear, a tenth": ("linear", {}, 0.1),
    "linear, a twentieth": ("linear", {}, 0.05),
    "lexicon": ("lexicon", {}, 1.0),
}
"""Coders of different skill: their kind, their settings, and how much of train they see."""
_FOR_REPORTS: dict[str, tuple[str, dict[str, Any], float]] = {"report": ("report", {}, 1.0)}
_ROW = "Micro-averaged F1 of systems"
_RANKS = "Spearman's correlation of both rankings"


def run(work: Work) -> Found:
    """Let Auscult's coders take part in a challenge of half of the documents against the other."""
    there = coded(work, frequent=True)
    plan = Plan(annotator=GOLD, coded=True, code_minimum=2 if there.basis is Basis.PART else 1)
    kept = sample(there.voted(), plan).corpus
    corpus = split_at_random(kept, {"train": 0.5, "test": 0.5}, by="chart")
    found = _standings(work, there, corpus)
    systems = [(row.name, *_both(row)) for row in found.systems]
    people = [(row.name, *_both(row)) for row in found.humans]
    micro = [one for _, one, _ in systems]
    costs = [one for _, _, one in systems]
    ranks = float(stats.spearmanr(micro, costs).statistic)
    basis = Basis.STAND_IN
    numbers = {
        f"{_ROW} · top": Measured(
            max(micro), basis, found.systems[0].measures["micro_f1"].interval
        ),
        f"{_ROW} · minimum": Measured(min(micro), basis),
        f"{_ROW} · mean": Measured(statistics.mean(micro), basis),
        f"{_ROW} · SD": Measured(statistics.stdev(micro), basis),
        f"{_RANKS} · systems": Measured(ranks, basis, n=len(systems)),
    }
    analysis = analyse(found)
    variance = analysis.anova
    remarks = [
        f"{len(systems)} coders of Auscult and {len(people)} people, on {found.charts:,} documents "
        "and nothing seen of them in training.",
    ]
    if variance is not None:
        factors = "; ".join(f"{one.name}: {one.p_value}" for one in variance.factors)
        remarks.append(
            f"Two-factor analysis of variance of the codes' F1: {factors}. There are "
            f"{len(analysis.groups)} groups of systems that cannot be told apart."
        )
    picture = scatter(systems, people, ("micro-averaged F1", "cost-sensitive"))
    return Found(numbers, (there.used,), tuple(remarks), (0,), str(picture))


def _standings(work: Work, there: Coded, corpus: Corpus) -> Standings:
    train = corpus.select(splits=["train"], annotators=[GOLD])
    test = corpus.select(splits=["test"])
    gold = combinations(test, GOLD)
    people = {who: combinations(test, who) for who in there.annotators}
    systems: dict[str, Mapping[str, frozenset[Code]]] = {}
    notes = list(test.iter_notes())
    every = [*train.chart_ids()]
    wanted = {**_SYSTEMS, **(_FOR_REPORTS if there.basis is Basis.PART else {})}
    for name, (kind, config, share) in wanted.items():
        part = train.select(charts=every[: max(2, round(share * len(every)))])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            coder = fit(part, kind, config, dev="none")
            given: dict[str, set[Code]] = {}
            for one in coder.code(notes, never_empty=True):
                if one.status is Status.GIVEN:
                    given.setdefault(one.chart_id, set()).add(one.code)
        systems[name] = {chart: frozenset(codes) for chart, codes in given.items()}
    return standings(gold, systems, people, times=work.scale.resamples)


def _both(row: Standing) -> tuple[float, float]:
    return _value(row.measures["micro_f1"]), _value(row.measures["cost_sensitive"])


def _value(measure: Measure) -> float:
    return float("nan") if measure.value is None else measure.value


REPRODUCTION = Reproduction(
    name="challenge-figure-1",
    paper="challenge",
    label="Figure 1",
    title="Systems by micro-averaged F1 and by the cost-sensitive measure",
    needs="the submissions of 50 teams, which were not published, and the codes of the test part",
    stand_in="coders of Auscult, on half of the documents that three people coded (with --cmc "
    "those of the challenge, otherwise charts of the synthetic hospital)",
    options=("cmc",),
    calls=(
        "auscult challenge create split task --annotator majority --humans a,b,c",
        "auscult challenge submit task 'Team X' predicted",
        "auscult challenge leaderboard task --report leaderboard.html",
        "auscult challenge analyse task",
    ),
    run=run,
    published=(
        Printed(_ROW, "top", 0.8908, 0.0, ".4f"),
        Printed(_ROW, "minimum", 0.1541, 0.0, ".4f"),
        Printed(_ROW, "mean", 0.7670, 0.0, ".4f"),
        Printed(_ROW, "SD", 0.1340, 0.0, ".4f"),
    ),
    claims=(
        at_least(f"{_RANKS} · systems", 0.5,
                 "Both measures rank systems much alike, if not the same."),
    ),
    remark=OPEN[:1].upper() + OPEN[1:] + ". Without the submissions there is nothing to reproduce "
    "a number from; the points are what the figure would show of Auscult's coders.",
)  # fmt: skip
