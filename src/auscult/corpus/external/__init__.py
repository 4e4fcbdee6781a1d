"""What other systems found in the notes of a corpus, as annotations beside the gold ones."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from auscult.core import Annotation, Code, FormatError, Note, OptionError
from auscult.core.names import require_known
from auscult.core.progress import track
from auscult.corpus.external.offsets import Counting, detect
from auscult.corpus.external.row import Row

_MODULES = {
    "ctakes": "ctakes",
    "metamap": "metamap",
    "quickumls": "listed",
    "medcat": "listed",
    "scispacy": "listed",
}
TOOLS = tuple(_MODULES)


def read_external(
    tool: str,
    source: Path,
    notes: Iterable[Note],
    *,
    annotator: str | None = None,
    system: str = "UMLS",
) -> list[Annotation]:
    """The annotations in a system's output file, or in a folder of such files.

    What offsets count is found out from what the output quotes. Rows on notes that are not there,
    rows that say the same twice and rows that point past their note are left out, and counted in a
    warning.
    """
    require_known(tool, TOOLS, "system")
    rows = list(_rows(tool, source))
    known = {note.note_id: note for note in notes}
    texts = {note_id: note.text for note_id, note in known.items() if note.text is not None}
    way = detect(rows, texts, tool)
    made: dict[tuple[Any, ...], Annotation] = {}
    left: Counter[str] = Counter()
    for row in rows:
        note = known.get(row.note_id)
        if note is None:
            left["on notes that are not in the corpus"] += 1
            continue
        spans = _spans(row, way, note)
        if spans is None:
            left["that point past their note, or into a character"] += 1
            continue
        key = (row.note_id, spans, row.code)
        if key in made:
            left["that say the same as another"] += 1
            continue
        made[key] = Annotation(
            annotator or tool,
            Code(system, row.code),
            note.chart_id,
            note.note_id,
            spans,
            row.score,
            dict(row.meta),
        )
    for what, count in left.items():
        warnings.warn(f"{source}: {count:,} of {len(rows):,} rows {what}: left out.", stacklevel=2)
    if rows and not made:
        raise FormatError(
            "nothing in it is on a note of the corpus. Files or rows are called after notes: "
            f"{rows[0].note_id!r} was looked for",
            source,
        )
    return list(made.values())


def _spans(row: Row, way: Counting, note: Note) -> Any:
    if note.text is None:
        raise OptionError(
            f"Note {note.note_id} has no text, which the offsets of another system need."
        )
    spans = way.spans(row, note.text)
    return None if spans is None or not all(len(span) for span in spans) else tuple(sorted(spans))


def _rows(tool: str, source: Path) -> Iterator[Row]:
    module = import_module(f"{__name__}.{_MODULES[tool]}")
    suffixes: tuple[str, ...] = module.SUFFIXES
    files = [source]
    if source.is_dir():
        files = sorted(p for p in source.rglob("*") if p.suffix in suffixes and p.is_file())
        if not files:
            raise FormatError(f"no file in the folder ends in {', '.join(suffixes)}", source)
    elif not source.exists():
        raise OptionError(f"{source} does not exist.")
    for file in track(files, f"reading {tool}", len(files)):
        yield from module.read(file)
