"""The synthetic hospital: everything that Auscult needs to be run, tested and shown without
credentialed data.

`docs/synthetic-hospital.md` says what is planted in each file. The same seed gives the same bytes
on any machine, and patient k is the same whatever the number of patients.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from auscult.core import OptionError, storage
from auscult.core.digests import file_digests
from auscult.core.progress import track
from auscult.core.version import __version__
from auscult.synth import ratings
from auscult.synth.admissions import stays
from auscult.synth.billing import bill
from auscult.synth.charts import ChartWriter
from auscult.synth.clinical_tables import ClinicalTables, load
from auscult.synth.coders import CodersWriter
from auscult.synth.concepts import ConceptsWriter
from auscult.synth.emergency import EmergencyWriter
from auscult.synth.epidemiology import Epidemiology
from auscult.synth.evidence import items
from auscult.synth.gold_phrases import TruthWriter
from auscult.synth.note_author import AuthorContext
from auscult.synth.patients import make_patient
from auscult.synth.phi import PhiWriter
from auscult.synth.staff import Staff
from auscult.synth.vocabulary import SynthVocabulary
from auscult.synth.write_mdace import MdaceWriter, split_of
from auscult.synth.write_mimic import MimicWriter


@dataclass(frozen=True, slots=True)
class HospitalSummary:
    """Counts of the generated data."""

    seed: int
    patients: int
    admissions: int
    readmissions: int
    notes: int
    billed_codes: int
    evidence_spans: int
    """Spans of sufficient evidence for ICD-10 codes."""
    phrases: int
    """Phrases that name a condition, symptom, procedure or cause, whatever their assertion."""
    coded_charts: int
    coder_annotations: int
    concept_notes: int
    concept_annotations: int
    concepts: int
    emergency_records: int
    canaries: int
    phi_annotations: int
    rated_words: int


def make_hospital(
    out: Path | str,
    patients: int = 200,
    seed: int = 0,
    evidence: float = 1.0,
    billing_noise: float = 0.5,
    readmission_effect: float = 1.0,
) -> HospitalSummary:
    """Write a hospital into the folder `out`, which must be new or empty.

    `evidence` is the share of patients whose charts have evidence for their codes.
    `billing_noise` is how far the bills are from the notes: with 0 they have the codes that the
    notes support and no others, with 1 they are about as far from them as MIMIC's. Notes and
    evidence are the same whatever the noise. `readmission_effect` is how many times the conditions'
    weights for readmission count: with more than 1 less is left to chance, and fewer patients are
    enough to learn from. A failure leaves nothing behind.
    """
    if patients < 1:
        raise OptionError(f"A hospital needs at least one patient; got {patients}.")
    if not 0.0 <= evidence <= 1.0:
        raise OptionError(f"The share of patients with evidence is from 0 to 1; got {evidence}.")
    if not 0.0 <= billing_noise <= 1.0:
        raise OptionError(f"The noise of the bills is from 0 to 1; got {billing_noise}.")
    if not 0.0 <= readmission_effect <= 10.0:
        raise OptionError(
            f"The effect of conditions on readmission is from 0 to 10; got {readmission_effect}."
        )
    out = Path(out)
    if out.exists() and (out.is_file() or any(out.iterdir())):
        raise OptionError(f"{out} exists already and is not empty. Choose another name.")
    with storage.drafted(out) as draft:
        draft.mkdir()
        return _fill(draft, load(), patients, seed, evidence, billing_noise, readmission_effect)


def split_lists(hospital: Path) -> dict[str, list[str]]:
    """The charts of each split of a generated hospital, from its MDACE lists."""
    lists = hospital / "mdace" / "splits" / "Inpatient"
    return {
        split: (lists / f"MDace-code-ev-{name}.csv").read_text(encoding="utf-8").split()
        for split, name in (("train", "train"), ("dev", "val"), ("test", "test"))
    }


def _fill(
    out: Path, known: ClinicalTables, patients: int, seed: int, evidence: float,
    billing_noise: float, readmission_effect: float,
) -> HospitalSummary:  # fmt: skip
    world = AuthorContext(known, Epidemiology(known, readmission_effect), Staff(seed))
    vocabulary = SynthVocabulary(known)
    charts = ChartWriter(world)
    concepts = vocabulary.write(out / "vocabulary")
    words = ratings.write(out / "ratings", known, seed)
    mdace = MdaceWriter(out / "mdace", known)
    admissions = readmissions = 0
    with ExitStack() as stack:

        def file(name: str) -> IO[str]:
            path = out / name
            path.parent.mkdir(exist_ok=True)
            return stack.enter_context(path.open("w", encoding="utf-8", newline=""))

        mimic = stack.enter_context(MimicWriter(out / "mimic3", known))
        truth = TruthWriter(file("truth/annotations.jsonl"), known)
        coders = CodersWriter(
            file("coders/annotations.jsonl"), file("coders/truth.jsonl"), file("coders/charts.txt"),
            known,
        )  # fmt: skip
        marked = ConceptsWriter(file("concepts/annotations.jsonl"), vocabulary)
        phi = PhiWriter(file("phi/notes.jsonl"), file("phi/annotations.jsonl"))
        emergency = EmergencyWriter(
            file("emergency/records.csv"), file("emergency/canaries.txt"), world.epidemiology
        )
        for index in track(range(patients), "patients", patients):
            patient = make_patient(seed, index)
            found = stays(patient, world.epidemiology)
            split = split_of(patient.dice)
            has_evidence = patient.dice.fork("evidence").chance(evidence)
            mimic.patient(patient, found, patient.dice.fork("death"))
            emergency.patient(patient, found)
            for stay in found:
                chart = charts.write(stay)
                supported = items(chart)
                dice = patient.dice.fork(f"bill {stay.number}")
                billed = bill(chart, supported, world.epidemiology, dice, billing_noise)
                mimic.chart(chart, billed)
                sufficient = mdace.chart(chart, supported, billed, split, has_evidence=has_evidence)
                coders.chart(chart, sufficient)
                marked.chart(chart)
                truth.chart(chart)
                phi.chart(chart)
                admissions += 1
                readmissions += stay.readmitted
        mdace.finish()
    summary = HospitalSummary(
        seed=seed,
        patients=patients,
        admissions=admissions,
        readmissions=readmissions,
        notes=mimic.rows["NOTEEVENTS"],
        billed_codes=mimic.rows["DIAGNOSES_ICD"] + mimic.rows["PROCEDURES_ICD"],
        evidence_spans=mdace.spans,
        phrases=sum(truth.assertions.values()),
        coded_charts=coders.charts,
        coder_annotations=coders.annotations,
        concept_notes=marked.notes,
        concept_annotations=marked.annotations,
        concepts=concepts,
        emergency_records=emergency.records,
        canaries=emergency.canaries,
        phi_annotations=phi.annotations,
        rated_words=words,
    )
    _describe(out, summary)
    return summary


def _describe(out: Path, summary: HospitalSummary) -> None:
    """Write hospital.json: a description, and the digest of every file."""
    digests = file_digests(out)
    counts = asdict(summary)
    described = {
        "version": __version__,
        "seed": counts.pop("seed"),
        "patients": counts.pop("patients"),
        "counts": counts,
        "files": digests,
    }
    text = json.dumps(described, indent=1, ensure_ascii=False)
    (out / "hospital.json").write_text(text + "\n", encoding="utf-8", newline="")
