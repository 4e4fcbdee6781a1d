"""The guidelines that the code book applies, each on a sentence that a coder would know."""

from __future__ import annotations

import pytest
from tests.models.codebook.coded import codes

from auscult.core import Note
from auscult.models.care_setting import CareSetting
from auscult.models.codebook.assigning import CodeAssigner


@pytest.fixture(scope="module")
def assigner() -> CodeAssigner:
    return CodeAssigner()


@pytest.mark.parametrize(
    ("text", "expected", "absent"),
    [
        # I.C.9.a: hypertension with heart failure and with chronic kidney disease is presumed.
        ("Hypertension. Acute systolic heart failure.", {"I11.0", "I50.21"}, {"I10"}),
        ("HTN and CKD stage 3.", {"I12.9"}, {"I10"}),
        ("HTN with end stage renal disease.", {"I12.0", "N18.6"}, {"I10"}),
        ("HTN, CHF, CKD stage 4.", {"I13.0", "N18.4", "I50.9"}, {"I10", "I11.0", "I12.9"}),
        ("Hypertension. No heart failure.", {"I10"}, {"I11.0"}),
        # I.A.15: "with" presumes that diabetes is the cause.
        ("Type 2 diabetes and CKD stage 4.", {"E11.22", "N18.4"}, {"E11.9"}),
        ("Type 1 diabetes mellitus, gastroparesis.", {"E10.43"}, {"E10.9", "K31.84"}),
        ("Type 2 diabetes. No gastroparesis.", {"E11.9"}, {"E11.43"}),
        # The notes at J44.0.
        ("COPD with pneumonia.", {"J44.0", "J18.9"}, {"J44.9"}),
        # Organism and infection in one sentence.
        ("Pneumonia due to Klebsiella pneumoniae.", {"J15.0"}, {"J18.9", "B96.1"}),
        # I.C.21.c.4: what is over is history.
        ("Previous myocardial infarction.", {"I25.2"}, {"I21.9"}),
        ("Prior breast cancer.", {"Z85.3"}, {"C50.919"}),
        ("History of asthma.", {"J45.909"}, set()),
        ("Hx of pneumonia.", {"Z87.01"}, {"J18.9"}),
        ("PMH: left BKA in 2019 for gangrene\nA/P: gout", {"Z89.512"}, {"I96"}),
        ("Cholecystectomy planned for gallstones.", {"K80.20"}, set()),
        ("Thyroidectomy 2016 for papillary thyroid carcinoma.", {"Z85.850"}, {"C73"}),
        ("PSH: R TKA. Cataract OU\nA/P: gout", {"Z96.651", "M10.9"}, {"H26.9", "H26.103"}),
        # I.A.15: "in" presumes that cirrhosis is the cause.
        ("Cirrhosis. Bleeding esophageal varices.", {"I85.11"}, {"I85.01"}),
        # I.B.18: what one word says beside a term, although the term is in another order.
        ("Acute hypoxic resp failure.", {"J96.01"}, {"J96.91"}),
        ("Hypoxic resp failure.", {"J96.91"}, {"J96.01"}),
        (
            "PMH: UTI in March, resolved. Anxiety as a teenager.\nA/P: gout",
            {"M10.9"},
            {"N39.0", "F41.9"},
        ),
        ("PMH: hysterectomy for fibroids.\nA/P: gout", {"M10.9"}, {"D25.9"}),
        ("HPI: presents with a 3-day history of cellulitis.\nA/P: admit", {"L03.90"}, set()),
        ("HPI: 2 weeks post op with DVT.\nA/P: heparin", {"I82.409"}, {"Z86.718"}),
        ("HPI: referred for hysterectomy for fibroids.\nA/P: gout", {"D25.9"}, set()),
        (
            "HPI: seen today\nA/P: STI screening - GC/CT, trich, HIV.",
            set(),
            {"B20", "A59.9", "A54.9"},
        ),
        # I.C.4.a.2: type 2 is the default only where no type is said.
        ("Type 1 diabetes. Diabetic neuropathy.", {"E10.40"}, {"E11.40"}),
        ("Type 2 diabetes. Diabetic neuropathy.", {"E11.40"}, {"E10.40"}),
        # I.C.19.c.1 and I.C.21.c.13: what the encounter is for.
        ("HPI: cast off\nA/P: right Colles fracture, healing", {"S52.531D"}, {"S52.531A"}),
        ("HPI: fell today\nA/P: right Colles fracture", {"S52.531A"}, {"S52.531D"}),
        (
            "HPI: here today for annual physical\nA/P: annual physical with abnormal findings",
            {"Z00.01"},
            {"Z00.00"},
        ),
        # I.B.2: what the sentence says apart from the term.
        ("Pressure ulcer of the left heel, 2 x 2 cm, stage 3.", {"L89.623"}, {"L89.629"}),
        ("CKD, on dialysis planning, stage 4.", {"N18.4"}, {"N18.9"}),
        (
            "Invasive ductal carcinoma of the right breast, upper outer quadrant.",
            {"C50.411"},
            {"C50.911"},
        ),
        ("Osteoarthritis of both knees.", {"M17.0"}, {"M17.10"}),
        # A reaction of the past is told with its allergy.
        ("HPI: allergic to ketorolac - got hives.\nA/P: gout", {"M10.9"}, {"L50.9"}),
        ("HPI: itchy since today\nA/P: hives", {"L50.9"}, set()),
        # I.C.9.a.2: diabetic kidney disease is kidney disease.
        ("HTN, type 2 diabetes with chronic kidney disease.", {"I12.9", "E11.22"}, {"I10"}),
        ("PMH: concussion at age 14.\nA/P: gout", {"M10.9"}, {"S06.0XAA"}),
        ("HPI: annual physical w/o abnormal findings\nA/P: well", set(), {"Z00.01"}),
        ("HPI: allergic to penicillin presents with vomiting.\nA/P: fluids", {"R11.10"}, set()),
        ("HPI: reflux disease, chronic venous insufficiency\nA/P: PPI", {"K21.9"}, set()),
        # What has no named place is named a line further.
        ("HPI: fell\nA/P: laceration", set(), {"T14.8XXA"}),
        (
            "HPI: using accessory muscles, GSV reflux, pneumonia 2019.\nA/P: gout",
            {"M10.9"},
            {"Q79.8", "K21.9", "J12.82"},
        ),
        # I.C.21.c.3: what a past procedure left behind, and drugs that are taken for long.
        ("Status post splenectomy.", {"Z90.81"}, set()),
        ("History of appendectomy and cholecystectomy.", {"Z90.49"}, set()),
        ("Appendectomy was performed today.", set(), {"Z90.49"}),
        ("He is on warfarin and insulin.", {"Z79.01", "Z79.4"}, set()),
        ("He was started on prednisone.", set(), {"Z79.52"}),
        # I.B.13, I.C.6.a: sides, and the dominant one.
        ("Pain in the knee, on the left.", {"M25.562"}, {"M25.569"}),
        ("Hemiplegia of the left side.", {"G81.94"}, {"G81.92"}),
        ("Hemiplegia of the right side.", {"G81.91"}, {"G81.93"}),
        ("He left the hospital with knee pain.", {"M25.569"}, {"M25.562"}),
        # I.B.14 and I.C.21.c.11: values.
        ("Obese, BMI 43.2.", {"Z68.41"}, set()),
        ("Seen at 38 weeks of gestation.", {"Z3A.38"}, set()),
        ("Cough for 3 weeks.", set(), {"Z3A.01"}),
        # Assertion.
        ("Denies chest pain. Father had a stroke.", set(), {"R07.9", "I63.9"}),
        ("Anemia secondary to bleeding.", {"D64.9"}, {"C79.9"}),
    ],
)
def test_a_guideline(
    assigner: CodeAssigner, text: str, expected: set[str], absent: set[str]
) -> None:
    found = codes(assigner, text)
    assert expected <= found
    assert not absent & found


