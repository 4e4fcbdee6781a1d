"""The annotations of one side: distinct spans, and the concepts of each, as arrays.

A span is the set of its characters, so the parts of a discontinuous span are sorted and joined
where they touch. The same span given twice is one span; the same concept on it again is nothing
new. Everything that is left out is counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from auscult.codes import CUI_LESS, is_cui_less
from auscult.codes.exclusions import Exclusions
from auscult.core import Code, CorpusError, Span
from auscult.core.names import shown
from auscult.core.option_names import option
from auscult.core.span import union
from auscult.corpus import Corpus

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NONE = 0
"""The number of CUI-less, of whatever code system."""
_UNSCORED = -np.inf


class ConceptNumbers:
    """Codes by number. CUI-less is one, in all systems."""

    def __init__(self) -> None:
        self._numbers: dict[Code, int] = {}
        self.codes: list[Code] = [Code("UMLS", CUI_LESS)]

    def __len__(self) -> int:
        return len(self.codes)

    def number(self, code: Code) -> int:
        """The number of a code, a new one if it is new."""
        if is_cui_less(code.value):
            return NONE
        found = self._numbers.get(code)
        if found is None:
            found = self._numbers[code] = len(self.codes)
            self.codes.append(code)
        return found


@dataclass(frozen=True, slots=True, repr=False)
class MarkedSpans:
    """The distinct spans of one side in order of note, and their concepts.

    `note`, `begin`, `end` and `length` are of each span (its extent, and its number of characters);
    `keys` identify its characters. `part_…` has a row for each part of a span, `pair_…` one for
    each concept of a span, the highest score first, equal scores in their order in the corpus.
    """

    note: Ints
    begin: Ints
    end: Ints
    length: Ints
    keys: tuple[str, ...]
    part_span: Ints
    part_begin: Ints
    part_end: Ints
    pair_span: Ints
    pair_concept: Ints
    types: tuple[tuple[str, ...], ...] = field(default=())
    """What `meta` calls the type of each span; only of gold."""

    def __len__(self) -> int:
        return len(self.note)

    def where(self, concepts: Bools) -> Bools:
        """Which spans have a concept in the chosen rows of `pair_…`."""
        return np.bincount(self.pair_span[concepts], minlength=len(self)) > 0

    def concepts_of(self) -> list[tuple[int, ...]]:
        """The concepts of every span, in their order."""
        edges = np.searchsorted(self.pair_span, np.arange(len(self) + 1))
        every = self.pair_concept.tolist()
        return [tuple(every[a:b]) for a, b in pairwise(edges)]


def mark(
    corpus: Corpus, notes: Mapping[str, int], concepts: ConceptNumbers, left_out: Exclusions
) -> MarkedSpans:
    """The spans of a corpus on the notes given by number; what is left out goes to `left_out`."""
    table = (
        corpus.lazy_annotations.select(
            "note_id",
            "system",
            "code",
            "spans",
            "score",
            type=pl.col("meta").str.json_path_match("$.type"),
        )
        .with_row_index("row")
        .collect()
    )
    table = _on_notes(table, notes, left_out)
    table = _with_key(table, left_out)
    numbers = pl.DataFrame(
        {"note_id": list(notes), "note": list(notes.values())},
        schema={"note_id": pl.String, "note": pl.Int64},
    )
    pairs = table.select("system", "code").unique().sort("system", "code")
    known = pairs.with_columns(
        concept=pl.Series(
            [concepts.number(Code(*pair)) for pair in pairs.iter_rows()], dtype=pl.Int64
        )
    )
    rows = (
        table.join(numbers, on="note_id")
        .join(known, on=["system", "code"])
        .with_columns(pl.col("score").fill_null(_UNSCORED).fill_nan(_UNSCORED))
        .sort("note", "begin", "end", "key", "row")
        .with_columns(span=pl.struct("note", "key").rle_id().cast(pl.Int64))
    )
    distinct = rows.group_by("span", "concept").agg(
        pl.col("score").max(), pl.col("row").min(), pl.len()
    )
    again = int((distinct["len"] - 1).sum())
    if again:
        left_out.add("annotations that repeat a span with the same concept", count=again)
    distinct = distinct.sort("span", "score", "row", descending=[False, True, False])
    spans = rows.unique("span", maintain_order=True)
    types = (
        rows.group_by("span", maintain_order=True)
        .agg(pl.col("type").drop_nulls().unique(maintain_order=True))["type"]
        .to_list()
    )
    return _marked(spans, distinct, tuple(map(tuple, types)))


def exact(marked: MarkedSpans, other: MarkedSpans) -> Ints:
    """For each span of `marked` the number of the same span of `other`, or -1."""
    at = {
        (note, key): number
        for number, (note, key) in enumerate(zip(other.note.tolist(), other.keys, strict=True))
    }
    pairs = zip(marked.note.tolist(), marked.keys, strict=True)
    return np.array([at.get(pair, -1) for pair in pairs], dtype=np.int64)


def texts(corpus: Corpus, marked: MarkedSpans, notes: Mapping[str, int]) -> list[str | None]:
    """The text of every span, parts with a blank between; None where the note has no text."""
    parts = np.searchsorted(marked.part_span, np.arange(len(marked) + 1)).tolist()
    edges = np.searchsorted(marked.note, np.arange(len(notes) + 1)).tolist()
    begin, end = marked.part_begin.tolist(), marked.part_end.tolist()
    found: list[str | None] = [None] * len(marked)
    held = corpus.lazy_notes.select("note_id", "text").filter(
        pl.col("text").is_not_null() & pl.col("note_id").is_in(list(notes))
    )
    for batch in held.collect_batches(chunk_size=500, maintain_order=True):
        for note_id, text in batch.iter_rows():
            note = notes[note_id]
            for span in range(edges[note], edges[note + 1]):
                pieces = range(parts[span], parts[span + 1])
                found[span] = " ".join(text[begin[at] : end[at]] for at in pieces)
    return found


def check_ends(marked: MarkedSpans, corpus: Corpus, notes: Mapping[str, int], side: str) -> None:
    """An error when a span ends past its note's text."""
    held = corpus.lazy_notes.select("note_id", size=pl.col("text").str.len_chars()).filter(
        pl.col("size").is_not_null() & pl.col("note_id").is_in(list(notes))
    )
    size = np.full(len(notes), np.iinfo(np.int64).max)
    for note_id, length in held.collect().iter_rows():
        size[notes[note_id]] = length
    past = np.flatnonzero(marked.end > size[marked.note])
    if len(past):
        at = int(past[0])
        note_id = next(name for name, number in notes.items() if number == marked.note[at])
        more = f" ({len(past):,} spans are)" if len(past) > 1 else ""
        raise CorpusError(
            f"{side}: span {marked.begin[at]}–{marked.end[at]} of note {shown(note_id)} is past "
            f"the note's {size[marked.note[at]]} characters{more}. Offsets count Unicode code "
            "points; if these are bytes or UTF-16 units, import the file again with "
            f"{option('--offsets utf8')} or utf16."
        )


