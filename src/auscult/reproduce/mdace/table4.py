"""MDACE, Table 4: evidence by note category."""

from __future__ import annotations

from auscult.reproduce.contract import Measured, Reproduction, ReproductionOutcome, above, grid
from auscult.reproduce.mdace.files import OPEN, PRACTICES, SUMMARY, files
from auscult.reproduce.work import Workspace

_SHOWN = {
    "Inpatient": {
        SUMMARY: (3434, 87.3), "Physician": (364, 9.3), "Radiology": (60, 1.5),
        "General": (28, 0.7), "Nutrition": (19, 0.5),
    },
    "Profee": {
        "Physician": (2082, 37.4), SUMMARY: (1584, 28.5), "Radiology": (1269, 22.8),
        "ECG": (256, 4.6), "Echo": (207, 3.7), "Rehab Services": (66, 1.2),
    },
}  # fmt: skip
_COLUMNS = ("Evidence", "Percentage")


def run(work: Workspace) -> ReproductionOutcome:
    """Count the evidence for ICD-9 by the category of its note."""
    found = files(work)
    numbers = {}
    for practice in PRACTICES:
        corpus = found.corpus(practice, "ICD-9")
        categories = corpus.lazy_notes.select("note_id", "category")
        counted = corpus.lazy_annotations.join(categories, on="note_id").group_by("category").len()
        by_category = dict(counted.collect().iter_rows())
        total = sum(by_category.values())
        for category in _SHOWN[practice]:
            here = by_category.get(category, 0)
            row = f"{practice}, {category}"
            numbers[f"{row} · Evidence"] = Measured.counted(here, found.basis, n=total)
            numbers[f"{row} · Percentage"] = Measured.counted(
                100 * here / total, found.basis, n=total
            )
    return ReproductionOutcome(numbers, (found.used,))


REPRODUCTION = Reproduction(
    name="mdace-table-4",
    paper="mdace",
    label="Table 4",
    title="Evidence by note category",
    needs=OPEN,
    stand_in="the evidence of the synthetic hospital",
    options=("mdace",),
    calls=(
        "auscult corpus import mdace MDACE/data/Profee/ICD-9 profee",
        "auscult corpus info profee --json",
    ),
    run=run,
    published=tuple(
        one
        for practice, rows in _SHOWN.items()
        for one in grid(
            _COLUMNS,
            {f"{practice}, {category}": values for category, values in rows.items()},
            within=(0, 0.051),
            style=(",.0f", ".1f"),
        )
    ),
    claims=(
        above(
            f"Inpatient, {SUMMARY} · Percentage",
            f"Profee, {SUMMARY} · Percentage",
            "Discharge summaries contain most of the inpatient evidence, and far less of "
            "the Profee evidence.",
            floor=50,
        ),
        above(
            "Profee, Physician · Percentage",
            f"Profee, {SUMMARY} · Percentage",
            "Profee coders find more evidence in physician notes than in discharge summaries.",
        ),
    ),
    remark="Counted for ICD-9: of the two evidence spans that only ICD-10 has, both are in "
    "discharge summaries.",
)
