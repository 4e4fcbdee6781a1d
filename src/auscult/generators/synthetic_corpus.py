"""A synthetic corpus: the records of a corpus with generated texts."""

from __future__ import annotations

import polars as pl

from auscult.core import CorpusError, Note
from auscult.corpus.corpus import Corpus
from auscult.corpus.manifest import Manifest
from auscult.corpus.schema import RECORD_KEY
from auscult.generators.contract import TextDecoding
from auscult.generators.generator import TextGenerator


def generate(
    generator: TextGenerator, corpus: Corpus, decoding: TextDecoding | None = None, *, seed: int = 0
) -> Corpus:
    """Generate a text for every record of a corpus, as a note with the record's id.

    Records need no text of their own. Only ids, patients and splits are taken over from existing
    notes.
    """
    if corpus.lazy_records is None:
        raise CorpusError(
            "The corpus has no records to generate texts from. Import it with them: "
            "auscult corpus import neiss|mimic4_ed|records, or csv with --records."
        )
    records = corpus.lazy_records.collect()
    if (again := records[RECORD_KEY].is_duplicated().sum()) > 0:
        raise CorpusError(
            f"{again:,} records have the same {RECORD_KEY} as another record. Make it unique."
        )
    if "chart_id" not in records.columns:
        records = records.with_columns(chart_id=pl.col(RECORD_KEY))
    known = corpus.lazy_notes.select("chart_id", "subject_id", "split").unique(
        "chart_id", keep="first"
    )
    charts = records.select(RECORD_KEY, pl.coalesce("chart_id", RECORD_KEY).alias("chart_id"))
    told = charts.join(known.collect(), on="chart_id", how="left", maintain_order="left")
    notes = [
        Note(str(record_id), str(chart_id), subject_id, text=text, split=split)
        for (record_id, chart_id, subject_id, split), text in zip(
            told.iter_rows(), generator.write(records, decoding, seed=seed), strict=True
        )
    ]
    manifest = Manifest(
        name=f"{corpus.manifest.name}, synthetic",
        description=f"Texts by the generator {generator.about.kind}; the records are those of "
        f"{corpus.manifest.name}.",
        license=corpus.manifest.license,
        access=corpus.manifest.access,
        source=(
            f"auscult generate texts, generator {generator.about.kind} trained on "
            f"{generator.about.source.name}, {(decoding or TextDecoding()).strategy}, seed "
            f"{seed}"
        ),
    )
    return Corpus.of(notes, records=records, manifest=manifest)
