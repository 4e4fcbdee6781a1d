"""The weights of n-grams for every code, fitted by ridge regression on samples of the charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy import sparse

from auscult.core.progress import track
from auscult.core.threads import allowed, one_blas_thread
from auscult.models.linear.chart_samples import ChartSample, chart_samples
from auscult.models.linear.ridge import ridge
from auscult.models.linear.score_scale import ScoreScale

_KEPT = 1_000
"""Number of weights kept for a code, the largest. The others are noise: without them scores of
unseen charts are better, not only smaller models."""
_SHARED = 4
"""Times as many are kept in each sample of a code that is in several, until they are averaged."""
_CODES = 64
"""Number of codes whose weights are dense at once."""
_ROWS = 10_000
"""Number of rows in a partial sum."""

Places = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class _Fitted:
    """Weights of the codes of a sample, a column each; what its charts score when left out."""

    sample: ChartSample
    weights: sparse.csc_matrix
    left_out: Floats | None
    is_right: npt.NDArray[np.bool_]


@one_blas_thread()
def fit_weights(
    table: sparse.csr_matrix,
    gold: Sequence[Places],
    codes: int,
    *,
    strength: float,
    least: int,
    most: int,
    seed: int,
) -> tuple[sparse.csc_matrix, npt.NDArray[np.float32]]:
    """The weights, (n-grams, codes), and the biases, so that the sum of both is the log-odds.

    `gold` holds the codes of the chart of each row. Codes on fewer than `least` charts have no
    weights. Fitted with so many threads as are allowed; their number changes nothing.
    """
    having = _charts_of(gold, codes)
    share = np.array([len(charts) for charts in having]) / len(gold)
    enough = [one if len(one) >= least else one[:0] for one in having]
    samples = chart_samples(gold, enough, most, seed)
    scale = ScoreScale()
    columns: list[sparse.csc_matrix] = []
    places: list[Places] = []
    averaged: list[sparse.csc_matrix] = []
    fit = partial(_fit, table, having, strength)
    for found in track(_side_by_side(fit, samples), "fitting codes", len(samples)):
        if found.left_out is not None:
            _count(scale, found, share)
        if found.sample.is_shared:
            averaged.append(found.weights)
        else:
            columns.append(found.weights)
            places.append(found.sample.codes)
    if averaged:
        mean_weights = sum(averaged[1:], averaged[0]).T / np.float32(len(averaged))
        columns.append(_largest(mean_weights.toarray(), _KEPT))
        places.append(samples[0].codes)
    slope, offset = scale.line()
    weights = _in_place(columns, places, table.shape[1], codes)
    weights.data *= np.float32(slope)
    # Over all training charts a code's mean is what it should be, whatever its sample was.
    bias = slope * share + offset - weights.T @ _mean(table)
    return weights, bias.astype(np.float32)


def _mean(table: sparse.csr_matrix) -> Floats:
    """The mean of each column, without the full copy of the table that scipy would make."""
    total = np.zeros(table.shape[1])
    for first in range(0, table.shape[0], _ROWS):
        rows = table[first : first + _ROWS]
        total += rows.T @ np.ones(rows.shape[0], np.float32)
    mean: Floats = total / table.shape[0]
    return mean


def _side_by_side(
    fit: Callable[[ChartSample], _Fitted], samples: Sequence[ChartSample]
) -> Iterator[_Fitted]:
    """What is fitted on each sample, in order, by as many threads as are allowed."""
    threads = ThreadPoolExecutor(allowed())
    try:
        yield from threads.map(fit, samples)
    finally:  # an interruption does not wait for those that have not begun
        threads.shutdown(cancel_futures=True)


def _charts_of(gold: Sequence[Places], codes: int) -> list[Places]:
    found: list[list[int]] = [[] for _ in range(codes)]
    for chart, having in enumerate(gold):
        for code in having.tolist():
            found[code].append(chart)
    return [np.array(charts, np.int64) for charts in found]


def _fit(
    table: sparse.csr_matrix, having: Sequence[Places], strength: float, sample: ChartSample
) -> _Fitted:
    rows = table[sample.charts]
    targets = np.zeros((len(sample.charts), len(sample.codes)))
    for column, code in enumerate(sample.codes.tolist()):
        targets[np.isin(sample.charts, having[code], assume_unique=True), column] = 1
    found = ridge(rows, targets, strength, leave_out=sample.looked_at > 0)
    kept = _KEPT * (_SHARED if sample.is_shared else 1)
    turned = rows.T.tocsr()
    empty = sparse.csc_matrix((table.shape[1], 0), dtype=np.float32)
    parts = [
        _largest(
            np.ascontiguousarray((turned @ found.coefficients[:, first : first + _CODES]).T), kept
        )
        for first in range(0, len(sample.codes), _CODES)
    ]
    weights = sparse.hstack([empty, *parts], format="csc", dtype=np.float32)
    return _Fitted(sample, weights, found.left_out, targets > 0)


def _largest(by_code: npt.NDArray[np.float32], kept: int) -> sparse.csc_matrix:
    """The largest weights of each code, a row, and those as large as the smallest of them."""
    data, indices, pointer = [np.zeros(0, np.float32)], [np.zeros(0, np.int32)], [0]
    for weights in by_code:
        size = np.abs(weights)
        least = np.partition(size, -kept)[-kept] if len(size) > kept else np.float32(0)
        at = np.flatnonzero((size >= least) & (size > 0))
        data.append(weights[at])
        indices.append(at.astype(np.int32))
        pointer.append(pointer[-1] + len(at))
    return sparse.csc_matrix(
        (np.concatenate(data), np.concatenate(indices), np.array(pointer)),
        shape=by_code.shape[::-1],
    )


def _count(scale: ScoreScale, found: _Fitted, share: Floats) -> None:
    """Count what the charts of a sample score when left out, with the right mean for each code."""
    sample, values = found.sample, found.left_out
    assert values is not None
    shift = share[sample.codes] - sample.weights @ values / sample.weights.sum()
    weights = sample.weights * sample.looked_at
    for first in range(0, len(shift), _CODES):
        part = slice(first, first + _CODES)
        scale.count(values[:, part] + shift[part], found.is_right[:, part], weights)


def _in_place(
    columns: Sequence[sparse.csc_matrix], places: Sequence[Places], grams: int, codes: int
) -> sparse.csc_matrix:
    """Columns in the order of the codes; a code that has none gets an empty one."""
    empty = sparse.csc_matrix((grams, 1), dtype=np.float32)
    together = sparse.hstack([*columns, empty], format="csc", dtype=np.float32)
    column_of = np.full(codes, together.shape[1] - 1, np.int64)
    for first, place in zip(np.cumsum([0, *map(len, places)]), places, strict=False):
        column_of[place] = np.arange(first, first + len(place))
    return together[:, column_of]
