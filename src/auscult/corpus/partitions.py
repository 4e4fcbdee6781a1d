"""A corpus on disk cut into parts that can be worked on apart: rows of notes, whole charts.

Where the notes of every chart stand together, a partition is a range of rows of the file itself.
Where they do not (MIMIC-III's table goes by category), the notes are first gathered into a file
for each partition. What is in memory meanwhile is three numbers for every run of a chart's notes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from auscult.core import CorpusError, OptionError, storage
from auscult.corpus.corpus import Corpus
from auscult.corpus.manifest import FileEntry
from auscult.corpus.pinned_table import read_rows

NOTES = 10_000
"""Notes per partition: seconds of work for a fast model, some tens of megabytes."""
_FILE = "notes.parquet"
_GATHERED = "gathered"
_ROWS = 50_000
"""Rows that are planned or collected at a time."""
_ASIDE = "aside"
_ROWS_ASIDE = 500
"""The minimum number of rows that are read to retrieve one that was set aside."""
_Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Partition:
    """Notes `begin` up to `end` of a file; `splits`, where given, are the only ones wanted."""

    directory: Path
    file: str
    entry: FileEntry
    begin: int
    end: int
    splits: tuple[str, ...] | None = None

    @property
    def asked(self) -> list[object]:
        """What the notes follow from, for a digest."""
        splits = None if self.splits is None else sorted(self.splits)
        return [self.entry.sha256, self.begin, self.end, splits]

    def read(self) -> pl.DataFrame:
        """The notes, as a table."""
        table = read_rows(self.directory, self.file, self.entry, self.begin, self.end)
        return table if self.splits is None else table.filter(pl.col("split").is_in(self.splits))


def partitions(
    corpus: Corpus,
    folder: Path,
    *,
    notes: int = NOTES,
    splits: Collection[str] | None = None,
    whole_charts: bool = True,
) -> list[Partition]:
    """The partitions of a corpus on disk, of so many notes and the rest of the last one's chart.

    Charts are in the order in which they first come. `folder` is for what has to be gathered.
    """
    if corpus.path is None or _FILE not in corpus.manifest.files:
        raise CorpusError(
            "This corpus is in memory only. Write it to a directory before partitioning it."
        )
    if notes < 1:
        raise OptionError(f"A partition has at least one note; got {notes:,}.")
    entry = corpus.manifest.files[_FILE]
    wanted = None if splits is None else tuple(splits)
    if not whole_charts or entry.rows <= notes:
        edges = [*range(0, entry.rows, notes), entry.rows]
    else:
        begins, charts = _runs(corpus.path, entry.rows)
        if not _stand_together(charts):
            return _gathered(corpus.path, entry, folder, begins, charts, notes, wanted)
        edges = _edges(begins, entry.rows, notes)
    return [
        Partition(corpus.path, _FILE, entry, begin, end, wanted) for begin, end in pairwise(edges)
    ]


def _runs(path: Path, rows: int) -> tuple[_Numbers, npt.NDArray[np.uint64]]:
    """Where each run of notes of one chart begins, and a hash of the chart."""
    begins, charts = np.empty(rows, np.int64), np.empty(rows, np.uint64)
    row = runs = 0
    last = None
    for batch in _batches(pl.scan_parquet(storage.locate(path, _FILE)).select("chart_id")):
        hashes = batch["chart_id"].hash().to_numpy()
        new = np.r_[last is None or hashes[0] != last, hashes[1:] != hashes[:-1]]
        count = int(new.sum())
        begins[runs : runs + count] = np.flatnonzero(new) + row
        charts[runs : runs + count] = hashes[new]
        row, runs, last = row + len(hashes), runs + count, hashes[-1]
    return begins[:runs], charts[:runs]


def _stand_together(charts: npt.NDArray[np.uint64]) -> bool:
    """Whether each chart has one run."""
    ordered = np.sort(charts)
    return not (ordered[1:] == ordered[:-1]).any()


def _batches(table: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    for batch in table.collect_batches(chunk_size=_ROWS, maintain_order=True):
        if batch.height:
            yield batch


def _edges(begins: _Numbers, rows: int, notes: int) -> list[int]:
    """Where partitions begin and end: at the first chart after so many notes.

    >>> _edges(np.array([0, 3, 4, 9, 10]), 12, 4)
    [0, 4, 9, 12]
    """
    edges = [0]
    while (at := int(np.searchsorted(begins, edges[-1] + notes))) < len(begins):
        edges.append(int(begins[at]))
    return [*edges, rows]


def _gathered(
    path: Path,
    entry: FileEntry,
    folder: Path,
    begins: _Numbers,
    charts: npt.NDArray[np.uint64],
    notes: int,
    splits: tuple[str, ...] | None,
) -> list[Partition]:
    """Partitions in files of their own, each with all notes of its charts in their order."""
    _, first, number = np.unique(charts, return_index=True, return_inverse=True)
    sizes = np.diff(np.r_[begins, entry.rows])
    counts = np.bincount(number, weights=sizes).astype(np.int64)
    order = np.argsort(first)
    # A chart belongs where its first note would be if the charts before it were whole.
    place = np.empty(len(order), np.int64)
    place[order] = (np.cumsum(counts[order]) - counts[order]) // notes
    place = np.unique(place, return_inverse=True)[1]
    of_run = place[number]
    heights = np.bincount(place, weights=counts).astype(np.int64)
    made = folder / f"{_GATHERED}-{entry.sha256[:16]}-{notes}"
    if not made.exists():
        storage.publish(made, lambda draft: _gather(path, draft, begins, of_run), private=True)
    found = []
    for at, height in enumerate(heights.tolist()):
        file = f"{at:06}.parquet"
        size = (made / file).stat().st_size
        # The digest of the whole and the place in it stand for the part.
        part = FileEntry(sha256=f"{entry.sha256}/{notes}/{at}", rows=height, bytes=size)
        found.append(Partition(made, file, part, 0, height, splits))
    return found


def _gather(path: Path, folder: Path, begins: _Numbers, of_run: _Numbers) -> None:
    """Write the notes into a file for each partition, reading the table once.

    A batch at a time is sorted by partition and put aside; then every partition takes its rows
    from each.
    """
    row = 0
    aside: list[tuple[pl.LazyFrame, npt.NDArray[np.int32]]] = []
    for number, batch in enumerate(_batches(pl.scan_parquet(storage.locate(path, _FILE)))):
        rows = np.arange(row, row + batch.height)
        row += batch.height
        places = of_run[np.searchsorted(begins, rows, side="right") - 1]
        order = np.argsort(places, kind="stable")
        file = folder / f"{_ASIDE}-{number:06}.arrow"
        batch[order].write_ipc(file, record_batch_size=_ROWS_ASIDE)
        aside.append((pl.scan_ipc(file), places[order].astype(np.int32)))
    for place in range(int(of_run.max()) + 1):
        pieces = []
        for table, sorted_places in aside:
            begin, end = np.searchsorted(sorted_places, [place, place + 1]).tolist()
            if end > begin:
                pieces.append(table.slice(begin, end - begin).collect())
        pl.concat(pieces).write_parquet(folder / f"{place:06}.parquet")
    for file in folder.glob(f"{_ASIDE}-*"):
        file.unlink()
