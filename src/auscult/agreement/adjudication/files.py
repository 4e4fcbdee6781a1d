"""Reading and writing queues and decisions, by what a file is called."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from auscult.agreement.adjudication.decision import Decision
from auscult.agreement.adjudication.decision_reader import DecisionReader
from auscult.agreement.adjudication.json_lines import (
    read_decision_lines,
    write_decision_lines,
    write_queue_lines,
)
from auscult.agreement.adjudication.queue import Queue, QueueItem
from auscult.agreement.adjudication.sheet import read_sheet, write_decisions_sheet, write_sheet
from auscult.agreement.disagreements import Side, Statement
from auscult.core import FormatError, OptionError
from auscult.core.storage import drafted

_AROUND = 40


def write_queue(
    queue: Queue,
    items: Iterable[QueueItem],
    file: Path,
    *,
    round: int = 1,  # noqa: A002 - the word that people use
    show_text: bool = False,
    overwrite: bool = False,
) -> None:
    """Write items to a `.csv` or `.jsonl` file; with `show_text` it quotes the notes."""
    chosen = list(items)
    _check_name(file, overwrite=overwrite)
    quotes = _quotes(queue, chosen) if show_text else None
    with drafted(file, overwrite=overwrite) as draft:
        if file.suffix == ".csv":
            write_sheet(queue, chosen, draft, round=round, quotes=quotes)
        else:
            write_queue_lines(chosen, draft, round=round, quotes=quotes)


def write_decisions(
    queue: Queue, decisions: Iterable[Decision], file: Path, *, overwrite: bool = False
) -> None:
    """Write decisions to a `.csv` or `.jsonl` file."""
    _check_name(file, overwrite=overwrite)
    with drafted(file, overwrite=overwrite) as draft:
        if file.suffix == ".csv":
            write_decisions_sheet(queue, decisions, draft)
        else:
            write_decision_lines(decisions, draft)


def read_decisions(
    files: Iterable[Path], queue: Queue, *, who: str | None = None, when: str | None = None
) -> list[Decision]:
    """The decisions of all files, each checked against the queue and the notes it speaks of.

    `who` and `when` are for those that do not say.
    """
    decisions: list[Decision] = []
    deciding = DecisionReader.of(queue, who=who, when=when)
    for file in files:
        _check_suffix(file)
        if not file.exists():
            raise OptionError(f"{file} does not exist.")
        reader = read_sheet if file.suffix == ".csv" else read_decision_lines
        read = reader(file, deciding)
        _check_edits(read, queue, file)
        decisions += read
    return decisions


def _check_name(file: Path, *, overwrite: bool) -> None:
    _check_suffix(file)
    if file.exists() and not overwrite:
        raise OptionError(f"{file} exists already. Choose another name, or pass --overwrite.")


def _check_suffix(file: Path) -> None:
    if file.suffix not in (".csv", ".jsonl"):
        raise OptionError(f"{file} must end in .csv (spreadsheet) or .jsonl.")


def _check_edits(decisions: Iterable[Decision], queue: Queue, file: Path) -> None:
    """Raise an error when an edit names a note that its chart has not, or goes past its text."""
    edits = [(d, s) for d in decisions for s in d.edit if s.note_id is not None]
    if not edits:
        return
    known = queue.by_id()
    named = {statement.note_id for _, statement in edits}
    table = queue.annotations.corpus.lazy_notes.filter(pl.col("note_id").is_in(list(named)))
    lengths = table.select("note_id", "chart_id", pl.col("text").str.len_chars()).collect()
    charts = {note_id: (chart_id, length) for note_id, chart_id, length in lengths.iter_rows()}
    by_annotations = {
        note_id: queue.annotations.chart_ids[chart]
        for _, note_id, chart in queue.annotations.notes.iter_rows()
    }
    for decision, statement in edits:
        note_id = statement.note_id or ""
        chart, length = charts.get(note_id, (by_annotations.get(note_id), None))
        if chart != known[decision.item_id].chart_id:
            raise FormatError(
                f"{decision.item_id}: the edit refers to a note that does not belong to chart "
                f"{known[decision.item_id].chart_id}",
                file,
            )
        end = max((span.end for span in statement.spans), default=0)
        if length is not None and end > length:
            raise FormatError(
                f"{decision.item_id}: a span of the edit ends at {end}, past the note's {length} "
                "characters",
                file,
            )


def _quotes(queue: Queue, items: Iterable[QueueItem]) -> dict[str, tuple[str, ...]]:
    """For each item and annotator, the words pointed at, between « and », with their context."""
    chosen = list(items)
    wanted = {
        statement.note_id
        for item in chosen
        for side in item.disagreement.sides
        for statement in side or ()
        if statement.note_id is not None
    }
    table = queue.annotations.corpus.lazy_notes.filter(pl.col("note_id").is_in(list(wanted)))
    texts = dict(table.select("note_id", "text").collect().iter_rows())
    return {
        item.item_id: tuple(_quoted(side, texts) for side in item.disagreement.sides)
        for item in chosen
    }


def _quoted(side: Side, texts: dict[str, str | None]) -> str:
    return " / ".join(quote for s in side or () if (quote := _quote(s, texts)))


def _quote(statement: Statement, texts: dict[str, str | None]) -> str:
    text = texts.get(statement.note_id or "")
    if text is None or not statement.spans:
        return ""
    parts = [
        f"{text[max(0, s.begin - _AROUND) : s.begin]}«{s.of(text)}»{text[s.end : s.end + _AROUND]}"
        for s in statement.spans
    ]
    return " ".join(" … ".join(parts).split())
