"""The XML documents in a file as it was downloaded: one alone, or a zip of several.

Nothing is unpacked to a name that the zip gives. A zip whose names lead elsewhere is refused all
the same, for whoever made it meant harm.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from auscult.core import FormatError, OptionError
from auscult.core.files import read_bytes

_LARGEST = 256 * 2**20
"""Bytes of a document; the largest of a release has ten million."""
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)


def documents(path: Path) -> Iterator[tuple[str, bytes]]:
    """The file name and the bytes of each document."""
    if not path.is_file():
        raise OptionError(f"{path} does not exist or is not a file.")
    with path.open("rb") as handle:
        packed = handle.read(2) == b"PK"
    if packed or path.suffix.lower() == ".zip":
        yield from _unpacked(path)
    else:
        yield path.name, read_bytes(path)


def _unpacked(path: Path) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            for member in members:
                _check_name(member.filename, path)
            for member in members:
                # The name as a Windows program may have written it.
                name = PurePosixPath(member.filename.replace("\\", "/")).name
                if name.lower().endswith(".xml") and not name.startswith("."):
                    yield name, _read(archive, member, path)
    except _DAMAGE as error:
        raise FormatError(
            "expected a zip file as CDC publishes it, got one that is truncated, damaged or "
            "encrypted; download it again",
            path,
        ) from error


def _check_name(name: str, path: Path) -> None:
    parts = name.replace("\\", "/").split("/")
    if name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0]:
        raise FormatError(
            "has a member whose name leads out of the folder it is unpacked to, which no release "
            "has; download it again from CDC",
            path,
        )


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: Path) -> bytes:
    with archive.open(member) as handle:
        # What the zip says of the size need not be so.
        raw = handle.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        raise FormatError(
            f"has a member of more than {_LARGEST // 2**20} MB, which no release has; download it "
            "again from CDC",
            path,
        )
    return raw
