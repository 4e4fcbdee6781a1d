"""What is in a corpus, in numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import polars as pl

from auscult.corpus.corpus import Corpus
from auscult.corpus.readers import readings


@dataclass(frozen=True, slots=True)
class CorpusInfo:
    """Counts of a corpus. Those by name are ordered by count, the largest first."""

    name: str
    license: str | None
    source: str | None
    access: str | None
    notes: int
    notes_without_text: int
    characters: int
    charts: int
    subjects: int
    annotations: int
    spans: int
    codes: int
    records: int
    annotators: dict[str, int]
    charts_read: dict[str, int]
    """Charts that each annotator annotated, or read without assigning a code."""
    systems: dict[str, int]
    categories: dict[str, int]
    splits: dict[str, int]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)


def info(corpus: Corpus) -> CorpusInfo:
    """Count what is in a corpus.

    >>> from auscult.core import Annotation, Code, Note
    >>> found = info(Corpus.of([Note("n", "c")], [Annotation("a", Code("CPT", "71045"), "c")]))
    >>> found.notes, found.charts, found.annotators, found.systems
    (1, 1, {'a': 1}, {'CPT': 1})
    """
    notes, annotations = pl.collect_all(
        [
            corpus.lazy_notes.select(
                notes=pl.len(),
                notes_without_text=pl.col("text").is_null().sum(),
                characters=pl.col("text").str.len_chars().sum(),
            ),
            corpus.lazy_annotations.select(
                annotations=pl.len(),
                spans=pl.col("spans").list.len().sum(),
                codes=pl.struct("system", "code").n_unique(),
            ),
        ]
    )
    records = corpus.lazy_records
    manifest = corpus.manifest
    return CorpusInfo(
        name=manifest.name,
        license=manifest.license,
        source=manifest.source,
        access=manifest.access,
        charts=len(corpus.chart_ids()),
        subjects=_subjects(corpus),
        records=0 if records is None else records.select(pl.len()).collect().item(),
        annotators=_counts(corpus.lazy_annotations, "annotator"),
        charts_read=_counts(readings(corpus), "annotator"),
        systems=_counts(corpus.lazy_annotations, "system"),
        categories=_counts(corpus.lazy_notes, "category"),
        splits=_counts(corpus.lazy_notes, "split"),
        **notes.row(0, named=True),
        **annotations.row(0, named=True),
    )


def _subjects(corpus: Corpus) -> int:
    """Patients with a note or a record."""
    tables = [corpus.lazy_notes]
    if corpus.lazy_records is not None and "subject_id" in corpus.lazy_records.collect_schema():
        tables.append(corpus.lazy_records)
    ids = pl.concat([table.select(pl.col("subject_id").cast(pl.String)) for table in tables])
    return int(ids.drop_nulls().unique().select(pl.len()).collect().item())


def _counts(table: pl.LazyFrame, column: str) -> dict[str, int]:
    counted = table.drop_nulls(column).group_by(column).len().collect()
    return dict(counted.sort(["len", column], descending=[True, False]).iter_rows())
