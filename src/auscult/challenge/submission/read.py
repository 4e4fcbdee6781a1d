"""Reading a submission: which of the forms it has, by its name or else by how it begins."""

from __future__ import annotations

from pathlib import Path

from auscult.challenge.submission import read_csv, read_json, read_xml
from auscult.challenge.submission.problem import ProblemKind, SubmissionProblem
from auscult.challenge.submission.submission import Submission
from auscult.core import OptionError

LARGEST = 16 * 2**20
"""Maximum size in bytes; the test documents of the 2007 challenge, with their texts, take 1 MB."""

_PACKED = (b"\x1f\x8b", b"PK\x03\x04")  # gzip and zip, which may unpack to any size
_TABLES = {".csv": read_csv.read, ".json": read_json.read}


def read(raw: bytes, name: str, *, by_schema: bool = True) -> Submission:
    """The submission in a file's bytes. Whatever is wrong with them is a problem, not an error.

    One that was accepted need not be held against the schema again, which takes longest.
    """
    form = _form(raw, name)
    if form == ".xml":
        return read_xml.read(raw, name, by_schema=by_schema)
    return _TABLES[form](raw, name)


def read_file(path: Path) -> tuple[bytes, Submission]:
    """A file's bytes and the submission in them; a file that is not there is an error."""
    try:
        with path.open("rb") as handle:
            raw = handle.read(LARGEST + 1)
    except OSError as error:
        raise unreadable(path, error) from error
    if len(raw) > LARGEST:
        says = f"the file is larger than {LARGEST:,} bytes, the maximum of a submission"
        return raw, Submission.of((), [SubmissionProblem(ProblemKind.UNREADABLE, says)])
    if raw.startswith(_PACKED):
        says = "the file is compressed; unpack it and submit its content"
        return raw, Submission.of((), [SubmissionProblem(ProblemKind.UNREADABLE, says)])
    return raw, read(raw, path.name)


def unreadable(path: Path, error: OSError) -> OptionError:
    """What to say of a file that cannot be read."""
    return OptionError(f"{path} cannot be read: {error.strerror or error}.")


def _form(raw: bytes, name: str) -> str:
    suffix = Path(name).suffix.lower()
    if suffix == ".xml" or suffix in _TABLES:
        return suffix
    begin = raw.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    return {b"<": ".xml", b"{": ".json", b"[": ".json"}.get(begin, ".csv")
