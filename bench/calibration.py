"""Whether scores are probabilities: of the models that bench/models.py has left in a folder.

    .venv/bin/python bench/calibration.py FOLDER

Each model's own scores are calibrated on the dev charts and both are compared on the test charts:
the expected calibration error of scores of 0.1 or more, and the log loss over all codes. A model
that needs none, an ensemble that mixes members, stays as it is. Exits with 1 when calibration makes
either worse for any of them.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from auscult.corpus import Corpus
from auscult.models.calibration import Calibration
from auscult.models.chart_scoring import ScoredChart, needs_calibration
from auscult.models.decoding import log_loss
from auscult.models.examples import Example, examples
from auscult.models.model import Model
from auscult.models.tuning import read_gold
from auscult.statistics.calibration import calibration_error

LEAST = 0.1


def main() -> int:
    """Print a row for each model; 1 when one became worse."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="what bench/models.py was given")
    folder = parser.parse_args().folder
    warnings.simplefilter("ignore")
    corpus = Corpus.open(folder / "corpus")
    worse = False
    print("| model | error | calibrated | log loss | calibrated |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for place in sorted(folder.glob("model * 0")):
        model = Model.load(place)
        dev, test = (_read(model, corpus.select(splits=[split])) for split in ("dev", "test"))
        pairs = zip(*dev, strict=True)
        made, as_is = test
        sure = as_is
        if needs_calibration(model.scorer):
            calibration = Calibration.fit((reading.scores, one.codes) for one, reading in pairs)
            sure = [replace(one, scores=calibration.apply(one.scores)) for one in as_is]
        errors = [_error(made, readings) for readings in (as_is, sure)]
        losses = [log_loss(readings, made) for readings in (as_is, sure)]
        worse |= errors[1] > errors[0] or losses[1] > losses[0]
        cells = [*(f"{one:.3f}" for one in errors), *(f"{one:.4f}" for one in losses)]
        name = place.name.removeprefix("model ").removesuffix(" 0")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    return int(worse)


def _read(model: Model, corpus: Corpus) -> tuple[list[Example], list[ScoredChart]]:
    """Charts and what the model's scorer makes of them, not calibrated."""
    charts = (chart for chart in corpus.charts() if chart.notes)
    made = examples(charts, model.labels, lambda chart: model.text(chart.notes))
    return made, list(read_gold(model.scorer, made))


def _error(made: Sequence[Example], readings: Sequence[ScoredChart]) -> float:
    scores = np.concatenate([reading.scores for reading in readings])
    right = [np.isin(np.arange(len(readings[0].scores)), one.codes) for one in made]
    return calibration_error(scores, np.concatenate(right), LEAST) or 0.0


if __name__ == "__main__":
    sys.exit(main())