def _on_notes(table: pl.DataFrame, notes: Mapping[str, int], left_out: Exclusions) -> pl.DataFrame:
    """The annotations with spans on the notes that count."""
    bare = table["spans"].list.len().fill_null(0) == 0
    if bare.any():
        left_out.add("annotations without a span", count=int(bare.sum()))
    table = table.filter(~bare)
    known = table["note_id"].is_in(list(notes))
    if not known.all():
        for note_id, count in table.filter(~known)["note_id"].value_counts(sort=True).iter_rows():
            left_out.add("annotations on notes that are not asked about", str(note_id), count)
    return table.filter(known)


def _with_key(table: pl.DataFrame, left_out: Exclusions) -> pl.DataFrame:
    """The annotations with the characters of their spans: a key, an extent, and the parts."""
    first = pl.col("spans").list.first()
    single = table["spans"].list.len() == 1
    one = table.filter(single).with_columns(
        begin=first.struct.field("begin"), end=first.struct.field("end")
    )
    empty = one.filter(pl.col("begin") >= pl.col("end"))
    several = table.filter(~single)
    unions = [
        union(Span(part["begin"], part["end"]) for part in parts if part["begin"] < part["end"])
        for parts in several["spans"].to_list()
    ]
    hollow = [not parts for parts in unions]
    if len(empty) or any(hollow):
        left_out.add("annotations whose span has no characters", count=len(empty) + sum(hollow))
    one = one.filter(pl.col("begin") < pl.col("end"))
    joined = several.with_columns(
        spans=pl.Series(
            [[{"begin": p.begin, "end": p.end} for p in parts] for parts in unions],
            dtype=table.schema["spans"],
        )
    ).filter(pl.col("spans").list.len() > 0)
    whole = joined.with_columns(
        begin=first.struct.field("begin"),
        end=pl.col("spans").list.last().struct.field("end"),
    )
    both = pl.concat([one, whole])
    parts = pl.element().struct
    return both.with_columns(
        key=pl.col("spans")
        .list.eval(pl.format("{}-{}", parts.field("begin"), parts.field("end")))
        .list.join(",")
    )


def _marked(
    spans: pl.DataFrame, rows: pl.DataFrame, types: Sequence[tuple[str, ...]]
) -> MarkedSpans:
    parts = spans.select("span", "spans").explode("spans").unnest("spans")
    begin, end, owner = (parts[name].to_numpy() for name in ("begin", "end", "span"))
    length = np.bincount(owner, weights=end - begin, minlength=len(spans)).astype(np.int64)
    return MarkedSpans(
        spans["note"].to_numpy(),
        spans["begin"].to_numpy(),
        spans["end"].to_numpy(),
        length,
        tuple(spans["key"].to_list()),
        owner,
        begin,
        end,
        rows["span"].to_numpy(),
        rows["concept"].to_numpy(),
        tuple(types),
    )
