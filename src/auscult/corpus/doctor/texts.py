"""Checks that need the text of the notes: span boundaries, duplicate texts, encoding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import polars as pl

from auscult.core import Span
from auscult.core.progress import track
from auscult.core.span import is_filler, splits_word
from auscult.corpus.corpus import Corpus
from auscult.corpus.doctor.finding import Finding, Severity
from auscult.corpus.formats.shared.quotes import QUOTE, covered
from auscult.corpus.schema import load_meta

# What UTF-8 looks like after it was read as Latin-1 or Windows-1252, and other signs of bytes
# that nobody decoded.
_UNDECODED = (
    r"Ã[\u0080-\u00BF]|â€[\u0080-\u00BF™œž“”•…‰]|Â[\u00A0-\u00BF]|ðŸ"
    r"|\uFFFD|[\u0080-\u009F]|\\x[0-9a-f]{2}|\A\s*b['\"]"
)
_CONTEXT = 30
_BATCH = 2_000

_SPAN_CHECKS = {
    "span-out-of-range": (
        Severity.ERROR,
        "span that ends past the end of its note",
        "spans that end past the end of their note",
        "Offsets count Unicode code points. If the source counts bytes or UTF-16 units, import it "
        "with --offsets utf8 or --offsets utf16.",
    ),
    "empty-span": (
        Severity.ERROR,
        "empty span",
        "empty spans",
        "Drop them, or turn them into annotations of the whole note.",
    ),
    "quote-differs": (
        Severity.WARNING,
        "span whose text differs from the text quoted by the source",
        "spans whose text differs from the text quoted by the source",
        "A few are mistakes in the source; many mean that offsets are counted in another unit "
        "(--offsets).",
    ),
    "blank-edge": (
        Severity.WARNING,
        "span that begins or ends with white space",
        "spans that begin or end with white space",
        "Trim them (auscult.core.span.trim); exact span match counts the space.",
    ),
    "splits-word": (
        Severity.REMARK,
        "span that begins or ends inside a word",
        "spans that begin or end inside a word",
        "Often a slip of the mouse; token-level metrics count the whole word, span-level "
        "metrics do not.",
    ),
    "filler-only": (
        Severity.WARNING,
        "span of nothing but punctuation and white space",
        "spans of nothing but punctuation and white space",
        "Drop them; they contain no token.",
    ),
}


def check_texts(corpus: Corpus, *, show_text: bool, examples: int) -> Iterator[Finding]:
    """Everything that needs the notes' text, a batch of notes in memory at a time."""
    yield from _undecoded(corpus, show_text, examples)
    yield from _repeated(corpus, examples)
    yield from _spans(corpus, show_text, examples)


def _batches(corpus: Corpus) -> Iterator[pl.DataFrame]:
    """The notes with text, some at a time: all of them may not fit in memory."""
    there = corpus.lazy_notes.filter(pl.col("text").is_not_null())
    yield from there.select("note_id", "chart_id", "text").collect_batches(
        chunk_size=_BATCH, maintain_order=True
    )


def _repeated(corpus: Corpus, most: int) -> Iterator[Finding]:
    hashed = [
        batch.filter(pl.col("text").str.strip_chars() != "").select(
            "note_id", "chart_id", text=pl.col("text").hash()
        )
        for batch in _batches(corpus)
    ]
    again = (
        pl.concat(hashed).filter(~pl.struct("chart_id", "text").is_first_distinct())
        if hashed
        else pl.DataFrame({"note_id": []})
    )
    if len(again):
        yield Finding(
            "repeated-note",
            Severity.REMARK,
            len(again),
            "note with the same text as another note of its chart"
            if len(again) == 1
            else "notes with the same text as another note of their chart",
            tuple(f"note {note_id}" for note_id in again["note_id"].head(most)),
            "Leave the copies out, unless they were annotated separately on purpose.",
        )


def _undecoded(corpus: Corpus, show_text: bool, most: int) -> Iterator[Finding]:
    strange = (
        corpus.lazy_notes.filter(pl.col("text").str.contains(_UNDECODED))
        .select("note_id", sign=pl.col("text").str.extract(f"({_UNDECODED})"))
        .collect(engine="streaming")
    )
    if len(strange):
        yield Finding(
            "undecoded-bytes",
            Severity.WARNING,
            len(strange),
            f"{'note' if len(strange) == 1 else 'notes'} whose text looks like bytes decoded with "
            "the wrong encoding",
            tuple(f"note {note_id}" for note_id in strange["note_id"].head(most)),
            "Read the source in its own encoding (often Windows-1252 or UTF-8) and import again.",
            tuple(strange["sign"].head(most)) if show_text else (),
        )


def _spans(corpus: Corpus, show_text: bool, most: int) -> Iterator[Finding]:
    pointed = (
        corpus.lazy_all_annotations.filter(pl.col("spans").list.len() > 0)
        .select("note_id", "annotator", "system", "code", "spans", "meta")
        .group_by("note_id", maintain_order=True)
        .agg(pl.struct("annotator", "system", "code", "spans", "meta").alias("on"))
        .collect()
    )
    counts: Counter[str] = Counter()
    examples: dict[str, list[str]] = {}
    quoted: dict[str, list[str]] = {}
    for batch in track(_batches(corpus) if len(pointed) else (), "examining spans"):
        told = batch.join(pointed, on="note_id", maintain_order="left")
        for note_id, text, rows in told.select("note_id", "text", "on").iter_rows():
            for row in rows:
                for check, begin, end in _examine(row, text):
                    counts[check] += 1
                    if counts[check] <= most:
                        examples.setdefault(check, []).append(
                            f"{row['system']} {row['code']} on note {note_id} {begin}–{end} "
                            f"by {row['annotator']}"
                        )
                        around = text[max(0, begin - _CONTEXT) : end + _CONTEXT]
                        quoted.setdefault(check, []).append(around)
    for check, (severity, one, several, advice) in _SPAN_CHECKS.items():
        if count := counts[check]:
            problem = one if count == 1 else several
            quotes = tuple(quoted[check]) if show_text else ()
            places = tuple(examples[check])
            yield Finding(check, severity, count, problem, places, advice, quotes)


def _examine(row: dict[str, Any], text: str) -> Iterator[tuple[str, int, int]]:
    """The checks that an annotation fails, each with the span that fails it."""
    pieces = [(piece["begin"], piece["end"]) for piece in row["spans"]]
    for begin, end in pieces:
        if not 0 <= begin <= end <= len(text):
            yield "span-out-of-range", begin, end
        elif begin == end:
            yield "empty-span", begin, end
        elif all(map(is_filler, text[begin:end])):
            yield "filler-only", begin, end
        else:
            if text[begin].isspace() or text[end - 1].isspace():
                yield "blank-edge", begin, end
            if splits_word(Span(begin, end), text):
                yield "splits-word", begin, end
    inside = all(0 <= begin <= end <= len(text) for begin, end in pieces)
    if inside and QUOTE in (meta := load_meta(row["meta"])):
        spans = [Span(begin, end) for begin, end in pieces]
        if meta[QUOTE] != covered(text, spans):
            yield "quote-differs", *pieces[0]
