"""The note_id of each file: its name without the ending, and as much of its path as it takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path


def note_ids(files: Sequence[tuple[Path, Path]]) -> list[str]:
    """An id for each file, given with the folder that it was found in.

    Only files whose names are alike get longer ids: the path in the folder, then with the ending,
    then as it was given, then in full.

    >>> a = Path("a")
    >>> note_ids([(a / "x" / "1.txt", a), (a / "y" / "1.txt", a), (a / "y" / "2.txt", a)])
    ['x/1', 'y/1', '2']
    """
    ladders = [_ladder(file, folder) for file, folder in files]
    rungs = [0] * len(files)
    while True:
        ids = [ladder[rung] for ladder, rung in zip(ladders, rungs, strict=True)]
        times = Counter(ids)
        again = [
            at
            for at, name in enumerate(ids)
            if times[name] > 1 and rungs[at] + 1 < len(ladders[at])
        ]
        if not again:
            return ids
        for at in again:
            rungs[at] += 1


def _ladder(file: Path, folder: Path) -> tuple[str, ...]:
    inside = file.relative_to(folder)
    return (
        _stem(file),
        inside.with_name(_stem(file)).as_posix(),
        inside.as_posix(),
        file.as_posix(),
        file.resolve().as_posix(),
    )


def _stem(file: Path) -> str:
    return file.name.removesuffix(file.suffix)
