"""The part of the demo about coders: learn one, let it code the test charts, measure it."""

from __future__ import annotations

from pathlib import Path

from auscult.coders.runs import train
from auscult.corpus import Corpus
from auscult.report.coder_report import assess, coder_report

PAGE = "coder.html"
_KIND = "lexicon"
_ANNOTATOR = "inpatient"
_CATEGORY = "Discharge summary"
_RESAMPLES = 500


def show_coder(corpus: Corpus, out: Path, *, seed: int, shows_text: str) -> tuple[str, str, str]:
    """Learn a coder from the training charts, and write the page about it on the test charts.

    Leaves the coder and its annotations (`coder`, `predicted`) in `out`; gives the page's file,
    title and what it shows, for the overview.
    """
    config = {"annotators": (_ANNOTATOR,), "categories": (_CATEGORY,)}
    coder = train(corpus, out / "coder", _KIND, config, seed=seed)
    test = corpus.select(splits=["test"], annotators=[_ANNOTATOR], categories=[_CATEGORY])
    found = assess(coder, test, annotator=_ANNOTATOR, times=_RESAMPLES)
    found.predicted.write(out / "predicted")
    coder_report(
        found,
        out / "report" / PAGE,
        about={"coder": f"{_KIND}, seed {seed}", "corpus": corpus.manifest.name, "split": "test"},
        threshold=coder.about.decoding.code_threshold,
        title=f"A coder at work: {_KIND}",
        shows_text=shows_text,
        home="index.html",
    )
    f1 = found.codes.measures["micro_f1"].value or 0.0
    token = found.evidence.oracle["token"].f1.value or 0.0
    return (
        PAGE,
        "A coder at work",
        f"Learnt from {coder.about.source.charts:,} charts; on {found.codes.outcomes.charts:,} it "
        f"never saw, code micro-F1 {f1:.2f} and evidence token F1 {token:.2f}",
    )
