"""`auscult codes search`: codes by what they are called, or by their beginning."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auscult.cli.codes.arguments import known_system, open_table, table_option, words_in
from auscult.cli.options import limit
from auscult.cli.output import command, paragraph, table, wrapped
from auscult.core import MissingExtraError, OptionError

if TYPE_CHECKING:
    from auscult.codes.lookup.by_meaning import TermRetriever
    from auscult.codes.lookup.code_search import CodeSearch

_BOOK = "ICD-10-CM"


@click.command("search")
@click.argument("system")
@click.argument("words", nargs=-1, required=True)
@table_option
@limit(20)
@click.option("--billable", is_flag=True, help="Only billable codes.")
@click.option(
    "--frequent-in",
    "corpus",
    metavar="CORPUS",
    type=click.Path(path_type=Path),
    help="Corpus whose frequent codes are ranked higher.",
)
@click.option("--semantic", is_flag=True, help="Also search by meaning (embeddings).")
@command
def search(
    system: str,
    words: tuple[str, ...],
    file: Path | None,
    limit: int,
    billable: bool,
    corpus: Path | None,
    semantic: bool,
) -> Any:
    """Search codes by what they are called, or list those that begin with the one given.

    WORDS may be a name, an abbreviation, lay words or shorthand, in any order and with spelling
    mistakes. The likeliest billable code comes first, each with the wording that led to it. For
    ICD-10-CM, the names are those of the Tabular List, of the Alphabetic Index if one is installed
    (auscult codes add), and of clinicians; for other systems and with --table, the descriptions.
    The beginning of a code, such as I50, lists the codes and headings that begin so, in order.

    --semantic also finds wordings that share no word with WORDS, by the embeddings of a pretrained
    encoder. The first such search computes the embeddings, which takes a few minutes.

    \b
    Example:
      auscult codes search ICD-10-CM acute systolic failure
      auscult codes search ICD-10-CM CHF
      auscult codes search ICD-10-CM failure --frequent-in corpus
      auscult codes search ICD-10-CM I50
    """
    from auscult.codes.lookup.quick import starting_codes

    text = words_in(words)
    system = known_system(system)
    codes_in = open_table(system, file)
    if codes_in is None:
        raise OptionError(f"There is no table of {system} to search. Pass one with --table.")
    listed = starting_codes(codes_in, text)
    if listed:
        rows = [
            {
                "code": entry.value,
                "description": entry.description,
                "billable": entry.billable,
                "heading": None,
                "why": f"begins with {text}",
                "score": 1.0,
            }
            for entry in listed
        ]
    else:
        from auscult.codes.lookup.current import code_search, table_search

        searched = code_search(system) if file is None else table_search(codes_in)
        counts = None if corpus is None else _counts(corpus, system)
        meanings = _meanings(searched) if semantic else None
        matches = searched.search(text, limit=limit, prior=counts, meanings=meanings)
        rows = [match.to_dict() for match in matches]
    if billable:
        rows = [row for row in rows if row["billable"]]

    def say() -> None:
        if rows:
            _print(system, rows[:limit], by_words=not listed)
        else:
            click.echo("Nothing found.")
        if len(rows) > limit:
            click.echo(f"… and {len(rows) - limit:,} more (--limit)")
        if system == _BOOK and file is None and not listed:
            _hint()

    return {"system": system, "total": len(rows), "codes": rows[:limit]}, say


def _meanings(searched: CodeSearch) -> TermRetriever:
    try:
        from auscult.models.semantic.code_meanings import CodeMeanings
    except ModuleNotFoundError as error:
        raise MissingExtraError("Search by meaning", "minilm") from error
    return CodeMeanings.of(searched)


def _print(system: str, rows: list[dict[str, Any]], *, by_words: bool) -> None:
    if by_words:
        shown = [(row["code"], row["description"] or "", _reason(row)) for row in rows]
        table(None, ["code", "description", "why"], shown)
        if heading := rows[0]["heading"]:
            paragraph(
                f"{rows[0]['code']} stands for {heading} where nothing more is documented. More "
                f"specific codes: auscult codes show {system} {heading}"
            )
    else:
        # All are there for the same reason.
        headed = [
            (row["code"], "" if row["billable"] else "heading", row["description"] or "")
            for row in rows
        ]
        table(None, ["code", "", "description"], headed)


def _reason(row: dict[str, Any]) -> str:
    """Why a code is there, without repeating the description that stands beside it."""
    named = f"description: {row['description']}"
    why = str(row["why"])
    return f"{why.removesuffix(named)}description" if why.endswith(named) else why


def _counts(path: Path, system: str) -> dict[str, int]:
    """How often a corpus has each code of a system."""
    import polars as pl

    from auscult.corpus import Corpus

    of_system = Corpus.open(path).lazy_annotations.filter(pl.col("system") == system)
    counted = of_system.group_by("code").len().collect(engine="streaming")
    return dict(counted.iter_rows())


def _hint() -> None:
    from auscult.codes.alphabetic.current import alphabetic_parts

    if not alphabetic_parts():
        hint = (
            "The Alphabetic Index is not installed; with it, more is found. Download CDC's "
            "ICD-10-CM zip, then run: auscult codes add FILE"
        )
        click.echo(wrapped(hint), err=True)
