"""Whether what a scorer says of charts can be what it says it is.

Another package's coder is told here what is wrong with it, while it learns, and not by an error of
somebody's array arithmetic, or by thresholds that mean nothing, after it was saved.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from auscult.coders import GUIDE
from auscult.coders.contract import Pointed, Reading
from auscult.coders.sequence import ChartText
from auscult.core import AuscultError

_SLACK = 1e-4  # A sum of float32 shares may end a little above 1.


def require_readings(
    kind: str, texts: Sequence[ChartText], readings: Sequence[Reading], codes: int
) -> None:
    """An error that says what is wrong with the first reading that is no reading of its chart."""
    if [reading.text.chart_id for reading in readings] != [text.chart_id for text in texts]:
        raise AuscultError(
            f"The coder {kind} was given {len(texts):,} charts and must read each of them, in "
            f"order; it gave {len(readings):,} readings. {GUIDE}"
        )
    for reading in readings:
        if wrong := _wrong(reading, codes):
            chart = reading.text.chart_id
            raise AuscultError(f"The coder {kind} read chart {chart} wrongly: {wrong}. {GUIDE}")


def _wrong(reading: Reading, codes: int) -> str | None:
    scores = reading.scores
    if not isinstance(scores, np.ndarray) or scores.shape != (codes,):
        return f"the scores must be an array of {codes:,}, one for each code"
    if not (np.isfinite(scores).all() and scores.min() >= 0 and scores.max() <= 1 + _SLACK):
        return "the scores must be numbers from 0 to 1"
    for pointed in reading.evidence.values():
        if not isinstance(pointed, Pointed):
            return "the evidence of a code must be a Pointed"
        begins, ends, note_of = pointed.begins, pointed.ends, reading.text.note_of
        words = len(note_of)
        if not len(begins) == len(ends) == len(pointed.weights):
            return "evidence needs a begin, an end and a weight for each range"
        if ((begins < 0) | (begins >= ends) | (ends > words)).any():
            return f"evidence must be ranges of its {words:,} words"
        if (note_of[begins] != note_of[ends - 1]).any():
            return "a range of evidence must lie within one note"
    return None
