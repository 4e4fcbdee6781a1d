"""Arrays that take long to make, kept on disk and mapped from there the next time.

They are in `cache` of the user's data folder, one folder a key. Where nothing can be written they
are made each time; a folder that is damaged is made anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.codes.home import data_home
from auscult.core import AuscultError
from auscult.core.storage import publish

Arrays = Mapping[str, npt.NDArray[Any]]
_LIST = "names.txt"


def compiled(key: str, build: Callable[[], Arrays]) -> Arrays:
    """The arrays of a key: mapped from disk, or built, and then kept there.

    The key must name all that the arrays depend on: what they are, the number of their layout,
    and the digest of the file that they are made from.
    """
    folder = data_home() / "cache" / key
    kept = _open(folder)
    if kept is not None:
        return kept
    arrays = build()
    try:
        publish(folder, lambda draft: _write(draft, arrays))
    except (AuscultError, OSError):
        return arrays
    return _open(folder) or arrays


def _write(folder: Path, arrays: Arrays) -> None:
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)
    (folder / _LIST).write_text("".join(f"{name}\n" for name in arrays), encoding="utf-8")


def _open(folder: Path) -> Arrays | None:
    try:
        names = (folder / _LIST).read_text(encoding="utf-8").split()
        return {name: _mapped(folder / f"{name}.npy") for name in names}
    except (OSError, ValueError, EOFError):
        return None


def _mapped(file: Path) -> npt.NDArray[Any]:
    array: npt.NDArray[Any]
    try:
        # A view without memmap's bookkeeping, which would slow every slice.
        array = np.load(file, mmap_mode="r", allow_pickle=False).view(np.ndarray)
    except ValueError:
        # An array without elements cannot be mapped.
        array = np.load(file, allow_pickle=False)
        if array.size:
            raise
    return array
