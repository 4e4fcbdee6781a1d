"""Read notes from files and folders. A file that cannot be read does not lose the others."""

from __future__ import annotations

import os
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from auscult.core import AuscultError, FormatError, MissingExtraError, Note, OptionError
from auscult.core.encodings import UTF_8
from auscult.core.files import read_bytes
from auscult.core.plurals import counted
from auscult.core.progress import track
from auscult.corpus.documents.contents import text_in
from auscult.corpus.documents.names import note_ids

STANDARD_INPUT = "-"
ENDINGS = (".txt", ".text", ".docx", ".doc", ".pdf", ".rtf")
"""The files of a folder that are read."""
_CERTAIN = (UTF_8, "PDF", "RTF", "Word")
_TABLES = (".csv", ".json", ".jsonl", ".parquet", ".tsv", ".xlsx", ".xml", ".xmi", ".gz", ".zip")


@dataclass(frozen=True, slots=True)
class UnreadFile:
    """A file that could not be read, and why: a sentence, of which the file is the subject."""

    file: str
    problem: str

    def __str__(self) -> str:
        return f"{self.file} {self.problem}."

    def to_dict(self) -> dict[str, str]:
        """For JSON."""
        return {"file": self.file, "problem": self.problem}


@dataclass(frozen=True, slots=True)
class ReadDocuments:
    """Notes from files, a chart each, and what could not be read."""

    notes: tuple[Note, ...] = field(repr=False)
    kinds: Mapping[str, int]
    """How many files were in each encoding or format, such as UTF-8, Windows-1252 or PDF."""
    unread: tuple[UnreadFile, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many files of the folders have endings that are not read."""


def read_documents(
    sources: Path | str | Sequence[Path | str], *, category: str | None = None
) -> ReadDocuments:
    """The notes in files and folders; `-` is standard input. Each file is a note and a chart.

    Of a folder, and of the folders in it, the .txt, .docx, .pdf and .rtf files are read; hidden
    files are not. The `note_id` is a file's name without its ending; where two would be alike, the
    path within the folder. Encodings are detected. PDF and RTF need the extra `documents`.
    """
    given = [sources] if isinstance(sources, Path | str) else list(sources)
    files: dict[Path, tuple[Path, Path]] = {}
    left_out: Counter[str] = Counter()
    for source in given:
        if str(source) != STANDARD_INPUT:
            for file, folder in _files(Path(source), left_out):
                files.setdefault(file.resolve(), (file, folder))  # one that is named twice
    notes: list[Note] = []
    kinds: Counter[str] = Counter()
    unread: list[UnreadFile] = []

    def read(note_id: str, raw: bytes, path: Path) -> None:
        text, kind = text_in(raw, path)
        kinds[kind] += 1
        notes.append(Note(note_id, note_id, category=category, text=text))

    if any(str(source) == STANDARD_INPUT for source in given):
        try:
            read("stdin", sys.stdin.buffer.read(), Path("-"))
        except FormatError as error:
            raise FormatError(f"Standard input {error.problem}.") from error
    found = list(files.values())
    for note_id, (file, _) in track(
        list(zip(note_ids(found), found, strict=True)), "reading notes"
    ):
        try:
            read(note_id, read_bytes(file), file)
        except FormatError as error:
            unread.append(UnreadFile(str(file), error.problem))
        except MissingExtraError as error:
            unread.append(UnreadFile(str(file), f"was left out. {str(error).removesuffix('.')}"))
    if not notes:
        raise _nothing_read(unread, given, left_out)
    notes.sort(key=lambda note: note.note_id)
    _warn(kinds, left_out)
    return ReadDocuments(tuple(notes), dict(kinds), tuple(unread), dict(left_out))


def _files(source: Path, left_out: Counter[str]) -> Iterator[tuple[Path, Path]]:
    """The files of a source, with the folder that their ids begin at."""
    if source.is_dir():
        for folder, folders, names in os.walk(source, followlinks=False):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(name for name in names if not name.startswith((".", "~$"))):
                if Path(name).suffix.lower() in ENDINGS:
                    yield Path(folder, name), source
                else:
                    left_out[Path(name).suffix.lower()] += 1
    elif not source.exists():
        raise OptionError(f"{source} does not exist. Pass text files, folders of them, or -.")
    elif source.suffix.lower() in _TABLES:
        raise OptionError(
            f"{source} is not a text file. If it holds notes, import it first: "
            "auscult corpus import"
        )
    else:
        yield source, source.parent


def _warn(kinds: Mapping[str, int], left_out: Mapping[str, int]) -> None:
    """Say what a reader of the result could not see: guessed encodings, files passed over."""
    guessed = {kind: times for kind, times in kinds.items() if kind not in _CERTAIN}
    for kind, times in guessed.items():
        was = "is not UTF-8 and was" if times == 1 else "are not UTF-8 and were"
        warnings.warn(f"{counted(times, 'file')} {was} read as {kind}.", stacklevel=3)
    if left_out:
        times = sum(left_out.values())
        was = "was" if times == 1 else "were"
        warnings.warn(
            f"{counted(times, 'file')} in the folders {was} left out by the ending "
            f"({_endings(left_out)}).",
            stacklevel=3,
        )


def _nothing_read(
    unread: Sequence[UnreadFile], given: Sequence[Path | str], left_out: Mapping[str, int]
) -> AuscultError:
    if len(unread) == 1:
        return FormatError(str(unread[0]))
    if unread:
        return FormatError(f"None of the {len(unread):,} files could be read: {unread[0]}")
    others = f"; there are only others ({_endings(left_out)})" if left_out else ""
    if len(given) == 1:
        return OptionError(
            f"{given[0]} is neither a corpus (it has no manifest.json) nor a folder of .txt files, "
            f"or of .docx, .pdf or .rtf{others}."
        )
    where = ", ".join(map(str, given))
    return OptionError(f"No .txt, .docx, .pdf or .rtf file in {where}{others}.")


def _endings(left_out: Mapping[str, int]) -> str:
    return ", ".join(suffix or "no ending" for suffix in sorted(left_out))
