"""The code book without training on other charts: the 2007 challenge and the synthetic hospital.

    .venv/bin/python bench/zero_shot_others.py --data ../shared/data [--patients 60]

The radiology reports of the 2007 challenge are coded in ICD-9-CM: what the code book finds is
mapped there. Beside the micro-F1 as it is, there is the one with codes cut to the digits that gold
has for them, since gold is of an older release (780.6, not 780.60). The synthetic hospital is coded
in ICD-10-CM with evidence: micro-F1 of codes, and token F1 of the evidence, end to end.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from dataclasses import replace
from pathlib import Path

import auscult
from auscult.codes.releases import add_release
from auscult.core import Annotation, Code
from auscult.models.codebook.assigning import CodeAssigner
from auscult.models.codebook.scoring import Weights, shipped
from auscult.models.codebook.translating import translation_to
from auscult.models.ready_made import ready_made
from auscult.synth.hospital import make_hospital

_SETS: tuple[Weights, ...] = ("plain", "fitted")


def challenge(file: Path) -> None:
    """The reports of the 2007 challenge, against the majority of its coders."""
    gold = auscult.read_corpus("cmc", file).select(annotators=["CMC_MAJORITY"])
    systems = {annotation.code.system for annotation in gold.iter_annotations()}
    translation = translation_to(systems)
    assert translation is not None  # ICD-9-CM
    assigner = CodeAssigner(translation)
    known = {annotation.code.value for annotation in gold.iter_annotations()}
    found = {chart.chart_id: assigner.candidates(chart.notes) for chart in gold.charts()}
    for which in _SETS:
        scoring = shipped(which)
        given = [
            Annotation("codebook", one.code, chart_id)
            for chart_id, codes in found.items()
            for one in codes
            if scoring.probability(one.features) >= scoring.threshold
        ]
        cut = {
            replace(one, code=Code(one.code.system, _cut(one.code.value, known))) for one in given
        }
        exact, alike = (_f1(gold, list(codes)) for codes in (given, cut))
        print(f"| 2007 challenge, ICD-9-CM | {which} | {exact:.3f} | {alike:.3f} | |")


def _cut(value: str, known: set[str]) -> str:
    """A code with fewer digits, if gold has that one and not the code itself."""
    shorter = value[:-1].rstrip(".")
    return shorter if value not in known and shorter in known else value


def hospital(patients: int, folder: Path) -> None:
    """The discharge summaries of the synthetic hospital, against its planted evidence."""
    make_hospital(folder / "hospital", patients, 0)
    notes = auscult.read_corpus("mimic3", folder / "hospital" / "mimic3")
    planted = folder / "hospital" / "mdace" / "data" / "Inpatient" / "ICD-10"
    evidence = auscult.read_corpus("mdace", planted)
    gold = notes.merge(evidence).select(
        annotators=["inpatient"], categories=["Discharge summary"], systems=["ICD-10-CM"]
    )
    for which in _SETS:
        model = ready_made("codebook", {"scoring": which})
        found = model.predict(gold)
        codes = _f1(gold, found)
        result = auscult.evaluate_evidence(gold, found, bootstrap=0)
        token = float(result.metrics["token"].f1)
        print(f"| synthetic hospital ({patients}) | {which} | {codes:.3f} | | {token:.3f} |")


def _f1(gold: auscult.Corpus, found: list[Annotation]) -> float:
    return float(auscult.evaluate_codes(gold, found, bootstrap=0).metrics["micro_f1"])


def main() -> None:
    """Measure both, with the Alphabetic Index of the data folder installed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--patients", type=int, default=60)
    args = parser.parse_args()
    print("| charts | weights | micro-F1 | micro-F1, gold's digits | evidence, token F1 |")
    print("| --- | --- | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as home:
        os.environ["AUSCULT_HOME"] = home
        for file in sorted((args.data / "icd10cm_2025").glob("*.xml")):
            add_release(file)
        challenge(args.data / "cmc2007" / "dev.xml")
        hospital(args.patients, Path(home))


if __name__ == "__main__":
    main()
