"""A synthetic corpus: the records of another, with texts that a writer wrote for them."""

from __future__ import annotations

import polars as pl

from auscult.core import CorpusError, Note
from auscult.corpus.corpus import Corpus
from auscult.corpus.manifest import Manifest
from auscult.corpus.schema import RECORD_KEY
from auscult.writers.contract import Decoding
from auscult.writers.writer import Writer


def generate(
    writer: Writer, corpus: Corpus, decoding: Decoding | None = None, *, seed: int = 0
) -> Corpus:
    """A text for every record of a corpus, as the note with the record's id.

    Records need no text of their own. Nothing but ids, patients and splits is taken over from the
    notes that are there.
    """
    if corpus.records is None:
        raise CorpusError(
            "The corpus has no records, so there is nothing to write about. Import it with them: "
            "auscult corpus import neiss|mimic4_ed|records, or csv with --records."
        )
    records = corpus.records.collect()
    if (again := records[RECORD_KEY].is_duplicated().sum()) > 0:
        raise CorpusError(f"{again:,} records share their {RECORD_KEY} with another; make it one.")
    if "chart_id" not in records.columns:
        records = records.with_columns(chart_id=pl.col(RECORD_KEY))
    known = corpus.notes.select("chart_id", "subject_id", "split").unique("chart_id", keep="first")
    charts = records.select(RECORD_KEY, pl.coalesce("chart_id", RECORD_KEY).alias("chart_id"))
    told = charts.join(known.collect(), on="chart_id", how="left", maintain_order="left")
    notes = [
        Note(str(record_id), str(chart_id), subject_id, text=text, split=split)
        for (record_id, chart_id, subject_id, split), text in zip(
            told.iter_rows(), writer.write(records, decoding, seed=seed), strict=True
        )
    ]
    manifest = Manifest(
        name=f"{corpus.manifest.name}, synthetic",
        description=f"Texts by the writer {writer.about.kind}; the records are those of "
        f"{corpus.manifest.name}.",
        licence=corpus.manifest.licence,
        access=corpus.manifest.access,
        source=f"auscult write generate, writer {writer.about.kind} learnt from "
        f"{writer.about.source.name}, {(decoding or Decoding()).way}, seed {seed}",
    )
    return Corpus.of(notes, records=records, manifest=manifest)
