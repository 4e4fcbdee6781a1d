"""`auscult codes index`: browse the Alphabetic Index as the book prints it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.codes.arguments import words_in
from auscult.cli.options import limit
from auscult.cli.output import command, paragraph
from auscult.core import OptionError

if TYPE_CHECKING:
    from auscult.codes.alphabetic import AlphabeticIndex, IndexEntry
    from auscult.codes.alphabetic.terms import Source

_CALLED = {
    "index": "Alphabetic Index",
    "external-cause": "External Cause Index",
    "neoplasm": "Neoplasm Table",
    "drug": "Table of Drugs and Chemicals",
}
_INDENT = "  "


@click.command("index")
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--part",
    type=click.Choice(tuple(_CALLED)),
    default="index",
    show_default=True,
    help="Part of the book to browse.",
)
@click.option(
    "--depth",
    type=click.IntRange(0, 9),
    default=1,
    show_default=True,
    help="Levels of subterms to print.",
)
@click.option(
    "--file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Index file to browse instead of the installed release (CDC's XML).",
)
@limit(20)
@command
def index(words: tuple[str, ...], part: Source, depth: int, file: Path | None, limit: int) -> Any:
    """Browse the Alphabetic Index of ICD-10-CM: a term, its code and its subterms.

    Write the main term first, as in the book, or the words as they come. The beginning of a main
    term lists the terms that begin so. If no term matches, the nearest main terms are printed.

    \b
    Example:
      auscult codes index "failure, heart"
      auscult codes index hypert
      auscult codes index --part drug aspirin
    """
    text = words_in(words)
    if file is None:
        return browse(_installed(part), text, depth, limit)
    from auscult.codes.alphabetic.volume import read_part

    if not file.is_file():
        raise OptionError(f"{file} does not exist or is not a file.")
    return browse(read_part(file), text, depth, limit)


def _installed(part: Source) -> AlphabeticIndex:
    """The part of the newest release that is installed."""
    from auscult.codes.alphabetic.current import alphabetic_volume

    found = alphabetic_volume().part(part)
    if found is None:
        raise OptionError(
            f"The {_CALLED[part]} of ICD-10-CM is not installed. Install CDC's zip or XML file "
            "with auscult codes add FILE, or pass the XML file with --file."
        )
    return found


def browse(book: AlphabeticIndex, words: str, depth: int = 1, limit: int = 20) -> Any:
    """What matches in an index, as JSON has it, and how to print it."""
    matches = book.look_up(words)
    near = () if matches else book.neighbors(words)
    shown = [(entry, list(_subterms(book, entry, depth))) for entry in matches[:limit]]
    found = {
        "words": words,
        "part": book.source,
        "release": book.release,
        "total": len(matches),
        "entries": [
            {**entry.to_dict(), "subterms": [sub.to_dict() for sub in below]}
            for entry, below in shown
        ],
        "neighbors": [entry.to_dict() for entry in near],
    }

    def say() -> None:
        if not matches:
            click.echo("Nothing found. The nearest main terms:")
        for entry, below in [*shown, *((entry, []) for entry in near)]:
            paragraph(line(entry, whole_path=True), hanging=2 * len(_INDENT))
            # With several matches, the list of them is what was asked for.
            for sub in below if len(matches) == 1 else ():
                depth = sub.level - entry.level
                paragraph(_INDENT * depth + line(sub), hanging=len(_INDENT) * (depth + 2))
        if len(matches) > limit:
            click.echo(f"… and {len(matches) - limit:,} more (--limit)")

    return found, say


def _subterms(book: AlphabeticIndex, entry: IndexEntry, depth: int) -> Iterator[IndexEntry]:
    for number in book.below(entry.number):
        below = book.entry(number)
        if below.level - entry.level <= depth:
            yield below


def line(entry: IndexEntry, *, whole_path: bool = False) -> str:
    """One line of the book: title, modifiers, code, and where else to look."""
    titles = [title.printed for title in entry.titles] if whole_path else [entry.title.printed]
    parts = [", ".join(titles)]
    if entry.code:
        parts.append(entry.code + "-" * entry.needs_more)
    parts += [f"[{code}]" for code in entry.manifestations]
    if entry.see:
        parts.append(f"— see {entry.see}")
    if entry.see_also:
        parts.append(f"— see also {entry.see_also}")
    if entry.see_category:
        parts.append(f"— see category {entry.see_category}")
    if entry.subcategory:
        parts.append(f"— see subcategory {entry.subcategory}")
    cells = ", ".join(f"{cell.column} {cell.code}{'-' * cell.needs_more}" for cell in entry.cells)
    return " ".join(parts) + (f": {cells}" if cells else "")
