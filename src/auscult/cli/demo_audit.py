"""The part of the demo about audits: a good readmission coder beside one that was misled."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

from auscult.audit.planting import plant
from auscult.audit.ratings import Ratings, read_ratings
from auscult.audit.run import Plan, audit, write_results
from auscult.coders.runs import train
from auscult.corpus import Corpus
from auscult.corpus.readmission import READMITTED, Task, readmission
from auscult.report.audit_report import Audited, audit_report

PAGE = "audit.html"
_SPURIOUS = "azure"
_CHARTS = 40
_RESAMPLES = 200
_PLAIN = {"longest_gram": 1, "sections": False, "strength": 10.0, "least": 5}


def show_audit(source: Path, corpus: Corpus, out: Path, *, seed: int) -> tuple[str, str, str]:
    """Ask two coders which words move them: one learnt from the notes, one from a planted word too.

    Leaves the corpus `readmission`, the coders `readmission-coder` and `misled-coder` and the
    numbers (`audit`) in `out`; gives the page's file, title and what it shows.
    """
    task = readmission(corpus, Task(deaths=False, summaries="last", seed=seed)).corpus
    clean = task.described(name="readmission").write(out / "readmission")
    planted = plant(clean, _SPURIOUS, READMITTED, seed=seed).write(out / "misleading")
    coders = {"good": out / "readmission-coder", "misled": out / "misled-coder"}
    with warnings.catch_warnings():
        # Nobody pointed at the words behind a readmission.
        warnings.simplefilter("ignore")
        train(clean, coders["good"], "linear", _PLAIN, seed=seed, dev="none")
        train(planted, coders["misled"], "linear", _PLAIN, seed=seed, dev="none")
    ratings = _ratings(source / "ratings" / "clinicians.csv", out / "audit")
    plan = Plan(READMITTED, tuple(ratings.importance), times=_RESAMPLES, seed=seed)
    charts = [c for c in planted.select(splits=["dev", "test"]).charts() if c.notes][:_CHARTS]
    found = audit(
        coders["misled"], charts, plan, out / "audit", other=coders["good"], ratings=ratings
    )
    about = {"corpus": "synthetic hospital", "code": f"{READMITTED}", "seed": f"{seed}"}
    write_results(found, out / "audit", about)
    audit_report(
        Audited("misled coder", found.found, found.alignment),
        out / "report" / PAGE,
        about=about,
        title="Which words move a coder",
        second=None
        if found.other is None
        else Audited("good coder", found.other, found.other_alignment),
        difference=found.difference,
        home="index.html",
    )
    first = found.found.ranked()[0].word
    return (
        PAGE,
        "Which words move a coder",
        f"A coder that learnt a word that means nothing is found out: of {len(plan.words)} words "
        f"“{first}” moves its score most, which clinicians rate last",
    )


def _ratings(file: Path, out: Path) -> Ratings:
    """The clinicians' ratings, and the planted word, which means nothing to them."""
    out.mkdir()
    with file.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.reader(handle))
    rows.append([_SPURIOUS, *["1"] * (len(rows[0]) - 1)])
    with (out / "clinicians.csv").open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle, lineterminator="\n").writerows(rows)
    return read_ratings(out / "clinicians.csv")
