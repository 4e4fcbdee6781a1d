"""Reading the text files that formats are made of, with errors that name file and row."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO, cast

from auscult.core import FormatError


def read_text(path: Path, encoding: str = "utf-8", *, keep_mark: bool = False) -> str:
    """A file's text, line endings untouched, so that offsets into it hold.

    A byte order mark at the start is dropped, unless the format's offsets count it. Bytes that
    are not of the encoding, NUL characters and files that cannot be read are errors.
    """
    raw = read_bytes(path)
    if encoding == "utf-8":
        check_not_utf16(raw, path)
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        row = raw.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"byte {raw[error.start]:#04x} is not {encoding}. If the file is in another encoding, "
            "convert it to UTF-8 first (iconv -f ISO-8859-1 -t UTF-8)",
            path,
            row,
        ) from error
    except LookupError as error:
        raise FormatError(f"there is no encoding {encoding!r}", path) from error
    if "\0" in text:
        row = text.count("\n", 0, text.index("\0")) + 1
        raise FormatError("a NUL character: the file is damaged or not text", path, row)
    return text if keep_mark else text.removeprefix("\ufeff")


def read_bytes(path: Path) -> bytes:
    """A file's bytes, unpacked when its name ends in .gz."""
    try:
        if path.suffix == ".gz":
            check_gzip(path)
            with gzip.open(path, "rb") as handle:
                return handle.read()
        return path.read_bytes()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError("the gzip file is truncated or damaged; copy it again", path) from error
    except IsADirectoryError as error:
        raise FormatError("a file was expected, this is a folder", path) from error
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path) from error


def check_gzip(path: Path) -> None:
    """Raise an error when a file that is called .gz is none; an empty one is left alone."""
    with path.open("rb") as handle:
        begin = handle.read(2)
    if begin and begin != b"\x1f\x8b"[: len(begin)]:
        raise FormatError("this is not gzip, though its name ends in .gz; rename it", path)


def check_not_utf16(raw: bytes, path: Path) -> None:
    """Raise an error when the bytes begin as UTF-16 does."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise FormatError(
            "the file is UTF-16; convert it first (iconv -f UTF-16 -t UTF-8)", path, row=1
        )


def text_files(folder: Path, suffix: str) -> Iterator[Path]:
    """The files of a folder with a suffix, in order of name; an error when there is none."""
    if not folder.is_dir():
        raise FormatError("a folder was expected", folder)
    found = sorted(path for path in folder.iterdir() if path.name.endswith(suffix))
    if not found:
        raise FormatError(f"no *{suffix} file in the folder", folder)
    return iter(found)


def create_text(path: Path) -> TextIO:
    """A new file to write text to as it is, packed when its name ends in .gz."""
    if path.suffix == ".gz":
        return cast(TextIO, gzip.open(path, "wt", encoding="utf-8", newline=""))
    return path.open("w", encoding="utf-8", newline="")
