"""The lines of a text file that may be large, packed, or not text at all."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from auscult.core import FormatError


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Each line with its row, without its line end, a byte order mark or packing by gzip.

    Only a newline ends a line: names may hold other characters that Python takes for line ends.
    """
    row = 0
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as handle:
            for row, raw in enumerate(handle, 1):
                line = raw.removeprefix(b"\xef\xbb\xbf") if row == 1 else raw
                yield row, line.rstrip(b"\r\n").decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"byte {error.object[error.start]:#04x} is not UTF-8. Convert the file first "
            "(iconv -f ISO-8859-1 -t UTF-8)",
            path,
            row,
        ) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError("the gzip file is truncated or damaged; copy it again", path) from error
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror or error}", path) from error
