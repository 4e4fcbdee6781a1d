"""Write the codes of notes to a file of the form that its ending names."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from auscult.core import OptionError, storage
from auscult.core.option_names import option
from auscult.corpus import schema
from auscult.corpus.coded_notes import CodedNotes


def write_lines(coded: CodedNotes, file: Path) -> None:
    """Write the annotation lines of the format jsonl."""
    from auscult.corpus.formats.jsonl import write_annotations

    write_annotations(schema.annotations_table(coded.annotations).lazy(), file)


# Imported when used: a page takes as long to make ready as a note to code, and more.
_WRITERS = {
    ".xlsx": ("auscult.report.code_sheets", "write_workbook"),
    ".csv": ("auscult.report.code_sheets", "write_csv"),
    ".jsonl": (__name__, "write_lines"),
    ".html": ("auscult.report.code_page", "write_code_page"),
}


def write_codes(coded: CodedNotes, file: Path | str, *, overwrite: bool = False) -> None:
    """Write codes to an .xlsx, .csv, .html or .jsonl file. All of them quote the notes."""
    file = Path(file)
    check_codes_file(file, overwrite=overwrite)
    with storage.drafted(file, overwrite=overwrite) as draft:
        module, writer = _WRITERS[file.suffix.lower()]
        getattr(import_module(module), writer)(coded, draft)


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
