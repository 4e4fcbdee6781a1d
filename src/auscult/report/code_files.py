"""Write the codes of notes to a file of the form that its ending names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from auscult.core import OptionError, storage
from auscult.core.option_names import option
from auscult.corpus import schema
from auscult.corpus.coded_notes import CodedNotes
from auscult.corpus.formats.jsonl import write_annotations
from auscult.report.code_page import write_code_page
from auscult.report.code_sheets import write_csv, write_workbook


def _write_lines(coded: CodedNotes, file: Path) -> None:
    """The annotation lines of the format jsonl."""
    write_annotations(schema.annotations_table(coded.annotations).lazy(), file)


_WRITERS: dict[str, Callable[[CodedNotes, Path], None]] = {
    ".xlsx": write_workbook,
    ".csv": write_csv,
    ".jsonl": _write_lines,
    ".html": write_code_page,
}


def write_codes(coded: CodedNotes, file: Path | str, *, overwrite: bool = False) -> None:
    """Write codes to an .xlsx, .csv, .html or .jsonl file. All of them quote the notes."""
    file = Path(file)
    check_codes_file(file, overwrite=overwrite)
    with storage.drafted(file, overwrite=overwrite) as draft:
        _WRITERS[file.suffix.lower()](coded, draft)


def check_codes_file(file: Path, *, overwrite: bool) -> None:
    """An error when codes cannot be written there, before anything is coded."""
    if file.suffix.lower() not in _WRITERS:
        *some, last = _WRITERS
        raise OptionError(
            f"Codes are written to a name that ends in {', '.join(some)} or {last}; got {file}."
        )
    if file.exists() and not file.is_dir() and not overwrite:
        raise OptionError(
            f"{file} exists already. Choose another name, or pass "
            f"{option('--overwrite', 'overwrite=True')}."
        )
    storage.check_kind(file, is_folder=False)
