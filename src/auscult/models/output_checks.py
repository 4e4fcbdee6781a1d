"""Checks of the output of a scorer.

A model of another package gets a clear error during training, rather than an exception from array
arithmetic or meaningless thresholds after it was saved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from auscult.core import AuscultError
from auscult.models import GUIDE
from auscult.models.chart_scoring import EvidenceWeights, ScoredChart
from auscult.models.chart_text import ChartText
from auscult.models.kept_readings import Reading

_SLACK = 1e-4  # A sum of float32 shares may end a little above 1.


def checked_readings(
    kind: str, texts: Sequence[ChartText], readings: Iterable[Reading], codes: int
) -> Iterator[Reading]:
    """The readings, as they come; an error describes the first that does not fit its chart."""
    left = iter(readings)
    for at, text in enumerate(texts):
        reading = next(left, None)
        if reading is None or reading.text.chart_id != text.chart_id:
            raise _not_one_each(kind, len(texts), at + (reading is not None) + sum(1 for _ in left))
        if isinstance(reading, ScoredChart) and (wrong := _wrong(reading, codes)):
            chart = reading.text.chart_id
            raise AuscultError(
                f"The output of the model {kind} for chart {chart} is invalid: {wrong}. {GUIDE}"
            )
        yield reading
    if more := sum(1 for _ in left):
        raise _not_one_each(kind, len(texts), len(texts) + more)


def _not_one_each(kind: str, charts: int, returned: int) -> AuscultError:
    return AuscultError(
        f"The model {kind} must return one scored chart for each of the {charts:,} "
        f"charts, in order; it returned {returned:,}. {GUIDE}"
    )


def _wrong(reading: ScoredChart, codes: int) -> str | None:
    scores = reading.scores
    if not isinstance(scores, np.ndarray) or scores.shape != (codes,):
        return f"the scores must be an array of {codes:,}, one for each code"
    if not (np.isfinite(scores).all() and scores.min() >= 0 and scores.max() <= 1 + _SLACK):
        return "the scores must be numbers from 0 to 1"
    for evidence in reading.evidence.values():
        if not isinstance(evidence, EvidenceWeights):
            return "the evidence of a code must be an EvidenceWeights"
        begins, ends, note_of = evidence.begins, evidence.ends, reading.text.note_of
        words = len(note_of)
        if not len(begins) == len(ends) == len(evidence.weights):
            return "evidence needs a begin, an end and a weight for each range"
        if ((begins < 0) | (begins >= ends) | (ends > words)).any():
            return f"evidence must be ranges of its {words:,} words"
        if (note_of[begins] != note_of[ends - 1]).any():
            return "a range of evidence must lie within one note"
    return None
