"""Arrays that take long to make, kept on disk and mapped from there the next time.

They are in `cache` of the user's data folder, one folder a key. Where nothing can be written they
are made each time; a folder that is damaged is made anew. Who needs arrays that another process is
making waits for them. Once others of the same kind are made, those that nobody has opened for a
month are removed.
"""

from __future__ import annotations

import fcntl
import gc
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from auscult.codes.home import data_home
from auscult.core import AuscultError
from auscult.core.progress import track
from auscult.core.storage import publish

Arrays = Mapping[str, npt.NDArray[Any]]
_LIST = "names.txt"
"""The list of the arrays; its time is that of the last use, give or take a day."""
_DAY = 24 * 60 * 60
_UNUSED = 30 * _DAY
_DIGEST = re.compile(r"(?:-\d+)?-[^-]+$")
_only_kept: ContextVar[bool] = ContextVar("auscult_only_kept", default=False)


class NotCompiledError(AuscultError):
    """Arrays are not on disk, and were not to be made."""


def compiled(key: str, build: Callable[[], Arrays]) -> Arrays:
    """The arrays of a key: mapped from disk, or built, and then kept there.

    The key must name all that the arrays depend on: their kind, the number of their layout, and
    the digest of the file that they are made from, as `tabular-1-f161f818`.
    """
    folder = data_home() / "cache" / key
    kept = _open(folder)
    if kept is not None:
        return kept
    if _only_kept.get():
        raise NotCompiledError(f"{key} is not compiled yet. Run auscult codes compile.")
    with _alone(folder):
        kept = _open(folder)
        if kept is not None:
            return kept
        # How much there is to do is not known before it is done.
        with _uncollected():
            (arrays,) = track((build() for _ in range(1)), "compiling code tables")
        try:
            publish(folder, lambda draft: _write(draft, arrays))
        except (AuscultError, OSError):
            return arrays
    _remove_unused(folder)
    return _open(folder) or arrays


@contextmanager
def only_kept() -> Iterator[None]:
    """Let nothing be compiled inside the `with`: it raises `NotCompiledError` instead."""
    token = _only_kept.set(True)
    try:
        yield
    finally:
        _only_kept.reset(token)


def compiled_size() -> int:
    """How many bytes all that is compiled takes on disk."""
    cache = data_home() / "cache"
    return sum(file.stat().st_size for file in cache.rglob("*") if file.is_file())


def _remove_unused(made: Path) -> None:
    """Remove the folders of the same kind that nobody has opened for a month.

    A process that has mapped one keeps its arrays: files go when the last one lets go of them.
    """
    kind, begins = _DIGEST.sub("", made.name), time.time() - _UNUSED
    with suppress(OSError):
        for folder in made.parent.iterdir():
            # Locks and drafts begin with a dot, and so are of no kind.
            if folder == made or _DIGEST.sub("", folder.name) != kind:
                continue
            with suppress(OSError):
                if _last_use(folder) < begins:
                    _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a folder, unless it is being made. It goes at one stroke, so that none is in part."""
    lock = folder.parent / f".{folder.name}.lock"
    with lock.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        gone = folder.with_name(f".{folder.name}.removed")
        shutil.rmtree(gone, ignore_errors=True)
        folder.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)
        lock.unlink()


def _last_use(folder: Path) -> float:
    """When a folder was last opened; one that is damaged, when it was last changed."""
    listing = folder / _LIST
    return (listing if listing.exists() else folder).stat().st_mtime


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the search for garbage, which goes through millions of objects and finds none."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other processes and threads from making the same arrays meanwhile, where possible."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        handle = (folder.parent / f".{folder.name}.lock").open("w")
    except OSError:
        yield
        return
    with handle:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _write(folder: Path, arrays: Arrays) -> None:
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)
    (folder / _LIST).write_text("".join(f"{name}\n" for name in arrays), encoding="utf-8")


def _open(folder: Path) -> Arrays | None:
    try:
        names = (folder / _LIST).read_text(encoding="utf-8").split()
        arrays = {name: _mapped(folder / f"{name}.npy") for name in names}
    except (OSError, ValueError, EOFError):
        return None
    with suppress(OSError):
        if _last_use(folder) < time.time() - _DAY:
            os.utime(folder / _LIST)
    return arrays


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
