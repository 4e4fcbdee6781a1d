"""A symptom beside the definite diagnosis that it is a part of."""

from __future__ import annotations

from collections.abc import Iterator

from auscult.codes.coding_edits.coded_chart import CodedChart
from auscult.codes.coding_edits.finding import CodingFinding, EditSeverity, official
from auscult.codes.symptoms import explains, is_symptom
from auscult.codes.tables import describe
from auscult.core import Code

_SECTIONS = {
    "ICD-10-CM": official("I.B.5"),
    "ICD-9-CM": "ICD-9-CM Official Guidelines, Section I.B.7",
}


def check_symptoms(chart: CodedChart) -> Iterator[CodingFinding]:
    """Symptoms that a diagnosis of the chart explains, each with the first that does."""
    codes = [Code(chart.system, value) for value in chart.different]
    for symptom in codes:
        if not is_symptom(symptom):
            continue
        by = next((code for code in codes if explains(code, symptom)), None)
        if by is not None:
            yield CodingFinding(
                "symptom-with-diagnosis",
                EditSeverity.WARNING,
                (symptom.value, by.value),
                f"{symptom.value} ({describe(symptom)}) is a symptom that {by.value} "
                f"({describe(by)}) explains",
                f"Drop {symptom.value}, unless the record has it as not part of the disease.",
                _SECTIONS[chart.system],
            )
