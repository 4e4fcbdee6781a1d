"""Samples of the training charts for the trees of a code."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import xgboost as xgb
from scipy import sparse

Rows = npt.NDArray[np.int64]


class CodeSamples:
    """The table that the trees of each code are grown on: all training charts, or a sample."""

    def __init__(self, matrix: sparse.csr_matrix, most: int, threads: int, seed: int) -> None:
        self._matrix, self._most, self._threads, self._seed = matrix, most, threads, seed
        # Quantized once: only the labels are another code's each time.
        self._whole = rows_table(matrix, threads) if matrix.shape[0] <= most else None

    def of(self, code: int, having: Rows) -> xgb.DMatrix:
        """The table with the labels of a code, which the charts `having` have."""
        if self._whole is not None:
            label_rows(self._whole, having)
            return self._whole
        charts, most = self._matrix.shape[0], self._most
        dice = np.random.default_rng((self._seed, code))
        others = np.setdiff1d(np.arange(charts), having)
        # As many with the code as without it, unless there are fewer of the ones.
        few = min(len(having), max(most // 2, most - len(others)))
        drawn = [
            np.sort(dice.choice(rows, size, replace=False))
            for rows, size in ((having, few), (others, min(len(others), most - few)))
        ]
        weights = np.repeat(
            [len(having) / len(drawn[0]), len(others) / len(drawn[1])], [len(one) for one in drawn]
        )
        table = rows_table(self._matrix[np.concatenate(drawn)], self._threads)
        label_rows(table, np.arange(few))
        table.set_weight(weights)
        return table


def rows_table(matrix: sparse.csr_matrix, threads: int) -> xgb.DMatrix:
    """The rows of a matrix as xgboost takes them."""
    return xgb.DMatrix(matrix, nthread=threads)


def label_rows(table: xgb.DMatrix, rows: Rows) -> None:
    """Say which charts have the code that trees are grown for."""
    labels = np.zeros(table.num_row(), np.float32)
    labels[rows] = 1
    table.set_label(labels)
