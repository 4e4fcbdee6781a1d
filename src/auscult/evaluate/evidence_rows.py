"""Evidence of both sides as two tables, one row per span and one row per token.

Charts, notes and codes are integers here: every way of counting is then a grouping of small
integers, and time and memory grow with the number of spans.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auscult.core import CorpusError, OptionError, Span, Status
from auscult.core.option_names import option
from auscult.core.tokens import tokens
from auscult.corpus import Corpus
from auscult.corpus.formats.shared.quotes import QUOTE
from auscult.evaluate.evidence_cleaning import merged, trimmed
from auscult.evaluate.sides import Sides

GOLD, PREDICTED = 0, 1
_SIDES = ("GOLD", "PREDICTED")
_NOTES_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class EvidenceRows:
    """The evidence of both sides on the same charts.

    `spans` has the columns chart, note, code, side, below, category, begin, end, text (lower-cased)
    and tokens (how many); `tokens` has begin and word instead of the last four. Where a span's text
    is not known, `without_text` says how many spans that is, and there are no tokens for them.
    """

    charts: int
    spans: pl.DataFrame = field(repr=False)
    tokens: pl.DataFrame = field(repr=False)
    without_text: int = 0


def evidence_rows(
    sides: Sides, *, trim: bool = False, merge_adjacent: bool = False
) -> EvidenceRows:
    """The spans and tokens of both sides; with `merge_adjacent` and `trim` cleaned in this order.

    Each part of a discontinuous span is a span of its own. Tokens are those of the covered text
    alone, so a span that ends inside a word has the first half of the word as its token, as MDACE's
    evaluator has it.
    """
    base = _spans(sides)
    cleaned = _Cleaned()
    for note_id, text, rows in _by_note(base, sides.gold):
        if text is None and merge_adjacent:
            raise OptionError(
                f"{option('--merge-adjacent')} needs the text between two spans, but note "
                f"{note_id} has no text in either corpus. Import the notes with their text, or "
                "leave the option out."
            )
        for at, span, covered in _covered(note_id, text, rows, merge_adjacent=merge_adjacent):
            if covered is None and trim:
                raise OptionError(
                    f"{option('--trim')} needs the text of a span, but note {note_id} has no text "
                    "in either corpus. Import the notes with their text, or leave the option out."
                )
            cleaned.add(at, span, covered, trim=trim)
    keys = base.select("chart", "note", "code", "side", "below", "category")
    return EvidenceRows(
        len(sides.chart_ids),
        keys[cleaned.at].with_columns(
            pl.Series("begin", cleaned.begin, dtype=pl.Int64),
            pl.Series("end", cleaned.end, dtype=pl.Int64),
            pl.Series("text", cleaned.text, dtype=pl.String),
            pl.Series("tokens", cleaned.tokens, dtype=pl.Int64),
        ),
        keys[cleaned.token_at].with_columns(
            pl.Series("begin", cleaned.token_begin, dtype=pl.Int64),
            pl.Series("word", cleaned.word, dtype=pl.String),
        ),
        sum(text is None for text in cleaned.text),
    )


def counts_by_chart(rows: pl.DataFrame, key: list[str], charts: int) -> NDArray[np.int64]:
    """TP, FP and FN of every chart, where rows with the same key match."""
    side = pl.col("side")
    found = (
        rows.lazy()
        .group_by("chart", *key)
        .agg(gold=(side == GOLD).any(), predicted=(side == PREDICTED).any())
        .group_by("chart")
        .agg(
            tp=(pl.col("gold") & pl.col("predicted")).sum(),
            fp=(~pl.col("gold") & pl.col("predicted")).sum(),
            fn=(pl.col("gold") & ~pl.col("predicted")).sum(),
        )
        .collect()
    )
    counts = np.zeros((charts, 3), dtype=np.int64)
    counts[found["chart"].to_numpy()] = found.select("tp", "fp", "fn").to_numpy()
    return counts


@dataclass(slots=True, repr=False)
class _Cleaned:
    """The columns of the two tables as they grow; `at` says which row of the base a row is of."""

    at: list[int] = field(default_factory=list)
    begin: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    text: list[str | None] = field(default_factory=list)
    tokens: list[int | None] = field(default_factory=list)
    token_at: list[int] = field(default_factory=list)
    token_begin: list[int] = field(default_factory=list)
    word: list[str] = field(default_factory=list)

    def add(self, at: int, span: Span, covered: str | None, *, trim: bool) -> None:
        begin, end, count = span.begin, span.end, None
        if covered is not None:
            if trim:
                kept = trimmed(covered)
                begin, end, covered = begin + kept.begin, begin + kept.end, kept.of(covered)
            before = len(self.word)
            for token in tokens(covered):
                self.token_at.append(at)
                self.token_begin.append(begin + token.span.begin)
                self.word.append(token.word)
            count = len(self.word) - before
        self.at.append(at)
        self.begin.append(begin)
        self.end.append(end)
        self.text.append(None if covered is None else covered.lower())
        self.tokens.append(count)


def _spans(sides: Sides) -> pl.DataFrame:
    """Every part of every span with its chart, note and code as numbers, in order of notes."""
    parts = []
    for side, corpus in enumerate((sides.gold, sides.predicted)):
        # A quote stands for the text only of a span that is in one piece.
        quote = (
            pl.when(pl.col("spans").list.len() == 1)
            .then(pl.col("meta").str.json_path_match(f"$.{QUOTE}"))
            .alias("quote")
        )
        annotations = corpus.lazy_annotations if side == GOLD else corpus.lazy_all_annotations
        parts.append(
            annotations.filter(pl.col("spans").list.len() > 0)
            .with_columns(below=pl.col("status") != Status.GIVEN)
            .select(
                "chart_id", "note_id", "system", "code", "spans", quote, "below", side=pl.lit(side)
            )
            .explode("spans")
            .unnest("spans")
        )
    numbers = pl.DataFrame(
        {"chart_id": sides.chart_ids, "chart": np.arange(len(sides.chart_ids), dtype=np.int64)},
        schema_overrides={"chart_id": pl.String},
    )
    categories = sides.gold.lazy_notes.select("note_id", "category").unique("note_id")
    return (
        pl.concat(parts)
        .join(numbers.lazy(), on="chart_id")
        .join(categories, on="note_id", how="left")
        .sort("note_id", "side", "system", "code", "begin", "end", "below")
        .with_columns(
            note=pl.col("note_id").rle_id(),
            code=pl.struct("system", "code").rank("dense"),
        )
        .drop("system", "chart_id")
        .collect()
    )


_Row = tuple[int, int, int, int, int, bool, str | None]
"""Index, side, code, begin, end, below, quote."""


def _by_note(base: pl.DataFrame, corpus: Corpus) -> Iterator[tuple[str, str | None, list[_Row]]]:
    """Each note that has spans, its text if there is one, and its spans; some texts at a time."""
    numbered = base.with_row_index("at")
    columns = numbered.select("at", "side", "code", "begin", "end", "below", "quote")
    places = numbered.group_by("note_id", maintain_order=True).agg(pl.col("at").min(), pl.len())
    by_note = {note_id: (start, length) for note_id, start, length in places.iter_rows()}

    def rows(start: int, length: int) -> list[_Row]:
        return columns.slice(start, length).rows()

    texts = corpus.lazy_notes.select("note_id", "text").filter(
        pl.col("text").is_not_null() & pl.col("note_id").is_in(list(by_note))
    )
    for batch in texts.collect_batches(chunk_size=_NOTES_AT_ONCE, maintain_order=True):
        for note_id, text in batch.iter_rows():
            yield note_id, text, rows(*by_note.pop(note_id))
    for note_id, place in by_note.items():
        yield note_id, None, rows(*place)


def _covered(
    note_id: str, text: str | None, rows: list[_Row], *, merge_adjacent: bool
) -> Iterator[tuple[int, Span, str | None]]:
    """The spans of a note with the text each covers, None where it is not known."""
    for at, side, _, begin, end, _, quote in rows:
        if text is None:
            fits = quote is not None and len(quote) == end - begin
            yield at, Span(begin, end), quote if fits else None
        elif end > len(text):
            raise CorpusError(
                f"{_SIDES[side]}: span {begin}–{end} of note {note_id} is past the note's "
                f"{len(text)} characters. Offsets count Unicode code points; find such spans with: "
                "auscult corpus doctor CORPUS"
            )
        elif not merge_adjacent:
            yield at, Span(begin, end), text[begin:end]
    if text is not None and merge_adjacent:
        # What is below the threshold stays apart: it must not lengthen what was predicted.
        for _, group in groupby(sorted(rows, key=itemgetter(1, 2, 5)), key=itemgetter(1, 2, 5)):
            same = list(group)
            for span in merged([Span(row[3], row[4]) for row in same], text):
                yield same[0][0], span, span.of(text)
