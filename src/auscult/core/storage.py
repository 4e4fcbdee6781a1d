"""A directory whose files change together or not at all, even under kill -9.

New contents are first written beside the directory, in full and flushed to disk. A directory
that is not there yet then appears by one rename. In one that is there, the new contents are
renamed to `.next` inside it: that rename is the moment of change. From then on a reader takes
each file from `.next` if it is there, and a writer moves the files out of it, which may be
interrupted and taken up again any number of times: a list in `.next` says what belongs there, and
goes last.

A draft is locked while its writer lives. One that nobody locks was left by a writer that was
killed, and the next writer removes it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from auscult.core.errors import CorpusError, OptionError
from auscult.core.option_names import option

_NEXT = ".next"
_LOCK = ".lock"
_LIST = ".list"
_ARRAYS = (".parquet", ".npy", ".npz", ".safetensors")
"""Files that are removed when they are no longer part of the contents; others may be the user's."""


def locate(directory: Path, name: str) -> Path:
    """Where a file of the directory is at present."""
    following = directory / _NEXT / name
    return following if following.exists() else directory / name


def finish_interrupted(directory: Path) -> None:
    """Complete an interrupted change, so that every file can be read from its own place."""
    if (directory / _NEXT).exists():
        with _locked(directory, wait=True):
            _settle(directory)


def publish(
    directory: Path,
    fill: Callable[[Path], None],
    *,
    alone: bool = False,
    private: bool = False,
    overwrite: bool = True,
) -> None:
    """Let `fill` write a directory's whole contents, then put them in place at one stroke.

    When `fill` fails, nothing has changed. With `alone`, other writers of a directory that is
    there are waited for and kept out until the end, so that `fill` may build on what it finds.
    With `private`, nobody but the owner can look into it at any time. Without `overwrite`, a
    directory that has come to be there meanwhile is an error.
    """
    named = directory
    directory = Path(os.path.abspath(directory))  # noqa: PTH100 - resolve() would follow a link
    throughout = _locked(directory, wait=True) if alone else nullcontext()
    with throughout, _beside(directory, named) as draft:
        draft.chmod(0o700 if private else 0o777 & ~_umask())
        fill(draft)
        for file in draft.rglob("*"):
            if not private and file.is_file():
                file.chmod(0o666 & ~_umask())  # some libraries write for the owner alone
            _flush(file)
        _flush(draft)
        if directory.exists() and any(directory.iterdir()):
            if not overwrite:
                raise OptionError(
                    f"{named} was written by another process in the meantime and was not "
                    f"overwritten. Choose another name, or pass {_overwrite()}."
                )
            _write_list(draft)
            with nullcontext() if alone else _locked(directory):
                _settle(directory)
                draft.rename(directory / _NEXT)
                _flush(directory)
                _settle(directory)
        else:
            draft.rename(directory)  # an empty folder is replaced
        _flush(directory.parent)


@contextmanager
def drafted(target: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """A place to write a new file or folder, which becomes `target` when the block succeeds.

    With `overwrite`, what is at `target` goes, but no folder for a file and no file for a folder;
    without, only an empty folder may be there.
    """
    with _beside(target, target) as beside:
        draft = beside / target.name
        yield draft
        if overwrite:
            check_kind(target, is_folder=draft.is_dir())
        if overwrite and target.exists():
            target.rename(beside / f"{target.name}.before")
        elif target.is_dir():
            target.rmdir()  # an empty folder may be written into; a full one is an error
        draft.rename(target)


def _overwrite() -> str:
    return option("--overwrite", "overwrite=True")


def check_target(path: Path, file: str, noun: str, *, overwrite: bool) -> None:
    """An error when no directory that `file` marks as a `noun` may be written there.

    An empty folder may always be written into, one of the kind only with `overwrite`.
    """
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return
    if not overwrite:
        raise OptionError(f"{path} exists already. Choose another name, or pass {_overwrite()}.")
    if not locate(path, file).exists():
        raise OptionError(
            f"{path} exists and is not a {noun}, so it is not overwritten. Choose another name."
        )


def check_kind(target: Path, *, is_folder: bool) -> None:
    """An error when a folder is in the place of a file to be written, or a file in a folder's."""
    if target.exists() and target.is_dir() != is_folder:
        kind, other = ("folder", "file") if target.is_dir() else ("file", "folder")
        raise OptionError(
            f"{target} is a {kind}, but a {other} must be written there. Choose another name."
        )


@contextmanager
def _beside(target: Path, named: Path) -> Iterator[Path]:
    """A folder beside `target` to work in, gone afterwards; what cannot be written is `named`."""
    draft: Path | None = None
    lock: int | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        prefix = f".{target.name}.draft-"
        _sweep(target.parent, prefix)
        with _unsignaled():
            draft, lock = _new_draft(target.parent, prefix)
        yield draft
    except OSError as error:
        # A file that was being read has a name of its own, and is not what cannot be written.
        if draft is not None and error.filename is not None:
            place = Path(error.filename)
            if not {draft, target} & {place, *place.parents} and place != target.parent:
                raise
        raise OptionError(_unwritable(named, error)) from error
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)
        if lock is not None:
            os.close(lock)


@contextmanager
def _unsignaled() -> Iterator[None]:
    """Signals that would end the process wait, so that none comes between a folder and its name."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _new_draft(parent: Path, prefix: str) -> tuple[Path, int]:
    """A new folder, and the open handle that locks it."""
    while True:
        draft = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        handle = os.open(draft, os.O_RDONLY)
        # Another writer may have taken the folder for an abandoned one before it was locked.
        if _try_lock(handle) is not False and draft.exists():
            return draft, handle
        os.close(handle)


def _sweep(parent: Path, prefix: str) -> None:
    """Remove the drafts whose writers are dead."""
    for left in parent.iterdir():
        if not left.name.startswith(prefix):
            continue
        try:
            handle = os.open(left, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            continue
        try:
            if _try_lock(handle):
                shutil.rmtree(left, ignore_errors=True)
        finally:
            os.close(handle)


def _try_lock(handle: int) -> bool | None:
    """Whether the lock was free and is now held; None where the file system has no such locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _unwritable(target: Path, error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.errno in (errno.EEXIST, errno.ENOTDIR):
        reason = "a part of the path is a file, not a directory"
    full = error.errno in (errno.ENOSPC, errno.EDQUOT) or "os error 28" in reason
    advice = "Free some space, or choose" if full else "Choose"
    return f"{target} cannot be written: {reason[:1].lower()}{reason[1:]}. {advice} another place."


def _settle(directory: Path) -> None:
    """Move what an earlier change left in `.next` to its place."""
    following = directory / _NEXT
    if not following.exists():
        return
    listing = following / _LIST
    for file in following.iterdir():
        if file != listing:
            place = directory / file.name
            if place.is_dir():
                shutil.rmtree(place)  # only an empty folder can be replaced
            file.replace(place)
    if listing.exists():
        contents = set(listing.read_text(encoding="utf-8").splitlines())
        for stale in directory.iterdir():
            if stale.is_file() and stale.suffix in _ARRAYS and stale.name not in contents:
                stale.unlink()
        _flush(directory)
        listing.unlink()
    following.rmdir()


def _write_list(draft: Path) -> None:
    names = sorted(file.name for file in draft.iterdir())
    listing = draft / _LIST
    listing.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    _flush(listing)
    _flush(draft)


@contextmanager
def _locked(directory: Path, *, wait: bool = False) -> Iterator[None]:
    with (directory / _LOCK).open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError as error:
            raise CorpusError(
                f"{directory} is being written by another process; wait until it finishes."
            ) from error
        yield


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
