"""The part of the demo about writers: learn one from emergency records, and see what it writes."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from auscult.corpus import formats
from auscult.corpus.split import split_at_random
from auscult.evaluate.text import evaluate_synthetic
from auscult.report.writer_report import writer_report
from auscult.writers.contract import Decoding
from auscult.writers.fitting import train
from auscult.writers.generating import generate

PAGE = "writer.html"
_SHARES = {"train": 0.7, "dev": 0.1, "test": 0.2}
_RESAMPLES = 300
_SETTINGS: dict[str, dict[str, Any]] = {
    "transformer": {
        "epochs": 20, "patience": 6, "least_steps": 0, "batch": 16, "width": 64,
        "learning_rate": 2e-3, "threads": 1,
    },
    "frequent": {"same": ("icd10", "arrival")},
}  # fmt: skip


def show_writer(hospital: Path, out: Path, *, seed: int, shows_text: str) -> tuple[str, str, str]:
    """Learn a writer from the training records, and write the page about it on the test records.

    Without the libraries for networks it is a writer that copies, and the page shows how that
    looks. Leaves `emergency`, `writer` and `written` in `out`; gives the page's file, title and
    what it shows, for the overview.
    """
    kind = "transformer" if find_spec("torch") and find_spec("lightning_fabric") else "frequent"
    place = hospital / "emergency"
    read = formats.read(
        "csv", place / "records.csv", note_id="record_id", text="chief_complaint", records=True
    )
    corpus = split_at_random(read, _SHARES, seed=seed).described(
        name="emergency records of the synthetic hospital"
    )
    corpus = corpus.write(out / "emergency")
    config = {"least_records": 2, "least_patients": 3, **_SETTINGS[kind]}
    writer = train(corpus, out / "writer", kind, config, seed=seed)
    made = generate(writer, corpus.select(splits=["test"]), Decoding(), seed=seed)
    made = made.write(out / "written")
    found = evaluate_synthetic(
        corpus,
        made,
        secrets=(place / "canaries.txt").read_text(encoding="utf-8").splitlines(),
        times=_RESAMPLES,
        seed=seed,
    )
    writer_report(
        found,
        out / "report" / PAGE,
        about={"writer": f"{kind}, seed {seed}", "corpus": corpus.manifest.name, "split": "test"},
        title=f"Chief complaints, written from records: {kind}",
        shows_text=shows_text,
        home="index.html",
    )
    near = found.texts.measures["embedding_similarity"].value or 0.0
    return (
        PAGE,
        "Texts written from records",
        f"Learnt from {writer.about.source.records:,} emergency records; the texts of "
        f"{len(found.synthetic):,} others have a similarity of {near:.2f} to the authentic ones",
    )