def test_a_combination_points_at_both_conditions(assigner: CodeAssigner) -> None:
    text = "HTN. CHF."
    [both] = [
        one for one in assigner.candidates([Note("n", "n", text=text)]) if one.code.value == "I11.0"
    ]
    said = {span.of(text) for mention in both.candidate.mentions for span in mention.spans}
    assert said == {"HTN", "CHF"}
    assert all("I.C.9.a.1" in one.rules[-1] for one in both.candidate.mentions)


def test_every_code_of_the_rules_can_be_billed() -> None:
    from auscult.codes.tabular.current import tabular_list
    from auscult.models.codebook.phrase_table import rows

    book = tabular_list()
    for table in ("history.tsv", "medications.tsv", "procedures.tsv"):
        assert [row for row in rows(table) if not book.is_billable(row[1])] == []


@pytest.mark.parametrize(
    ("setting", "category", "is_coded"),
    [
        ("inpatient", None, True),
        ("outpatient", None, False),
        ("auto", None, True),
        ("auto", "Discharge summary", True),
        ("auto", "Cardiology clinic note", False),
    ],
)
def test_what_is_suspected_is_coded_for_inpatients_only(
    setting: CareSetting, category: str | None, is_coded: bool
) -> None:
    """Official Guidelines, Sections II.H and IV.H."""
    note = Note("n", "n", category=category, text="Suspected pneumonia. Gout.")
    found = {one.code.value for one in CodeAssigner(setting=setting).candidates([note])}
    assert found == ({"J18.9", "M10.9"} if is_coded else {"M10.9"})
