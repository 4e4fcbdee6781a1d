"""What Tables 4 to 9 and the figures share: scores and ranks of words, printed and measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from auscult.audit.alignment import spearman
from auscult.audit.frequency import frequency
from auscult.audit.published import table
from auscult.audit.sensitivity import Sensitivity
from auscult.report.audit_plots import rank_by_frequency
from auscult.reproduce.contract import (
    Measured,
    Printed,
    Reproduction,
    ReproductionOutcome,
    above,
    at_most,
)
from auscult.reproduce.intervals import of_correlation
from auscult.reproduce.sensitivity.cohort import (
    BERT,
    MIMIC,
    NAMES,
    STAND_IN,
    ModelName,
    audited,
    basis,
    by,
    cohort,
)
from auscult.reproduce.work import Workspace

_AUDIT = (
    "auscult audit sensitivity {model} readmission audit --code outcome readmitted "
    "--words words.txt --mlm Bio_ClinicalBERT --occurrences {swap}"
)
_ABSENT = "the word occurs in none of the audited notes"
_MANUAL: dict[ModelName, str] = {"bert": "language", "trees": "tf_idf"}


def of_words(number: int, model: ModelName, *, is_multiple: bool, remark: str = "") -> Reproduction:
    """Tables 4 to 7: words with their frequency, sensitivity score and rank."""
    listed = table(f"table{number}")
    words = listed["word"].to_list()
    swap = "all" if is_multiple else "first"

    def run(work: Workspace) -> ReproductionOutcome:
        found = audited(work, model)[is_multiple].found
        here, notes = basis(work, model), basis(work, "trees")
        ranks = _ranks(found, words)
        numbers = {}
        for word in words:
            one = found.of(word)
            often = one.coverage.occurrences
            numbers[f"{word} · occurrences"] = Measured(often, notes, n=one.coverage.charts)
            numbers[f"{word} · score"] = (
                Measured(None, here, undefined=_ABSENT)
                if one.score.value is None
                else Measured.of(one.score, here, by=by(work, model))
            )
            numbers[f"{word} · rank"] = (
                Measured(ranks[word], here, by=by(work, model))
                if word in ranks
                else Measured(None, here, undefined=_ABSENT)
            )
        return ReproductionOutcome(numbers, (cohort(work).used,), seeds=(0,))

    printed = []
    for row in listed.iter_rows(named=True):
        often, score = float(row["frequency"]), float(row["score"])
        printed += [
            Printed(row["word"], "occurrences", often, 0.2 * often, ",.0f"),
            Printed(row["word"], "score", score, max(0.5 * score, 0.0005), ".6f"),
            Printed(row["word"], "rank", float(row["rank"]), 3.0, "g"),
        ]
    return Reproduction(
        name=f"sensitivity-table-{number}",
        paper="sensitivity",
        label=f"Table {number}",
        title=f"Words that move {NAMES[model]}, "
        f"{'all occurrences' if is_multiple else 'the first occurrence'} replaced",
        needs=f"{MIMIC} and {BERT}",
        stand_in=STAND_IN,
        options=("mimic3", "bert"),
        calls=(_AUDIT.format(model=model, swap=swap),),
        run=run,
        published=tuple(printed),
        remark=remark,
    )


def of_ranks(number: int) -> Reproduction:
    """Tables 8 and 9: the ranks of 49 words, among all of them."""
    listed = table(f"table{number}")
    every = [*table("table8")["word"], *table("table9")["word"]]
    mine = listed["word"].to_list()
    nearness = "Correlation with the published clinicians' ranks"

    def run(work: Workspace) -> ReproductionOutcome:
        numbers: dict[str, Measured] = {}
        for model, name in NAMES.items():
            ranks = _ranks(audited(work, model)[0].found, every)
            here = basis(work, model)
            for word in mine:
                numbers[f"{word} · {name}"] = (
                    Measured(ranks[word], here, by=by(work, model))
                    if word in ranks
                    else Measured(None, here, undefined=_ABSENT)
                )
            there = [row for row in listed.iter_rows(named=True) if row["word"] in ranks]
            value = _correlation(
                [row["manual"] for row in there], [ranks[row["word"]] for row in there]
            )
            numbers[f"{nearness} · {name}"] = (
                Measured(None, here, undefined="too few of the words occur in the audited notes")
                if np.isnan(value)
                else Measured(
                    value, here, of_correlation(value, len(there)), n=len(there), by=by(work, model)
                )
            )
        return ReproductionOutcome(numbers, (cohort(work).used,), seeds=(0,))

    manual = listed["manual"].to_list()
    printed = [
        Printed(row["word"], name, float(row[_MANUAL[model]]), 8.0, "g")
        for row in listed.iter_rows(named=True)
        for model, name in NAMES.items()
    ]
    derived = [
        Printed(nearness, name, _correlation(manual, listed[_MANUAL[model]].to_list()), 0.25, ".2f")
        for model, name in NAMES.items()
    ]
    return Reproduction(
        name=f"sensitivity-table-{number}",
        paper="sensitivity",
        label=f"Table {number}",
        title=f"Ranks of 49 words, {'first' if number == 8 else 'second'} half",
        needs=f"{MIMIC} and {BERT}; the clinicians' own ratings are not published, only their "
        "mean ranks",
        stand_in=STAND_IN,
        options=("mimic3", "bert"),
        calls=(_AUDIT.format(model="bert", swap="first") + " --compare-model trees",),
        run=run,
        published=(*printed, *derived),
        claims=(
            above(f"{nearness} · BioClinicalBERT", f"{nearness} · tf-idf+xgb",
                  "The language model's ranks correlate with the clinicians', and more so than the "
              "trees'.", floor=0),
        ),
        remark="Ranks have a tolerance of eight places. The correlations are computed from the"
        " ranks of this half of the words.",
    )  # fmt: skip


def of_frequency(number: int, model: ModelName, printed: float) -> Reproduction:
    """Figures 1 and 2: rank by frequency, for both replacement strategies."""
    row = f"Rank and frequency, {NAMES[model]}"
    one, all_of = f"{row} · one-swap", f"{row} · multiple-swap"

    def run(work: Workspace) -> ReproductionOutcome:
        first, every = (frequency(found.found) for found in audited(work, model))
        here = basis(work, model)
        numbers = {
            key: replace(
                Measured.of(found.pearson, here, by=by(work, model)),
                interval=None
                if found.pearson.value is None
                else of_correlation(found.pearson.value, len(found.ranks), ranked=False),
            )
            for key, found in ((one, first), (all_of, every))
        }
        picture = rank_by_frequency([first, every])
        return ReproductionOutcome(numbers, (cohort(work).used,), seeds=(0,), figure=str(picture))

    return Reproduction(
        name=f"sensitivity-figure-{number}",
        paper="sensitivity",
        label=f"Figure {number}",
        title=f"Word sensitivity by word frequency, {NAMES[model]}",
        needs=f"{MIMIC} and {BERT}",
        stand_in=STAND_IN,
        options=("mimic3", "bert"),
        calls=(_AUDIT.format(model=model, swap="first") + " --frequency-check",),
        run=run,
        published=(Printed(row, "multiple-swap", printed, 0.15, ".2f"),),
        claims=(
            at_most(all_of, 0,
                    "Frequent words rank higher when all of their occurrences are replaced…"),
            above(one, all_of, "…and less so when only the first is."),
        ),
        remark="The figure's correlation with one swap is not printed.",
    )  # fmt: skip


def _ranks(found: Sensitivity, words: Sequence[str]) -> dict[str, float]:
    """Ranks among some of the words, ties averaged; words in no note have none."""
    from scipy import stats

    there = [word for word in words if found.of(word).score.value is not None]
    if not there:
        return {}
    placed = stats.rankdata([-(found.of(word).score.value or 0.0) for word in there])
    return dict(zip(there, placed.tolist(), strict=True))


def _correlation(one: Sequence[float], other: Sequence[float]) -> float:
    return spearman(np.array(one, np.float64), np.array(other, np.float64))
