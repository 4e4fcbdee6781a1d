"""`auscult code`: code notes without training a model."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.options import code_threshold, overwrite
from auscult.cli.output import command, counted, exit_with_1
from auscult.cli.verify_options import verify_options
from auscult.core import OptionError

if TYPE_CHECKING:
    from auscult.corpus.code_rows import CodeRow
    from auscult.corpus.coded_notes import CodedNotes
    from auscult.corpus.documents import UnreadFile
    from auscult.models.care_setting import CareSetting
    from auscult.models.verify import Verifier

_NAMED = 5
"""Notes or files that a message names."""


@click.command()
@click.argument("notes", nargs=-1, required=True)
@click.option(
    "-o",
    "out",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write to this .xlsx, .csv, .html or .jsonl file.  [default: the terminal]",
)
@click.option(
    "--model",
    default="codebook",
    show_default=True,
    help="Model to use: codebook, or a trained model's folder.",
)
@code_threshold
@click.option(
    "--care-setting",
    type=click.Choice(["auto", "inpatient", "outpatient"]),
    default="auto",
    show_default=True,
    help="Whose guidelines: uncertain diagnoses are coded for inpatients only.",
)
@overwrite
@verify_options
@command
def code(
    notes: tuple[str, ...],
    out: Path | None,
    model: str,
    threshold: float | None,
    care_setting: CareSetting,
    overwrite: bool,
    verifier: Verifier | None,
) -> Any:
    """Code NOTES: ICD-10-CM codes with their evidence, checked; no training data is needed.

    NOTES are text files, folders of them, a corpus, or - for standard input. Folders are read with
    their sub-folders: .txt and .docx, with the extra documents also .pdf and .rtf. Each file is one
    encounter; encodings are detected.

    A table (.xlsx, .csv) has one row per code: note, code, description, billable, score, quoted
    evidence, why, and the findings of auscult codes check. A page (.html) shows the notes with the
    evidence marked. JSON lines (.jsonl) are annotations for auscult corpus import jsonl.

    The model codebook reads English. CPT (licensed) and ICD-10-PCS are not attempted. Scores are
    calibrated on case reports. A coder must check every code. Exit code 1: some files could not be
    read; the others are coded.

    \b
    Example:
      auscult code notes -o codes.xlsx
      auscult code visit-1.txt visit-2.docx -o codes.html
      auscult code - < note.txt
      auscult code notes -o codes.csv --model model --threshold 0.5
    """
    from auscult.models.code_notes import code_notes
    from auscult.report.code_files import check_codes_file, write_codes

    if out is not None:
        check_codes_file(out, overwrite=overwrite)
    if notes.count("-") > 1:
        raise OptionError("Pass - once: standard input is one note.")
    coded = code_notes(
        notes, model, threshold=threshold, care_setting=care_setting, verifier=verifier
    )
    if out is not None:
        write_codes(coded, out, overwrite=overwrite)
    if coded.unread:
        exit_with_1()
        for line in _unread(coded.unread):
            warnings.warn(line, stacklevel=1)
    found: dict[str, Any] = {
        "model": model,
        "about": dict(coded.about),
        "notes": len(coded.notes),
        "codes": len(coded.rows),
        "notes_without_codes": list(coded.without_codes),
        "not_attempted": list(coded.not_attempted),
        "unread": [one.to_dict() for one in coded.unread],
    }
    if out is None:
        found["rows"] = [row.to_dict() for row in coded.rows]
    else:
        found["out"] = str(out)

    def say() -> None:
        if out is None:
            _show(coded)
        _summarize(coded, out)

    return found, say


def _show(coded: CodedNotes) -> None:
    """The codes of each note."""
    from rich.text import Text

    from auscult.cli.console import PlainConsole

    console = PlainConsole()
    rows: dict[str, list[CodeRow]] = {}
    for row in coded.rows:
        rows.setdefault(row.chart_id if row.note_id is None else row.note_id, []).append(row)
    empty = set(coded.without_codes)
    for name in dict.fromkeys([*(note.note_id for note in coded.notes), *rows]):
        mine = rows.get(name, [])
        if not mine and name not in empty:
            continue  # its codes are with the chart
        console.rule(Text(name), align="left")
        if not mine:
            console.print("No code reached the threshold.", style="dim")
        for row in mine:
            score = "    " if row.score is None else f"{row.score:.2f}"
            before = Text(f"{row.code.value:<8} {score}  ", style="bold")
            for said, style in _details(row):
                for part in Text(said, style=style).wrap(console, max(console.width - 15, 20)):
                    part.rstrip()
                    console.print(before + part)
                    before = Text(" " * len(before))
        console.print()


def _details(row: CodeRow) -> Iterator[tuple[str, str]]:
    """What is said of a code, line by line, each with its color."""
    if row.billable is False:
        yield f"{row.description or row.code.system} (not billable)", "red"
    else:
        yield row.description or row.code.system, ""
    if row.evidence:
        yield f"“{row.evidence}”", "cyan"
    if row.why:
        yield row.why, "dim"
    for finding in row.problems:
        color = "red" if finding.severity == "error" else "yellow"
        yield f"{finding.severity}: {finding.problem}. {finding.advice}", color


def _summarize(coded: CodedNotes, out: Path | None) -> None:
    """What was found, what to do with it, and what was not looked for."""
    from auscult.cli.output import paragraph
    from auscult.corpus.coded_notes import CHECK

    where = "" if out is None else f"{out}: "
    line = f"{where}{counted(len(coded.rows), 'code')} for {counted(len(coded.notes), 'note')}"
    doubtful = sum(bool(row.problems) for row in coded.rows)
    if doubtful:
        line += f", {doubtful:,} with findings of the coding edits"
    paragraph(f"{line}.")
    if coded.without_codes:
        paragraph(f"No code for {_listed(coded.without_codes, 'note')}.")
    paragraph(CHECK)
    paragraph(f"Not attempted: {'; '.join(coded.not_attempted)}.")
    if coded.lacks_index:
        paragraph(
            "The Alphabetic Index is not installed. With it, more codes are found: download CDC's "
            "file and run auscult codes add FILE."
        )


def _unread(unread: Sequence[UnreadFile]) -> Iterator[str]:
    """One line for each problem, however many files have it."""
    problems: dict[str, list[str]] = {}
    for one in unread:
        problems.setdefault(one.problem, []).append(one.file)
    for problem, files in problems.items():
        if len(files) == 1:
            yield f"Not read: {files[0]} {problem}."
        else:
            yield f"Not read: {_listed(files, 'file')}. Each {problem}."


def _listed(names: Sequence[str], what: str) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"{counted(len(names), what)}: {', '.join(names[:_NAMED])}{more}"
