"""Several corpora made one: each note once, each annotation once."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import polars as pl

from auscult.core import CorpusError
from auscult.core.names import shown
from auscult.corpus import schema
from auscult.corpus.manifest import Manifest
from auscult.corpus.schema import dump_meta, load_meta

if TYPE_CHECKING:
    from auscult.corpus.corpus import Corpus

_JOINED = {"name": " + ", "description": "; ", "source": "; "}
_STATED = ("license", "access")
_FILLED = ("subject_id", "category", "time", "split")


def merge(corpora: Sequence[Corpus]) -> Corpus:
    """The notes, annotations and records of all; what one does not say of a note, another may.

    Two notes of one id must be the same note: of one chart and one patient, and with one text
    where both have it. Where they differ otherwise, the first is taken, and a warning says so.
    An annotation or a record that an earlier corpus holds as well is taken once.
    """
    for one, other in combinations(corpora, 2):
        _check_same_notes(one, other)
    first = corpora[0]
    notes, annotations = first.lazy_notes, first.lazy_all_annotations
    for other in corpora[1:]:
        _warn_of_differences(notes, other)
        notes = _with_notes(notes, other.lazy_notes)
        annotations = _with_annotations(annotations, other.lazy_all_annotations)
    records = [corpus.lazy_records for corpus in corpora if corpus.lazy_records is not None]
    together = pl.concat(records, how="diagonal_relaxed") if records else None
    if len(records) > 1 and together is not None:
        together = together.unique(maintain_order=True)
    manifest = _merge_manifests([corpus.manifest for corpus in corpora])
    return replace(
        first,
        lazy_notes=notes,
        lazy_all_annotations=annotations,
        lazy_records=together,
        manifest=manifest,
        path=None,
    )


def _check_same_notes(one: Corpus, other: Corpus) -> None:
    """Raise an error when an id names two different notes. Texts are compared by their hashes."""
    names = " and ".join(str(corpus.path or corpus.manifest.name) for corpus in (one, other))
    ids = ["note_id", "chart_id", "subject_id"]
    shared = one.lazy_notes.select(ids).join(other.lazy_notes.select(ids), on="note_id").collect()
    for column, whose in (("chart_id", "charts"), ("subject_id", "patients")):
        astray = shared.filter(pl.col(column) != pl.col(f"{column}_right"))
        if len(astray):
            raise CorpusError(
                f"{_which(astray)} of different {whose} in {names}. A note_id must identify one "
                "note; rename the notes of one corpus."
            )
    if shared.is_empty():
        return
    told = [
        corpus.lazy_notes.filter(pl.col("text").is_not_null()).select(
            "note_id", pl.col("text").hash()
        )
        for corpus in (one, other)
    ]
    # Where one side has no texts, as stand-off annotations have none, the other's stay unread.
    if any(table.select("note_id").head(1).collect().is_empty() for table in reversed(told)):
        return
    unequal = (
        told[0]
        .join(told[1], on="note_id")
        .filter(pl.col("text") != pl.col("text_right"))
        .select("note_id")
        .collect(engine="streaming")
    )
    if len(unequal):
        raise CorpusError(
            f"{_which(unequal, 'has', 'have')} different text in {names}. A note_id must "
            "identify one note; rename the notes of one corpus."
        )


def _which(notes: pl.DataFrame, one: str = "is", several: str = "are") -> str:
    first = notes["note_id"].sort()[0]
    if len(notes) == 1:
        return f"Note {shown(first)} {one}"
    return f"Note {shown(first)} and {len(notes) - 1:,} more {several}"


def _warn_of_differences(mine: pl.LazyFrame, other: Corpus) -> None:
    """Say which columns two corpora fill differently for the same notes."""
    columns = ["category", "time", "split", "meta"]
    shared = (
        mine.select("note_id", *columns)
        .join(other.lazy_notes.select("note_id", *columns), on="note_id")
        .collect()
    )
    for column in columns:
        unequal = shared.filter(pl.col(column) != pl.col(f"{column}_right"))
        if column == "meta":
            unequal = unequal.filter(
                pl.Series(
                    [
                        _contradict(load_meta(one), load_meta(two))
                        for one, two in unequal.select("meta", "meta_right").iter_rows()
                    ],
                    dtype=pl.Boolean,
                )
            )
        if len(unequal):
            warnings.warn(
                f"{_which(unequal, 'has', 'have')} a different {column} in "
                f"{other.path or other.manifest.name}; the value of the first corpus is kept.",
                stacklevel=4,
            )


def _contradict(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    return any(one[key] != other[key] for key in one.keys() & other.keys())


def _with_notes(mine: pl.LazyFrame, theirs: pl.LazyFrame) -> pl.LazyFrame:
    others = theirs.select(
        "note_id", *(pl.col(c).alias(f"_{c}") for c in (*_FILLED, "meta", "read_by"))
    )
    texts = theirs.filter(pl.col("text").is_not_null()).select("note_id", _text="text")
    both = pl.struct("meta", "_meta").map_elements(_union, return_dtype=pl.String)
    filled = (
        mine.join(others, on="note_id", how="left", maintain_order="left")
        .join(texts, on="note_id", how="left", maintain_order="left")
        .with_columns(
            *(pl.coalesce(column, f"_{column}").alias(column) for column in (*_FILLED, "text")),
            meta=pl.when(pl.col("meta") != pl.col("_meta"))
            .then(both)
            .otherwise(pl.coalesce("meta", "_meta")),
            read_by=pl.when(pl.col("read_by").is_not_null() & pl.col("_read_by").is_not_null())
            .then(pl.col("read_by").list.set_union("_read_by"))
            .otherwise(pl.coalesce("read_by", "_read_by")),
        )
    )
    fresh = theirs.join(mine.select("note_id"), on="note_id", how="anti", maintain_order="left")
    return pl.concat([filled.select(schema.NOTES.names()), fresh])


def _union(metas: Mapping[str, str | None]) -> str | None:
    return dump_meta({**load_meta(metas["_meta"]), **load_meta(metas["meta"])})


def _with_annotations(mine: pl.LazyFrame, theirs: pl.LazyFrame) -> pl.LazyFrame:
    edge = pl.element().struct
    written = edge.field("begin").cast(pl.String) + "-" + edge.field("end").cast(pl.String)
    key = pl.col("spans").list.eval(written).list.join(",").alias("_spans")
    same = ["_spans", *(column for column in schema.ANNOTATIONS if column != "spans")]
    fresh = theirs.with_columns(key).join(
        mine.with_columns(key).select(same),
        on=same,
        how="anti",
        nulls_equal=True,
        maintain_order="left",
    )
    return pl.concat([mine, fresh.select(schema.ANNOTATIONS.names())])


def _merge_manifests(manifests: Sequence[Manifest]) -> Manifest:
    """One manifest: names and sources side by side, and whose license and access is which."""
    changes: dict[str, str | None] = {}
    for key, between in _JOINED.items():
        said = [getattr(manifest, key) or "" for manifest in manifests]
        parts = dict.fromkeys(part for value in said for part in value.split(between) if part)
        changes[key] = between.join(parts) or None
    for key in _STATED:
        values = [getattr(m, key) for m in manifests]
        if len(set(values)) > 1:
            stated = (
                f"{m.name}: {v or 'not stated'}" for m, v in zip(manifests, values, strict=True)
            )
            changes[key] = "; ".join(dict.fromkeys(stated))
    return manifests[0].model_copy(update=changes)
