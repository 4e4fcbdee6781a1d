"""Emergency records of many patients, without charts, which take most of a hospital's time."""

from __future__ import annotations

from pathlib import Path

from auscult.core import OptionError, storage
from auscult.core.progress import track
from auscult.synth.admissions import stays
from auscult.synth.clinical_tables import load
from auscult.synth.emergency import EmergencyWriter
from auscult.synth.epidemiology import Epidemiology
from auscult.synth.patients import make_patient


def make_emergency_records(out: Path, patients: int = 2_000, seed: int = 0) -> int:
    """Write `records.csv` and `canaries.txt` into the folder `out`; gives the number of records.

    A hospital of the same seed has these very records, for as many patients as it has.
    """
    if patients < 1:
        raise OptionError(f"Records need at least one patient; got {patients}.")
    epidemiology = Epidemiology(load())
    with storage.drafted(out) as draft:
        draft.mkdir()
        with (
            (draft / "records.csv").open("w", encoding="utf-8", newline="") as records,
            (draft / "canaries.txt").open("w", encoding="utf-8", newline="") as canaries,
        ):
            writer = EmergencyWriter(records, canaries, epidemiology)
            for index in track(range(patients), "patients", patients):
                patient = make_patient(seed, index)
                writer.patient(patient, stays(patient, epidemiology))
    return writer.records
