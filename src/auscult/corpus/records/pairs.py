"""Records with the texts that go with them, joined by id so that they never get out of step."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from auscult.core import CorpusError, OptionError
from auscult.core.plurals import counted
from auscult.corpus.corpus import Corpus
from auscult.corpus.schema import RECORD_KEY

_TEXT, _SUBJECT, _SPLIT, _NOTE = "note: text", "note: subject", "note: split", "note: id"


@dataclass(frozen=True, slots=True)
class RecordTexts:
    """Row i of `records` goes with text i, of patient i, in split i.

    A patient is the record itself where none is known. `without` counts records that have no text.
    """

    records: pl.DataFrame = field(repr=False)
    texts: tuple[str, ...] = field(repr=False)
    subjects: tuple[str, ...] = field(repr=False)
    splits: tuple[str | None, ...] = field(repr=False)
    note_ids: tuple[str, ...] = field(repr=False)
    without: int = 0

    def __post_init__(self) -> None:
        if {len(self.texts), len(self.subjects), len(self.splits)} != {self.records.height}:
            raise CorpusError("The numbers of records and texts differ; join them by id.")

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def ids(self) -> list[str]:
        """The records' ids."""
        return self.records[RECORD_KEY].to_list()

    def of_split(self, name: str) -> RecordTexts:
        """Those of one split."""
        return self.at([i for i, split in enumerate(self.splits) if split == name])

    def at(self, places: list[int]) -> RecordTexts:
        """Those at some places, in that order."""
        return RecordTexts(
            self.records[places],
            tuple(self.texts[i] for i in places),
            tuple(self.subjects[i] for i in places),
            tuple(self.splits[i] for i in places),
            tuple(self.note_ids[i] for i in places),
        )


def pairs_of(corpus: Corpus, *, category: str | None = None) -> RecordTexts:
    """The records of a corpus that have a text, each with its own.

    A record's text is the note with the record's id, or else the one note of its chart; `category`
    says which notes count. Two records of one id, and two notes of one record, are errors.
    """
    if corpus.lazy_records is None:
        raise CorpusError(
            "The corpus has no records, which text generation starts from. Import records: "
            "auscult corpus import neiss|mimic4_ed|records, or csv with --records."
        )
    records = corpus.lazy_records.collect()
    if (again := records[RECORD_KEY].is_duplicated().sum()) > 0:
        raise CorpusError(
            f"{again:,} records share their {RECORD_KEY} with another; make it unique."
        )
    notes = corpus.lazy_notes
    if category is not None:
        notes = notes.filter(pl.col("category") == category)
    told = notes.select(
        pl.col("note_id").alias(_NOTE),
        "chart_id",
        pl.col("text").alias(_TEXT),
        pl.coalesce("subject_id", "chart_id").alias(_SUBJECT),
        pl.col("split").alias(_SPLIT),
    ).collect()
    by_note = records.select(RECORD_KEY).join(
        told.drop("chart_id"), left_on=RECORD_KEY, right_on=_NOTE, how="semi"
    )
    if by_note.height or "chart_id" not in records.columns:
        key, own = RECORD_KEY, told.with_columns(pl.col(_NOTE).alias("key"))
    else:
        key, own = "chart_id", told.rename({"chart_id": "key"})
        twice = own.filter(pl.col("key").is_in(records["chart_id"].implode()))["key"]
        if (again := twice.is_duplicated().sum()) > 0:
            raise OptionError(
                f"{again:,} notes share their record with another note, so the record's text is "
                "ambiguous. Choose one note category."
            )
    own = own.select("key", _NOTE, _TEXT, _SUBJECT, _SPLIT)
    joined = records.join(own, left_on=key, right_on="key", how="left", maintain_order="left")
    kept = joined.filter(pl.col(_TEXT).str.strip_chars() != "")
    if not kept.height:
        raise CorpusError(
            f"None of {counted(records.height, 'record')} has a text: no note has its id or its "
            "chart. Import records and texts together."
        )
    return RecordTexts(
        kept.select(records.columns),
        tuple(kept[_TEXT]),
        tuple(kept[_SUBJECT]),
        tuple(kept[_SPLIT]),
        tuple(kept[_NOTE]),
        without=joined.height - kept.height,
    )
