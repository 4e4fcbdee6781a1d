"""How long a synthetic hospital takes, and how hard it is: `python bench/hospital.py`.

One process on one core. Wall-clock seconds count what the user waits; processor seconds do not
count what else the machine is doing. Then two shares that decide how hard coding its charts is:
evidence in words that no chart of the first 70% of the patients has, and codes on the bills that
the notes support.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auscult.synth.hospital import make_hospital

TRAINING = 0.7


def main() -> None:
    """Make a hospital, print the seconds it took and the two shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--patients", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--billing-noise", type=float, default=0.5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "hospital"
        wall, cpu = time.perf_counter(), time.process_time()
        summary = make_hospital(
            out, options.patients, options.seed, billing_noise=options.billing_noise
        )
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        files = [path for path in out.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        print(
            f"{summary.patients:,} patients, {summary.admissions:,} admissions, "
            f"{summary.notes:,} notes, {len(files):,} files, {size / 1e6:,.0f} MB"
        )
        print(f"{wall:.1f} s of wall-clock time, {cpu:.1f} s of processor time (limit: 60 s)")
        print(f"{1000 * cpu / summary.patients:.1f} ms of processor time a patient")
        for part in ("Inpatient", "Profee"):
            spans, distinct = new_wordings(out, part)
            print(f"{part}: {spans:.1%} of spans, {distinct:.1%} of wordings are new after 70%")
        billed, supported = overlap(out)
        print(f"{billed:.1%} of billed codes have evidence, {supported:.1%} of those are billed")


def rows(out: Path, table: str) -> Iterator[dict[str, str]]:
    """The rows of a MIMIC table."""
    csv.field_size_limit(10**9)
    with (out / "mimic3" / f"{table}.csv").open(encoding="utf-8", newline="") as handle:
        yield from csv.DictReader(handle)


def charts(out: Path, part: str, version: str) -> Iterator[dict[str, Any]]:
    """The MDACE files of a part."""
    for path in sorted((out / "mdace" / "data" / part / version / "1.0").iterdir()):
        yield json.loads(path.read_text(encoding="utf-8"))


def new_wordings(out: Path, part: str) -> tuple[float, float]:
    """Shares of later spans, and of their wordings, that no earlier patient has for that code."""
    patients = {row["SUBJECT_ID"]: at for at, row in enumerate(rows(out, "PATIENTS"))}
    owner = {int(row["HADM_ID"]): patients[row["SUBJECT_ID"]] for row in rows(out, "ADMISSIONS")}
    texts = {int(row["ROW_ID"]): row["TEXT"] for row in rows(out, "NOTEEVENTS")}
    seen: set[tuple[str, str]] = set()
    later: list[tuple[str, str]] = []
    for chart in charts(out, part, "ICD-10"):
        early = owner[chart["hadm_id"]] < TRAINING * len(patients)
        for note in chart["notes"]:
            for found in note["annotations"]:
                words = texts[note["note_id"]][found["begin"] : found["end"]].lower().split()
                item = (found["code"], " ".join(words))
                if early:
                    seen.add(item)
                else:
                    later.append(item)
    distinct = set(later)
    return sum(item not in seen for item in later) / len(later), len(distinct - seen) / len(
        distinct
    )


def overlap(out: Path) -> tuple[float, float]:
    """Shares of billed codes that have evidence, and of codes with evidence that are billed."""
    billed: dict[int, set[tuple[str, str]]] = defaultdict(set)
    for table, system in (("DIAGNOSES_ICD", "ICD-9-CM"), ("PROCEDURES_ICD", "ICD-9-PCS")):
        for row in rows(out, table):
            billed[int(row["HADM_ID"])].add((system, row["ICD9_CODE"]))
    both = on_bill = supported = 0
    for chart in charts(out, "Inpatient", "ICD-9"):
        codes = {
            (found["code_system"], found["code"].replace(".", ""))
            for note in chart["notes"]
            for found in note["annotations"]
        }
        bill = billed[chart["hadm_id"]]
        both += len(codes & bill)
        on_bill += len(bill)
        supported += len(codes)
    return both / on_bill, both / supported


if __name__ == "__main__":
    main()
