"""MDACE, Table 6: how ICD-10 codes were mapped to ICD-9."""

from __future__ import annotations

from collections import Counter

from auscult.reproduce.contract import (
    Measured,
    Printed,
    Reproduction,
    ReproductionOutcome,
    at_least,
)
from auscult.reproduce.mdace.files import OPEN, PRACTICES, files
from auscult.reproduce.work import Workspace

_KINDS = {
    "Coder Verified": ("Human",),
    "Identical match": ("MapType.EXACT",),
    "Approximate match": ("MapType.APPROX",),
    "Multiple match": ("MapType.MULTI", "MapType.MULTI_DESC"),
    "Other": ("MapType.NO_ENTRY",),
}
_COUNTS = {
    "Coder Verified": ((2525, 64.2), (1606, 28.9)),
    "Identical match": ((417, 10.6), (1387, 24.9)),
    "Approximate match": ((687, 17.5), (1847, 33.2)),
    "Multiple match": ((244, 6.2), (704, 12.6)),
    "Other": ((61, 1.6), (19, 0.3)),
}
_SURE = "Coder verified, identical or approximate, %"


def run(work: Workspace) -> ReproductionOutcome:
    """Count the mapping type of each annotation in the ICD-9 files."""
    found = files(work)
    numbers = {}
    for practice in PRACTICES:
        annotations = found.corpus(practice, "ICD-9").iter_annotations()
        counted = Counter(one.meta.get("type") for one in annotations)
        total = sum(counted.values())
        sums = {row: sum(counted[kind] for kind in kinds) for row, kinds in _KINDS.items()}
        sums["Other"] += total - sum(sums.values())
        for row, count in sums.items():
            numbers[f"{row} · {practice}"] = Measured.counted(count, found.basis, n=total)
            share = Measured.counted(100 * count / total, found.basis, n=total)
            numbers[f"{row} · {practice}, %"] = share
        sure = sum(sums[row] for row in tuple(_KINDS)[:3])
        share = Measured.counted(100 * sure / total, found.basis, n=total)
        numbers[f"{_SURE} · {practice}"] = share
    return ReproductionOutcome(numbers, (found.used,))


REPRODUCTION = Reproduction(
    name="mdace-table-6",
    paper="mdace",
    label="Table 6",
    title="How ICD-10 codes were mapped to ICD-9",
    needs=OPEN,
    stand_in="the evidence of the synthetic hospital, whose codes are mapped in the same way",
    options=("mdace",),
    calls=(
        "auscult corpus import mdace MDACE/data/Inpatient/ICD-9 inpatient",
        "Counter(one.meta['type'] for one in Corpus.open('inpatient').iter_annotations())",
    ),
    run=run,
    published=(
        *(
            Printed(row, column, value, within, style)
            for row, pairs in _COUNTS.items()
            for practice, (count, share) in zip(PRACTICES, pairs, strict=True)
            for column, value, within, style in (
                (practice, count, 0.0, ",.0f"),
                (f"{practice}, %", share, 0.1, ".1f"),
            )
        ),
        Printed(_SURE, "Inpatient", 92, 0.5, ".0f"),
        Printed(_SURE, "Profee", 87, 0.5, ".0f"),
    ),
    claims=(
        at_least(f"{_SURE} · Inpatient", 80,
                 "Most mappings are reliable, so the ICD-9 codes can be trusted."),
    ),
    remark="The paper prints 12.6% for 704 of 5,563, which is 12.66%.",
)  # fmt: skip
