"""Reading text files, with errors that name file and row and never show what is in them."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from auscult.core.errors import FormatError


def read_text(path: Path, encoding: str = "utf-8", *, keep_mark: bool = False) -> str:
    """A file's text, line endings untouched, so that offsets into it hold.

    A byte order mark at the start is dropped, unless the format's offsets count it. Bytes that
    are not of the encoding, NUL characters and files that cannot be read are errors.
    """
    return decode_text(read_bytes(path), path, encoding, keep_mark=keep_mark)


def decode_text(raw: bytes, path: Path, encoding: str = "utf-8", *, keep_mark: bool = False) -> str:
    """The text in a file's bytes; see `read_text`."""
    if encoding == "utf-8":
        check_not_utf16(raw, path)
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        row = raw.count(b"\n", 0, error.start) + 1
        raise _not_decoded(error, path, row) from error
    except LookupError as error:
        raise FormatError(f"unknown encoding {encoding!r}", path) from error
    if "\0" in text:
        raise _with_nul(path, text.count("\n", 0, text.index("\0")) + 1)
    return text if keep_mark else text.removeprefix("\ufeff")


def read_lines(path: Path, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """Each line with its row, without its line end or a byte order mark, one in memory at a time.

    Only a newline ends a line: names may hold other characters that Python takes for line ends.
    """
    with _readable(path), gzip.open(path) if _is_gzip(path) else path.open("rb") as handle:
        for row, raw in enumerate(handle, 1):
            line = raw.rstrip(b"\r\n")
            if row == 1 and encoding == "utf-8":
                check_not_utf16(raw, path)
                line = line.removeprefix(codecs.BOM_UTF8)
            if b"\0" in line:
                raise _with_nul(path, row)
            try:
                yield row, line.decode(encoding)
            except UnicodeDecodeError as error:
                raise _not_decoded(error, path, row) from error


def read_bytes(path: Path) -> bytes:
    """A file's bytes, unpacked when its name ends in .gz."""
    with _readable(path):
        if _is_gzip(path):
            with gzip.open(path, "rb") as handle:
                return handle.read()
        return path.read_bytes()


def check_gzip(path: Path) -> None:
    """Raise an error when a file that is called .gz is none; an empty one is left alone."""
    with path.open("rb") as handle:
        begin = handle.read(2)
    if begin and begin != b"\x1f\x8b"[: len(begin)]:
        raise FormatError(
            "the name ends in .gz but the file is not gzip-compressed; rename it", path
        )


def check_not_utf16(raw: bytes, path: Path) -> None:
    """Raise an error when the bytes begin as UTF-16 does."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise FormatError(
            "the file is UTF-16; convert it first (iconv -f UTF-16 -t UTF-8)", path, row=1
        )


def _is_gzip(path: Path) -> bool:
    if path.suffix != ".gz":
        return False
    check_gzip(path)
    return True


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Errors of reading a file, in words."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError("the gzip file is truncated or damaged; copy it again", path) from error
    except IsADirectoryError as error:
        raise FormatError("expected a file, got a folder", path) from error
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path) from error


def _not_decoded(error: UnicodeDecodeError, path: Path, row: int) -> FormatError:
    return FormatError(
        f"byte {error.object[error.start]:#04x} is not {error.encoding.upper()}. If the file is in "
        "another encoding, convert it to UTF-8 first (iconv -f ISO-8859-1 -t UTF-8)",
        path,
        row,
    )


def _with_nul(path: Path, row: int) -> FormatError:
    return FormatError("contains a NUL character: the file is damaged or is not text", path, row)
