"""What MDACE leaves to other files: the notes' text, which is MIMIC-III's, and the splits."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

import polars as pl

from auscult.core import FormatError, Note
from auscult.core.files import read_text
from auscult.core.names import shown
from auscult.corpus.formats.shared import tables


class Splitting(StrEnum):
    """Which of the two published splits."""

    EV = "ev"
    CODE_EV = "code-ev"


def with_text(notes: dict[str, Note], noteevents: Path) -> dict[str, Note]:
    """The notes with text and more from NOTEEVENTS, of which only their rows are ever kept."""
    wanted = [note_id for note_id, note in notes.items() if note.text is None]
    if not wanted:
        return notes
    path = tables.find_table(noteevents, "NOTEEVENTS") if noteevents.is_dir() else noteevents
    if path is None:
        raise FormatError("no NOTEEVENTS.csv or NOTEEVENTS.csv.gz in the folder", noteevents)
    optional = ("SUBJECT_ID", "HADM_ID", "CHARTDATE", "CHARTTIME", "CATEGORY")
    events = tables.scan_csv(path, ("ROW_ID", "TEXT"), optional=optional)
    found = events.filter(pl.col("ROW_ID").is_in(pl.Series(wanted).implode())).collect()
    filled = dict(notes)
    for event in found.iter_rows(named=True):
        filled[event["ROW_ID"]] = _with_event(filled[event["ROW_ID"]], event, path)
    missing = len(wanted) - found["ROW_ID"].n_unique()
    if missing == len(wanted):
        raise FormatError(
            f"none of the {missing:,} notes is in it (ROW_ID must equal the note_id)", path
        )
    if missing:
        warnings.warn(
            f"{path}: {missing:,} of {len(wanted):,} notes are not in it and stay without text.",
            stacklevel=3,
        )
    return filled


def _with_event(note: Note, event: dict[str, str | None], path: Path) -> Note:
    where = f"the note with ROW_ID {shown(note.note_id)}"
    if note.text is not None:
        raise FormatError(f"{where} appears twice", path)
    if event["HADM_ID"] not in (None, "", note.chart_id):
        raise FormatError(
            f"{where} belongs to admission {shown(event['HADM_ID'] or '')}, but in MDACE to "
            f"{shown(note.chart_id)}. MDACE is based on MIMIC-III 1.4",
            path,
        )
    day = (event["CHARTDATE"] or "")[:10]
    return replace(
        note,
        text=event["TEXT"] or "",
        subject_id=event["SUBJECT_ID"] or None,
        time=(event["CHARTTIME"] or "").strip().replace(" ", "T") or day or None,
        category=note.category or (event["CATEGORY"] or "").strip() or None,
    )


def with_splits(notes: dict[str, Note], folder: Path, splitting: Splitting) -> dict[str, Note]:
    """The notes with their chart's split, from files of chart ids such as MDace-ev-train.csv."""
    splits: dict[str, str] = {}
    files = {name: folder / f"MDace-{splitting}-{name}.csv" for name in ("train", "val", "test")}
    there = {name: file for name, file in files.items() if file.is_file()}
    if not there:
        raise FormatError(
            f"no {files['train'].name} here. Pass the folder that has it, such as Inpatient",
            folder,
        )
    for name, file in there.items():
        for row, line in enumerate(read_text(file).splitlines(), start=1):
            if not re.fullmatch(r"\s*[\w-]*\s*", line):
                raise FormatError("expected one chart id per line", file, row)
            if (chart_id := line.strip()) and splits.setdefault(chart_id, name) != name:
                raise FormatError(
                    f"chart {shown(chart_id)} is also in {splits[chart_id]}", file, row
                )
    split = {k: replace(note, split=splits.get(note.chart_id)) for k, note in notes.items()}
    if notes and all(note.split is None for note in split.values()):
        raise FormatError("the split files list none of the charts", folder)
    return split
