"""Files that people send: bounded in size, unpacked with care, read by the corpus's own readers."""

from __future__ import annotations

import shutil
import stat
import zipfile
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from auscult.core import AuscultError
from auscult.corpus import Corpus, formats
from auscult.corpus.corpus import MANIFEST
from auscult.server.errors import RefusedError, TooLargeError
from auscult.server.settings import ServerSettings

CORPUS = "corpus"
"""The format that is a corpus directory, zipped."""
_CHUNK = 1 << 20
_RATIO = 200
"""Text compresses to a tenth, seldom to a hundredth; a bomb to a thousandth."""
_SMALL = 10 * 2**20
"""Files below this may compress as they like."""


def read_upload(
    file: BinaryIO, name: str, form: str, folder: Path, settings: ServerSettings
) -> Corpus:
    """The corpus in a file that was sent, unpacked into `folder`. Its name is not trusted."""
    place = folder / "sent"
    if zipfile.is_zipfile(file):
        file.seek(0)
        unpack(file, place, settings)
        place = _only_child(place)
    else:
        file.seek(0)
        suffixes = "".join(PurePosixPath(name.replace("\\", "/")).suffixes[-2:])
        place = folder / f"sent{suffixes if suffixes.replace('.', '').isalnum() else ''}"
        with place.open("wb") as target:
            shutil.copyfileobj(file, target, _CHUNK)
    if form == CORPUS and not (place / MANIFEST).is_file():
        raise RefusedError(
            f"The file is not a corpus: it has no {MANIFEST}. Zip a corpus directory, or choose "
            "the file's format."
        )
    try:
        if form != CORPUS:
            return formats.read(form, place)
        opened = Corpus.open(place)
        opened.verify()
    except AuscultError as error:
        # Where it was unpacked says nothing to whoever sent it.
        said = str(error).replace(f"{place}/", "").replace(str(place), "the file")
        raise RefusedError(said.replace(f"{folder}/", "")) from error
    return opened


def unpack(file: BinaryIO, target: Path, settings: ServerSettings) -> None:
    """Unpack a zip file; an error for names that lead elsewhere, links, and bombs."""
    try:
        with zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
            _check_entries(entries, settings)
            left = settings.largest_unpacked
            for entry in entries:
                place = target / _safe_name(entry.filename)
                if entry.is_dir():
                    place.mkdir(parents=True, exist_ok=True)
                    continue
                place.parent.mkdir(parents=True, exist_ok=True)
                left = _copy(archive, entry, place, left, settings)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise RefusedError(
            "The zip file is damaged, encrypted, or uses an unsupported compression. Create it "
            "again."
        ) from error


def _check_entries(entries: list[zipfile.ZipInfo], settings: ServerSettings) -> None:
    if len(entries) > settings.most_files:
        raise TooLargeError(
            f"The zip file has {len(entries):,} files; the limit is {settings.most_files:,}."
        )
    if sum(entry.file_size for entry in entries) > settings.largest_unpacked:
        raise TooLargeError(
            f"The unpacked files have more than {settings.largest_unpacked:,} bytes."
        )
    for entry in entries:
        _safe_name(entry.filename)
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise RefusedError(
                "The zip file contains a symbolic link. Include the files themselves."
            )
        packed = max(entry.compress_size, 1)
        if entry.file_size > _SMALL and entry.file_size / packed > _RATIO:
            raise TooLargeError(
                f"A file in the zip is compressed {entry.file_size // packed:,} times, more than "
                "text can be."
            )


def _copy(
    archive: zipfile.ZipFile,
    entry: zipfile.ZipInfo,
    place: Path,
    left: int,
    settings: ServerSettings,
) -> int:
    """Copy one file; what it says of its size is not believed."""
    with archive.open(entry) as source, place.open("xb") as target:
        while chunk := source.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise TooLargeError(
                    f"The unpacked files have more than {settings.largest_unpacked:,} bytes."
                )
            target.write(chunk)
    return left


def _safe_name(name: str) -> PurePosixPath:
    path = PurePosixPath(name.replace("\\", "/"))
    leads_elsewhere = path.is_absolute() or ".." in path.parts or ":" in name or "\0" in name
    if leads_elsewhere or not path.parts or len(name) > 500:
        raise RefusedError(
            "The zip file contains a path outside its own directory. Create it again."
        )
    return path


def _only_child(place: Path) -> Path:
    """The folder in a zip that holds one folder and nothing else, as zipping a folder gives."""
    children = list(place.iterdir()) if place.is_dir() else []
    return children[0] if len(children) == 1 and children[0].is_dir() else place
