"""The errors a user can cause, each saying what was expected, what came, and what to do.

Whatever derives from `AuscultError` is shown by the command line as one sentence with exit
code 2. Anything else is a defect of ours and keeps its traceback. No message ever carries the
text of a note.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class AuscultError(Exception):
    """Something in the input, the options or the files is not as it must be."""


class SpanError(AuscultError):
    """A span that cannot be: reversed, negative, past the text, or inside a character."""


class CorpusError(AuscultError):
    """A corpus directory that is missing, unfinished, damaged, or of another version."""


class OptionError(AuscultError):
    """An option, a name or a combination of them that does not exist."""


class MissingExtraError(AuscultError):
    """A part of Auscult was asked for whose libraries are not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(
            f"{what} needs libraries that are not installed: pip install 'auscult[{extra}]'."
        )


class PluginError(AuscultError):
    """What another package offers as a model, a format or a metric does not fit."""

    def __init__(self, point: EntryPoint, problem: str) -> None:
        package = f" of the package {point.dist.name}" if point.dist is not None else ""
        kind, *of = point.group.removeprefix("auscult.").split(".")
        what = " of ".join([kind.removesuffix("s"), *of])  # as in "model of concepts"
        stop = "" if problem.endswith(".") else "."
        super().__init__(f"The {what} {point.name!r}{package} ({point.value}) {problem}{stop}")


class FormatError(AuscultError):
    """A file that is not what its format says. Names the file and, where there is one, the row.

    >>> str(FormatError("end 412 is past the note's 398 characters", Path("notes.csv"), row=17))
    "notes.csv row 17: end 412 is past the note's 398 characters"
    """

    def __init__(self, problem: str, file: Path | str | None = None, row: int | None = None):
        self.problem = problem
        self.file = file
        self.row = row
        where = "" if file is None else str(file)
        if row is not None:
            where += f" row {row}"
        super().__init__(f"{where}: {problem}" if where else problem)


class UnreadWarning(UserWarning):
    """Some charts or notes do not count, since the annotator has not read them."""
