"""The part of the demo about text generators: train one on emergency records, see its texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auscult.cli.demo_part import DemoPart, missing
from auscult.corpus import formats
from auscult.corpus.split import split_at_random
from auscult.evaluate.text import evaluate_synthetic
from auscult.generators.contract import TextDecoding
from auscult.generators.fitting import train_generator
from auscult.generators.synthetic_corpus import generate
from auscult.report.generator_report import generator_report
from auscult.report.page import PageLink
from auscult.synth.emergency_records import make_emergency_records

PAGE = "generator.html"
_TIMES_PATIENTS = 10
"""How many times more patients have emergency records than have charts: records are cheap."""
_SHARES = {"train": 0.7, "dev": 0.1, "test": 0.2}
_RESAMPLES = 300
_SETTINGS: dict[str, dict[str, Any]] = {
    "lstm": {"hidden_size": 64, "batch_size": 32, "min_steps": 0, "threads": 1},
    "frequent": {"group_by": ("icd10", "arrival")},
}


def show_generator(out: Path, *, patients: int, seed: int, shows_text: str) -> DemoPart:
    """Train a generator on the training records, and write the page about it on the test records.

    Without the libraries for networks it is a generator that copies, and the page shows how that
    looks. Leaves `emergency-records`, `emergency`, `generator` and `written` in `out`.
    """
    why = missing("The generator lstm", "neural")
    kind = "frequent" if why else "lstm"
    source = out / "emergency-records"
    make_emergency_records(source, _TIMES_PATIENTS * patients, seed)
    read = formats.read(
        "csv", source / "records.csv", note_id="record_id", text="chief_complaint", records=True
    )
    corpus = split_at_random(read, _SHARES, seed=seed).described(
        name="emergency records of the synthetic hospital"
    )
    corpus = corpus.write(out / "emergency")
    config = {"min_frequency": 2, "min_patients": 3, **_SETTINGS[kind]}
    generator = train_generator(corpus, out / "generator", kind, config, seed=seed)
    made = generate(generator, corpus.select(splits=["test"]), TextDecoding(), seed=seed)
    made = made.write(out / "written")
    found = evaluate_synthetic(
        corpus,
        made,
        secrets=(source / "canaries.txt").read_text(encoding="utf-8").splitlines(),
        bootstrap=_RESAMPLES,
        seed=seed,
    )
    records = generator.about.source.records
    generator_report(
        found,
        out / "report" / PAGE,
        about={
            "generator": f"{kind}, seed {seed}",
            "corpus": corpus.manifest.name,
            "split": "test",
        },
        title=f"Chief complaints generated from records: {kind}",
        shows_text=shows_text,
        remark=f"This is a demo: a small network, trained on {records:,} synthetic records. The "
        "published LSTM had millions (Lee 2018)."
        if why is None
        else f"This generator is a baseline that copies training texts. {why}",
        home="index.html",
    )
    near = found.texts.metrics["embedding_similarity"].value or 0.0
    page = PageLink(
        PAGE,
        "Synthetic text",
        f"{kind}, trained on {records:,} emergency records, wrote the chief complaints of "
        f"{len(found.synthetic):,} others: embedding similarity {near:.2f} to the authentic ones",
    )
    left_out = f"The LSTM text generator; a baseline that copies takes its place. {why}"
    return DemoPart((page,), (left_out,) if why else ())
