"""What the commands of `auscult codes` share: naming a system, and opening its table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from auscult.core import OptionError
from auscult.core.names import require_known

if TYPE_CHECKING:
    from auscult.codes import CodeTable
    from auscult.codes.gems import Gems

table_option = click.option(
    "--table",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Official table: ICD-10 order file, or CMS's ICD-9 long descriptions.",
)


def words_in(given: tuple[str, ...]) -> str:
    """The words to look for as one text; an error where there is not a letter or a digit."""
    text = " ".join(given)
    if not any(map(str.isalnum, text)):
        raise OptionError("Expected words or the beginning of a code to look for, got none.")
    return text


def known_system(name: str, more: tuple[str, ...] = ()) -> str:
    """The system's name as it is written, in whatever case it was given."""
    from auscult.codes import SYSTEMS

    known = [*SYSTEMS, *more]
    written = {system.lower(): system for system in known}
    return written.get(name.lower()) or require_known(name, known, "code system")


def open_gems(source: str, target: str, folder: Path | None) -> Gems:
    """The mappings for a direction: from a folder of files, or those that come with a package."""
    from auscult.codes.gems import find_gems, packaged_gems

    return packaged_gems(source, target) if folder is None else find_gems(folder, source, target)


def open_table(system: str, file: Path | None) -> CodeTable | None:
    """The table that comes with a package, or the one in a file."""
    from auscult.codes import icd9, icd10, table_of

    if file is None:
        return table_of(system)
    if not file.is_file():
        raise OptionError(f"{file} does not exist or is not a file.")
    if system not in (*icd9.CHAPTERS, *icd10.CHAPTERS):
        raise OptionError(f"--table is for ICD systems only, not for {system}.")
    if system.startswith("ICD-9"):
        return icd9.read_descriptions(file, system)
    return icd10.read_order_file(file, system)
