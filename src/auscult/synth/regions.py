"""The body regions of radiology, and the conditions seen in each."""

from __future__ import annotations

from typing import NamedTuple

from auscult.synth.clinical_tables import ClinicalTables, Condition


class Study(NamedTuple):
    """A kind of examination: its title, the procedure it is, how a summary calls it."""

    title: str
    procedure: str
    short: str


STUDIES = {
    "chest": (
        Study("CHEST (PORTABLE AP)", "chest_xray", "CXR"),
        Study("CHEST (PORTABLE AP)", "chest_xray", "CXR"),
        Study("CHEST (PA & LAT)", "chest_xray", "CXR"),
        Study("CHEST PORT. LINE PLACEMENT", "chest_xray", "CXR"),
        Study("CT CHEST W/CONTRAST", "ct_chest", "CT chest"),
        Study("CTA CHEST W&W/O C&RECONS, NON-CORONARY", "ct_chest", "CTA chest"),
    ),
    "head": (
        Study("CT HEAD W/O CONTRAST", "ct_head", "CT head"),
        Study("CT HEAD W/O CONTRAST", "ct_head", "NCHCT"),
        Study("MR HEAD W & W/O CONTRAST", "mri_brain", "MRI brain"),
    ),
    "abdomen": (
        Study("CT ABD & PELVIS WITH CONTRAST", "ct_abdomen", "CT A/P"),
        Study("ABDOMEN U.S. (COMPLETE STUDY)", "abdominal_ultrasound", "Abd U/S"),
        Study("LIVER OR GALLBLADDER US (SINGLE ORGAN)", "abdominal_ultrasound", "RUQ U/S"),
    ),
    "kidney": (Study("RENAL U.S.", "renal_ultrasound", "Renal U/S"),),
    "veins": (Study("BILAT LOWER EXT VEINS", "venous_ultrasound", "LENIs"),),
    "bone": (
        Study("HIP UNILAT MIN 2 VIEWS", "", "Hip films"),
        Study("CT C-SPINE W/O CONTRAST", "", "CT C-spine"),
        Study("TRAUMA #2 (AP CXR & PELVIS PORT)", "", "Trauma series"),
    ),
}
_WORDS = (
    ("veins", "femoral vein", "popliteal", "compressib", "deep ven", "lower extremity vein"),
    ("abdomen", "adrenal", "infrarenal", "adnexal", "omental", "colitis", "curvature", "gastric"),
    ("head", "intracran", "cerebr", "brain", "hemispher", "sulci", "white matter", "basal gangl",
     "subdural", "calvari", "midline shift", "skull", "territor", "hippocamp", "parietal",
     "frontal", "temporal"),
    ("kidney", "kidney", "renal", "hydroneph", "ureter", "bladder", "collecting system", "prostat"),
    ("bone", "fractur", "femur", "femoral neck", "vertebral body", "tibia", "wrist", "humer",
     "joint", "osseous", "cortical break", "radius", "ankle", " hip", "plantar", "tibial"),
    ("abdomen", "liver", "hepat", "bowel", "gallbladder", "pancrea", "abdom", "spleen", "colon",
     "appendi", "periton", "ascites", "bile", "biliary", "stomach", "portal"),
    ("chest", "lung", "lobe", "pleur", "chest", "pulmon", "mediast", "cardiac", "heart", "opaci",
     "airspace", "trache", "hilar", "costophren", "bronch", "diaphragm", "atri"),
)  # fmt: skip
_BY_CODE = (
    ("head", ("I60", "I61", "I62", "I63", "G45", "G9", "G3", "G8", "S02", "S06", "C71", "C79.3")),
    ("veins", ("I82",)),
    ("abdomen", ("K", "B1", "C18", "C19", "C2", "I71.4", "C78.7", "S36")),
    ("kidney", ("N", "C64", "C67", "S37")),
    ("chest", ("S22", "S27", "J", "C34", "C78.0", "A15", "I2", "I3", "I5", "I71.0", "I71.2")),
    ("bone", ("M1", "M4", "M8", "S", "C79.5")),
)
SYMPTOMS = {
    "chest": ("chest_pain", "shortness_of_breath", "cough", "hypoxia", "hemoptysis", "fever"),
    "head": (
        "headache", "altered_mental_status", "confusion", "weakness", "facial_droop",
        "slurred_speech", "syncope", "seizure_like", "dizziness", "unresponsive", "aphasia",
    ),
    "abdomen": (
        "abdominal_pain", "epigastric_pain", "ruq_pain", "rlq_pain", "llq_pain",
        "nausea_vomiting", "jaundice", "melena", "rectal_bleeding", "abdominal_distention",
    ),
    "kidney": ("flank_pain", "hematuria", "oliguria", "urinary_retention", "dysuria"),
    "veins": ("leg_pain", "edema"),
    "bone": ("hip_pain", "back_pain", "low_back_pain", "shoulder_pain", "neck_pain", "joint_pain"),
}  # fmt: skip
"""What each region is examined for."""


def region_of(sentence: str, icd10: str) -> str:
    """The part of the body a sentence of a report is about."""
    words = sentence.lower()
    for region, *signs in _WORDS:
        if any(sign in words for sign in signs):
            return region
    return usual_region(icd10) or "chest"


def usual_region(icd10: str) -> str:
    """Where a diagnosis is looked for, or nothing when no region is its own."""
    return next((region for region, codes in _BY_CODE if icd10.startswith(codes)), "")


def sentences(row: Condition) -> dict[str, list[tuple[str, bool]]]:
    """A condition's sentences by region, each with whether it names the condition."""
    found: dict[str, list[tuple[str, bool]]] = {}
    named_or_not = (
        *((sentence, True) for sentence in row.reported.get("radiology", ())),
        *((sentence, False) for sentence in row.findings.get("radiology", ())),
    )
    for sentence, named in named_or_not:
        found.setdefault(region_of(sentence, row.icd10), []).append((sentence, named))
    return found


class RadiologyStudies:
    """Which conditions a report of each region can name, or deny."""

    def __init__(self, known: ClinicalTables) -> None:
        self.by_row = {row.id: sentences(row) for row in known.conditions.values()}
        self.by_region: dict[str, list[str]] = {region: [] for region in STUDIES}
        for name, regions in self.by_row.items():
            region = usual_region(known.conditions[name].icd10)
            if any(named for _, named in regions.get(region, ())):
                self.by_region[region].append(name)
