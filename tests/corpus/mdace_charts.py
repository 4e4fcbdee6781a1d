"""Made-up charts in MDACE's files, and a NOTEEVENTS to go with them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from auscult.corpus.formats.shared.files import create_text

TEXT = "Admitted with\r\nhypertension 🫀 and sepsis."
HEADER = (
    *("ROW_ID", "SUBJECT_ID", "HADM_ID", "CHARTDATE", "CHARTTIME", "STORETIME"),
    *("CATEGORY", "DESCRIPTION", "CGID", "ISERROR", "TEXT"),
)


def row(begin: int, end: int, code: str, system: str, kind: str = "Human") -> dict[str, Any]:
    return {
        "begin": begin,
        "end": end,
        "code": code,
        "code_system": system,
        "description": f"What {code} is",
        "type": kind,
    }


def note(note_id: int, *rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    entry = {"note_id": note_id, "category": "Physician", "description": "Report"}
    return {**entry, "annotations": list(rows), **more}


def chart(path: Path, hadm_id: int, *notes: dict[str, Any], comment: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    chart = {"hadm_id": hadm_id, "comment": comment, "notes": list(notes)}
    path.write_text(json.dumps(chart) + "\n")
    return path


def tree(root: Path) -> Path:
    """A chart in both revisions and both practices, as published."""
    hypertension = row(15, 27, "I10", "ICD-10-CM")
    mapped = row(15, 27, "401.9", "ICD-9-CM", "MapType.APPROX")
    visit = row(0, 8, "99291", "CPT")
    inpatient, profee = root / "Inpatient", root / "Profee"
    seen = "Seen"
    chart(inpatient / "ICD-10/1.0/70-ICD-10.json", 70, note(1, hypertension), comment=seen)
    chart(inpatient / "ICD-9/1.0/70-ICD-9.json", 70, note(1, mapped), comment=seen)
    chart(profee / "ICD-10/1.0/70-ICD-10.json", 70, note(1, hypertension, visit), note(2))
    chart(profee / "ICD-9/1.0/70-ICD-9.json", 70, note(1, mapped, mapped, visit), note(2))
    return root


def noteevents(path: Path, *rows: tuple[Any, ...]) -> Path:
    """A NOTEEVENTS file of (ROW_ID, HADM_ID, CHARTTIME, TEXT)."""
    with create_text(path) as file:
        writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(HEADER)
        for row_id, hadm_id, time, text in rows:
            day = "2101-10-20"
            fields = [row_id, 7, hadm_id, day, time, None, "Physician ", "Report", None, None, text]
            writer.writerow(["" if field is None else field for field in fields])
    return path
