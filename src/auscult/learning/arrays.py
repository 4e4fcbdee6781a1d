"""Arrays: reading files that may be damaged, and products that round the same everywhere."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from auscult.core import AuscultError


@contextmanager
def stored_arrays(file: Path) -> Iterator[Mapping[str, npt.NDArray[Any]]]:
    """The arrays of an `.npz` file; an error if it is damaged."""
    try:
        with np.load(file, allow_pickle=False) as held:
            yield held
    except (BadZipFile, EOFError, zlib.error) as error:
        raise AuscultError(f"{file} is damaged: its arrays cannot be read; train again.") from error


def row_products(table: npt.NDArray[Any], weights: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The product of a matrix and a vector.

    Unlike that of BLAS, a row's sum depends neither on the number of threads nor on the other rows.

    >>> row_products(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([10.0, 1.0]))
    array([12., 34.])
    """
    found: npt.NDArray[Any] = np.einsum("ij,j->i", table, weights)
    return found
