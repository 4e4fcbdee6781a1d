"""Which file is which note, in a plain folder and in a project export of INCEpTION.

A plain folder has a file a note, named by its id. INCEpTION exports a folder a note, with a file
an annotator in it (`annotation/note-1.txt/ann.tsv`).
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from auscult.core import FormatError, Note
from auscult.core.names import shown

_UNSAFE = re.compile(r'[%<>:"/\\|?*\x00-\x1f\x7f]|^\.')
_ESCAPED = re.compile(r"%([0-7][0-9A-F])")
_LONGEST = 255
_SOURCE_SUFFIXES = (".tsv", ".txt", ".xmi", ".json")
_EXPORT_FOLDERS = ("annotation", "curation")
# What INCEpTION calls the state of a note before anyone has annotated it.
_BEFORE = "INITIAL_CAS"


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A file, the note it is of, and the annotator whose file it is, where the path says so."""

    path: Path
    note_id: str
    annotator: str | None = None


def file_name(note_id: str, suffix: str) -> str:
    """A note's file name: its id, with what a file name cannot hold percent-encoded.

    >>> file_name("a/b 50%", ".tsv")
    'a%2Fb 50%25.tsv'
    """
    name = _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", note_id) + suffix
    if len(name.encode()) > _LONGEST:
        raise FormatError(
            f"the note_id {shown(note_id)} is too long for a file name: {len(name.encode())} "
            f"bytes, at most {_LONGEST} are allowed. Shorten the note ids"
        )
    return name


def note_id_of(name: str) -> str:
    """The id of the note a file name, without its suffix, was made of.

    >>> note_id_of("a%2Fb 50%25")
    'a/b 50%'
    """
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), name)


def note_files(source: Path, suffixes: Collection[str]) -> list[NoteFile]:
    """The files of a source, in order of name; an error when there is none."""
    if source.is_file():
        return [NoteFile(source, note_id_of(source.stem))]
    roots = [root for name in _EXPORT_FOLDERS if (root := source / name).is_dir()] or [source]
    try:
        paths = sorted(
            path
            for root in roots
            for path in root.rglob("*")
            if path.suffix in suffixes and path.is_file()
        )
        is_zipped = not paths and any(path for root in roots for path in root.rglob("*.zip"))
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", source) from error
    if not paths:
        wanted = " or ".join(f"*{suffix}" for suffix in suffixes)
        hint = "; unpack the *.zip files in it first" if is_zipped else ""
        raise FormatError(f"no {wanted} file in the folder{hint}", source)
    folders = {path.parent for path in paths if path.stem != _BEFORE}
    found = []
    for path in paths:
        if path.parent in roots:
            found.append(NoteFile(path, note_id_of(path.name.removesuffix(path.suffix))))
        elif path.stem != _BEFORE or path.parent not in folders:
            found.append(NoteFile(path, _folder_note(path.parent.name), path.stem))
    return found


def check_same_text(note: Note, text: str | None, file: NoteFile) -> None:
    """Raise an error when a further file of a note has another text than the first."""
    if note.text != text:
        raise FormatError(
            f"its text differs from another file of note {shown(note.note_id)}. A folder inside "
            "the source is read as one note, with one file per annotator",
            file.path,
        )


def _folder_note(name: str) -> str:
    for suffix in _SOURCE_SUFFIXES:
        if name.endswith(suffix) and name != suffix:
            return note_id_of(name.removesuffix(suffix))
    return note_id_of(name)
