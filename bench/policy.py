"""What each coding guideline gives, over the linear model and the lexicon.

    .venv/bin/python bench/policy.py [../shared/data/cmc2007/dev.xml] [--patients 120]

On the reports of the 2007 challenge (ten folds) and on the discharge summaries of a synthetic
hospital (train, dev and test charts). The model learns once; under each set of rules its threshold
is tuned on charts it has not seen (the next fold, dev), and micro-F1 is measured on others.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt

from auscult.core.counts import Counts
from auscult.corpus import formats
from auscult.corpus.corpus import Chart
from auscult.models import scorer_class
from auscult.models.architecture import TrainingData
from auscult.models.chart_inputs import text_of
from auscult.models.chart_scoring import ChartConfiguration, Scores
from auscult.models.chart_text import ChartText
from auscult.models.configuring import configure
from auscult.models.decoding import choose, tune_codes
from auscult.models.examples import Example, codes_of, examples
from auscult.models.label_space import LabelSpace
from auscult.models.policy import RULES, Policy, fit_rules
from auscult.synth import hospital

FOLDS = 10
UNDER: dict[str, tuple[str, ...]] = {
    "no rule": (), **{rule: (rule,) for rule in RULES},
    "all of inpatients": tuple(rule for rule in RULES if rule != "uncertain"),
    "all of outpatients": RULES,
}  # fmt: skip
Found = dict[str, Counts]


def nothing(_text: ChartText, _scores: Scores) -> npt.NDArray[np.int64]:
    """No evidence is asked for."""
    return np.zeros(0, np.int64)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "corpus", nargs="?", type=Path, default=Path("../shared/data/cmc2007/dev.xml")
    )
    parser.add_argument("--patients", type=int, default=120)
    parser.add_argument("--skip-hospital", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    columns = {"reports, linear": reports(options.corpus)}
    if not options.skip_hospital:
        train, dev, test = summaries(options.patients)
        for kind in ("linear", "lexicon"):
            columns[f"hospital, {kind}"] = compare(kind, train, dev, test)
    print(f"| rules | {' | '.join(columns)} |")
    print(f"| --- |{' ---: |' * len(columns)}")
    for name in UNDER:
        cells = [f"{100 * (found[name].f1 or 0):.1f}" for found in columns.values()]
        print(f"| {name} | {' | '.join(cells)} |")


def reports(file: Path) -> Found:
    """The challenge's reports in folds."""
    charts = list(formats.read("cmc", file).select(annotators=["CMC_MAJORITY"]).charts())
    order = np.random.default_rng(0).permutation(len(charts))
    folds = [[charts[at] for at in order[number::FOLDS]] for number in range(FOLDS)]
    found = dict.fromkeys(UNDER, Counts())
    for number, test in enumerate(folds):
        dev = folds[(number + 1) % FOLDS]
        train = [one for fold in folds if fold is not test and fold is not dev for one in fold]
        for name, counts in compare("linear", train, dev, test).items():
            found[name] += counts
    return found


def summaries(patients: int) -> tuple[list[Chart], list[Chart], list[Chart]]:
    """The discharge summaries of a hospital with the codes of its models."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "hospital"
        hospital.make_hospital(made, patients=patients, seed=0)
        notes = formats.read("mimic3", made / "mimic3", categories=("Discharge summary",))
        evidence = formats.read("mdace", made / "mdace" / "data" / "Inpatient" / "ICD-10")
        merged = notes.select(annotators=[]).merge(evidence)
        charts = [
            chart
            for chart in merged.select(systems=["ICD-10-CM"]).charts()
            if chart.annotations and any(note.text for note in chart.notes)
        ]
    third = len(charts) // 5
    return charts[2 * third :], charts[:third], charts[third : 2 * third]


def compare(
    kind: str, train: Sequence[Chart], dev: Sequence[Chart], test: Sequence[Chart]
) -> Found:
    """Counts of codes on the test charts under each set of rules."""
    config = cast(ChartConfiguration, configure(kind, {}))
    labels = LabelSpace.of(codes_of(chart.annotations) for chart in train)

    def made(charts: Sequence[Chart]) -> list[Example]:
        return examples(charts, labels, lambda chart: text_of(chart.notes, config))

    learned, tuning, held = made(train), made(dev), made(test)
    inner = scorer_class(kind).fit(TrainingData(learned, tuning, labels), config, seed=0)
    rules = fit_rules(learned, labels)
    found: Found = {}
    for name, chosen in UNDER.items():
        policy = Policy(inner, chosen, *rules)
        tuned = tune_codes(list(policy.read((one.text for one in tuning), nothing)), tuning)
        counts = Counts()
        readings = policy.read((one.text for one in held), nothing)
        for reading, one in zip(readings, held, strict=True):
            said = set(choose(reading.scores, tuned.threshold, labels, never_empty=False).tolist())
            counts += Counts.of(set(one.codes.tolist()), said) + Counts(0, 0, len(one.unseen))
        found[name] = counts
    return found


if __name__ == "__main__":
    main()
