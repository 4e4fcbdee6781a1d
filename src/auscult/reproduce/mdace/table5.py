"""MDACE, Table 5: billed codes compared with codes with evidence."""

from __future__ import annotations

import polars as pl

from auscult.codes.cpt import is_evaluation_and_management
from auscult.corpus import Corpus
from auscult.reproduce.contract import (
    Measured,
    Reproduction,
    ReproductionOutcome,
    above,
    at_most,
    grid,
)
from auscult.reproduce.mdace.files import OPEN, PRACTICES, charts, files
from auscult.reproduce.work import Workspace

_SYSTEMS = {"Inpatient": ("ICD-9-CM", "ICD-9-PCS"), "Profee": ("ICD-9-CM", "CPT")}
_AGREED, _MISSED = "Agreed (% of MIMIC)", "Missed (% of MIMIC)"
BILLED = "billing"
Codes = set[tuple[str, str, str]]


def run(work: Workspace) -> ReproductionOutcome:
    """Compare both sets of codes of each chart that was annotated."""
    open_files = files(work)
    numbers = {}
    used = [open_files.used]
    for practice in PRACTICES:
        whole = charts(work, practice)
        used += whole.used
        found = _codes(open_files.corpus(practice, "ICD-9"), practice, practice.lower())
        numbers[f"MDACE · {practice}"] = Measured.counted(len(found), open_files.basis)
        ours = _codes(whole.corpus, practice, practice.lower())
        known = {chart for chart, _, _ in ours}
        billed = {one for one in _codes(whole.corpus, practice, BILLED) if one[0] in known}
        agreed, size = len(ours & billed), len(known)
        values = {
            "MIMIC": len(billed),
            "Agreed": agreed,
            _AGREED: 100 * agreed / len(billed),
            "Missed": len(billed) - agreed,
            _MISSED: 100 * (1 - agreed / len(billed)),
            "Added (average)": (len(ours) - agreed) / size,
        }
        for row, value in values.items():
            numbers[f"{row} · {practice}"] = Measured.counted(value, whole.basis, n=size)
    return ReproductionOutcome(numbers, tuple(dict.fromkeys(used)))


def _codes(corpus: Corpus, practice: str, annotator: str) -> Codes:
    """Charts and codes of a practice's systems; of what was billed, evaluation and management is
    left out, which coders were told not to annotate."""
    rows = (
        corpus.lazy_annotations.filter(
            pl.col("annotator") == annotator, pl.col("system").is_in(_SYSTEMS[practice])
        )
        .select("chart_id", "system", "code")
        .unique()
        .collect()
    )
    return {
        (chart, system, code)
        for chart, system, code in rows.iter_rows()
        if annotator != BILLED or system != "CPT" or not is_evaluation_and_management(code)
    }


REPRODUCTION = Reproduction(
    name="mdace-table-5",
    paper="mdace",
    label="Table 5",
    title="Billed codes compared with codes with evidence",
    needs=f"{OPEN}; what was billed is in MIMIC-III (PhysioNet, credentialed)",
    stand_in="the synthetic hospital, whose billed codes are as noisy as MIMIC's",
    options=("mdace", "mimic3"),
    calls=(
        "auscult corpus import mimic3 MIMIC-III billed",
        "auscult corpus import mdace MDACE/data/Inpatient/ICD-9 inpatient",
        "auscult evaluate codes inpatient billed --predicted-annotator billing",
    ),
    run=run,
    published=(
        *grid(PRACTICES, {"MIMIC": (5250, 694), "MDACE": (3414, 1630), "Agreed": (2370, 306)},
              style=",.0f"),
        *grid(PRACTICES, {_AGREED: (45.1, 44.1)}, within=0.051, style=".1f"),
        *grid(PRACTICES, {"Missed": (2880, 388)}, style=",.0f"),
        *grid(PRACTICES, {_MISSED: (54.9, 55.9)}, within=0.051, style=".1f"),
        *grid(PRACTICES, {"Added (average)": (3.457, 25.462)}, within=0.0006, style=".3f"),
    ),
    claims=(
        at_most(f"{_AGREED} · Inpatient", 50, "Of the codes billed for inpatients, fewer than "
                "half have evidence."),
        above("Added (average) · Profee", "Added (average) · Inpatient",
              "Coders who annotate everything add far more codes."),
    ),
)  # fmt: skip
