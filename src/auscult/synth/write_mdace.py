"""Evidence for the codes in the format of MDACE: one file per chart, and split lists."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from auscult.codes import describe
from auscult.codes.gems import packaged_gems
from auscult.core import Code
from auscult.synth.billing import Bill
from auscult.synth.charts import WrittenChart, WrittenNote
from auscult.synth.clinical_tables import ClinicalTables
from auscult.synth.evidence import EvidencePlace, SupportedCode, sufficient
from auscult.synth.note_parts import PhraseKind
from auscult.synth.random_draws import RandomDraws

PARTS = ("Inpatient", "Profee")
SPLITS = ("train", "val", "test")
_EVALUATION = range(99201, 99500)
"""CPT numbers of evaluation and management, which MDACE leaves out."""

Row = dict[str, int | str]


class MdaceWriter:
    """Writes the files chart by chart, and the split lists at the end."""

    def __init__(self, folder: Path, known: ClinicalTables) -> None:
        self._folder = folder
        self._known = known
        self._splits: dict[str, list[int]] = {}
        self._rows: dict[tuple[str, int, PhraseKind, str, bool], Row | None] = {}
        self.spans = 0
        for part in PARTS:
            for version in ("ICD-10", "ICD-9"):
                (folder / "data" / part / version / "1.0").mkdir(parents=True)

    def chart(
        self,
        chart: WrittenChart,
        found: list[SupportedCode],
        bill: Bill,
        split: str,
        *,
        has_evidence: bool,
    ) -> list[tuple[SupportedCode, tuple[EvidencePlace, ...]]]:
        """Write a chart's files; returns the sufficient evidence."""
        hadm_id = chart.stay.hadm_id
        kinds = ("code-ev", "ev") if has_evidence else ("code-ev",)
        for kind in kinds:
            self._splits.setdefault(f"{kind}-{split}", []).append(hadm_id)
        if not has_evidence:
            return []
        dice = chart.stay.patient.dice.fork(f"inpatient coder {chart.stay.number}")
        done = frozenset(deed.row for deed in chart.stay.deeds)
        inpatient = [
            (item, sufficient(item, dice))
            for item in found
            if item.kind is not PhraseKind.PROCEDURE or item.row in done
        ]
        profee = [(item, item.places) for item in found]
        comment = _comment(chart, self._known)
        for version in (10, 9):
            self._write("Inpatient", version, chart, inpatient, bill, comment)
            self._write("Profee", version, chart, profee, bill, "")
        return inpatient

    def _write(
        self,
        part: str,
        version: int,
        chart: WrittenChart,
        evidence: list[tuple[SupportedCode, tuple[EvidencePlace, ...]]],
        bill: Bill,
        comment: str,
    ) -> None:
        notes: dict[int, tuple[WrittenNote, list[Row]]] = {}
        for item, places in evidence:
            shared = self._shared(part, version, item, bill)
            if shared is None:
                continue
            for note, begin, end, _ in places:
                rows = notes.setdefault(note.row_id, (note, []))[1]
                rows.append({"begin": begin, "end": end, **shared})
        if part == "Inpatient" and version == 10:
            self.spans += sum(len(rows) for _, rows in notes.values())
        written = {
            "hadm_id": chart.stay.hadm_id,
            "comment": comment,
            "notes": [
                {
                    "note_id": note.row_id,
                    "category": note.category,
                    "description": note.description,
                    "annotations": sorted(rows, key=lambda row: (row["begin"], row["end"])),
                }
                for _, (note, rows) in sorted(notes.items())
            ],
        }
        name = f"{chart.stay.hadm_id}-ICD-{version}.json"
        path = self._folder / "data" / part / f"ICD-{version}" / "1.0" / name
        path.write_text(json.dumps(written), encoding="utf-8")

    def _shared(self, part: str, version: int, item: SupportedCode, bill: Bill) -> Row | None:
        """The fields shared by all evidence for one code; None if it has no code here."""
        old = item.code(self._known, 9)
        plain = old[1].replace(".", "") if old else ""
        on_bill = plain in bill.diagnoses or plain in bill.procedures
        key = (part, version, item.kind, item.row, on_bill)
        if key not in self._rows:
            self._rows[key] = self._described(part, version, item, on_bill=on_bill)
        return self._rows[key]

    def _described(
        self, part: str, version: int, item: SupportedCode, *, on_bill: bool
    ) -> Row | None:
        code = item.code(self._known, version)
        if part == "Profee" and item.kind is PhraseKind.PROCEDURE:
            cpt = self._known.procedures[item.row].cpt
            code = ("CPT", cpt) if cpt and int(cpt) not in _EVALUATION else None
        if code is None:
            return None
        by = "Human"
        if version == 9 and code[0] != "CPT" and not on_bill:
            new = item.code(self._known, 10)
            by = "MapType.NO_ENTRY" if new is None else f"MapType.{_map_type(*new)}"
        return {
            "code": code[1],
            "code_system": code[0],
            "description": describe(Code(*code)) or item.name(self._known),
            "type": by,
        }

    def finish(self) -> None:
        """Write the split lists, the same charts for both parts."""
        for part in PARTS:
            folder = self._folder / "splits" / part
            folder.mkdir(parents=True)
            for kind in ("ev", "code-ev"):
                for split in SPLITS:
                    charts = sorted(self._splits.get(f"{kind}-{split}", []))
                    lines = "".join(f"{hadm_id}\n" for hadm_id in charts)
                    (folder / f"MDace-{kind}-{split}.csv").write_text(lines, encoding="utf-8")


def split_of(patient_dice: RandomDraws) -> str:
    """The split of a patient, and so of all their charts: 60, 20 and 20 of a hundred."""
    return patient_dice.fork("split").weighted(SPLITS, (0.6, 0.2, 0.2))


def _comment(chart: WrittenChart, known: ClinicalTables) -> str:
    untold = [deed for deed in chart.stay.deeds if not deed.told]
    if not untold:
        return ""
    if len(untold) > 1:
        return "Need procedure reports to validate PCS codes"
    return f"No procedure report for {known.procedures[untold[0].row].name}"


@cache
def _map_type(system: str, icd10: str) -> str:
    """How the General Equivalence Mappings of 2018 map an ICD-10 code to ICD-9."""
    if system != "ICD-10-CM":
        return "APPROX"
    found = packaged_gems(system, "ICD-9-CM").of(icd10)
    if not found:
        return "NO_ENTRY"
    if len(found) > 1:
        return "MULTI_DESC"
    return "APPROX" if found[0].approximate else "EXACT"
