"""Reading of numpy files that may be damaged."""

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
