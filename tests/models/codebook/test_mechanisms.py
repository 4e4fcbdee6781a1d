"""What the code book makes of sites apart, both sides, drugs, strokes of the past, pregnancies."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.models.codebook.coded import codes

from auscult.codes.releases import add_release
from auscult.models.codebook.assigning import CodeAssigner

_DRUGS = """<?xml version="1.0" encoding="utf-8"?>
<ICD10CM.index><version>2025</version><title>ICD-10-CM TABLE OF DRUGS and CHEMICALS</title>
<indexHeading><head col="1">Substance</head><head col="2">Poisoning Accidental</head>
<head col="3">Poisoning Intentional self-harm</head><head col="4">Poisoning Assault</head>
<head col="5">Poisoning Undetermined</head><head col="6">Adverse effect</head>
<head col="7">Underdosing</head></indexHeading>
<letter><title>W</title>
<mainTerm><title>Warfarin</title><cell col="2">T45.511</cell><cell col="3">T45.512</cell>
<cell col="4">T45.513</cell><cell col="5">T45.514</cell><cell col="6">T45.515</cell>
<cell col="7">T45.516</cell></mainTerm>
<mainTerm><title>Amiodarone</title><cell col="2">T46.2X1</cell><cell col="3">T46.2X2</cell>
<cell col="4">T46.2X3</cell><cell col="5">T46.2X4</cell><cell col="6">T46.2X5</cell>
<cell col="7">T46.2X6</cell></mainTerm>
<mainTerm><title>Iron</title><cell col="2">T45.4X1</cell><cell col="3">T45.4X2</cell>
<cell col="4">T45.4X3</cell><cell col="5">T45.4X4</cell><cell col="6">T45.4X5</cell>
<cell col="7">T45.4X6</cell></mainTerm>
</letter></ICD10CM.index>
"""


@pytest.fixture(scope="module")
def assigner() -> CodeAssigner:
    return CodeAssigner()


@pytest.mark.parametrize(
    ("text", "expected", "absent"),
    [
        # A site that stands apart from what is there.
        ("A mass of 4 cm in the upper pole of the left kidney.", {"N28.89"}, set()),
        ("There was a mass, and the kidney was normal.", set(), {"N28.89"}),
        # I.B.13: both sides of what has no code for both.
        ("Pain in both wrists.", {"M25.531", "M25.532"}, {"M25.539"}),
        ("Osteoarthritis of both knees.", set(), {"M17.11", "M17.12"}),
        # Names with their qualifiers after a comma.
        ("Major depressive disorder, recurrent, severe.", {"F33.2"}, {"F32.9"}),
        ("PTSD, chronic.", {"F43.12"}, {"F43.10"}),
        # I.C.9.b and other combinations.
        ("CAD with angina.", {"I25.119"}, {"I25.10"}),
        ("Alcoholic cirrhosis. Ascites.", {"K70.31"}, {"K70.30"}),
        # What is named and not there.
        ("Lumbar puncture was normal.", set(), {"S31.030A"}),
        ("Body mass index was not measured.", set(), {"Z68.51"}),
        ("Chronic diarrhoea.", {"K52.9"}, set()),
        # I.C.9.d: what a stroke left behind.
        ("Old stroke with aphasia.", {"I69.320"}, {"R47.01", "Z86.73"}),
        ("Aphasia. He had a stroke years ago.", {"R47.01"}, {"I69.320"}),
        # I.C.15: trimester, and what complicates a pregnancy.
        (
            "HPI: at 30 weeks of gestation.\nAssessment: anemia, HTN.",
            {"O99.013", "O10.013", "Z3A.30"},
            {"I10", "O99.019"},
        ),
        ("HPI: not pregnant.\nAssessment: anemia.", {"D64.9"}, {"O99.019"}),
        # A former pregnancy complicates nothing.
        (
            "PMH: gestational diabetes with her second child.\nAssessment: hypertension, anemia.",
            {"I10", "D64.9", "Z86.32"},
            {"O10.019", "O99.019", "O24.419"},
        ),
        ("HPI: three C-sections.\nAssessment: asthma.", {"J45.909"}, {"O99.519", "O82"}),
        # I.C.2.m: a cancer of which nothing is left.
        (
            "PMH: renal cell carcinoma 2011, no recurrence.\nAssessment: gout.",
            {"Z85.528", "M10.9"},
            {"C64.9"},
        ),
        ("Papillary thyroid carcinoma, NED.", {"Z85.850"}, {"C73"}),
        ("Papillary thyroid carcinoma. No recurrent fever.", {"C73"}, {"Z85.850"}),
        # What an allergy did is not there.
        ("All: codeine - hives.\nAssessment: gout.", {"M10.9"}, {"L50.9"}),
        ("Tetanus utd.", set(), {"A35"}),
        # Short forms by the words beside them.
        ("Bactrim DS twice a day.", set(), {"Q90.9"}),
        ("VF arrest.", {"I49.01"}, set()),
        ("Early glaucoma, VF stable.", set(), {"I49.01"}),
        # I.B.14: the body mass index beside a diagnosis of the weight.
        ("HPI: BMI 23.\nAssessment: gout.", {"M10.9"}, {"Z68.23"}),
        ("HPI: BMI 43.\nAssessment: obesity.", {"E66.9", "Z68.41"}, set()),
        ("HPI: a 4-year-old with a BMI of 18.\nAssessment: obesity.", {"E66.9"}, {"Z68.1"}),
    ],
)
def test_a_mechanism(
    assigner: CodeAssigner, text: str, expected: set[str], absent: set[str]
) -> None:
    found = codes(assigner, text)
    assert expected <= found
    assert not absent & found


@pytest.mark.parametrize(
    ("text", "expected", "absent"),
    [
        ("Hypothyroidism due to amiodarone.", {"E03.2", "T46.2X5A"}, {"E03.9"}),
        ("Missed warfarin.", {"T45.516A"}, {"T45.515A"}),
        ("Overdose of warfarin.", {"T45.511A"}, {"T45.512A"}),
        ("Suicide attempt by overdose of warfarin.", {"T45.512A"}, {"T45.511A"}),
        ("Anemia due to iron deficiency.", set(), {"T45.4X5A"}),
        ("No bleeding due to warfarin.", set(), {"T45.515A"}),
    ],
)
def test_drugs_are_coded_by_intent(
    text: str,
    expected: set[str],
    absent: set[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Official Guidelines, Section I.C.19.e.5, with a Table of Drugs of three."""
    monkeypatch.setenv("AUSCULT_HOME", str(tmp_path / "home"))
    file = tmp_path / "drugs.xml"
    file.write_text(_DRUGS, encoding="utf-8")
    add_release(file)
    found = codes(CodeAssigner(), text)
    assert expected <= found
    assert not absent & found


def test_every_code_of_the_tables_is_one() -> None:
    from auscult.codes.tabular.current import tabular_list
    from auscult.models.codebook.phrase_table import rows

    book = tabular_list()
    assert [
        row for row in rows("drug_induced.tsv") if not all(map(book.is_billable, row[1:3]))
    ] == []
    assert [row for row in rows("obstetric.tsv") if row[1] not in book] == []
