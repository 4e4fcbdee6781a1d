"""Ridge regression of all codes at once, in its dual form.

With more n-grams than charts, the weights of a code are a combination of the charts' rows, and its
coefficients solve a system of as many equations as there are charts. The matrix, the inner products
of the charts, is the same for all codes, so that all are fitted for little more than the price of
one; and its inverse tells what each chart would score if it had been left out, for nothing.

Rifkin & Klautau 2004, "In defense of one-vs-all classification"; Rifkin & Lippert 2007, "Notes on
regularized least squares".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve, lapack

_FREQUENT = 0.05
"""Share of charts from which the column of an n-gram is multiplied as a dense one."""
_ROWS = 500
"""Number of rows of a product that are dense at once."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class RidgeFit:
    """The coefficient of each chart for each code; and each chart's value when left out, if asked.

    Both are (charts, codes). The values are without an intercept's shift.
    """

    coefficients: npt.NDArray[np.float32]
    left_out: Floats | None = None


def ridge(
    table: sparse.csr_matrix, targets: Floats, strength: float, *, leave_out: bool
) -> RidgeFit:
    """Fit targets, a column for each code, to the rows of a table, with an intercept.

    >>> rows = sparse.csr_matrix(np.eye(3, dtype=np.float32))
    >>> found = ridge(rows, np.array([[1.0], [0.0], [0.0]]), 1.0, leave_out=True)
    >>> found.coefficients.T.round(1), found.left_out.T.round(2)
    (array([[ 0.4, -0.1, -0.1]], dtype=float32), array([[0.  , 0.25, 0.25]]))
    """
    system = gram(table).astype(np.float64)
    system += 1  # the intercept is the weight of a feature that all charts have
    system[np.diag_indices_from(system)] += strength
    half, _ = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
    found = cho_solve((half, True), targets, check_finite=False)
    if not leave_out:
        return RidgeFit(found.astype(np.float32))
    inverse, _ = lapack.dpotri(half, lower=1, overwrite_c=True)
    return RidgeFit(found.astype(np.float32), targets - found / np.diag(inverse)[:, None])


def gram(table: sparse.csr_matrix) -> npt.NDArray[np.float32]:
    """The inner products of the rows of a table.

    The few n-grams that most charts have are nearly all of the work, and dense ones are quicker.
    """
    rows = table.shape[0]
    count = np.bincount(table.indices, minlength=table.shape[1])
    is_frequent = count >= max(2, _FREQUENT * rows)
    columns = table.tocsc()
    frequent = columns[:, is_frequent].toarray()
    found: npt.NDArray[np.float32] = (frequent @ frequent.T).astype(np.float32)
    rare = columns[:, ~is_frequent & (count > 1)].tocsr()
    turned = rare.T.tocsr()
    for first in range(0, rows, _ROWS):
        found[first : first + _ROWS] += (rare[first : first + _ROWS] @ turned).toarray()
    single = columns[:, count == 1].tocsr()
    squares = single.multiply(single).sum(axis=1)
    found[np.diag_indices_from(found)] += np.asarray(squares, np.float32)[:, 0]
    return found
