"""Bills: what the notes support, and as much noise as is asked for."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from pathlib import Path

import pytest
from tests.synth.conftest import read_table

from auscult.core import OptionError
from auscult.synth.billing import Bill, bill
from auscult.synth.charts import WrittenChart
from auscult.synth.evidence import SupportedCode, items
from auscult.synth.hospital import make_hospital
from auscult.synth.note_author import AuthorContext
from auscult.synth.note_parts import PhraseKind

Codes = set[tuple[bool, str]]


def _bill(
    chart: WrittenChart, found: list[SupportedCode], world: AuthorContext, noise: float
) -> Bill:
    dice = chart.stay.patient.dice.fork(f"bill {chart.stay.number}")
    return bill(chart, found, world.epidemiology, dice, noise)


def _billed(written: Bill) -> Codes:
    return {(False, c) for c in written.diagnoses} | {(True, c) for c in written.procedures}


def _supported(chart: WrittenChart, found: list[SupportedCode], world: AuthorContext) -> Codes:
    done = {deed.row for deed in chart.stay.deeds}
    codes = set()
    for item in found:
        code = item.code(world.known, 9)
        if code is not None and (item.kind is not PhraseKind.PROCEDURE or item.row in done):
            codes.add((item.kind is PhraseKind.PROCEDURE, code[1].replace(".", "")))
    return codes


def test_without_noise_the_bill_is_what_the_notes_support(
    charts: list[WrittenChart], world: AuthorContext
) -> None:
    for chart in charts:
        found = items(chart)
        assert _billed(_bill(chart, found, world, 0.0)) == _supported(chart, found, world)


def test_with_all_noise_bills_are_as_far_from_the_notes_as_those_of_mimic(
    charts: list[WrittenChart], world: AuthorContext
) -> None:
    both = billed = supported = 0
    for chart in charts:
        found = items(chart)
        bills = _billed(_bill(chart, found, world, 1.0))
        codes = _supported(chart, found, world)
        both += len(bills & codes)
        billed += len(bills)
        supported += len(codes)
    # MDACE, table 5: 2,370 codes in common of 5,250 billed and of 3,414 with evidence.
    assert both / billed == pytest.approx(2370 / 5250, abs=0.06)
    assert both / supported == pytest.approx(2370 / 3414, abs=0.06)


def test_more_noise_is_further_from_the_notes(
    charts: list[WrittenChart], world: AuthorContext
) -> None:
    shares = []
    for noise in (0.0, 0.3, 0.6, 1.0):
        both = billed = 0
        for chart in charts:
            found = items(chart)
            bills = _billed(_bill(chart, found, world, noise))
            both += len(bills & _supported(chart, found, world))
            billed += len(bills)
        shares.append(both / billed)
    assert shares == sorted(shares, reverse=True)
    assert len(set(shares)) == 4


def test_the_principal_diagnosis_comes_first(
    charts: list[WrittenChart], world: AuthorContext
) -> None:
    first = 0
    for chart in charts:
        written = _bill(chart, items(chart), world, 1.0).diagnoses
        assert len(set(written)) == len(written) <= 39
        principal = world.known.conditions[chart.stay.principal.coded].icd9.replace(".", "")
        first += written[0] == principal
    assert first > 0.9 * len(charts)


def test_what_is_known_elsewhere_comes_along_every_time(
    charts: list[WrittenChart], world: AuthorContext
) -> None:
    """A code that nothing in a chart supports is on the patient's next bill as well."""
    bills: dict[int, list[Codes]] = {}
    for chart in charts:
        found = items(chart)
        extra = _billed(_bill(chart, found, world, 1.0)) - _supported(chart, found, world)
        had = {world.known.conditions[i.row].icd9.replace(".", "") for i in chart.stay.illnesses}
        bills.setdefault(chart.stay.patient.index, []).append(
            {code for code in extra if not code[0] and code[1] not in had}
        )
    again = Counter(
        bool(code in after)
        for stays in bills.values()
        for before, after in itertools.pairwise(stays)
        for code in before
    )
    assert again[True] > 0.3 * again.total() > 10


def test_noise_changes_bills_and_neither_notes_nor_evidence(tmp_path: Path) -> None:
    for noise in (0.0, 1.0):
        make_hospital(tmp_path / str(noise), patients=6, seed=2, billing_noise=noise)
    clean, noisy = (
        json.loads((tmp_path / noise / "hospital.json").read_text(encoding="utf-8"))["files"]
        for noise in ("0.0", "1.0")
    )
    changed = {name for name in clean if clean[name] != noisy[name]}
    assert {"mimic3/DIAGNOSES_ICD.csv", "mimic3/PROCEDURES_ICD.csv"} <= changed
    # Whether an ICD-9 code was billed is part of MDACE's files; CPT numbers are billed too.
    rest = {name for name in changed if "/ICD-9/" not in name}
    assert rest <= {f"mimic3/{t}.csv" for t in ("DIAGNOSES_ICD", "PROCEDURES_ICD", "CPTEVENTS")}
    rows = read_table(tmp_path / "1.0" / "mimic3" / "DIAGNOSES_ICD.csv")
    assert len(rows) > len(read_table(tmp_path / "0.0" / "mimic3" / "DIAGNOSES_ICD.csv"))


@pytest.mark.parametrize("noise", [-0.1, 1.01])
def test_noise_is_a_share(tmp_path: Path, noise: float) -> None:
    with pytest.raises(OptionError, match="from 0 to 1"):
        make_hospital(tmp_path / "hospital", patients=1, billing_noise=noise)
    assert not (tmp_path / "hospital").exists()
